"""What processes of a measured run used, and when the engines are at rest."""

import time
from collections.abc import Mapping
from pathlib import Path

import psutil

from warehouse.clickhouse import Warehouse
from warehouse.embedded import record
from warehouse.embedded.layout import Layout

_QUIET_SECONDS, _MOST_SECONDS = 3, 60.0


def of_run(data_dir: Path) -> Mapping[str, psutil.Process]:
    """This process, and the engines of a data directory that run now."""
    running = record.read(Layout.of(data_dir))
    return {
        "indexer": psutil.Process(),
        "warehouse": psutil.Process(running[record.CLICKHOUSE].pid),
        "store": psutil.Process(running[record.POSTGRES].pid),
    }


def cpu_seconds(process: psutil.Process) -> float:
    """CPU seconds of a process so far and, if it is the store's, of the processes that serve its connections."""
    times = process.cpu_times()
    spent = times.user + times.system
    if "postgres" in process.name() or "postgres" in " ".join(process.cmdline()):
        spent += times.children_user + times.children_system
        spent += sum(sum(child.cpu_times()[:2]) for child in process.children(recursive=True))
    return float(spent)


def cpu_of_all(measured: Mapping[str, psutil.Process]) -> float:
    """CPU seconds of several processes so far."""
    return sum(map(cpu_seconds, measured.values()))


def wait_for_merges(warehouse: Warehouse) -> None:
    """Wait until no merge has run for three seconds, at most a minute."""
    deadline, quiet = time.monotonic() + _MOST_SECONDS, 0
    while quiet < _QUIET_SECONDS and time.monotonic() < deadline:
        quiet = 0 if warehouse.scalar("SELECT count() FROM system.merges") else quiet + 1
        time.sleep(1)
