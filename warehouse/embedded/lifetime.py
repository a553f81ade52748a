"""When an embedded engine ends by itself: its parent has ended, or nobody uses the data directory any more.

Users hold a shared lock on a file while they use the engines, and the kernel releases it when they die. So an engine
started by a short command ends with its last user, and not before.
"""

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

POLL_SECONDS = 0.2
GRACE_SECONDS = 1.0


def when_parent_ends(act: Callable[[], None]) -> None:
    """Call ``act``, from a thread, when the process that started this one ends."""
    parent = os.getppid()
    threading.Thread(target=_await_end, args=(parent, act), name="parent-watch", daemon=True).start()


def _await_end(parent: int, act: Callable[[], None]) -> None:
    # A process whose parent ends gets another parent.
    while os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    act()


def when_unused(run: Path, retire: Callable[[], None], act: Callable[[], None]) -> None:
    """Call ``retire`` and ``act``, from a thread, when nobody has used the engines of ``run`` for a second.

    ``retire`` removes the engine from the record while nobody can start one, so that nobody finds a dying engine.
    """
    threading.Thread(target=_await_unused, args=(run, retire, act), name="use-watch", daemon=True).start()


def _await_unused(run: Path, retire: Callable[[], None], act: Callable[[], None]) -> None:
    unused_since: float | None = None
    while True:
        time.sleep(POLL_SECONDS)
        if is_in_use(run):
            unused_since = None
        elif unused_since is None:
            unused_since = time.monotonic()
        elif time.monotonic() - unused_since >= GRACE_SECONDS:
            with exclusive(start_lock(run)):
                if is_in_use(run):
                    continue
                retire()
            act()
            return


def start_lock(run: Path) -> Path:
    """The file to hold while engines are started or stopped."""
    return run / "start.lock"


def is_in_use(run: Path) -> bool:
    """Whether somebody uses the engines."""
    return _is_locked(run / "engines.use")


def is_supervised(run: Path) -> bool:
    """Whether a service runs on the data directory, whose supervisor starts engines that ended."""
    return _is_locked(stack_lock(run))


def stack_lock(run: Path) -> Path:
    """The file that a service holds locked while it runs on the data directory."""
    return run / "stack.lock"


def _is_locked(lock_file: Path) -> bool:
    try:
        descriptor = os.open(lock_file, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        return False
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def in_use(run: Path) -> Iterator[None]:
    """Count as a user of the engines of ``run`` for the duration of the block."""
    descriptor = os.open(run / "engines.use", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def exclusive(lock_file: Path) -> Iterator[None]:
    """Hold an exclusive lock on this file for the duration of the block."""
    descriptor = os.open(lock_file, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
