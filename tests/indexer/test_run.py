"""A small economy on a real chain, indexed into real engines."""

import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

import pytest

from indexer.chains.errors import WrongChain
from indexer.devchain.world import World
from indexer.run import IndexProgress, advance
from tests.fixtures.indexing import SMALL_UNITS, AllRows, all_rows, create_token, differences, indexing, mine_activity
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.postgres import Connection

Afresh = Callable[[Chain], AllRows]


def test_every_balance_equals_the_chains(
    archive_world: World, archive_chain: Chain, warehouse: Warehouse, store_url: str
) -> None:
    with indexing(warehouse, store_url) as context:
        done = advance(context, archive_chain)
    assert done.published == done.head == archive_world.anvil.block_number()
    held: dict[str, dict[str, int]] = defaultdict(dict)
    for row in warehouse.rows(
        "SELECT concat('0x', lower(hex(token))) AS token, concat('0x', lower(hex(wallet))) AS wallet,"
        " sum(delta_raw) AS balance FROM agg_balance_day WHERE token != '' GROUP BY token, wallet"
    ):
        held[row["token"]][row["wallet"]] = row["balance"]
    # A rebasing token's balances are not the sum of its transfers: no index can compute them from events.
    honest = [token for token in archive_world.tokens if token.address in held and token.kind != "elastic"]
    assert len(honest) > 15
    for token in honest:
        ours = held[token.address]
        assert dict(zip(ours, archive_world.balances(token.address, list(ours)), strict=True)) == ours, token.key


def test_supply_equals_the_sum_of_balances(
    archive_chain: Chain, archive_world: World, warehouse: Warehouse, store_url: str
) -> None:
    with indexing(warehouse, store_url) as context:
        advance(context, archive_chain)
    sums = warehouse.rows(
        "SELECT concat('0x', lower(hex(token))) AS token, sum(delta_raw) AS total FROM agg_balance_day"
        " WHERE token != '' GROUP BY token"
    )
    total = {row["token"]: row["total"] for row in sums}
    plain = [token for token in archive_world.tokens if token.kind in ("plain", "copy")]
    assert plain
    assert {token.address: total[token.address] for token in plain} == {
        token.address: token.supply_raw for token in plain
    }


def test_creations_name_creator_and_factory(
    archive_chain: Chain, archive_world: World, warehouse: Warehouse, store_url: str
) -> None:
    with indexing(warehouse, store_url) as context:
        advance(context, archive_chain)
    created = {
        row["address"]: (row["creator"], row["factory"] or None, row["sent_to"])
        for row in warehouse.rows(
            "SELECT concat('0x', lower(hex(address))) AS address, concat('0x', lower(hex(creator))) AS creator,"
            " if(factory = '', '', concat('0x', lower(hex(factory)))) AS factory,"
            " if(transaction_to = '', '', concat('0x', lower(hex(transaction_to)))) AS sent_to"
            " FROM fact_contract_creation"
        )
    }
    made_by_factory = [token for token in archive_world.tokens if token.factory is not None]
    assert made_by_factory
    for token in made_by_factory:
        assert created[token.address][:2] == (token.deployer.address.lower(), token.factory), token.key
        assert created[token.address][2], token.key
    assert any(created[token.address][2] == token.factory for token in made_by_factory)
    for token in archive_world.tokens:
        assert token.address in created, token.key
        assert token.factory is not None or created[token.address][1:] == (None, ""), token.key


def test_tokens_are_stored_as_they_describe_themselves(
    archive_chain: Chain, archive_world: World, warehouse: Warehouse, store_url: str
) -> None:
    with indexing(warehouse, store_url) as context:
        advance(context, archive_chain)
    read = {
        row["address"]: row
        for row in warehouse.rows(
            "SELECT concat('0x', lower(hex(address))) AS address, argMax(name, read_block) AS name,"
            " argMax(symbol, read_block) AS symbol, argMax(read_status, read_block) AS status,"
            " argMax(tuple(decimals), read_block).1 AS decimals, if(argMax(owner, read_block) = '', '',"
            " concat('0x', lower(hex(argMax(owner, read_block))))) AS owner FROM fact_token GROUP BY fact_token.address"
        )
    }
    honest = [token for token in archive_world.tokens if token.name and token.symbol and token.decimals is not None]
    assert len(honest) > 10
    for token in honest:
        found = read[token.address]
        assert (found["name"], found["symbol"], found["decimals"]) == (token.name, token.symbol, token.decimals)
        assert found["status"] == "ok"
        assert found["owner"] == (token.owner or ""), token.key
    for token in archive_world.tokens:
        if token.name is None or token.symbol is None:
            found = read.get(token.address)
            assert found is None or "\x00" not in found["name"] + found["symbol"]
    assert archive_world.collectible.lower() not in read


@pytest.mark.parametrize("seed", [2])
def test_small_units_over_several_calls_give_the_same_rows_as_one_run(
    seed: int, archive_chain: Chain, archive_world: World, warehouse: Warehouse, store_url: str, index_afresh: Afresh
) -> None:
    rng = random.Random(seed)
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        advance(context, archive_chain, to_block=90)
        for _ in range(4):
            mine_activity(archive_world, rng, blocks=rng.randrange(1, 6))
            advance(context, archive_chain)
    assert differences(all_rows(warehouse), index_afresh(archive_chain)) == {}


def test_progress_reaches_the_target(archive_chain: Chain, warehouse: Warehouse, store_url: str) -> None:
    seen: list[IndexProgress] = []
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        done = advance(context, archive_chain, to_block=50, progress=seen.append)
    assert done.published == 50 == seen[-1].published == seen[-1].target
    assert [step.published for step in seen] == sorted({step.published for step in seen})
    assert seen[-1].events == done.events


def test_every_changed_subject_is_recorded(
    archive_chain: Chain, archive_world: World, warehouse: Warehouse, store_url: str
) -> None:
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        advance(context, archive_chain)
        create_token(archive_world, "NEWCOMER")
        archive_world.step(0)
        unit_before = warehouse.scalar("SELECT max(change_id) FROM fact_change")
        advance(context, archive_chain)
    touched = warehouse.rows(
        "SELECT DISTINCT subject FROM fact_change WHERE change_id > {unit:UInt64} ORDER BY subject",
        {"unit": unit_before},
    )
    assert [row["subject"] for row in touched] == ["control", "metadata", "token"]
    assert warehouse.scalar("SELECT uniqExact(subject) FROM fact_change WHERE subject IN ('token', 'pool')") == 2


def test_another_chain_id_is_refused_and_nothing_is_written(
    archive_chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    with indexing(warehouse, store_url) as context, pytest.raises(WrongChain, match="8453"):
        advance(context, replace(archive_chain, chain_id=1))
    assert warehouse.scalar("SELECT count() FROM raw_block") == 0


def test_a_chain_locked_by_another_writer_is_not_indexed(
    archive_chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    store.execute("SELECT pg_advisory_lock(821, %s)", (archive_chain.chain_id,))
    with indexing(warehouse, store_url) as context:
        assert advance(context, archive_chain).busy
    assert warehouse.scalar("SELECT count() FROM raw_block") == 0
