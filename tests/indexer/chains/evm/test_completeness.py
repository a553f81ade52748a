"""A repair deletes what the node does not have, so it does not believe a node that leaves out single logs."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from indexer.chains.errors import NodeLied, NodeUnavailable
from indexer.chains.evm.decoders.erc20 import TRANSFER
from indexer.devchain import artifacts
from indexer.devchain.world import World
from indexer.reindex import reindex
from indexer.run import IndexContext, advance
from tests.fixtures.faulty_node import FaultyNode, Request, error_answer, faulty_node
from tests.fixtures.indexing import all_rows, create_token, differences, indexing
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain

Log = dict[str, Any]


@pytest.fixture
def node(archive_world: World) -> Iterator[FaultyNode]:
    with faulty_node(archive_world.anvil.url) as proxy:
        yield proxy


@pytest.fixture
def context(warehouse: Warehouse, store_url: str, archive_chain: Chain) -> Iterator[IndexContext]:
    """An index from the honest node."""
    with indexing(warehouse, store_url) as made:
        advance(made, archive_chain)
        yield made


@pytest.fixture
def compare(context: IndexContext, warehouse: Warehouse, store_url: str, archive_chain: Chain) -> Callable[..., None]:
    """Compare a block with what the nodes at these URLs say, and require that no row is changed."""

    def run(block: int, *urls: str) -> None:
        stored = all_rows(warehouse)
        with indexing(warehouse, store_url, patience=0.5) as again:
            try:
                reindex(again, replace(archive_chain, rpc_urls=urls), block, block)
            finally:
                assert differences(all_rows(warehouse), stored) == {}

    return run


def withholding(left_out: Callable[[Log], bool]) -> Callable[[Request, dict[str, Any]], dict[str, Any]]:
    """A node that leaves some logs out of every answer."""

    def answer(request: Request, answer: dict[str, Any]) -> dict[str, Any]:
        if request["method"] != "eth_getLogs":
            return answer
        return {**answer, "result": [log for log in answer["result"] if not left_out(log)]}

    return answer


def logs_of(world: World, block: int) -> list[Log]:
    return list(world.anvil.rpc("eth_getLogs", {"fromBlock": hex(block), "toBlock": hex(block)}))


def is_same(log: Log, other: Log) -> bool:
    return bool(log["blockHash"] == other["blockHash"] and log["logIndex"] == other["logIndex"])


def crowded_block(world: World) -> int:
    """A block with several logs."""
    return next(block for block in range(1, world.anvil.block_number()) if len(logs_of(world, block)) > 3)


@pytest.mark.parametrize("place", [0, 1, -1])
def test_a_node_that_leaves_out_a_log_is_not_believed(
    place: int, node: FaultyNode, archive_world: World, compare: Callable[..., None]
) -> None:
    block = crowded_block(archive_world)
    left_out = logs_of(archive_world, block)[place]
    node.item = withholding(lambda log: is_same(log, left_out))
    with pytest.raises(NodeLied, match=f"leaves out logs of block {block}"):
        compare(block, node.url)


def test_a_node_that_leaves_out_a_log_where_topics_are_named_is_not_believed(
    node: FaultyNode, archive_world: World, compare: Callable[..., None]
) -> None:
    block = crowded_block(archive_world)
    transfer = next(log for log in logs_of(archive_world, block) if log["topics"][0] == f"0x{TRANSFER.hex()}")
    lacking = withholding(lambda log: is_same(log, transfer))
    node.item = lambda request, answer: lacking(request, answer) if "topics" in str(request) else answer
    with pytest.raises(NodeLied, match="logs that are decoded"):
        compare(block, node.url)


def test_a_log_that_no_filter_shows_is_missed_by_a_second_node(
    node: FaultyNode, archive_world: World, archive_chain: Chain, context: IndexContext, compare: Callable[..., None]
) -> None:
    holder, receiver = (wallet.address.lower() for wallet in archive_world.wallets[:2])
    token = create_token(archive_world, "TWICE")
    archive_world.sender.mine()
    for _ in range(2):
        transfer = artifacts.load("OwnedToken").call("transfer", receiver, 1)
        archive_world.sender.send(holder, token, transfer)
    archive_world.step(0)  # both in one block
    advance(context, archive_chain)
    block = archive_world.anvil.block_number()
    first, last = logs_of(archive_world, block)
    assert first["topics"] == last["topics"]
    node.item = withholding(lambda log: is_same(log, last))
    with pytest.raises(NodeLied, match=f"differ in the logs of block {block}"):
        compare(block, node.url, archive_world.anvil.url)


def test_a_node_without_the_block_leaves_the_answer_to_another(
    node: FaultyNode, archive_world: World, compare: Callable[..., None]
) -> None:
    def lack(request: Request, answer: dict[str, Any]) -> dict[str, Any]:
        by_hash = request["method"] == "eth_getLogs" and "blockHash" in request["params"][0]
        return error_answer(-32000, "unknown block") if by_hash and "topics" not in request["params"][0] else answer

    node.item = lack
    block = crowded_block(archive_world)
    with pytest.raises(NodeUnavailable, match="no node lists"):
        compare(block, node.url)
    compare(block, node.url, archive_world.anvil.url)
