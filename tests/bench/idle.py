"""What ``regalia up`` needs while nothing happens: memory and CPU of each part, with Dagster and one follower.

CPU includes that of processes which end meanwhile, such as Dagster's runs, so five minutes hold one of each schedule.
"""

import json
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from indexer.devchain.anvil import Anvil
from indexer.devchain.world import World
from tests.bench.directories import new_directory
from tests.bench.result import Result
from tests.fixtures.waiting import wait_until

READY_SECONDS = 300.0
SETTLE_SECONDS = 60.0
MEASURED_SECONDS = 300.0
SAMPLE_SECONDS = 5.0
MOST_MEGABYTES, MOST_PERCENT = 1200, 10
Stack = Mapping[int, str]
"""Names of the parts by the process that runs each."""


def measure(directory: Path, progress: Callable[[str], None]) -> list[Result]:
    """Start the service on a small chain, wait until it is idle, and measure it."""
    folder = new_directory(directory, "idle")
    with Anvil.start(state_roots=False, genesis_time=World.genesis_time("small")) as anvil:
        world = World.create(anvil, seed=1, scale="small", with_registry=False)
        chains = folder / "chains.toml"
        chains.write_text(world.chain_toml("base"))
        with _running(folder / "data", chains) as service:
            progress(f"every part is ready; measured from {SETTLE_SECONDS:.0f} s on")
            time.sleep(SETTLE_SECONDS)
            return measure_stack(service, folder / "data", progress)


def measure_stack(service: psutil.Process, data_dir: Path, progress: Callable[[str], None]) -> list[Result]:
    """Measure a service that runs."""
    names = {part["pid"]: name for name, part in _parts(data_dir).items() if part["pid"]}
    before, began = _seconds(service, names), time.monotonic()
    samples: list[Mapping[str, float]] = []
    while time.monotonic() - began < MEASURED_SECONDS:
        samples.append(_megabytes(service, names))
        time.sleep(SAMPLE_SECONDS)
    passed = time.monotonic() - began
    spent = {name: 100 * (now - before[name]) / passed for name, now in _seconds(service, names).items()}
    usual = {name: statistics.median(sample[name] for sample in samples) for name in samples[0]}
    for name, megabytes in sorted(usual.items(), key=lambda item: -item[1]):
        progress(f"{name}: {megabytes:.0f} MB, {spent[name]:.1f} % of a core")
    totals = [sum(sample.values()) for sample in samples]
    return [
        Result("idle: memory of the service (PSS)", statistics.median(totals), "MB", f"<= {MOST_MEGABYTES}"),
        Result("idle: most memory, while Dagster runs something", max(totals), "MB"),
        Result("idle: CPU of the service", sum(spent.values()), "% of a core", f"<= {MOST_PERCENT}"),
    ]


@contextmanager
def _running(data_dir: Path, chains: Path) -> Iterator[psutil.Process]:
    data_dir.mkdir()
    environment = os.environ | {"REGALIA_DATA_DIR": str(data_dir), "REGALIA_CHAINS": str(chains), "REGALIA_PORT": "0"}
    with (data_dir.parent / "up.log").open("w") as log:
        process = subprocess.Popen([sys.executable, "-m", "api.cli", "up"], env=environment, stdout=log, stderr=log)
    try:
        wait_until(lambda: _is_ready(data_dir), "every part is ready", READY_SECONDS)
        yield psutil.Process(process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def _is_ready(data_dir: Path) -> bool:
    with suppress(FileNotFoundError):
        return all(part["phase"] in ("ready", "done") for part in _parts(data_dir).values())
    return False


def _parts(data_dir: Path) -> Mapping[str, Mapping[str, Any]]:
    found: Mapping[str, Mapping[str, Any]] = json.loads((data_dir / "run" / "stack.json").read_text())["parts"]
    return found


def _seconds(service: psutil.Process, names: Stack) -> dict[str, float]:
    """CPU of each part so far, with that of its processes that have ended."""

    def of(process: psutil.Process) -> float:
        times = process.cpu_times()
        return float(times.user + times.system + times.children_user + times.children_system)

    return _by_part(service, names, of)


def _megabytes(service: psutil.Process, names: Stack) -> dict[str, float]:
    """Memory of each part. Pages that several processes share are divided among them."""
    return _by_part(service, names, lambda process: process.memory_full_info().pss / 1e6)


def _by_part(service: psutil.Process, names: Stack, figure: Callable[[psutil.Process], float]) -> dict[str, float]:
    """The sum of a figure over the processes of each part; the supervisor's own under its name."""
    sums = dict.fromkeys([*names.values(), "supervisor"], 0.0)
    for process in (service, *service.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            above = [process, *process.parents()]
            name = next((names[one.pid] for one in above if one.pid in names), "supervisor")
            sums[name] += figure(process)
    return sums
