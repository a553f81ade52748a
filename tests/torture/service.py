"""The service's own processes, restarted when they end, as its supervisor does, and killed on demand.

The commands are those of ``regalia up``. The pause before a restart does not grow, because here processes end far more
often than in service.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil

from api.ops.supervisor import guard, parts, run, state
from api.ops.supervisor.part import Part
from api.ops.supervisor.settings import StackSettings
from warehouse import engines, postgres
from warehouse.chains import facts
from warehouse.embedded.layout import Layout
from warehouse.engines import EngineUrls
from warehouse.errors import StoreUnavailable
from warehouse.settings import EngineSettings

STORE, WAREHOUSE = "store", "warehouse"
_PAUSE_SECONDS = 0.2
_READY_SECONDS = 180.0


class PartFailed(AssertionError):
    """A part does not start; the message ends with its log."""


@dataclass(slots=True)
class Kept:
    """One part and the thread that keeps it running. ``ends`` counts the times it ended without being killed."""

    part: Part
    environment: Mapping[str, str]
    log: Path
    starts: int = 0
    ends: int = 0
    process: "subprocess.Popen[bytes] | None" = None
    _wanted: threading.Event = field(default_factory=threading.Event)
    _over: threading.Event = field(default_factory=threading.Event)
    _killed: bool = False
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Run it from now on."""
        self._wanted.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._keep, name=self.part.name)
            self._thread.start()

    def kill(self) -> bool:
        """Kill it and everything it started; whether it was running."""
        process = self.process
        if process is None or process.poll() is not None:
            return False
        self._killed = True
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True

    def pause(self) -> bool:
        """Kill it and do not restart it for now."""
        self._wanted.clear()
        return self.kill()

    def stop(self) -> None:
        """Stop it with its stop signal, for good."""
        self._over.set()
        self._wanted.set()
        process = self.process
        if process is not None and process.poll() is None:
            process.send_signal(self.part.stop_signal)
            try:
                process.wait(self.part.stop_seconds)
            except subprocess.TimeoutExpired:
                self.kill()
        if self._thread is not None:
            self._thread.join()

    def last_lines(self, count: int = 12) -> str:
        """The end of its log."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-count:])

    def _keep(self) -> None:
        while not self._over.is_set():
            self._wanted.wait()
            if self._over.is_set():
                return
            with self.log.open("ab") as output:
                # Started by this thread, which lives as long as the process is wanted: the kernel kills it with us.
                process = subprocess.Popen(
                    self.part.command,
                    env={**self.environment, **self.part.environment},
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                    preexec_fn=_die_with_us,
                )
            self.starts += 1
            self._killed = False
            self.process = process
            if not self._wanted.is_set():
                self.kill()  # paused between the decision to start and the start
            process.wait()
            if not self._killed and not self._over.is_set():
                self.ends += 1
            self._over.wait(_PAUSE_SECONDS)


@dataclass(slots=True)
class Service:
    """Embedded engines and one chain's follower on a data directory."""

    layout: Layout
    environment: Mapping[str, str]
    kept: dict[str, Kept]
    urls: EngineUrls
    follower: str

    @property
    def follow(self) -> Kept:
        """The chain's follower."""
        return self.kept[self.follower]

    def postmaster(self) -> int | None:
        """Process id of the PostgreSQL server itself, whose parent is ours."""
        wrapper = self.kept[STORE].process
        try:
            found = int((self.layout.postgres / "postmaster.pid").read_text().split("\n", 1)[0])
            ours = wrapper is not None and psutil.Process(found).ppid() == wrapper.pid
        except (OSError, ValueError, psutil.NoSuchProcess):
            return None
        return found if ours else None

    def await_ready(self, name: str) -> None:
        """Wait until an engine answers again.

        Raises:
            PartFailed: it does not.
        """
        kept = self.kept[name]
        ready: Callable[[], bool] = kept.part.ready or (lambda: True)
        deadline = time.monotonic() + _READY_SECONDS
        while time.monotonic() < deadline:
            with suppress(OSError, ValueError):
                if ready():
                    return
            time.sleep(0.05)
        raise PartFailed(f"{name} is not ready after {_READY_SECONDS:g} s:\n{kept.last_lines()}")

    def await_published(self, block: int, seconds: float = _READY_SECONDS) -> bool:
        """Wait until a block is indexed; whether it is by then."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with suppress(StoreUnavailable, postgres.ConnectionLost):
                with postgres.connect(self.urls.database_url, autocommit=True) as store:
                    row = store.execute("SELECT block_number FROM chain_checkpoint").fetchone()
                if row is not None and (row["block_number"] or 0) >= block:
                    return True
            time.sleep(0.1)
        return False


@contextmanager
def running(data_dir: Path, chains_file: Path, *, derived: bool = True) -> Iterator[Service]:
    """Engines and, once it is started, the follower of the only chain; everything ends with the block.

    Unless ``derived``, the follower is ``regalia index --follow``, which leaves derived tables alone.

    Raises:
        PartFailed: an engine does not start.
    """
    layout = Layout.of(data_dir)
    layout.prepare()
    settings = StackSettings(data_dir=layout.root, chains=chains_file, clickhouse_url=None, database_url=None, port=1)
    chains = facts.load(chains_file)
    (chain,) = parts.followed(chains)
    follower = f"follow-{chain.key}"
    built = {part.name: part for part in parts.build(settings, chains, parts.Wanted(dagster=False))}
    if not derived:
        command = (sys.executable, "-m", "indexer", "index", "--follow", "--chain", chain.key)
        built[follower] = replace(built[follower], command=command)
    environment = run.environment(settings) | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    kept = {name: Kept(built[name], environment, layout.logs / f"{name}.log") for name in (STORE, WAREHOUSE, follower)}
    with state.sole_stack(layout.root):
        try:
            for name in (STORE, WAREHOUSE):
                kept[name].start()
            engine_settings = EngineSettings(data_dir=layout.root, clickhouse_url=None, database_url=None)
            with engines.ensure(engine_settings) as urls:
                pass  # they are up and migrated
            yield Service(layout, environment, kept, urls, follower)
        finally:
            for name in (follower, WAREHOUSE, STORE):
                kept[name].stop()


def dagster_run(service: Service) -> "subprocess.Popen[bytes]":
    """A run of the head's ingestion by Dagster, in a process of its own with an instance that is gone with it."""
    asset = service.follower.replace("follow-", "head_")
    home = service.layout.root / "dagster-home"
    home.mkdir(exist_ok=True)
    with (service.layout.logs / "dagster-run.log").open("ab") as output:
        return subprocess.Popen(
            (sys.executable, "-m", "dagster", "asset", "materialize", "-m", "pipelines.definitions", "--select", asset),
            env={**service.environment, "DAGSTER_HOME": str(home)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            preexec_fn=_die_with_us,
        )


def _die_with_us() -> None:
    guard.prctl(guard.PR_SET_PDEATHSIG, signal.SIGKILL)
