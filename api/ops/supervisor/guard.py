"""Runs one command and makes sure that nothing of it outlives the process that asked for it.

Started by path (``python -I -S guard.py LOG LIMIT_BYTES -- COMMAND …``) with a pipe as standard input:

- a byte on the pipe is a signal number to pass on to the command;
- the end of the pipe, whether closed or because its owner was killed, means: kill the command and every
  descendant of it, at once. A descendant cannot escape by forking away, because the guard adopts orphans.

The command's output goes to LOG, which is renamed to LOG.1 when it grows past the limit. When the command ends, what
it left behind is killed too, and the guard ends with its exit status (128 + n for signal n). Only the standard library,
and little of it: one guard per part has to start in milliseconds.
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
    """Linux's ``prctl`` with one argument; silently nothing where there is none."""
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
        """Append; a full disk loses log lines, never the part that writes them."""
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
                # Under another user (a set-uid descendant): its own parent's end is all that can reach it.
                continue
        try:
            # Orphans are handed to the guard, so no child left means no descendant left.
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
        # A shell ignores SIGINT for what it runs in the background, and what is ignored stays so over exec: Dagster
        # takes SIGTERM as it finds SIGINT, and would hear neither.
        for name in (signal.SIGPIPE, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.execvp(command[0], command)  # noqa: S606 - exactly what is meant
    except OSError as error:
        os.write(2, f"cannot run {command[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def drain(output: int, log: BoundedLog, seconds: float) -> None:
    """Take what was written before the end."""
    while select.select([output], [], [], seconds)[0]:
        data = os.read(output, READ_BYTES)
        if not data:
            return
        log.write(data)


def guard(command: list[str], log: BoundedLog) -> int:
    """Run the command until it ends or the pipe does; its exit status."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    pid, output = start(command)
    # Only now: a child that had them ignored until its program starts would lose an early request to stop.
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
    """Collect ended children; the command's exit status when it is among them."""
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
