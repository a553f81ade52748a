"""The process around the application: port, signals, and an orderly end."""

import os
import signal
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from urllib.parse import quote

import uvicorn

from .access import Users
from .app import Application
from .engine import Engine

SHUTDOWN_SECONDS = 2
HOST = "127.0.0.1"


def url(user: str, password: str, port: int, database: str) -> str:
    """The URL that a user connects with."""
    return f"http://{user}:{quote(password, safe='')}@{HOST}:{port}/{database}"


def stop() -> None:
    """End the server of this process in order; callable from any thread."""
    os.kill(os.getpid(), signal.SIGTERM)


def serve(
    directory: Path,
    users: Users,
    *,
    port: int = 0,
    database: str = "default",
    name: str = "chdb",
    wait_seconds: float = 0.0,
    running: Callable[[int], AbstractContextManager[None]] = lambda _port: nullcontext(),
) -> None:
    """Run the server over the engine in ``directory`` until SIGTERM or SIGINT.

    Port 0 takes a free one. ``running`` gets the port and is entered while the server accepts connections. ``name`` is
    what clients see as the server's display name. The owner of the directory may take ``wait_seconds`` to let go.

    Raises:
        DataDirectoryInUse: another process owns the directory.
        OSError: the port is taken.
    """
    # DateTime columns are UTC whatever the machine says; the engine reads this once, when it opens.
    os.environ["TZ"] = "UTC"
    with socket.create_server((HOST, port), backlog=256) as listener:
        bound: int = listener.getsockname()[1]
        process = _Process()
        application = Application(Engine(directory, database=database, wait_seconds=wait_seconds), users, name)
        try:
            with running(bound):
                process.run(application, listener)
        finally:
            application.close()


class _Process:
    """The running server as its signals see it. A signal may come at any moment, also before there is a server."""

    def __init__(self) -> None:
        self._stopping = False
        self._server: uvicorn.Server | None = None
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._signalled)

    def run(self, application: Application, listener: socket.socket) -> None:
        """Serve until a signal comes."""
        self._server = uvicorn.Server(
            uvicorn.Config(
                application,
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_keep_alive=75,
                timeout_graceful_shutdown=SHUTDOWN_SECONDS,
                lifespan="off",
            )
        )
        if not self._stopping:
            self._server.run(sockets=[listener])

    def _signalled(self, *_: object) -> None:
        # uvicorn takes signals itself while it serves, and sends them here once more when it has stopped.
        self._stopping = True
        if self._server is not None:
            self._server.should_exit = True
