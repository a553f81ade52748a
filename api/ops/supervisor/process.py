"""A part's process under a guard (see ``guard.py``) that leaves no descendant behind."""

import asyncio
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

GUARD = Path(__file__).with_name("guard.py")
LOG_LIMIT_BYTES = 20_000_000
KILLED = 128 + signal.SIGKILL


def describe_exit(status: int) -> str:
    """An exit status in words, such as ``status 1`` or ``SIGKILL``."""
    if status > 128:
        try:
            return signal.Signals(status - 128).name
        except ValueError:
            pass
    return f"status {status}"


class GuardedProcess:
    """One running command."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._ended = asyncio.ensure_future(process.wait())

    @classmethod
    async def start(
        cls,
        command: tuple[str, ...],
        *,
        log: Path,
        environment: Mapping[str, str],
        directory: Path,
        log_limit_bytes: int = LOG_LIMIT_BYTES,
    ) -> "GuardedProcess":
        """Start ``command`` in ``directory``; its output is appended to ``log``."""
        process = await asyncio.create_subprocess_exec(
            # -I -S: the guard needs no installed packages and starts in milliseconds without them.
            *(sys.executable, "-I", "-S", str(GUARD), str(log), str(log_limit_bytes), "--"),
            *command,
            stdin=asyncio.subprocess.PIPE,
            env=dict(environment),
            cwd=directory,
            # In its own session, so that Ctrl-C reaches only the supervisor, which stops parts in order.
            start_new_session=True,
        )
        return cls(process)

    @property
    def pid(self) -> int:
        """Process id of the guard."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the command, or anything it started, may still run."""
        return not self._ended.done()

    async def wait(self) -> int:
        """Exit status of the command, 128 + n for signal n, once all its descendants have ended."""
        status = await asyncio.shield(self._ended)
        return status if status >= 0 else 128 - status

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the command."""
        pipe = self._process.stdin
        if pipe is not None and self.running and not pipe.is_closing():
            pipe.write(bytes([number]))

    def kill(self) -> None:
        """Kill the command and everything it started."""
        pipe = self._process.stdin
        if pipe is not None and not pipe.is_closing():
            pipe.close()

    async def stop(self, number: signal.Signals, seconds: float) -> int:
        """Ask it to end, and kill it after ``seconds``."""
        self.send(number)
        try:
            async with asyncio.timeout(seconds):
                return await self.wait()
        except TimeoutError:
            self.kill()
            return await self.wait()


def last_line(log: Path) -> str:
    """The last non-empty line of a log, for a message about its part."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 4096))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
