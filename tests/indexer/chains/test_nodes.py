"""The node pool: which node is asked, how long one rests, and proof of the chain."""

import time
from dataclasses import replace

import pytest

from indexer.chains.errors import WrongChain
from indexer.chains.evm.reader import EvmReader
from indexer.chains.evm.rpc import EvmClient
from indexer.chains.nodes import Backoff, NodePool, parse_retry_after, redact_url
from indexer.devchain.anvil import Anvil
from warehouse.chains.facts import load
from warehouse.domain.chains import Chain

DOWN = "http://127.0.0.1:9"


def chain_at(*urls: str) -> Chain:
    return replace(load(None).by_key["base"], rpc_urls=urls)


@pytest.fixture
def pool() -> NodePool:
    return NodePool(chain_at("https://first.example/key", "https://second.example/key"))


def test_a_chain_without_nodes_is_refused() -> None:
    with pytest.raises(ValueError, match="base has no rpc_urls"):
        NodePool(chain_at())


def test_the_first_available_node_is_used(pool: NodePool) -> None:
    first, second = pool.nodes
    assert pool.ready() is first
    pool.report_failure(first)
    assert pool.ready() is second
    assert pool.in_order() == [second, first]
    pool.report_failure(second, retry_after=20.0)
    assert pool.ready() is None
    assert pool.in_order() == [first, second]
    assert pool.next_ready_at() == first.resting_until < second.resting_until


def test_a_nodes_retry_after_is_honoured_up_to_a_limit(pool: NodePool) -> None:
    node = pool.nodes[0]
    pool.report_failure(node, retry_after=3600.0)
    assert 20.0 < node.resting_until - time.monotonic() <= 30.0


def test_pauses_double_up_to_a_bound() -> None:
    backoff = Backoff(first_seconds=0.2, max_seconds=5.0)
    for failures, longest in ((1, 0.2), (2, 0.4), (4, 1.6), (6, 5.0), (1000, 5.0)):
        assert longest / 2 <= backoff.seconds(failures, None) <= longest


def test_an_answer_resets_the_failure_count(pool: NodePool) -> None:
    node = pool.nodes[0]
    for _ in range(3):
        pool.report_failure(node)
    pool.report_success(node)
    assert (node.failures, node.proven) == (0, False)
    assert pool.ready() is node
    pool.report_success(node, proven=True)
    assert node.proven


def test_another_chain_id_is_refused_and_voids_the_proof(pool: NodePool) -> None:
    node = pool.nodes[0]
    pool.report_success(node, proven=True)
    pool.require_chain(8453, node)
    with pytest.raises(WrongChain, match=r"node https://first\.example says chain id 1, but chain base is 8453"):
        pool.require_chain(1, node)
    assert not node.proven


@pytest.mark.parametrize(
    ("header", "seconds"),
    [(None, None), ("7", 7.0), ("-1", 0.0), ("soon", None), ("Thu, 1 Jan 1970 00:00:00 GMT", 0.0)],
)
def test_retry_after_is_a_number_or_a_date(header: str | None, seconds: float | None) -> None:
    assert parse_retry_after(header) == seconds


def test_urls_are_shown_without_keys() -> None:
    assert redact_url("https://user:secret@node.example:8545/v2/key?token=1") == "https://node.example:8545"


async def test_both_clients_use_the_next_node_while_one_is_down(anvil: Anvil) -> None:
    chain = chain_at(DOWN, anvil.url)
    client = EvmClient(chain, patience_seconds=10)
    try:
        assert client.call("eth_chainId") == hex(8453)
        assert [node.failures for node in client.nodes.nodes] == [1, 0]
    finally:
        client.close()
    reader = EvmReader(chain)
    assert await reader.request("eth_chainId") == hex(8453)
    assert [node.failures for node in reader.nodes.nodes] == [1, 0]
    assert reader.nodes.in_order()[0].url == anvil.url
    await reader.close()
