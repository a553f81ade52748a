"""A small real economy, indexed into real engines."""

from collections import defaultdict
from pathlib import Path

import pytest

from indexer.chains.facts import Chain
from indexer.chains.facts import load as load_chains
from indexer.devchain.world import World
from indexer.run import advance
from tests.fixtures.indexing import SMALL_UNITS, all_rows, indexing
from warehouse.clickhouse import Warehouse


@pytest.fixture
def chain(world: World, tmp_path: Path) -> Chain:
    path = tmp_path / "chains.toml"
    path.write_text(world.chain_toml())
    return load_chains(path).by_key["base"]


def test_balances_equal_the_chains_own_for_every_holder(
    world: World, chain: Chain, warehouse: Warehouse, store_url: str
) -> None:
    with indexing(warehouse, store_url) as context:
        done = advance(context, chain)
    assert done.published == done.head == world.anvil.block_number()
    rows = warehouse.rows(
        "SELECT concat('0x', lower(hex(token))) AS token, concat('0x', lower(hex(wallet))) AS wallet,"
        " sum(delta_raw) AS balance FROM agg_balance_day GROUP BY token, wallet"
    )
    held: dict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        held[row["token"]][row["wallet"]] = row["balance"]
    honest = [token for token in world.tokens if token.address.lower() in held]
    assert len(honest) > 5
    for token in honest:
        wallets = list(held[token.address.lower()])
        on_chain = world.balances(token.address, wallets)
        assert dict(zip(wallets, on_chain, strict=True)) == held[token.address.lower()], token


def test_small_units_make_the_same_rows_as_large_ones(
    chain: Chain, warehouse: Warehouse, store_url: str, engines: object, request: pytest.FixtureRequest
) -> None:
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        advance(context, chain)
    assert all(len(rows) > 0 for table, rows in all_rows(warehouse).items() if table != "fact_registry_event")
