"""Analysts' views show whole published units, at whatever step of writing or reverting a writer stops."""

import random
from collections.abc import Callable, Iterator

import pytest

from indexer.checkpoint import Checkpoint, finish_revert, next_change_id, read_checkpoint, set_pending, units_above
from indexer.devchain.world import World
from indexer.marking import mark_published
from indexer.publish import read_blocks, recover
from indexer.run import IndexContext, advance, rewind
from indexer.write import add_balances, block_time, delete_units
from tests.fixtures.half_written import leave_half_written
from tests.fixtures.indexing import SMALL_UNITS, index_history, indexing, mine_activity
from tests.fixtures.published_views import rows_in_tables, rows_in_views
from warehouse import sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.domain.facts import FACT_TABLES
from warehouse.postgres import Connection

FENCE = 10**12  # a unit of its own


@pytest.fixture
def context(warehouse: Warehouse, store_url: str) -> Iterator[IndexContext]:
    with indexing(warehouse, store_url, SMALL_UNITS) as made:
        yield made


def marked(warehouse: Warehouse) -> list[tuple[int, int]]:
    return [
        (row["chain_id"], row["block_number"])
        for row in warehouse.rows("SELECT chain_id, block_number FROM published_chain")
    ]


def test_views_show_everything_published(context: IndexContext, archive_chain: Chain, warehouse: Warehouse) -> None:
    empty = rows_in_views(warehouse)
    assert {found for found, _ in empty.values()} == {0}
    advance(context, archive_chain, to_block=120)
    seen = rows_in_views(warehouse)
    assert seen == rows_in_tables(warehouse)
    assert min(seen[name][0] for name in ("published_fact_transfer", "published_fact_swap", "published_balance")) > 0
    assert marked(warehouse) == [(archive_chain.chain_id, 120)]


def test_a_half_written_unit_is_hidden_at_every_step(
    context: IndexContext, archive_chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    index_history(warehouse, store_url, archive_chain, to_block=100)
    before = rows_in_views(warehouse)
    for stage in ("nothing", "some tables", "all tables"):
        leave_half_written(context, archive_chain, store, stage)
        assert rows_in_views(warehouse) == before, stage
        for table in FACT_TABLES:  # as giving the unit up does before it deletes
            column = FACT_TABLES[table].block_column
            warehouse.command(
                f"INSERT INTO {table} (chain_id, {column}, unit_id) SELECT 8453, 18446744073709551615, {FENCE}"
            )
        assert rows_in_views(warehouse) == before, f"{stage}, fenced"
        recover(store, warehouse, read_checkpoint(store, archive_chain.chain_id))
        assert rows_in_views(warehouse) == before, f"{stage}, given up"
    for table in FACT_TABLES:
        warehouse.command(f"DELETE FROM {table} WHERE unit_id = {FENCE}")
    for stage in ("sums begun", "sums done"):
        unit, _ = leave_half_written(context, archive_chain, store, stage)
        assert rows_in_views(warehouse) == before, stage
        recover(store, warehouse, read_checkpoint(store, archive_chain.chain_id))
        assert rows_in_views(warehouse) == before, f"{stage}, published and not marked yet"
        advance(context, archive_chain, to_block=unit.last)
        assert marked(warehouse) == [(archive_chain.chain_id, unit.last)]
        before = rows_in_views(warehouse)
        assert before == rows_in_tables(warehouse)


def test_units_being_reverted_are_hidden_first_and_never_partly_visible(
    context: IndexContext, archive_chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    chain_id = archive_chain.chain_id
    index_history(warehouse, store_url, archive_chain, to_block=110)
    kept = rows_in_views(warehouse)
    advance(context, archive_chain, to_block=135)
    before = rows_in_views(warehouse)
    units = [unit.unit_id for unit in units_above(store, chain_id, 110)]
    assert len(units) >= 3
    pending = {"phase": "revert", "change_id": next_change_id(store), "units": units, "ancestor": 110}
    checkpoint = set_pending(store, read_checkpoint(store, chain_id), pending)
    assert rows_in_views(warehouse) == before
    for step in taking_back(store, warehouse, checkpoint, units):
        step()
        assert rows_in_views(warehouse) == kept, step
    head = read_blocks(warehouse, chain_id, 110, 110)[110]
    finish_revert(store, checkpoint, units, (110, head[0], block_time(head[1])))
    assert rows_in_views(warehouse) == kept == rows_in_tables(warehouse)
    context.session(archive_chain).forget()
    advance(context, archive_chain, to_block=135)
    assert rows_in_views(warehouse) == before


def taking_back(
    store: Connection, warehouse: Warehouse, checkpoint: Checkpoint, units: list[int]
) -> Iterator[Callable[[], None]]:
    """The steps of ``reorg.finish_pending``, one at a time."""
    chain_id = checkpoint.chain_id
    yield lambda: mark_published(store, warehouse, checkpoint)
    yield lambda: warehouse.insert_select(
        sql.load("transforms/ingest/revert_changes"),
        {"chain_id": chain_id, "change_id": (checkpoint.pending or {})["change_id"], "units": units},
        token="revert",
    )
    for unit in units:
        yield lambda unit=unit: add_balances(warehouse, chain_id, unit, sign=-1, token=f"revert:{unit}")  # type: ignore[misc]
    for unit in units:
        yield lambda unit=unit: delete_units(warehouse, chain_id, [unit])  # type: ignore[misc]


def test_a_late_mark_changes_nothing(
    context: IndexContext, archive_chain: Chain, warehouse: Warehouse, store: Connection
) -> None:
    advance(context, archive_chain, to_block=110)
    late = read_checkpoint(store, archive_chain.chain_id)
    rewind(context, archive_chain, 90)
    hidden = rows_in_views(warehouse)
    assert marked(warehouse)[0][1] <= 90
    mark_published(store, warehouse, late)
    assert rows_in_views(warehouse) == hidden == rows_in_tables(warehouse)


def test_the_next_writer_marks_what_a_killed_one_published(
    archive_world: World, archive_chain: Chain, warehouse: Warehouse, store_url: str
) -> None:
    with indexing(warehouse, store_url) as first:
        advance(first, archive_chain)
    warehouse.command("TRUNCATE TABLE chain_publication")
    with indexing(warehouse, store_url) as second:
        assert advance(second, archive_chain).blocks == 0
        assert marked(warehouse) == [(archive_chain.chain_id, archive_world.anvil.block_number())]
        mine_activity(archive_world, random.Random(4), blocks=1)
        advance(second, archive_chain)
    assert marked(warehouse) == [(archive_chain.chain_id, archive_world.anvil.block_number())]
    assert rows_in_views(warehouse) == rows_in_tables(warehouse)
