"""The process around the application: port, signals and shutdown."""

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
    """Shut down the server of this process; callable from any thread."""
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
    the server's display name. ``wait_seconds`` is how long to wait for another owner of the directory to end.

    Raises:
        DataDirectoryInUse: another process owns the directory.
        OSError: the port is taken.
    """
    # DateTime columns are UTC in every time zone of the machine. The engine reads this once, when it opens.
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
    """The server and its signals. A signal may come at any time, also before the server exists."""

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
        # uvicorn handles signals while it serves, and raises them here again after it stopped.
        self._stopping = True
        if self._server is not None:
            self._server.should_exit = True
