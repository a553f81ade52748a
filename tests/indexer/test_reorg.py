"""Reorganisations of every depth, on a real node: removed blocks leave no row in any table or sum."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from indexer import reorg
from indexer.devchain.anvil import Anvil
from indexer.devchain.world import World
from indexer.reorg import ChainHalted
from indexer.run import advance, rewind
from indexer.write import TABLES
from tests.fixtures.indexing import (
    SMALL_UNITS,
    AllRows,
    all_rows,
    create_token,
    differences,
    facts_of,
    index_history,
    indexing,
    mine_activity,
    revert_to,
)
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.postgres import Connection

Afresh = Callable[[Chain], AllRows]


@pytest.mark.parametrize(("depth", "longer_by"), [(1, 0), (5, 3), (9, -2), (40, 1)])
def test_after_a_reorganisation_the_index_equals_a_fresh_one(
    depth: int, longer_by: int, archive_chain: Chain, archive_world: World, warehouse: Warehouse, store_url: str,
    index_afresh: Afresh,
) -> None:  # fmt: skip
    rng = random.Random(depth)
    index_history(warehouse, store_url, archive_chain)
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        fork = archive_world.anvil.rpc("evm_snapshot")
        for _ in range(depth):  # orphans in units of one to three blocks
            mine_activity(archive_world, rng, blocks=1)
            if rng.random() < 0.6:
                advance(context, archive_chain)
        advance(context, archive_chain)
        revert_to(archive_world, fork)
        mine_activity(archive_world, rng, blocks=max(depth + longer_by, 1))
        done = advance(context, archive_chain)
        mine_activity(archive_world, rng, blocks=1)  # a node with the shorter fork shows it only when it grows
        done_later = advance(context, archive_chain)
    assert done.reorganised + done_later.reorganised >= depth
    assert differences(all_rows(warehouse), index_afresh(archive_chain)) == {}


@pytest.mark.slow
def test_two_reorganisations_in_a_row_across_unit_borders(
    tmp_path: Path, warehouse: Warehouse, store_url: str, index_afresh: Afresh
) -> None:
    rng = random.Random(7)
    with Anvil.start(kept_states=2000) as node, indexing(warehouse, store_url, SMALL_UNITS) as context:
        world = World.create(node, seed=1, scale="small")
        chain = facts_of(world, tmp_path, finality_blocks=96)
        advance(context, chain, to_block=node.block_number() - 60)
        advance(context, chain)
        for depth in (17, 40):
            node.rpc("anvil_reorg", depth, [])
            world.sender.forget_nonces()
            mine_activity(world, rng, blocks=2)
            assert advance(context, chain).reorganised >= 15
        assert differences(all_rows(warehouse), index_afresh(chain)) == {}


def test_a_token_created_on_a_reverted_block_is_removed(
    archive_chain: Chain, archive_world: World, warehouse: Warehouse, store_url: str
) -> None:
    with indexing(warehouse, store_url) as context:
        advance(context, archive_chain)
        fork = archive_world.anvil.rpc("evm_snapshot")
        orphan = create_token(archive_world, "ORPHAN")
        archive_world.step(0)
        advance(context, archive_chain)
        count = "SELECT count() FROM fact_token WHERE address = unhex({address:String})"
        assert warehouse.scalar(count, {"address": orphan[2:]}) == 1
        revert_to(archive_world, fork)
        archive_world.step(3)  # the same wallet creates nothing here: the address stays empty
        archive_world.step(3)
        advance(context, archive_chain)
    assert warehouse.scalar(count, {"address": orphan[2:]}) == 0
    announced = "SELECT uniqExact(change_id) FROM fact_change WHERE subject = 'token' AND key = unhex({address:String})"
    assert warehouse.scalar(announced, {"address": orphan[2:]}) == 2  # when it came, and when it went


def test_many_units_are_reverted_in_parts(
    archive_chain: Chain, archive_world: World, warehouse: Warehouse, store: Connection, store_url: str,
    index_afresh: Afresh, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(reorg, "_UNITS_AT_ONCE", 3)
    rng = random.Random(8)
    index_history(warehouse, store_url, archive_chain)
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        common = archive_world.anvil.block_number()
        for _ in range(8):
            mine_activity(archive_world, rng, blocks=1)
            advance(context, archive_chain)
        assert rewind(context, archive_chain, common).published == common
        row = store.execute("SELECT count(*) AS n FROM ingest_unit WHERE status = 'reverted'").fetchone()
        assert row is not None
        assert row["n"] == 8
        advance(context, archive_chain)
    assert differences(all_rows(warehouse), index_afresh(archive_chain)) == {}


def test_a_node_that_is_behind_causes_no_reorganisation(
    archive_chain: Chain, archive_world: World, warehouse: Warehouse, store_url: str
) -> None:
    with indexing(warehouse, store_url) as context:
        fork = archive_world.anvil.rpc("evm_snapshot")
        mine_activity(archive_world, random.Random(2), blocks=5)
        before = advance(context, archive_chain)
        revert_to(archive_world, fork)
        after = advance(context, archive_chain)
    assert (after.blocks, after.reorganised, after.published) == (0, 0, before.published)


def test_a_reorganisation_beyond_finality_halts_the_chain_until_it_is_rewound(
    archive_chain: Chain, archive_world: World, warehouse: Warehouse, store: Connection, store_url: str,
    index_afresh: Afresh,
) -> None:  # fmt: skip
    chain = replace(archive_chain, finality_blocks=3)
    index_history(warehouse, store_url, chain)
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        fork = archive_world.anvil.rpc("evm_snapshot")
        common = archive_world.anvil.block_number()
        mine_activity(archive_world, random.Random(3), blocks=8)
        advance(context, chain)
        published = all_rows(warehouse)
        revert_to(archive_world, fork)
        mine_activity(archive_world, random.Random(4), blocks=9)
        with pytest.raises(ChainHalted, match=f"--chain {chain.key} --rewind"):
            advance(context, chain)
        with pytest.raises(ChainHalted):
            advance(context, chain)
        assert differences(all_rows(warehouse), published) == {}
        row = store.execute("SELECT halted, block_number FROM chain_checkpoint").fetchone()
        assert row is not None
        assert "finality_blocks = 3" in row["halted"]
        assert row["block_number"] == common + 8

        rewind(context, chain, common)
        assert advance(context, chain).published == common + 9
    assert differences(all_rows(warehouse), index_afresh(chain)) == {}


def test_an_emptied_warehouse_is_indexed_again_after_a_rewind_to_the_start(
    archive_chain: Chain, warehouse: Warehouse, store_url: str, index_afresh: Afresh
) -> None:
    """What an operator does who has brought the store back to an earlier moment, to which no warehouse belongs."""
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        advance(context, archive_chain)
    for table in (*TABLES, "agg_balance_day", "fact_change", "chain_publication"):
        warehouse.command(f"TRUNCATE TABLE {table}")
    with indexing(warehouse, store_url) as context:
        assert rewind(context, archive_chain, 0).published is None
        done = advance(context, archive_chain)
        assert done.published == done.head
    assert differences(all_rows(warehouse), index_afresh(archive_chain)) == {}
