"""Several indexers on one chain, as processes: they write what one would, and fetch it once."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from indexer.devchain.world import World
from tests.fixtures.faulty_node import FaultyNode, Reply, Request, faulty_node
from tests.fixtures.indexing import AllRows, all_rows, differences, mine_activity
from tests.fixtures.published_views import rows_in_tables, rows_in_views
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.postgres import Connection

FOLLOW = ("-m", "indexer", "index", "--chain", "base", "--follow")
# Dagster's ingestion asset, repeatedly, as its schedule would run it.
INGEST = """
import dagster, pathlib, sys
from warehouse.chains.facts import load
from pipelines.ingestion.assets import head_asset
from pipelines.resources import EngineAccess
asset = head_asset(load(pathlib.Path(sys.argv[1])).by_key["base"])
while True:
    with dagster.DagsterInstance.ephemeral() as instance:
        dagster.materialize([asset], instance=instance, resources={"engines": EngineAccess()})
        print("materialized", flush=True)
"""


@contextmanager
def running(
    environment: dict[str, str], log: Path, *commands: tuple[str, ...]
) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Python processes that log to ``log``, ended at the end of the block; followers get SIGTERM."""
    rivals = []
    with log.open("wb") as sink:
        try:
            for command in commands:
                process = subprocess.Popen([sys.executable, *command], env=environment, stdout=sink, stderr=sink)
                rivals.append(process)
            yield rivals
        finally:
            for process, command in zip(rivals, commands, strict=False):
                process.send_signal(signal.SIGTERM if command == FOLLOW else signal.SIGKILL)
            for process in rivals:
                process.wait(timeout=60)


def comes_true(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.2)
    return False


def reaches(store: Connection, block: int) -> bool:
    def reached() -> bool:
        row = store.execute("SELECT block_number FROM chain_checkpoint").fetchone()
        return row is not None and row["block_number"] == block

    return comes_true(reached)


def count_blocks(node: FaultyNode) -> list[int]:
    """Collects how many blocks of logs each request covers, without single blocks fetched again by hash."""
    asked: list[int] = []

    def see(requests: list[Request]) -> Reply | None:
        for request in requests:
            if request["method"] == "eth_getLogs" and "fromBlock" in request["params"][0]:
                span = request["params"][0]
                asked.append(int(span["toBlock"], 16) - int(span["fromBlock"], 16) + 1)
        return None

    node.before = see
    return asked


@pytest.mark.parametrize("rival", ["another indexer", "Dagster"])
def test_concurrent_indexers_fetch_once_and_write_what_one_would(
    rival: str, archive_chain: Chain, archive_world: World, warehouse: Warehouse, warehouse_url: str, store_url: str,
    store: Connection, index_afresh: Callable[[Chain], AllRows], tmp_path: Path,
) -> None:  # fmt: skip
    rng = random.Random(8)
    path, log = tmp_path / "rivals.toml", tmp_path / "rivals.log"
    urls = {"REGALIA_CLICKHOUSE_URL": warehouse_url, "REGALIA_DATABASE_URL": store_url}
    environment = os.environ | urls | {"REGALIA_CHAINS": str(path), "REGALIA_DATA_DIR": str(tmp_path / "data")}
    rival_command = FOLLOW if rival == "another indexer" else ("-c", INGEST, str(path))
    with faulty_node(archive_chain.rpc_urls[0]) as node:
        asked = count_blocks(node)
        path.write_text(archive_world.chain_toml().replace(archive_chain.rpc_urls[0], node.url))
        with running(environment, log, FOLLOW, rival_command) as rivals:
            assert reaches(store, archive_world.anvil.block_number())
            assert rival != "Dagster" or comes_true(lambda: "materialized" in log.read_text()), log.read_text()
            for _ in range(8):
                mine_activity(archive_world, rng, blocks=1)
                time.sleep(0.3)
            head = archive_world.anvil.block_number()
            assert reaches(store, head)
            # The writer of the last unit marks it for analysts afterwards.
            assert comes_true(lambda: rows_in_views(warehouse) == rows_in_tables(warehouse))
            assert [process.poll() for process in rivals] == [None, None], log.read_text()
    assert rivals[0].returncode == 0
    assert "Traceback" not in log.read_text()
    assert differences(all_rows(warehouse), index_afresh(archive_chain)) == {}
    units = store.execute("SELECT first_block, last_block, status FROM ingest_unit ORDER BY first_block").fetchall()
    kept = [unit for unit in units if unit["status"] == "published"]
    assert len(units) - len(kept) <= 1
    assert [unit["first_block"] for unit in kept[1:]] == [unit["last_block"] + 1 for unit in kept[:-1]]
    longest = max(unit["last_block"] - unit["first_block"] + 1 for unit in kept)
    assert head + 1 <= sum(asked) <= head + 1 + longest
