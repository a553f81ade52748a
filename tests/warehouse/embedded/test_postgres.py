import os
import pwd
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import psycopg
import pytest

from tests.fixtures.engine_processes import Launch
from warehouse.embedded import record
from warehouse.embedded.layout import Layout
from warehouse.embedded.postgres import binaries
from warehouse.embedded.privileges import (
    CAP_DAC_READ_SEARCH,
    Identity,
    candidates,
    give,
    identity_problem,
    load_before_fork,
)

ROOT = os.geteuid() == 0


def server_of(data_dir: Path) -> psutil.Process:
    """The PostgreSQL server below the process that is recorded."""
    entry = record.read(Layout.of(data_dir))[record.POSTGRES]
    return psutil.Process(entry.pid).children()[0]


def gone(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def test_data_survive_an_orderly_restart_and_a_crash(launch: Launch, data_dir: Path) -> None:
    first = launch("postgres", data_dir)
    with psycopg.connect(first.url) as connection:
        connection.execute("CREATE TABLE kept (n int)")
        connection.execute("INSERT INTO kept VALUES (1)")
    assert first.stop() == 0
    second = launch("postgres", data_dir)
    with psycopg.connect(second.url) as connection:
        connection.execute("INSERT INTO kept VALUES (2)")
    server_of(data_dir).kill()
    assert second.process.wait(60) == 1
    third = launch("postgres", data_dir)
    with psycopg.connect(third.url) as connection:
        assert connection.execute("SELECT n FROM kept ORDER BY n").fetchall() == [(1,), (2,)]


def test_connections_need_the_password(launch: Launch, data_dir: Path) -> None:
    server = launch("postgres", data_dir)
    parts = urlsplit(server.url)
    with psycopg.connect(server.url) as connection:
        (sockets,) = connection.execute("SHOW unix_socket_directories").fetchone() or ()
    for host in ("127.0.0.1", sockets):
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(host=host, port=server.port, user="regalia", password="wrong", dbname="regalia")
    with psycopg.connect(
        host=sockets, port=server.port, user="regalia", password=parts.password, dbname="regalia"
    ) as connection:
        assert connection.execute("SHOW TimeZone").fetchone() == ("UTC",)
        assert connection.execute("SHOW password_encryption").fetchone() == ("scram-sha-256",)


def test_the_server_ends_with_a_killed_parent_and_restarts_at_once(
    launch: Launch, data_dir: Path, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    first = launch("postgres", data_dir)
    server = server_of(data_dir)
    first.kill()
    second = launch("postgres", data_dir)
    with psycopg.connect(second.url) as connection:
        connection.execute("SELECT 1")

    eventually(lambda: gone(server))


def test_it_ends_when_its_parent_does(data_dir: Path, eventually: Callable[[Callable[[], bool]], None]) -> None:
    code = (
        "import subprocess, sys, time\n"
        "subprocess.Popen([sys.executable, '-m', 'warehouse', 'postgres', '--exit-with-parent', "
        f"'--data-dir', {str(data_dir)!r}])\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as parent:
        eventually(lambda: bool(record.read(Layout.of(data_dir))))
        server = server_of(data_dir)
        parent.send_signal(signal.SIGKILL)
    eventually(lambda: gone(server))
    eventually(lambda: not record.read(Layout.of(data_dir)))


def test_a_second_server_is_refused_in_one_line(launch: Launch, data_dir: Path) -> None:
    launch("postgres", data_dir)
    second = subprocess.run(
        [sys.executable, "-m", "warehouse", "postgres", "--data-dir", str(data_dir)], capture_output=True, text=True
    )

    assert second.returncode == 1
    assert "is in use by process" in second.stderr
    assert len(second.stderr.splitlines()) == 1


def test_it_starts_in_a_directory_with_a_long_path(launch: Launch, tmp_path: Path) -> None:
    data_dir = tmp_path / ("long" * 30)
    server = launch("postgres", data_dir)

    with psycopg.connect(server.url) as connection:
        row = connection.execute("SHOW unix_socket_directories").fetchone()
    assert row is not None
    assert row[0].startswith("/tmp/regalia-")
    server.stop()
    assert not Path(row[0]).exists()


@pytest.mark.skipif(not ROOT, reason="only root has to become somebody else")
def test_root_runs_it_as_a_user_without_rights(launch: Launch, data_dir: Path) -> None:
    # Test directories of root are closed to others, so the way through them is proven here, too.
    server = launch("postgres", data_dir)

    with psycopg.connect(server.url) as connection:
        connection.execute("SELECT 1")
    ids = Path(f"/proc/{server_of(data_dir).pid}/status").read_text()
    capabilities = int(ids.partition("CapEff:")[2].split()[0], 16)
    assert server_of(data_dir).uids().real != 0
    assert capabilities in (0, 1 << 1, 1 << 2)


@pytest.mark.skipif(not ROOT, reason="only root can become another user")
def test_an_ordinary_user_runs_it_directly(eventually: Callable[[Callable[[], bool]], None]) -> None:
    nobody = pwd.getpwnam("nobody")
    # With this one capability he can read the interpreter wherever it is; he is an ordinary user all the same.
    identity = Identity("nobody", nobody.pw_uid, nobody.pw_uid, CAP_DAC_READ_SEARCH)
    load_before_fork()
    command = [sys.executable, "-m", "warehouse", "postgres", "--data-dir"]
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        layout = Layout.of(Path(folder) / "data")
        with subprocess.Popen([*command, str(layout.root)], preexec_fn=identity.become) as server:
            eventually(lambda: server.poll() is not None or bool(record.read(layout)))
            with psycopg.connect(record.read(layout)[record.POSTGRES].url) as connection:
                connection.execute("SELECT 1")
            assert psutil.Process(server.pid).children()[0].uids().real == nobody.pw_uid
            server.terminate()


@pytest.mark.slow
@pytest.mark.skipif(not ROOT, reason="only root has to become somebody else")
@pytest.mark.parametrize("way", list(candidates(Path("/nowhere"))), ids=lambda way: way.name)
def test_a_cluster_is_made_under_every_kind_of_user_change(way: Identity) -> None:
    setup = way.for_setup()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        # Closed to all but root, where the way is made for that.
        Path(folder).chmod(0o700 if way.capability is not None or way.namespace else 0o711)
        cluster = Path(folder) / "cluster"
        cluster.mkdir()
        give(cluster, setup.owner)
        load_before_fork()
        if problem := identity_problem(setup, binaries() / "postgres", cluster):
            pytest.skip(f"this machine does not allow {way.name}: {problem}")
        run = subprocess.run(
            [binaries() / "initdb", "-D", cluster, "-U", "x", "--auth=trust", "--no-sync"],
            preexec_fn=setup.become,
            capture_output=True,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
            cwd="/",
        )

        assert run.returncode == 0, run.stderr
        assert (cluster / "PG_VERSION").exists()
        assert cluster.stat().st_uid == setup.owner
