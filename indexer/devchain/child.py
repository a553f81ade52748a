"""Programs that run on behalf of this process and must not outlive it."""

import ctypes
import os
import signal
import socket
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def free_port() -> int:
    """A loopback port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def die_with_parent(parent: int) -> Callable[[], None]:
    """What a new process calls first on Linux, so that it is killed when its parent ends."""
    libc = ctypes.CDLL(None)

    def arrange() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # the parent ended before the request took hold
            os._exit(1)

    return arrange
