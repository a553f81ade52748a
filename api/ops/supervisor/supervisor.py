"""Starts the parts in order, keeps them running, and stops them in reverse.

One task per part. A part that ends is restarted after a pause that doubles each time, up to a minute. From the third
consecutive failure on, each is logged as an error and the phase is ``failing`` until the part has run for a while.
Parts do not stop each other. Tasks are never cancelled: stopping wakes them, so no process is lost between its start
and its registration.
"""

import asyncio
import logging
import os
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from api.ops.supervisor import guard, state
from api.ops.supervisor.part import Part, PartState, Phase, StackError
from api.ops.supervisor.process import KILLED, GuardedProcess, describe_exit, last_line

log = logging.getLogger("regalia.stack")

CANNOT_START = 127
PROBE_SECONDS = 0.1
SETTLE_SECONDS = 1.0
"""A part without a readiness probe is ready after this long."""
STOP_LIMIT_SECONDS = 45.0
"""For all parts together. Each has a limit of its own, but those that stop one after the other add up."""
REPORT_SECONDS = 5.0
"""How often a stop that takes long says what it waits for."""
KILL_SECONDS = 10.0
"""How long a killed process may take to end. One that waits for a device ends no sooner than that answers."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """How a part is restarted."""

    first_seconds: float = 1.0
    max_seconds: float = 60.0
    loud_after: int = 3
    """Consecutive failures from which each is logged as an error."""
    stable_seconds: float = 60.0
    """A part that was ready for this long starts counting from zero."""

    def pause(self, failures: int) -> float:
        """Seconds before the next start after consecutive failures."""
        return min(self.max_seconds, self.first_seconds * 2.0 ** min(failures - 1, 30))


class Supervisor:
    """The parts of one stack.

    ``on_phase`` is called whenever a part enters a phase, and must return at once.
    ``owns_process``: every child this process gets from now on, and that is not a part, is a stray to be killed.
    """

    def __init__(
        self,
        parts: Iterable[Part],
        *,
        data_dir: Path,
        environment: Mapping[str, str],
        backoff: Backoff | None = None,
        owns_process: bool = False,
        stop_limit_seconds: float = STOP_LIMIT_SECONDS,
        on_ready: Callable[["Supervisor"], None] | None = None,
        on_phase: Callable[[str, PartState], None] | None = None,
    ) -> None:
        self.parts = {part.name: part for part in parts}
        self.states = {name: PartState(since=time.time()) for name in self.parts}
        self._data_dir = data_dir
        self._environment = dict(environment)
        self._backoff = backoff or Backoff()
        self._owns_process = owns_process
        self._stop_limit_seconds = stop_limit_seconds
        self._not_ours = frozenset(guard.children(os.getpid()))
        self._on_ready = on_ready
        self._on_phase = on_phase
        self.started_at = time.time()
        self._processes: dict[str, GuardedProcess] = {}
        self._ready = {name: asyncio.Event() for name in self.parts}
        self._held: frozenset[str] = frozenset()
        self._released = asyncio.Event()
        self._changed = asyncio.Event()
        self._stopping = asyncio.Event()
        for part in self.parts.values():
            if unknown := [name for name in part.needs if name not in self.parts]:
                raise ValueError(f"{part.name} needs {unknown}, which are not parts")

    def log_path(self, name: str) -> Path:
        """The log file of a part."""
        return self._data_dir / "logs" / f"{name}.log"

    def request_stop(self) -> None:
        """Stop everything in order; called a second time, at once."""
        if self._stopping.is_set():
            for process in self._processes.values():
                process.kill()
        self._stopping.set()

    @property
    def stopping(self) -> bool:
        """Whether a stop was requested, or something vital failed."""
        return self._stopping.is_set()

    def hold(self, names: Iterable[str]) -> None:
        """Start these parts only after ``release``. Called before ``run``."""
        self._held = frozenset(names)

    def release(self) -> None:
        """Start the parts that are held."""
        self._released.set()

    async def run(self) -> None:
        """Run until a stop is requested.

        Raises:
            StackError: a step failed, or a vital part does not start; everything is stopped by then.
        """
        keepers = [asyncio.create_task(self._keep(part), name=name) for name, part in self.parts.items()]
        announcer = asyncio.create_task(self._announce())
        stopping = asyncio.create_task(self._stopping.wait())
        try:
            pending: set[asyncio.Task[None]] = set(keepers)
            while pending and not stopping.done():
                done, _ = await asyncio.wait([*pending, stopping], return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    if task is not stopping:
                        pending.discard(task)
                        task.result()
        finally:
            self._stopping.set()
            self._changed.set()
            await self._stop_all()
            ending = asyncio.gather(*keepers, announcer, stopping, return_exceptions=True)
            await asyncio.wait([ending], timeout=KILL_SECONDS)
            self.end_strays()

    # -- one part ------------------------------------------------------------------------------------------------

    async def _keep(self, part: Part) -> None:
        for needed in part.needs:
            await self._or_stop(self._ready[needed])
        if part.name in self._held:
            await self._or_stop(self._released)
        while not self._stopping.is_set():
            status, lived_seconds = await self._live(part)
            if self._stopping.is_set():
                return
            current = self.states[part.name]
            current.last_exit = describe_exit(status)
            if part.once:
                if status:
                    raise StackError(self.explain(part))
                log.info("%s done in %.1f s", part.name, time.time() - current.since)
                self._enter(part, Phase.DONE)
                self._ready[part.name].set()
                return
            if lived_seconds >= self._backoff.stable_seconds:
                current.failures_in_a_row = 0
            current.failures_in_a_row += 1
            current.restarts += 1
            await self._pause(part, current)

    async def _pause(self, part: Part, current: PartState) -> None:
        failures = current.failures_in_a_row
        loud = failures >= self._backoff.loud_after
        if loud and part.vital and not self._ready[part.name].is_set():
            raise StackError(self.explain(part))
        seconds = self._backoff.pause(failures)
        self._enter(part, Phase.FAILING if loud else Phase.RESTARTING)
        if loud:
            log.error(
                "%s failed %d times in a row; next start in %.0f s. %s",
                part.name,
                failures,
                seconds,
                self.explain(part),
            )
        else:
            log.warning("%s ended (%s), started again in %.1f s", part.name, current.last_exit, seconds)
        await self._sleep(seconds)

    def explain(self, part: Part) -> str:
        """How a part ended, in one line."""
        path = self.log_path(part.name)
        ended = self.states[part.name].last_exit
        return f"{part.name} ended with {ended}: {last_line(path) or 'it said nothing'} (log: {path})"

    async def _live(self, part: Part) -> tuple[int, float]:
        """Run a part once: its exit status, and how long it was ready."""
        current = self.states[part.name]
        try:
            process = await GuardedProcess.start(
                part.command,
                log=self.log_path(part.name),
                environment={**self._environment, **part.environment},
                directory=self._data_dir,
            )
        except OSError as error:
            log.error("%s cannot be started: %s", part.name, error)
            return CANNOT_START, 0.0
        self._processes[part.name] = process
        if self._stopping.is_set():
            process.kill()  # a stop was requested between the decision to start and the start
        current.pid = process.pid
        if current.phase is not Phase.FAILING:
            self._enter(part, Phase.STARTING)
        ready_at = None if part.once else await self._await_ready(part, process)
        status = await process.wait()
        if status == KILLED:
            self.end_strays()  # if the guard was killed, its processes became ours
        current.pid = None
        return status, time.monotonic() - ready_at if ready_at else 0.0

    async def _await_ready(self, part: Part, process: GuardedProcess) -> float | None:
        started = time.monotonic()
        while process.running and not self._stopping.is_set():
            elapsed = time.monotonic() - started
            if elapsed > part.ready_seconds:
                log.warning("%s was not ready within %.0f s and is killed", part.name, part.ready_seconds)
                process.kill()
                return None
            # Another program may answer on the port; a probe counts only while our process lives.
            if await self._probe(part, elapsed) and process.running:
                current = self.states[part.name]
                current.ready_after_seconds = round(elapsed, 2)
                self._enter(part, Phase.READY)
                self._ready[part.name].set()
                log.info("%s ready in %.1f s%s", part.name, elapsed, f" at {part.listens}" if part.listens else "")
                return time.monotonic()
            await self._sleep(PROBE_SECONDS)
        return None

    @staticmethod
    async def _probe(part: Part, elapsed: float) -> bool:
        if part.ready is None:
            return elapsed >= SETTLE_SECONDS
        try:
            return await asyncio.to_thread(part.ready)
        except (OSError, ValueError, KeyError, TypeError):
            return False  # not there yet, or an unexpected answer

    # -- all parts -----------------------------------------------------------------------------------------------

    async def _announce(self) -> None:
        """Notify the caller once every part is ready or failing."""
        settled = {Phase.READY, Phase.DONE, Phase.FAILING}
        while not self._stopping.is_set():
            self._changed.clear()
            if all(current.phase in settled for current in self.states.values()):
                if self._on_ready:
                    self._on_ready(self)
                return
            await self._changed.wait()

    async def _stop_all(self) -> None:
        """Stop all parts, each once its users have stopped; kill those that still run at the limit."""
        stopping = asyncio.create_task(self._stop_in_order())
        reporting = asyncio.create_task(self._report_stop())
        await asyncio.wait([stopping], timeout=self._stop_limit_seconds)
        reporting.cancel()
        if stopping.done():
            return stopping.result()
        log.error("killed after %.0f s: %s", self._stop_limit_seconds, ", ".join(self._running()))
        for process in self._processes.values():
            process.kill()
        await asyncio.wait([stopping], timeout=KILL_SECONDS)
        if not stopping.done():
            stopping.cancel()
            log.error("killed, but still there after %.0f s: %s", KILL_SECONDS, ", ".join(self._running()))
        return None

    def _running(self) -> list[str]:
        return [name for name, process in self._processes.items() if process.running]

    async def _report_stop(self) -> None:
        while True:
            await asyncio.sleep(REPORT_SECONDS)
            asked = [name for name in self._running() if self.states[name].phase is Phase.STOPPING]
            waiting = [name for name in self._running() if name not in asked]
            then = f"; then {', '.join(waiting)}" if waiting else ""
            log.info("waiting for %s to stop%s", ", ".join(asked) or "the parts", then)

    async def _stop_in_order(self) -> None:
        stopped = {name: asyncio.Event() for name in self.parts}

        async def stop(part: Part) -> None:
            for other in self.parts.values():
                if part.name in other.needs:
                    await stopped[other.name].wait()
            process = self._processes.get(part.name)
            if process is not None and process.running:
                self._enter(part, Phase.STOPPING)
                begun = time.monotonic()
                status = await process.stop(part.stop_signal, part.stop_seconds)
                seconds = time.monotonic() - begun
                if status == KILLED and seconds >= part.stop_seconds:
                    log.warning("%s did not stop within %.0f s and was killed", part.name, part.stop_seconds)
                else:
                    log.info("%s stopped in %.1f s (%s)", part.name, seconds, describe_exit(status))
            if self.states[part.name].phase is not Phase.DONE:
                self._enter(part, Phase.STOPPED)
            stopped[part.name].set()

        await asyncio.gather(*(stop(part) for part in self.parts.values()))

    def end_strays(self) -> None:
        """Kill orphans of guards that were killed."""
        if not self._owns_process:
            return
        known = self._not_ours.union(process.pid for process in self._processes.values())
        for pid in guard.children(os.getpid()):
            if pid in known or guard.is_guard(pid):
                continue
            for stray in (*guard.descendants(pid), pid):
                try:
                    os.kill(stray, signal.SIGKILL)
                except ProcessLookupError:
                    continue
            self._reap(pid)

    @staticmethod
    def _reap(pid: int) -> None:
        give_up = time.monotonic() + KILL_SECONDS
        while not os.waitpid(pid, os.WNOHANG)[0]:
            if time.monotonic() > give_up:
                log.error("process %d was killed, but is still there after %.0f s", pid, KILL_SECONDS)
                return
            time.sleep(PROBE_SECONDS / 10)

    def _enter(self, part: Part, phase: Phase) -> None:
        current = self.states[part.name]
        current.phase = phase
        current.since = time.time()
        self._changed.set()
        if self._on_phase:
            self._on_phase(part.name, current)
        try:
            state.write(self._data_dir, self.parts, self.states, self.started_at)
        except OSError as error:
            log.error("the state for `regalia status` cannot be written: %s", error)

    async def _sleep(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    async def _or_stop(self, event: asyncio.Event) -> None:
        waits = [asyncio.create_task(event.wait()), asyncio.create_task(self._stopping.wait())]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
