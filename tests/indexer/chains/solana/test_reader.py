"""The reader: one batch, the first node that can answer, and only nodes of the chain's own cluster."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from solders.keypair import Keypair
from starlette.applications import Starlette
from starlette.responses import StreamingResponse
from starlette.routing import Route

from indexer.chains.errors import (
    CallFailed,
    MethodMissing,
    NodeLied,
    NodeLimited,
    NodeUnavailable,
    RpcError,
    WrongChain,
)
from indexer.chains.solana.accounts import Account, multiple_accounts, read_accounts, read_clock
from indexer.chains.solana.clock import MAX_AGE_SECONDS
from tests.fixtures.canned_node import DEVNET, Node, reading
from tests.fixtures.http_server import serving_http

DOWN = "http://127.0.0.1:9"


async def test_calls_are_one_batch_and_answered_in_order() -> None:
    node = Node(spoil=lambda answers: answers[::-1])
    async with reading(node) as reader:
        assert await reader.settle([("getSlot", ()), ("getVersion", ())]) == ["getSlot", "getVersion"]
        assert await reader.request("getSlot", {"commitment": "confirmed"}) == "getSlot"
    proofs = ["getGenesisHash", "getMultipleAccounts"]
    assert node.asked == [[*proofs, "getSlot", "getVersion"], [*proofs, "getSlot"]]


@pytest.mark.parametrize(
    "bad",
    [
        Node(status=503),
        Node(status=429, headers={"Retry-After": "1"}),
        Node(status=400),
        Node(spoil=lambda answers: answers[:-1]),
        Node(spoil=lambda answers: [*answers[:-1], {"jsonrpc": "2.0", "id": 1}]),
        Node(spoil=lambda answers: [*answers, {**answers[-1], "result": "another"}]),
        Node(spoil=lambda answers: [*answers[:-1], {**answers[-1], "id": [0]}]),
        Node(errors={"getSlot": {"code": [1], "message": "unknown"}}),
        Node(spoil=lambda answers: {"error": {"code": -32603, "message": "internal"}}),
        Node(spoil=lambda answers: "cut"),
        Node(errors={"getSlot": {"code": -32005, "message": "Node is behind by 200 slots"}}),
        Node(errors={"getSlot": {"code": -32603, "message": "Internal error"}}),
        Node(errors={"getSlot": {"code": -32097, "message": "Too many requests for a specific RPC call"}}),
        Node(errors={"getGenesisHash": {"code": -32601, "message": "Method not found"}}),
        Node(genesis="not a hash"),
        Node(genesis=DEVNET),
        Node(behind=MAX_AGE_SECONDS + 5),
        Node(errors={"getMultipleAccounts": {"code": -32601, "message": "Method not found"}}),
    ],
)
async def test_another_node_is_asked_where_one_fails(bad: Node) -> None:
    async with reading(bad, Node()) as reader:
        assert await reader.request("getSlot") == "getSlot"
        assert [node.failures for node in reader.nodes.nodes] == [1, 0]
        assert not reader.nodes.nodes[0].proven
        assert reader.nodes.nodes[1].proven


async def test_no_answer_comes_from_another_cluster() -> None:
    async with reading(Node(genesis=DEVNET)) as reader:
        with pytest.raises(WrongChain, match=DEVNET):
            await reader.request("getSlot")


async def test_nothing_is_read_from_a_node_that_is_behind() -> None:
    node = Node(behind=MAX_AGE_SECONDS + 5)
    async with reading(node, seconds=1.0) as reader:
        with pytest.raises(NodeUnavailable, match="seconds behind"):
            await reader.request("getSlot")
        node.behind = MAX_AGE_SECONDS - 5
        assert await reader.request("getSlot") == "getSlot"


async def test_the_time_of_a_local_cluster_proves_nothing() -> None:
    node = Node(genesis=str(Keypair().pubkey()), behind=10**6)
    async with reading(node, caip2=f"solana:{node.genesis[:32]}") as reader:
        assert await reader.request("getSlot") == "getSlot"
    assert node.asked == [["getGenesisHash", "getSlot"]]


async def test_a_node_that_is_down_is_asked_last() -> None:
    async with reading(DOWN, Node()) as reader:
        assert await reader.request("getSlot") == "getSlot"
        assert reader.nodes.in_order()[0].url == reader.nodes.nodes[1].url


async def test_nothing_answers() -> None:
    async with reading(DOWN, seconds=1.0) as reader:
        with pytest.raises(NodeUnavailable):
            await reader.request("getSlot")


@pytest.mark.parametrize(
    ("code", "message", "meaning"),
    [
        (-32602, "Invalid param: could not find mint", CallFailed),
        (-32601, "Method not found", MethodMissing),
    ],
)
async def test_what_every_node_would_refuse_is_the_answer(code: int, message: str, meaning: type[RpcError]) -> None:
    node = Node(errors={"getTokenSupply": {"code": code, "message": message}})
    async with reading(node) as reader:
        refused, answered = await reader.settle([("getTokenSupply", ("x",)), ("getSlot", ())])
        assert isinstance(refused, meaning)
        assert answered == "getSlot"
        with pytest.raises(meaning):
            await reader.request("getTokenSupply", "x")


async def test_an_answer_that_is_too_large_is_not_read_and_not_the_nodes_fault() -> None:
    large, other = Node(results={"getTokenAccountsByOwner": "x" * (5 << 20)}), Node()
    async with reading(large, other) as reader:
        with pytest.raises(NodeLimited, match="larger than"):
            await reader.request("getTokenAccountsByOwner")
        assert not other.asked
        assert [node.failures for node in reader.nodes.nodes] == [0, 0]
        assert await reader.request("getSlot") == "getSlot"
        assert len(large.asked) == 2


async def test_an_answer_is_not_read_on_once_it_is_too_large() -> None:
    async def parts() -> AsyncIterator[bytes]:
        yield b"x" * (5 << 20)
        await asyncio.sleep(5)  # longer than the reader would wait for the rest

    app = Starlette(routes=[Route("/", lambda _request: StreamingResponse(parts()), methods=["POST"])])
    async with serving_http(app) as url, reading(url) as reader:
        with pytest.raises(NodeLimited):
            await reader.request("getSlot")


async def test_the_circuit_opens_and_closes() -> None:
    node = Node(status=503)
    async with reading(node, seconds=1.0) as reader:
        assert not await reader.answers()
        node.status = 429
        assert await reader.answers()


async def test_accounts_are_read_as_of_one_slot() -> None:
    clock = bytes(32) + (1_767_225_600).to_bytes(8, "little")
    value = {"lamports": 5, "owner": "1" * 32, "data": ["AAEC", "base64"], "executable": False, "rentEpoch": 0}
    results = {"getMultipleAccounts": {"context": {"slot": 77}, "value": [value, None]}}
    async with reading(Node(results=results)) as reader:
        method, params = multiple_accounts(["a", "b"])
        part = {"offset": 0, "length": 128 << 10}
        assert params == (["a", "b"], {"encoding": "base64", "commitment": "confirmed", "dataSlice": part})
        slot, found = read_accounts(await reader.request(method, *params), 2)
    assert (slot, found) == (77, [Account("1" * 32, 5, b"\0\1\2"), None])
    assert read_clock(Account("Sysvar", 1, clock)) == 1_767_225_600


@pytest.mark.parametrize("seconds", [-1, 2**32, 2**63 - 1, -(2**63)])
def test_a_clock_that_no_calendar_has_is_a_lie(seconds: int) -> None:
    data = bytes(32) + seconds.to_bytes(8, "little", signed=True)
    with pytest.raises(NodeLied):
        read_clock(Account("Sysvar", 1, data))


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "text",
        {"value": []},
        {"context": {"slot": 1}, "value": [None]},
        {"context": {"slot": 1}, "value": [None, {"owner": "x"}]},
        {"context": {"slot": 1}, "value": [None, {"owner": "x", "lamports": 1, "data": ["?", "base64"]}]},
        {"context": {"slot": 1}, "value": [None, {"owner": "x", "lamports": 1, "data": ["", "base58"]}]},
    ],
)
def test_accounts_that_are_written_wrongly_are_refused(answer: Any) -> None:
    with pytest.raises(RpcError):
        read_accounts(answer, 2)
