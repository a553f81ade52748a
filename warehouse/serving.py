"""Serving over HTTP in a process that ends as any other when it is asked to stop."""

import contextlib
import signal
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import uvicorn

Application = Callable[[Any, Any, Any], Awaitable[None]]
"""As ASGI defines it."""
GRACEFUL_SECONDS = 5
"""Running requests get this long when a process is asked to stop."""


class StoppableServer(uvicorn.Server):
    """A server that SIGINT and SIGTERM stop. uvicorn raises the signal again afterwards, which would kill the process
    before it has ended its work, such as sending its last spans, and with a status that looks like a failure."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on a signal; at once on a second SIGINT."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def local_server(app: Application, port: int) -> StoppableServer:
    """A server of an application for this machine alone; whoever wants to end it sets ``should_exit``."""
    return StoppableServer(
        uvicorn.Config(
            app,
            host="127.0.0.1",
            port=port,
            log_config=None,  # the process's
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=GRACEFUL_SECONDS,
        )
    )
