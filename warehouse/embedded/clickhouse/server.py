"""The process around the application: port, passwords, signals, and an orderly end."""

import os
import signal
import socket
from pathlib import Path
from urllib.parse import quote

import uvicorn

from warehouse.embedded import record
from warehouse.embedded.layout import Layout
from warehouse.embedded.lifetime import when_parent_ends, when_unused

from .access import Passwords
from .app import Application
from .engine import DATABASE, Engine

OWNER_PASSWORD = "clickhouse"  # noqa: S105 - the name of the file that holds it
ANALYST_PASSWORD = "clickhouse-analyst"  # noqa: S105
GRACE_SECONDS = 2


def owner_url(layout: Layout, port: int) -> str:
    """The URL the service itself connects with."""
    return f"http://regalia:{quote(layout.password(OWNER_PASSWORD), safe='')}@127.0.0.1:{port}/{DATABASE}"


def analyst_url(layout: Layout, port: int) -> str:
    """The URL of the read-only user."""
    return f"http://analyst:{quote(layout.password(ANALYST_PASSWORD), safe='')}@127.0.0.1:{port}/{DATABASE}"


def serve(data_dir: Path, port: int, *, exit_with_parent: bool = False, exit_when_unused: bool = False) -> None:
    """Run the server until SIGTERM or SIGINT. Port 0 takes a free one; it is recorded in the data directory.

    Raises:
        DataDirectoryInUse: another process owns the engine's folder.
        OSError: the port is taken.
    """
    layout = Layout.of(data_dir)
    layout.prepare()
    # DateTime columns are UTC whatever the machine says; the engine reads this once, when it opens.
    os.environ["TZ"] = "UTC"
    passwords = Passwords(owner=layout.password(OWNER_PASSWORD), analyst=layout.password(ANALYST_PASSWORD))
    with socket.create_server(("127.0.0.1", port), backlog=256) as listener:
        bound: int = listener.getsockname()[1]
        process = _Process()
        if exit_with_parent:
            when_parent_ends(process.stop)
        # One that ended because nobody used it may still be closing when the next user comes.
        application = Application(Engine(layout.clickhouse, wait_seconds=15.0 if exit_when_unused else 0.0), passwords)
        record.write(layout, record.CLICKHOUSE, record.Entry.of_this_process(owner_url(layout, bound), bound))
        if exit_when_unused:
            when_unused(layout.run, lambda: record.remove(layout, record.CLICKHOUSE), process.stop)
        try:
            process.run(application, listener)
        finally:
            record.remove(layout, record.CLICKHOUSE)
            application.close()


class _Process:
    """The running server as its signals see it. A signal may come at any moment, also before there is a server."""

    def __init__(self) -> None:
        self._stopping = False
        self._server: uvicorn.Server | None = None
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._signalled)

    def stop(self) -> None:
        """End the server in order; callable from any thread."""
        os.kill(os.getpid(), signal.SIGTERM)

    def run(self, application: Application, listener: socket.socket) -> None:
        """Serve until a signal comes."""
        self._server = uvicorn.Server(
            uvicorn.Config(
                application,
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_keep_alive=75,
                timeout_graceful_shutdown=GRACE_SECONDS,
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
