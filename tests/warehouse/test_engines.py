import fcntl
import json
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from pydantic import ValidationError

from tests.fixtures.waiting import wait_until
from warehouse import engines, postgres
from warehouse.clickhouse import Warehouse
from warehouse.embedded import record
from warehouse.embedded.layout import Layout
from warehouse.embedded.lifetime import is_in_use, stack_lock
from warehouse.errors import EnginesNotRunning
from warehouse.settings import EngineSettings

USER = """
import pathlib, sys
from warehouse import engines, settings
from warehouse.clickhouse import Warehouse
with engines.ensure(settings.EngineSettings(data_dir=pathlib.Path(sys.argv[1]))) as urls:
    with Warehouse.connect(urls.clickhouse_url) as warehouse:
        warehouse.scalar("SELECT 1")
    print("ready", flush=True)
    sys.stdin.readline()
"""


def settings_of(data_dir: Path) -> EngineSettings:
    return EngineSettings(data_dir=data_dir, clickhouse_url=None, database_url=None)


def running(data_dir: Path) -> dict[str, record.Entry]:
    return record.read(Layout.of(data_dir))


def use(data_dir: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", USER, str(data_dir)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_urls_of_the_settings_take_precedence(data_dir: Path) -> None:
    settings = EngineSettings(data_dir=data_dir, clickhouse_url="http://c/x", database_url="postgresql://d/y")

    assert engines.locate(settings) == engines.EngineUrls("http://c/x", "postgresql://d/y")


def test_nothing_set_and_nothing_running_is_an_error(data_dir: Path) -> None:
    with pytest.raises(EnginesNotRunning):
        engines.locate(settings_of(data_dir))


def test_engines_run_for_the_block_and_are_recorded_privately(data_dir: Path) -> None:
    settings = settings_of(data_dir)
    with engines.ensure(settings) as urls:
        assert engines.locate(settings) == urls
        with engines.ensure(settings) as inner:
            assert inner == urls
        with Warehouse.connect(urls.clickhouse_url) as warehouse:
            assert warehouse.scalar("SELECT count() FROM serve_token") == 0
        with postgres.connect(urls.database_url) as connection:
            assert connection.execute("SELECT count(*) AS n FROM account").fetchone() == {"n": 0}
        pids = [entry.pid for entry in running(data_dir).values()]
        assert stat.S_IMODE((data_dir / "run" / "engines.json").stat().st_mode) == 0o600

    assert len(pids) == 2
    assert not any(psutil.pid_exists(pid) for pid in pids)
    with pytest.raises(EnginesNotRunning):
        engines.locate(settings)


@pytest.mark.slow
def test_waits_for_an_engine_that_a_service_restarts(data_dir: Path) -> None:
    layout = Layout.of(data_dir)
    layout.prepare()
    with stack_lock(layout.run).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        user = use(data_dir)
        try:
            # Engines without a user would stop.
            wait_until(lambda: is_in_use(layout.run), "the command counts as a user")
            with pytest.raises(subprocess.TimeoutExpired):
                user.wait(1.5)
            assert running(data_dir) == {}
            supervised = [engines.start(layout, name, 0) for name in (record.CLICKHOUSE, record.POSTGRES)]
            assert user.stdout is not None
            assert user.stdout.readline() == "ready\n"
            assert {entry.pid for entry in running(data_dir).values()} == {process.pid for process in supervised}
        finally:
            user.communicate("\n")
        for process in supervised:
            process.wait(60)


def test_records_of_dead_or_other_processes_are_ignored(data_dir: Path) -> None:
    layout = Layout.of(data_dir)
    layout.prepare()
    entry = {"url": "http://x", "pid": psutil.Process().pid, "started": 1.0, "port": 1}
    record.path(layout).write_text(json.dumps({record.CLICKHOUSE: entry, record.POSTGRES: {**entry, "pid": 2**22 + 1}}))

    assert record.read(layout) == {}


def test_an_incomplete_record_is_ignored(data_dir: Path) -> None:
    layout = Layout.of(data_dir)
    layout.prepare()
    record.path(layout).write_text('{"clickhouse": {"u')

    assert record.read(layout) == {}


@pytest.mark.slow
def test_commands_that_start_at_once_share_the_engines(
    data_dir: Path, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    first, second = use(data_dir), use(data_dir)
    with first, second:
        with ThreadPoolExecutor() as threads:
            lines = list(threads.map(lambda user: user.stdout and user.stdout.readline(), (first, second)))
        assert lines == ["ready\n", "ready\n"]
        pids = {entry.pid for entry in running(data_dir).values()}
        # Whichever command started the engines, they stay while the other one runs, even after a kill.
        first.kill()
        first.wait(60)
        assert {entry.pid for entry in running(data_dir).values()} == pids
        second.communicate("\n", timeout=120)
        assert second.returncode == 0
    eventually(lambda: not running(data_dir))
    eventually(lambda: not any(psutil.pid_exists(pid) for pid in pids))


@pytest.mark.slow
def test_engines_end_after_their_command_is_killed(
    data_dir: Path, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    with use(data_dir) as user:
        assert user.stdout
        assert user.stdout.readline() == "ready\n"
        user.kill()
    eventually(lambda: not running(data_dir))

    with engines.ensure(settings_of(data_dir)) as urls, Warehouse.connect(urls.clickhouse_url) as warehouse:
        assert warehouse.scalar("SELECT count() FROM schema_migration") > 0


def test_the_error_shows_why_an_engine_does_not_start(data_dir: Path) -> None:
    data_dir.mkdir()
    (data_dir / "clickhouse").write_text("in the way")

    with pytest.raises(EnginesNotRunning, match="clickhouse"), engines.ensure(settings_of(data_dir)):
        pass


def test_the_cluster_is_part_of_the_url(tmp_path: Path) -> None:
    settings = EngineSettings(
        data_dir=tmp_path,
        clickhouse_url="https://me:pass%40word@one:8443/tokens",
        database_url="postgresql://store/regalia",
        clickhouse_cluster="main",
    )
    assert engines.locate(settings).clickhouse_url == "https://me:pass%40word@one:8443/tokens?cluster=main"


def test_the_embedded_engine_is_no_cluster(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="REGALIA_CLICKHOUSE_CLUSTER needs REGALIA_CLICKHOUSE_URL"):
        EngineSettings(data_dir=tmp_path, clickhouse_cluster="main")
