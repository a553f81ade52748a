import random
import threading
from dataclasses import replace
from typing import Any

import pytest

from indexer.devchain.world import World
from pipelines.follow import Follower, follow
from tests.fixtures.faulty_node import Request, faulty_node
from tests.fixtures.indexing import create_token, indexing, mine_activity
from tests.fixtures.waiting import wait_until
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.engines import EngineUrls
from warehouse.postgres import Connection


def of_world(chain: Chain) -> Chains:
    return Chains({chain.key: chain})


def run_once(follower: Follower) -> None:
    """What the three threads do, once and one after the other."""
    follower.index()
    follower.publish_new_tokens()
    follower.refresh_metrics()


def test_a_follower_serves_new_blocks(
    archive_world: World, archive_chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    chain = replace(archive_chain, block_seconds=0.0)
    mine_activity(archive_world, random.Random(1), 5)
    with indexing(warehouse, store_url) as context:
        follower = Follower(warehouse, store, of_world(chain), chain, context)
        run_once(follower)
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
        mine_activity(archive_world, random.Random(2), 3)
        run_once(follower)
        assert warehouse.scalar("SELECT max(version) FROM serve_publication") > before


def test_nodes_of_another_chain_are_retried_with_growing_pauses(
    archive_world: World, archive_chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    def of_another(request: Request, answer: dict[str, Any]) -> dict[str, Any]:
        return {**answer, "result": "0x1"} if request["method"] == "eth_chainId" else answer

    with faulty_node(archive_world.anvil.url) as node, indexing(warehouse, store_url) as context:
        chain = replace(archive_chain, block_seconds=0.0, rpc_urls=(node.url,))
        follower = Follower(warehouse, store, of_world(chain), chain, context)
        honest, node.item = node.item, of_another
        assert [follower.index() for _ in range(7)] == [1, 2, 4, 8, 16, 30, 30]
        node.item = honest
        follower.index()
        assert follower.published is not None
        assert follower.refused_pause == 1


def test_loops_publish_a_new_token_count_it_and_stop(
    archive_world: World, archive_chain: Chain, warehouse: Warehouse, warehouse_url: str, store_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("pipelines.follow._MAX_REST_SECONDS", 0.5)  # more runs than in service
    chain = replace(archive_chain, block_seconds=0.0)
    stop = threading.Event()
    loops = threading.Thread(
        target=follow, args=(EngineUrls(warehouse_url, store_url), of_world(chain), chain, stop), daemon=True
    )
    loops.start()
    try:
        wait_until(lambda: warehouse.scalar("SELECT count() FROM serve_publication") > 0, seconds=40)
        symbol = "LOOPED"
        create_token(archive_world, symbol)
        archive_world.sender.mine()
        shown = (
            "SELECT holders FROM serve_token WHERE symbol = {symbol:String} AND version <="
            " (SELECT max(version) FROM serve_publication) ORDER BY version DESC LIMIT 1"
        )
        wait_until(lambda: bool(warehouse.rows(shown, {"symbol": symbol})), seconds=40)
        wait_until(lambda: warehouse.rows(shown, {"symbol": symbol})[0]["holders"] == 1, seconds=40)
    finally:
        stop.set()
        loops.join(20)
    assert not loops.is_alive()
