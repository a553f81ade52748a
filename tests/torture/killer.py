"""Kill processes (SIGKILL) at random instants, most often in the middle of a unit."""

import os
import random
import signal
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

import psycopg

from tests.torture.service import STORE, WAREHOUSE, Service, dagster_run
from warehouse import postgres
from warehouse.errors import StoreUnavailable

INDEXER, DAGSTER = "indexer", "dagster run"
IDLE = "between units"
_LOOK_SECONDS = 0.004
# Runs that are tried; the last one is killed after so many seconds, whatever it is doing.
_DAGSTER_RUNS = 3
_DAGSTER_LOOK_SECONDS = 2.0
_PHASE = "SELECT pending ->> 'phase' AS phase FROM chain_checkpoint"


@dataclass(frozen=True, slots=True)
class Kill:
    """A kill: when, in seconds from the start, of what, and how long to wait for a unit to be in progress."""

    at_seconds: float
    target: str
    wait_seconds: float


def plan_kills(rng: random.Random, count: int, seconds: float, targets: tuple[tuple[str, int], ...]) -> list[Kill]:
    """``count`` kills spread over ``seconds``, in order; each target gets its share of the weights."""
    total = sum(weight for _, weight in targets)
    shares = [(name, round(count * weight / total)) for name, weight in targets]
    chosen = [name for name, share in shares for _ in range(share)]
    chosen += [targets[0][0]] * (count - len(chosen))
    chosen = chosen[:count]
    rng.shuffle(chosen)
    width = seconds / max(count, 1)
    return [
        Kill((number + rng.random()) * width, target, rng.choice((0.0, 0.3, 0.8)) * width)
        for number, target in enumerate(chosen)
    ]


@dataclass(slots=True)
class Killer:
    """Carries out the kills of a plan in its own thread. ``done`` counts them by target, ``phases`` by what the writer
    was doing."""

    service: Service
    plan: list[Kill]
    done: Counter[str] = field(default_factory=Counter)
    phases: Counter[str] = field(default_factory=Counter)
    failure: BaseException | None = None
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _store: postgres.Connection | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._run, name="killer")
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether kills are left."""
        return self._thread is not None and self._thread.is_alive()

    def stop(self) -> None:
        """Stop killing and wait for the thread."""
        self._stop.set()
        self.join()

    def join(self) -> None:
        """Wait for the last kill; raise what made the thread fail."""
        if self._thread is not None:
            self._thread.join()
        if self._store is not None:
            self._store.close()
        if self.failure is not None:
            raise self.failure

    def _run(self) -> None:
        started = time.monotonic()
        try:
            for kill in self.plan:
                if self._stop.wait(max(0.0, kill.at_seconds - (time.monotonic() - started))):
                    return
                self._carry_out(kill)
        except BaseException as error:
            self.failure = error

    def _carry_out(self, kill: Kill) -> None:
        if kill.target == DAGSTER:
            self._kill_dagster()
            return
        while not self._stop.is_set():
            phase = self._await_phase(kill.wait_seconds)
            if self._kill(kill.target):
                self.done[kill.target] += 1
                self.phases[phase] += 1
                return
            self._stop.wait(0.1)  # it is being started

    def _kill(self, target: str) -> bool:
        if target == STORE:
            # The server process itself, as the kernel does when memory runs out; its wrapper then ends too.
            server = self.service.postmaster()
            if server is None:
                return False
            with suppress(ProcessLookupError):
                os.kill(server, signal.SIGKILL)
            return True
        if target == WAREHOUSE:
            return self.service.kept[WAREHOUSE].kill()
        return self.service.follow.kill()

    def _kill_dagster(self) -> None:
        """Pause the follower, start a Dagster run that indexes, and kill it, if possible in the middle of a unit."""
        self.service.follow.pause()
        try:
            for attempt in range(_DAGSTER_RUNS):
                if self._stop.is_set():
                    return
                run = dagster_run(self.service)
                while run.poll() is None:
                    phase = self._await_phase(_DAGSTER_LOOK_SECONDS)
                    if phase != IDLE or attempt == _DAGSTER_RUNS - 1 or self._stop.is_set():
                        os.killpg(run.pid, signal.SIGKILL)
                        run.wait()
                        self.done[DAGSTER] += 1
                        self.phases[phase] += 1
                        return
        finally:
            self.service.follow.start()

    def _await_phase(self, seconds: float) -> str:
        """What the writer is doing; waits up to ``seconds`` until it is in the middle of a unit."""
        deadline = time.monotonic() + seconds
        while True:
            phase = self._phase()
            if phase != IDLE or time.monotonic() >= deadline or self._stop.is_set():
                return phase
            time.sleep(_LOOK_SECONDS)

    def _phase(self) -> str:
        try:
            if self._store is None:
                self._store = postgres.connect(self.service.urls.database_url, autocommit=True)
            row = self._store.execute(_PHASE).fetchone()
        except (StoreUnavailable, psycopg.Error):
            if self._store is not None:
                self._store.close()
                self._store = None
            self._stop.wait(0.1)
            return IDLE
        return IDLE if row is None or row["phase"] is None else str(row["phase"])
