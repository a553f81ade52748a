"""Runs one command and ensures that none of its processes outlives the process that started it.

Started by path (``python -I -S guard.py LOG LIMIT_BYTES -- COMMAND …``) with a pipe as standard input:

- a byte on the pipe is a signal number, which is forwarded to the command;
- the end of the pipe, closed or because its owner was killed, means: kill the command and all its descendants. A
  descendant cannot escape by forking, because the guard adopts orphans.

The command's output goes to LOG, which is renamed to LOG.1 when it grows past the limit. When the command ends, its
remaining descendants are killed and the guard exits with its status (128 + n for signal n). It imports little, and only
of the standard library: there is one guard per part, and each must start in milliseconds.
"""

import ctypes
import os
import select
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
READ_BYTES = 65536


def prctl(option: int, value: int) -> None:
    """Linux's ``prctl`` with one argument; does nothing on other systems."""
    try:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
    except AttributeError:
        return


class BoundedLog:
    """A file that never holds more than ``limit_bytes``, and its predecessor."""

    def __init__(self, path: str, limit_bytes: int) -> None:
        self.path = path
        self.limit_bytes = limit_bytes
        self._open()

    def _open(self) -> None:
        self.descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self.size = os.fstat(self.descriptor).st_size

    def write(self, data: bytes) -> None:
        """Append. A full disk loses log lines but does not stop the part."""
        try:
            if self.size and self.size + len(data) > self.limit_bytes:
                os.close(self.descriptor)
                os.replace(self.path, self.path + ".1")
                self._open()
            self.size += os.write(self.descriptor, data)
        except OSError:
            return


def parents() -> dict[int, list[int]]:
    """Every process's children, by the process's id."""
    found: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    # The command name is in brackets and may itself hold spaces and brackets.
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            found.setdefault(parent, []).append(int(name))
    return found


def children(pid: int) -> list[int]:
    """Process ids of the children of ``pid``."""
    return parents().get(pid, [])


def descendants(root: int) -> list[int]:
    """Process ids below ``root``."""
    families = parents()
    found: list[int] = []
    queue = [root]
    while queue:
        below = families.get(queue.pop(), [])
        found += below
        queue += below
    return found


def is_guard(pid: int) -> bool:
    """Whether a process is a guard."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return os.fsencode(__file__) in file.read().split(b"\0")
    except OSError:
        return False


def end_all() -> None:
    """Kill every descendant and wait until the last is gone."""
    while True:
        for pid in descendants(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            except PermissionError:
                # A set-uid descendant of another user: we may not signal it.
                continue
        try:
            # Orphans become children of the guard, so no child left means no descendant left.
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        select.select([], [], [], 0.01)


def start(command: list[str]) -> tuple[int, int]:
    """The command's process id and the reading end of its output."""
    guard = os.getpid()
    output, output_end = os.pipe()
    pid = os.fork()
    if pid:
        os.close(output_end)
        return pid, output
    try:
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != guard:
            os._exit(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(output_end, 1)
        os.dup2(output_end, 2)
        # Shells ignore SIGINT for background jobs, and exec keeps that. Dagster treats SIGTERM as it finds SIGINT, and
        # would ignore both.
        for name in (signal.SIGPIPE, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.execvp(command[0], command)  # noqa: S606 - exactly what is meant
    except OSError as error:
        os.write(2, f"cannot run {command[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def drain(output: int, log: BoundedLog, seconds: float) -> None:
    """Read what was written before the end."""
    while select.select([output], [], [], seconds)[0]:
        data = os.read(output, READ_BYTES)
        if not data:
            return
        log.write(data)


def guard(command: list[str], log: BoundedLog) -> int:
    """Run the command until it or the pipe ends, and return its exit status."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    pid, output = start(command)
    # After the fork: a child that ignored them until its exec would lose an early stop request.
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)
    watched = [0, woken, output]
    while True:
        ready = select.select(watched, [], [])[0]
        if output in ready:
            data = os.read(output, READ_BYTES)
            log.write(data)
            if not data:
                watched.remove(output)
        if 0 in ready:
            orders = os.read(0, READ_BYTES)
            if not orders:
                end_all()
                return 128 + signal.SIGKILL
            for number in orders:
                os.kill(pid, number)
        if woken in ready:
            os.read(woken, READ_BYTES)
            status = reaped(pid)
            if status is not None:
                end_all()
                drain(output, log, 0)
                return status


def reaped(command_pid: int) -> int | None:
    """Reap ended children. Returns the command's exit status if it is among them."""
    found = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if not pid:
            return found
        if pid == command_pid:
            code = os.waitstatus_to_exitcode(status)
            found = code if code >= 0 else 128 - code


if __name__ == "__main__":
    log_path, limit, _, *command_line = sys.argv[1:]
    sys.exit(guard(command_line, BoundedLog(log_path, int(limit))))
