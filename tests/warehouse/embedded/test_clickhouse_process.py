import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.fixtures.engine_processes import Launch
from warehouse.clickhouse import Warehouse
from warehouse.embedded import record
from warehouse.embedded.layout import Layout


def test_it_stops_cleanly_while_a_statement_runs(
    launch: Launch, data_dir: Path, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    server = launch("clickhouse", data_dir)
    code = "import sys; from warehouse.clickhouse import Warehouse\nWarehouse.connect(sys.argv[1]).scalar(sys.argv[2])"
    endless = "SELECT count() FROM numbers(1000000000000) WHERE sin(number) > 2"
    with subprocess.Popen([sys.executable, "-c", code, server.url, endless], stderr=subprocess.DEVNULL):
        with Warehouse.connect(server.url) as warehouse:
            running = (
                "SELECT count() FROM system.processes WHERE query LIKE '%sin(number)%' AND query NOT LIKE '%LIKE%'"
            )
            eventually(lambda: warehouse.scalar(running) == 1)

        assert server.stop() == 0
    assert record.read(Layout.of(data_dir)) == {}


@pytest.mark.slow
def test_it_ends_with_its_parent(data_dir: Path, eventually: Callable[[Callable[[], bool]], None]) -> None:
    code = (
        "import subprocess, sys, time\n"
        "subprocess.Popen([sys.executable, '-m', 'warehouse', 'clickhouse', '--exit-with-parent', "
        f"'--data-dir', {str(data_dir)!r}])\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as parent:
        eventually(lambda: bool(record.read(Layout.of(data_dir))))
        pid = record.read(Layout.of(data_dir))[record.CLICKHOUSE].pid
        parent.send_signal(signal.SIGKILL)
    eventually(lambda: not psutil.pid_exists(pid))
    eventually(lambda: not record.read(Layout.of(data_dir)))


def test_a_second_server_is_refused_in_one_line(launch: Launch, data_dir: Path) -> None:
    first = launch("clickhouse", data_dir)
    second = subprocess.run(
        [sys.executable, "-m", "warehouse", "clickhouse", "--data-dir", str(data_dir)], capture_output=True, text=True
    )

    assert second.returncode == 1
    assert second.stderr.splitlines() == [
        f"error: {data_dir}/clickhouse is in use by process {first.process.pid}: one process can own it"
    ]


def test_it_listens_on_loopback_only_and_keeps_its_passwords(launch: Launch, data_dir: Path) -> None:
    first = launch("clickhouse", data_dir)
    addresses = {c.laddr.ip for c in psutil.Process(first.process.pid).net_connections() if c.status == "LISTEN"}
    password = first.url
    first.stop()
    second = launch("clickhouse", data_dir)

    assert addresses == {"127.0.0.1"}
    assert second.url.rpartition(":")[0] == password.rpartition(":")[0]
    for file in (data_dir / "keys").iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE((data_dir / "keys").stat().st_mode) == 0o700


def test_a_data_directory_may_have_an_unusual_name(launch: Launch, tmp_path: Path) -> None:
    server = launch("clickhouse", tmp_path / "a b?c=d&é%20")
    with Warehouse.connect(server.url) as warehouse:
        assert warehouse.scalar("SELECT currentDatabase()") == "regalia"

    assert os.listdir(tmp_path / "a b?c=d&é%20" / "clickhouse")
