"""Killed at any moment, or run twice at once, the indexer produces the rows of a fresh index."""

import multiprocessing
import random
import threading
import time
from collections.abc import Callable

import pytest

from indexer.checkpoint import (
    CheckpointMoved,
    WriterGuard,
    read_checkpoint,
)
from indexer.devchain.world import World
from indexer.publish import recover
from indexer.run import IndexProgress, advance, follow
from indexer.write import write_facts
from tests.fixtures.half_written import leave_half_written
from tests.fixtures.indexing import SMALL_UNITS, AllRows, all_rows, differences, indexing, mine_activity, revert_to
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.postgres import Connection

Afresh = Callable[[Chain], AllRows]
KILLS = 6


def index_until_killed(warehouse_url: str, store_url: str, chain: Chain) -> None:
    """The body of an indexer process."""
    with Warehouse.connect(warehouse_url) as warehouse, indexing(warehouse, store_url, SMALL_UNITS) as context:
        follow(context, chain, threading.Event())


@pytest.mark.parametrize("seed", [11])
def test_after_many_kills_the_index_equals_a_fresh_one(
    seed: int, archive_chain: Chain, archive_world: World, warehouse: Warehouse, warehouse_url: str, store_url: str,
    store: Connection, index_afresh: Afresh,
) -> None:  # fmt: skip
    rng = random.Random(seed)
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.indexer.test_crash"])
    fork = archive_world.anvil.rpc("evm_snapshot")
    for kill in range(KILLS):
        process = processes.Process(target=index_until_killed, args=(warehouse_url, store_url, archive_chain))
        process.start()
        time.sleep(rng.uniform(0.1, 1.2))
        process.kill()
        process.join()
        if kill % 3 == 2:  # the chain forks while no indexer runs
            revert_to(archive_world, fork)
            fork = archive_world.anvil.rpc("evm_snapshot")
        mine_activity(archive_world, rng, blocks=rng.randrange(0, 4))
    mine_activity(archive_world, rng, blocks=2)
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        assert advance(context, archive_chain).published == archive_world.anvil.block_number()
    assert differences(all_rows(warehouse), index_afresh(archive_chain)) == {}, f"seed {seed}"
    left = store.execute("SELECT count(*) AS units FROM ingest_unit WHERE status = 'pending'").fetchone()
    assert left == {"units": 0}


@pytest.mark.parametrize("stage", ["nothing", "some tables", "all tables", "sums begun", "sums done"])
def test_a_unit_left_at_any_step_is_undone_or_finished(
    stage: str, archive_chain: Chain, warehouse: Warehouse, store_url: str, store: Connection, index_afresh: Afresh
) -> None:
    with indexing(warehouse, store_url) as context:
        advance(context, archive_chain, to_block=60)
        leave_half_written(context, archive_chain, store, stage)
        advance(context, archive_chain)
    assert differences(all_rows(warehouse), index_afresh(archive_chain)) == {}


def test_a_late_insert_of_an_abandoned_unit_changes_nothing(
    archive_chain: Chain, warehouse: Warehouse, store_url: str, store: Connection
) -> None:
    with indexing(warehouse, store_url) as context:
        advance(context, archive_chain, to_block=60)
        before = all_rows(warehouse)
        unit, late = leave_half_written(context, archive_chain, store, "nothing")
        recover(store, warehouse, read_checkpoint(store, archive_chain.chain_id))
        for table, block in late.items():
            warehouse.insert_native(table, block, token=f"{unit.unit_id}:{table}")
    assert late
    assert differences(all_rows(warehouse), before) == {}


def test_a_writer_that_was_replaced_while_frozen_inserts_nothing(
    archive_chain: Chain, warehouse: Warehouse, store_url: str, store: Connection
) -> None:
    with indexing(warehouse, store_url) as context:
        advance(context, archive_chain, to_block=60)
        session = context.session(archive_chain)
        assembled = session.source.assemble(session.source.fetch(61, 70), session.known)
        unit, _ = leave_half_written(context, archive_chain, store, "nothing")
        frozen = WriterGuard(store, read_checkpoint(store, archive_chain.chain_id))
        frozen.checked_at -= 3600.0
        frozen.ensure_current()  # no other writer took over: it may continue
        frozen.checked_at -= 3600.0
        advance(context, archive_chain)
        before = all_rows(warehouse)
        with pytest.raises(CheckpointMoved):
            write_facts(
                warehouse, archive_chain.chain_id, unit.unit_id + 10**6, assembled.blocks, assembled.tables,
                before_insert=frozen.ensure_current,
            )  # fmt: skip
    assert differences(all_rows(warehouse), before) == {}


def test_after_a_lost_connection_indexing_resumes_without_duplicates(
    archive_chain: Chain, warehouse: Warehouse, store_url: str, store: Connection, index_afresh: Afresh
) -> None:
    stop, broken = threading.Event(), []

    def cut(progress: IndexProgress) -> None:
        if not broken:
            rows = store.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = 821"
                " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            )
            broken.append(len(rows.fetchall()))
        elif progress.published >= progress.target:
            stop.set()

    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        follow(context, archive_chain, stop, progress=cut)
    assert broken == [1]
    assert differences(all_rows(warehouse), index_afresh(archive_chain)) == {}


def test_two_indexers_at_once_do_the_work_once(
    archive_chain: Chain, archive_world: World, warehouse: Warehouse, warehouse_url: str, store_url: str,
    store: Connection, index_afresh: Afresh,
) -> None:  # fmt: skip
    stop = threading.Event()
    rng = random.Random(5)

    def run() -> None:
        with Warehouse.connect(warehouse_url) as own, indexing(own, store_url, SMALL_UNITS) as context:
            follow(context, archive_chain, stop)

    rivals = [threading.Thread(target=run) for _ in range(2)]
    for rival in rivals:
        rival.start()
    for _ in range(6):
        mine_activity(archive_world, rng, blocks=2)
        time.sleep(0.2)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        row = store.execute("SELECT block_number FROM chain_checkpoint").fetchone()
        if row is not None and row["block_number"] == archive_world.anvil.block_number():
            break
        time.sleep(0.05)
    stop.set()
    for rival in rivals:
        rival.join()
    assert differences(all_rows(warehouse), index_afresh(archive_chain)) == {}
    twice = store.execute(
        "SELECT first_block FROM ingest_unit WHERE status = 'published' GROUP BY first_block HAVING count(*) > 1"
    ).fetchall()
    assert twice == []
