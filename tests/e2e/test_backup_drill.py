"""The drill: a service under write load is backed up and destroyed. What comes back is every row of the point at which
the backup was made; it answers, goes on indexing and ends up as if nothing had happened."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from api.ops.supervisor import ports
from indexer.devchain.world import World
from indexer.run import advance
from pipelines.pause import all_writers_paused
from pipelines.refresh import refresh
from tests.fixtures.engine_rows import Rows, store_rows, warehouse_rows
from tests.fixtures.indexing import SMALL_UNITS, AllRows, all_rows, differences, indexing
from tests.fixtures.waiting import wait_until
from warehouse import engines, postgres
from warehouse.backup.create import Wanted, create
from warehouse.backup.repository import Repository
from warehouse.backup.restore import Choice, restore
from warehouse.backup.sealed_keys import Secret
from warehouse.chains.facts import load as load_chains
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.embedded import record, restoring
from warehouse.embedded.layout import Layout
from warehouse.embedded.restoring import Note
from warehouse.engines import EngineUrls
from warehouse.errors import RestoreUnfinished
from warehouse.postgres import Connection
from warehouse.settings import EngineSettings
from warehouse.storage import open_storage

pytestmark = pytest.mark.slow

PASSPHRASE = "correct horse battery"


class Load:
    """Blocks that are mined and indexed, and pairs of rows that are written to the store, each pair at once."""

    def __init__(self, urls: EngineUrls, chain: Chain, world: World) -> None:
        self._urls, self._chain, self._world = urls, chain, world
        self._stop = threading.Event()
        self.blocks, self.pairs = 0, 0
        self._threads = [threading.Thread(target=work) for work in (self._index, self._claim)]

    def _index(self) -> None:
        with (
            Warehouse.connect(self._urls.clickhouse_url) as warehouse,
            indexing(warehouse, self._urls.database_url, SMALL_UNITS) as context,
        ):
            while not self._stop.is_set():
                self._world.step(6)
                self.blocks += advance(context, self._chain).blocks
        self._world.anvil.disconnect()  # each thread has a connection of its own

    def _claim(self) -> None:
        with postgres.connect(self._urls.database_url) as store:
            while not self._stop.is_set():
                wallets = (f"0x{2 * self.pairs + side:040x}" for side in range(2))
                for wallet in wallets:
                    store.execute("INSERT INTO account (wallet, plan) VALUES (%s, 'free')", (wallet,))
                store.commit()
                self.pairs += 1

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()


def test_what_was_destroyed_comes_back_answers_and_goes_on(
    archive_world: World, archive_chain: Chain, index_afresh: Callable[[Chain], AllRows], tmp_path: Path
) -> None:
    settings = EngineSettings(data_dir=tmp_path / "data", clickhouse_url=None, database_url=None)
    layout = Layout.of(settings.data_dir)
    repository = Repository(open_storage(str(tmp_path / "backups")))
    secret = Secret.of_passphrase(PASSPHRASE)
    at_the_point: dict[str, Rows] = {}

    with engines.ensure(settings, durable=False) as urls:
        (layout.keys / "signer.key").write_text("a key")

        @contextmanager
        def pause(store: Connection, warehouse: Warehouse) -> Iterator[None]:
            """As the command pauses, and note every row that is there."""
            with all_writers_paused(store, warehouse, [archive_chain], 60):
                yield
                at_the_point["warehouse"] = warehouse_rows(warehouse, "regalia")
                at_the_point["store"] = store_rows(urls.database_url)

        load = Load(urls, archive_chain, archive_world)
        load.start()
        wait_until(lambda: load.blocks > 30 and load.pairs > 3, "the load is under way", 120)
        create(urls, layout, repository, pause, Wanted(secret))
        with (
            Warehouse.connect(urls.clickhouse_url) as warehouse,
            postgres.connect(urls.database_url, autocommit=True) as store,
        ):
            refresh(warehouse, store, load_chains(tmp_path / "chains.toml"))
        made = create(urls, layout, repository, pause, Wanted(secret)).manifest
        blocks, pairs = load.blocks, load.pairs
        wait_until(lambda: load.blocks > blocks + 3 and load.pairs > pairs, "the load goes on", 60)
        load.stop()
    assert made.warehouse.full != made.name
    assert made.paused_seconds < 10
    shutil.rmtree(settings.data_dir)

    _a_restore_that_is_killed_stops_everything_else(settings, tmp_path)
    restore(settings, repository, Choice(secret=secret))

    assert (layout.keys / "signer.key").read_text() == "a key"
    with engines.ensure(settings, durable=False, migrated=False) as urls:
        with Warehouse.connect(urls.clickhouse_url) as warehouse:
            assert warehouse_rows(warehouse, "regalia") == at_the_point["warehouse"]
        found = store_rows(urls.database_url)
        accounts, accounts_then = found.pop("account"), at_the_point["store"].pop("account")
        for table in ("account_wallet", "sequences"):  # written with accounts, or by the claims that went on
            found.pop(table), at_the_point["store"].pop(table)
        assert found == at_the_point["store"]
        assert 0 < len(accounts) <= len(accounts_then)
        assert len(accounts) % 2 == 0
        assert set(accounts) <= set(accounts_then)
    with engines.ensure(settings, durable=False) as urls:
        _the_service_answers(settings, tmp_path / "chains.toml")
        with (
            Warehouse.connect(urls.clickhouse_url) as warehouse,
            indexing(warehouse, urls.database_url) as context,
        ):
            assert advance(context, archive_chain).published == archive_world.anvil.block_number()
            assert differences(all_rows(warehouse), index_afresh(archive_chain)) == {}


def _a_restore_that_is_killed_stops_everything_else(settings: EngineSettings, folder: Path) -> None:
    """Kill the command when it has begun to write; nothing starts on what it leaves."""
    layout = Layout.of(settings.data_dir)
    environment = os.environ | {"REGALIA_DATA_DIR": str(layout.root), "REGALIA_BACKUP_PASSPHRASE": PASSPHRASE}
    command = [sys.executable, "-m", "warehouse", "restore", "--from", str(folder / "backups")]
    running = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    wait_until(lambda: layout.clickhouse.exists() or running.poll() is not None, "the restore has begun", 120)
    running.kill()
    running.wait()
    note = restoring.read(layout)
    assert isinstance(note, Note)
    assert note.cleared
    with pytest.raises(RestoreUnfinished, match="regalia restore --from"), engines.ensure(settings):
        pass
    up = subprocess.run(
        [sys.executable, "-m", "api.cli", "up"], env=environment, capture_output=True, text=True, check=False
    )
    assert up.returncode == 3
    assert "was interrupted" in up.stderr
    wait_until(lambda: not record.read(layout), "the killed command's engines end", 60)


def _the_service_answers(settings: EngineSettings, chains: Path) -> None:
    """The API as a process of its own."""
    port = ports.claim("127.0.0.1", None, "the test's API", "REGALIA_PORT")
    environment = os.environ | {
        "REGALIA_DATA_DIR": str(settings.data_dir),
        "REGALIA_PORT": str(port),
        "REGALIA_CHAINS": str(chains),
    }
    process = subprocess.Popen([sys.executable, "-m", "api.server"], env=environment)
    try:

        def ready() -> bool:
            try:
                return httpx.get(f"http://127.0.0.1:{port}/health/ready").status_code == 200
            except httpx.TransportError:
                return False

        wait_until(ready, "the service is ready", 150)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)
