"""What readers of both kinds of chain do with their nodes' connections and answers."""

import asyncio
from dataclasses import replace

import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from indexer.chains.errors import CallFailed, NodeLimited, NodeUnavailable
from indexer.chains.evm.reader import EvmReader
from indexer.chains.jsonrpc import encode
from indexer.chains.reader import NodeReader
from indexer.chains.solana.reader import SolanaReader
from tests.fixtures.canned_node import MAINNET, Node
from tests.fixtures.http_server import serving_http
from warehouse.chains import facts


def reader_at(kind: type[EvmReader] | type[SolanaReader], url: str, connections: int = 2) -> NodeReader:
    key = "base" if kind is EvmReader else "solana"
    chain = replace(facts.load(None).by_key[key], rpc_urls=(url,))
    return kind(chain, timeout_seconds=20.0, connections=connections)


def node_of(kind: type[EvmReader] | type[SolanaReader]) -> Node:
    return Node(results={"eth_chainId": "0x2105"} if kind is EvmReader else {"getGenesisHash": MAINNET})


@pytest.mark.parametrize("kind", [EvmReader, SolanaReader])
async def test_requests_that_are_cancelled_while_they_queue_keep_no_connection(
    kind: type[EvmReader] | type[SolanaReader],
) -> None:
    """httpx's pool lost one for each request that was cancelled in the moment in which it got it."""
    node, healthy = node_of(kind), asyncio.Event()

    async def answer(request: Request) -> Response:
        try:
            await request.body()
        except ClientDisconnect:
            return Response()
        await healthy.wait()
        return await node.answer(request)

    async with serving_http(Starlette(routes=[Route("/", answer, methods=["POST"])])) as url:
        reader = reader_at(kind, url)

        async def give_up(seconds: float) -> None:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(seconds):
                    await reader.request("method")

        for _ in range(40):
            await asyncio.gather(*(give_up(0.008 + 0.002 * (number % 3)) for number in range(8)))
        healthy.set()
        assert await reader.request("method") == "method"
        await reader.close()


@pytest.mark.parametrize("kind", [EvmReader, SolanaReader])
async def test_errors_in_an_answer_with_a_4xx_status_are_read(kind: type[EvmReader] | type[SolanaReader]) -> None:
    node = node_of(kind)
    node.status, node.errors = 400, {"method": {"code": -32602, "message": "execution reverted"}}
    async with serving_http(Starlette(routes=[Route("/", node.answer, methods=["POST"])])) as url:
        reader = reader_at(kind, url)
        with pytest.raises(CallFailed):
            await reader.request("method")
        node.errors = {}
        with pytest.raises(NodeUnavailable, match="HTTP 400"):
            await reader.request("method")
        await reader.close()


@pytest.mark.parametrize("kind", [EvmReader, SolanaReader])
async def test_a_call_that_answers_too_much_is_not_its_nodes_fault(kind: type[EvmReader] | type[SolanaReader]) -> None:
    node = node_of(kind)
    node.results["method"] = "x" * (5 << 20)
    async with serving_http(Starlette(routes=[Route("/", node.answer, methods=["POST"])])) as url:
        reader = reader_at(kind, url)
        with pytest.raises(NodeLimited, match="larger than"):
            await reader.request("method")
        assert reader.nodes.nodes[0].failures == 0
        await reader.close()


def test_a_batch_numbers_its_calls() -> None:
    assert encode([("a", ()), ("b", (1,))]) == (
        b'[{"jsonrpc":"2.0","id":0,"method":"a","params":[]},{"jsonrpc":"2.0","id":1,"method":"b","params":[1]}]'
    )
    assert encode([("a", ())], alone=True) == b'{"jsonrpc":"2.0","id":0,"method":"a","params":[]}'
