import random
from dataclasses import replace

from indexer.chains.facts import Chain, Chains
from indexer.devchain.world import World
from pipelines.follow import Follower
from tests.fixtures.indexing import indexing, live
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection


def of_world(chain: Chain) -> Chains:
    return Chains({chain.key: chain})


def test_what_happens_on_a_chain_is_served(
    living_world: World, living_chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    chain = replace(living_chain, block_seconds=0.0)
    live(living_world, random.Random(1), 5)
    with indexing(warehouse, store_url) as context:
        follower = Follower(warehouse, store, of_world(chain), chain, context)
        follower.turn()
        tokens = warehouse.scalar("SELECT uniqExact(address) FROM serve_token WHERE deleted = 0")
        assert tokens >= 12
        priced = warehouse.rows(
            "SELECT DISTINCT symbol, price_usd, holders, liquidity_usd, market_score FROM serve_token"
            " WHERE price_usd IS NOT NULL AND version <= (SELECT max(version) FROM serve_publication) ORDER BY symbol"
        )
        assert len(priced) >= 3
        assert store.execute("SELECT count(*) AS n FROM native_price").fetchone() == {"n": 1}
        scored = store.execute("SELECT count(*) AS n FROM indexed_token WHERE score IS NOT NULL").fetchone()
        assert scored is not None
        assert scored["n"] >= 12
        before = warehouse.scalar("SELECT max(version) FROM serve_publication")
        live(living_world, random.Random(2), 3)
        follower.turn()
        assert warehouse.scalar("SELECT max(version) FROM serve_publication") > before
