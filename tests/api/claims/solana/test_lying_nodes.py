"""A node that lies, cuts its answers or is behind: no claim is built on what it says, and nothing is written."""

import base64
import copy
import json
import os
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from solders.keypair import Keypair
from solders.signature import Signature
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.fixtures.http_server import serving_http
from tests.fixtures.service import Serve, Service
from tests.fixtures.solana_claims import SolanaClaims, build, sign

pytestmark = pytest.mark.slow
Answers = dict[str, Any]
Lie = Callable[[str, Any], Any]
SEND = {"encoding": "base64", "preflightCommitment": "confirmed"}


class Proxy:
    """Passes batches on, and lets ``lie`` change the result of each method. What ``forge`` makes of a method and its
    parameters replaces the whole answer."""

    def __init__(self, node: str) -> None:
        self.node = node
        self.lie: Lie = lambda _, result: result
        self.forge: Callable[[str, Any], Any] = lambda _, __: None
        self.error: tuple[str, Answers] | None = None

    async def answer(self, request: Request) -> Response:
        body = await request.body()
        calls = {call["id"]: call for call in json.loads(body)}
        async with httpx.AsyncClient() as client:
            answers = (await client.post(self.node, content=body, headers={"content-type": "application/json"})).json()
        for one in answers:
            method = calls[one["id"]]["method"]
            forged = self.forge(method, calls[one["id"]].get("params"))
            if forged is not None:
                one.pop("error", None)
                one["result"] = forged
            elif self.error is not None and self.error[0] == method:
                one.pop("result", None)
                one["error"] = self.error[1]
            elif "result" in one:
                one["result"] = self.lie(method, copy.deepcopy(one["result"]))
        return Response(json.dumps(answers), media_type="application/json")


@pytest.fixture
async def proxy(solana_claims: SolanaClaims) -> AsyncIterator[Proxy]:
    made = Proxy(solana_claims.node.url)
    async with serving_http(Starlette(routes=[Route("/", made.answer, methods=["POST"])])) as url:
        path = solana_claims.chains_path
        path.write_text(path.read_text().replace(solana_claims.node.url, url))
        yield made


def changing(wanted: str, change: Callable[[Any], Any]) -> Lie:
    """A lie about one method."""
    return lambda method, result: change(result) if method == wanted else result


def without(*names: str) -> Callable[[Any], Any]:
    return lambda result: {name: value for name, value in result.items() if name not in names}


def _strange_holder(result: Any) -> Any:
    """Token accounts of somebody else, who holds everything."""
    data = bytes(64) + (10**18).to_bytes(8, "little") + bytes(36) + b"\1" + bytes(56)
    account = {
        "owner": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
        "lamports": 1,
        "data": [base64.b64encode(data).decode(), "base64"],
    }
    result["value"] = [{"pubkey": str(Keypair().pubkey()), "account": account}]
    return result


def _first_accounts(result: Any) -> Any:
    result["value"] = result["value"][:-1]
    return result


def _no_accounts(result: Any) -> Any:
    result["value"] = [None] * len(result["value"])
    return result


def _endless_clock(result: Any) -> Any:
    """Every account that is long enough for a clock says a time that no calendar has."""
    for account in filter(None, result["value"]):
        if account["owner"] == "Sysvar1111111111111111111111111111111111111":
            data = base64.b64decode(account["data"][0])
            account["data"][0] = base64.b64encode(data[:32] + (2**62).to_bytes(8, "little") + data[40:]).decode()
    return result


LIES: dict[str, Lie] = {
    "fewer accounts": changing("getMultipleAccounts", _first_accounts),
    "no accounts, not even the clock": changing("getMultipleAccounts", _no_accounts),
    "a clock that no calendar has": changing("getMultipleAccounts", _endless_clock),
    "no slot": changing("getMultipleAccounts", without("context")),
    "text": changing("getMultipleAccounts", lambda _: "nothing"),
    "tokens of another wallet": changing("getTokenAccountsByOwner", _strange_holder),
    "no blockhash": changing("getLatestBlockhash", without("value")),
    "half a blockhash": changing("getLatestBlockhash", lambda one: {**one, "value": {"blockhash": "x"}}),
    "a blockhash that is none": changing(
        "getLatestBlockhash", lambda one: {**one, "value": {**one["value"], "blockhash": "x"}}
    ),
    "no simulation": changing("simulateTransaction", lambda one: {**one, "value": None}),
    "a simulation without an outcome": changing("simulateTransaction", lambda one: {**one, "value": {"logs": []}}),
    "an unknown failure": changing("simulateTransaction", lambda one: {**one, "value": {"err": "BlockhashNotFound"}}),
    "no fee": changing("getFeeForMessage", lambda one: {**one, "value": None}),
    "another cluster": changing("getGenesisHash", lambda _: str(Keypair().pubkey())),
}


async def test_nothing_is_built_on_lies(
    solana_claims: SolanaClaims, proxy: Proxy, serve: Serve, warehouse_url: str
) -> None:
    wallet, mint = solana_claims.claimable("TRUTH")
    async with serve(chains=solana_claims.chains_path, clickhouse_url=warehouse_url) as service:
        for name, lie in LIES.items():
            proxy.lie = lie
            answer = await build(service, wallet, mint, "TRUTH")
            assert (answer.status_code, answer.json().get("code")) == (503, "TOKEN_UNVERIFIED"), name
            assert int(answer.headers["retry-after"]) > 0
        proxy.lie = lambda _, result: result
        for method in ("getMultipleAccounts", "simulateTransaction"):
            proxy.error = (method, {"code": -32005, "message": "Node is behind by 900 slots"})
            assert (await build(service, wallet, mint, "TRUTH")).json()["code"] == "TOKEN_UNVERIFIED"
        assert solana_claims.rows_written()["claim_authorization"] == 0
        proxy.error = None
        assert (await build(service, wallet, mint, "TRUTH")).status_code == 200


async def test_no_registration_is_recorded_on_lies(
    solana_claims: SolanaClaims, proxy: Proxy, serve: Serve, warehouse_url: str
) -> None:
    wallet, mint = solana_claims.claimable("RECORD")
    async with serve(chains=solana_claims.chains_path, clickhouse_url=warehouse_url) as service:
        built = (await build(service, wallet, mint, "RECORD")).json()
        solana_claims.node.rpc("sendTransaction", sign(built, wallet), SEND)
        solana_claims.node.mine()
        lies = (
            (changing("getSignaturesForAddress", lambda _: []), 200),
            (changing("getSignaturesForAddress", lambda _: [{"signature": 1}]), 503),
            (changing("getTransaction", lambda _: None), 200),
            (changing("getTransaction", without("meta")), 200),
            (changing("getTransaction", lambda one: {**one, "meta": {**one["meta"], "innerInstructions": []}}), 503),
            (changing("getTransaction", lambda _: {"slot": 1}), 503),
            (changing("getBlock", lambda one: {**one, "signatures": []}), 503),
            (changing("getBlock", without("blockhash")), 503),
            (changing("getBlock", lambda one: {**one, "blockTime": 2**62}), 503),
            (changing("getBlock", lambda _: None), 503),
        )
        for number, (lie, status) in enumerate(lies):
            proxy.lie = lie
            answer = await service.get("/claim/solana/status/RECORD")
            assert answer.status_code == status, (number, answer.text)
            assert answer.json().get("status") == ("pending" if status == 200 else None)
            assert solana_claims.rows_written()["registration"] == 0
        proxy.lie = lambda _, result: result
        proxy.error = ("getBlock", {"code": -32004, "message": "Block not available for slot 328"})
        unfinished = await service.get("/claim/solana/status/RECORD")
        assert (unfinished.status_code, unfinished.json()["status"]) == (200, "pending")
        assert service.services.readers.solana(solana_claims.chain).nodes.nodes[0].failures == 0
        proxy.error = None
        assert (await service.get("/claim/solana/status/RECORD")).json()["status"] == "confirmed"


def _signatures(count: int, seconds: int) -> list[Answers]:
    """Transactions that succeeded at a time, which nobody knows."""
    return [{"signature": str(Signature(os.urandom(64))), "err": None, "blockTime": seconds} for _ in range(count)]


async def test_a_flood_hides_no_registration(
    solana_claims: SolanaClaims, proxy: Proxy, serve: Serve, warehouse_url: str
) -> None:
    wallet, mint = solana_claims.claimable("FLOOD")
    async with serve(chains=solana_claims.chains_path, clickhouse_url=warehouse_url) as service:
        built = (await build(service, wallet, mint, "FLOOD")).json()
        solana_claims.node.rpc("sendTransaction", sign(built, wallet), SEND)
        solana_claims.node.mine()
        address = (await service.get("/claim/solana/status/FLOOD")).json()["crownPda"]
        solana_claims.store.execute("DELETE FROM registration")
        real = solana_claims.node.rpc("getSignaturesForAddress", address, {"limit": 10, "commitment": "confirmed"})
        crown = solana_claims.crown("FLOOD")
        assert crown is not None
        since = {page: _signatures(1_000, crown.registered_at + 500) for page in range(10)}
        same_second = _signatures(40, crown.registered_at)
        pages = {since[page][-1]["signature"]: page + 1 for page in since}
        options = {"encoding": "json", "commitment": "confirmed", "maxSupportedTransactionVersion": 0}
        large = solana_claims.node.rpc("getTransaction", real[-1]["signature"], options)
        large["meta"] |= {"err": "AccountInUse", "logMessages": ["x" * 900_000]}
        thousands = 10

        def forge(method: str, parameters: Any) -> Any:
            if method == "getTransaction" and parameters[0] in {one["signature"] for one in same_second}:
                return large
            if method != "getSignaturesForAddress":
                return None
            page = pages.get(parameters[1].get("before"), 0)
            return since[page] if page < thousands else [*real, *same_second]

        proxy.forge = forge
        assert (await service.get("/claim/solana/status/FLOOD")).json()["status"] == "pending"
        thousands = 9
        assert (await service.get("/claim/solana/status/FLOOD")).json()["status"] == "confirmed"
        assert solana_claims.rows_written()["registration"] == 1


async def test_a_mint_of_the_index_that_a_node_does_not_know_is_no_refusal(
    solana_claims: SolanaClaims, solana_service: Service
) -> None:
    wallet, mint = solana_claims.wallet(), str(Keypair().pubkey())
    assert (await build(solana_service, wallet, mint, "YOUNG")).json()["code"] == "TOKEN_NOT_REGISTRABLE"
    solana_claims.publish_token(mint, "YOUNG")
    answer = await build(solana_service, wallet, mint, "YOUNG")
    assert (answer.status_code, answer.json()["code"]) == (503, "TOKEN_UNVERIFIED")
