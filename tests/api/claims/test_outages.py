"""The store or the warehouse is killed and restarted during every kind of request: errors are 503, nothing hangs, no
answer is wrong, and the API recovers without a restart."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest
from eth_account import Account

from api.accounts.service import Accounts
from api.app import create_app
from api.settings import ApiSettings
from indexer.contracts import signer as signers
from indexer.devchain.anvil import Anvil
from tests.factories.amounts import ETHER
from tests.factories.registrations import BASE, scored
from tests.factories.tokens import publish, token_row
from tests.fixtures.claims import ClaimChain, Claimer, sign
from tests.fixtures.killable_engines import KillableEngines
from tests.fixtures.service import HOLDER, LIMITS, Service
from tests.fixtures.stalling_proxy import stalling_proxy
from warehouse import migrate, postgres
from warehouse.clickhouse import Warehouse
from warehouse.embedded import record
from warehouse.engines import EngineUrls

LIMIT_SECONDS = 2.0
"""Time limit of one query of the store or the warehouse."""
MAX_SECONDS = 40.0
"""Time limit of a request, which may run several queries on a busy machine."""
PAUSE_SECONDS = 0.05
RECOVERY_SECONDS = 60.0


@pytest.fixture(scope="module")
def killable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KillableEngines]:
    engines = KillableEngines(tmp_path_factory.mktemp("killable"))
    engines.start(record.CLICKHOUSE, record.POSTGRES)
    try:
        urls = engines.await_ready()
        migrate.apply(urls.clickhouse_url, urls.database_url)
        yield engines
    finally:
        engines.kill_all()


@dataclass
class World:
    """A claimed token, another that can be claimed, and how to ask about them."""

    engines: KillableEngines
    urls: EngineUrls
    chains_path: Path
    key: str
    claimed: str
    owner: str
    free: str
    wallet: Any
    claim_hash: str
    signature: str = ""
    timestamp: int = 0
    proof_hash: str = ""


@pytest.fixture(scope="module")
def world(killable: KillableEngines, registry_node: Anvil, tmp_path_factory: pytest.TempPathFactory) -> World:
    """A claim made through the API, and a second token whose claim is proved but not built."""
    urls = killable.await_ready()
    path = tmp_path_factory.mktemp("chains") / "chains.toml"
    deployer = Account.create()
    registry_node.rpc("anvil_setBalance", deployer.address, hex(100 * ETHER))
    with postgres.connect(urls.database_url, autocommit=True) as store, Warehouse.connect(urls.clickhouse_url) as rows:
        chain = ClaimChain(registry_node, "", path, store, rows, urls.database_url)
        start = registry_node.block_number()
        signer = signers.load_or_create(killable.data_dir)
        chain.registry = chain.deploy_registry(deployer, signer.address, Account.create().address)
        path.write_text(
            f'[chains.base]\nrpc_urls = ["{registry_node.url}"]\nstart_block = {start}\nfinality_blocks = 5\n'
            f'[chains.base.contracts]\nregistry = "{chain.registry}"\n'
        )
        wallet = chain.wallet()
        claimed, free = (chain.token(wallet, symbol, holder=deployer.address) for symbol in ("TAKEN", "FREE"))
        chain.index()
        chain.publish_progress(as_of_time=datetime.now(UTC) + timedelta(hours=1))
        chain.price_native()
        for token, symbol in ((claimed, "TAKEN"), (free, "FREE")):
            chain.publish_token(token, symbol, **scored("80"))
        _serve_rows(rows, claimed, free, wallet.address)
        key = Accounts(urls.database_url).create_key(HOLDER, "free").key
        world = World(killable, urls, path, key, claimed, wallet.address, free, wallet, "")
        asyncio.run(_claim(world, chain))
    return world


async def _claim(world: World, chain: ClaimChain) -> None:
    async with serving(world, world.urls) as service:
        first = Claimer(service, "TAKEN", world.claimed, world.owner)
        built = (await first.build((await first.prove(world.wallet))["proofHash"])).json()["transaction"]
        receipt = chain.send(world.wallet, built["to"], built["data"], int(built["value"], 16))
        world.claim_hash = receipt["transactionHash"]
        second = Claimer(service, "FREE", world.free, world.owner)
        message = await second.message()
        world.signature, world.timestamp = sign(world.wallet, message["message"]), message["timestamp"]
        world.proof_hash = (await second.verify(world.signature, world.timestamp)).json()["proofHash"]
        assert (await first.status(world.claim_hash))["status"] == "confirmed"


def _serve_rows(warehouse: Warehouse, claimed: str, free: str, wallet: str) -> None:
    """What the pipelines would serve of the two tokens."""
    rows = [
        token_row(symbol, address=bytes.fromhex(token[2:]), market_score=Decimal("0.5"))
        for token, symbol in ((claimed, "TAKEN"), (free, "FREE"))
    ]
    publish(warehouse, rows)
    warehouse.command(
        "INSERT INTO serve_provenance (wallet, chain_id, token, method, version, deleted, symbol, name, is_copy,"
        " as_of_block) SELECT unhex({wallet:String}), 8453, unhex({token:String}), 'deployer', 1, 0, 'FREE', 'Free',"
        " 0, 1",
        {"wallet": wallet[2:], "token": free[2:]},
    )
    warehouse.command(
        "INSERT INTO agg_heartbeat (chain_id, token, hour, symbol_key, score, timestamp_score, volume_score,"
        " holders_score, confidence_score, weights_version, inputs, as_of_block, computed_at)"
        " SELECT 8453, unhex({token:String}), toStartOfHour(now() - 7200), 'TAKEN', 80, 80, 80, 80, 80, 1, '{}', 1,"
        " now()",
        {"token": claimed[2:]},
    )


@asynccontextmanager
async def serving(world: World, urls: EngineUrls) -> AsyncIterator[Service]:
    """The API over the engines at some URLs."""
    app = create_app(
        ApiSettings(
            data_dir=world.engines.data_dir,
            clickhouse_url=urls.clickhouse_url,
            database_url=urls.database_url,
            chains=world.chains_path,
            limits=LIMITS,
            store_timeout_seconds=LIMIT_SECONDS,
            query_timeout_seconds=LIMIT_SECONDS,
            claimable_timeout_seconds=LIMIT_SECONDS,
            api_key_cache_seconds=0.2,
        )
    )
    headers = {"X-API-Key": world.key}
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://service.test", headers=headers
        ) as client,
    ):
        yield Service(app, client, client, world.key)


Ask = Callable[[], Awaitable[httpx.Response]]


def questions(service: Service, world: World) -> dict[str, tuple[Ask, Callable[[Any], Any]]]:
    """Every kind of request, and what of its answer must always be the same."""
    get, post = service.get, service.post
    claim = {"symbol": "FREE", "chainId": BASE, "tokenAddress": world.free, "walletAddress": world.owner}
    signed = {**claim, "signature": world.signature, "timestamp": world.timestamp}
    wallet = {"X-Wallet-Address": world.owner}
    return {
        "search": (
            lambda: get("/search", symbol="TAKEN", refresh="true"),
            lambda body: [(row["chainKey"], row["token"]["address"]) for row in body["results"]],
        ),
        "token": (lambda: get("/token/TAKEN/base"), lambda body: body["token"]["address"]),
        "registration": (lambda: get("/registration/TAKEN/base"), lambda body: (body["owner"], body["status"])),
        "heartbeat": (lambda: get("/heartbeat/TAKEN/base"), lambda body: body["score"]),
        "history": (lambda: get("/heartbeat/TAKEN/base/history"), lambda body: len(body["points"])),
        "claimable": (
            lambda: service.client.get("/api/v2/registration/claimable", headers=wallet),
            lambda body: [token["symbol"] for token in body["tokens"]],
        ),
        "check-qualify": (
            lambda: post(
                "/registration/check-qualify",
                {"wallet": world.owner, "tokenAddress": world.free, "chainId": BASE, "symbol": "FREE"},
            ),
            lambda body: (body["eligible"], body.get("qualification", {}).get("method")),
        ),
        "verify symbol": (lambda: post("/verify/symbol", {"symbol": "TAKEN"}), lambda body: body["status"]),
        "claim message": (
            lambda: post(
                "/claim/message",
                {"symbol": "FREE", "chainId": BASE, "tokenAddress": world.free, "claimerAddress": world.owner},
            ),
            lambda body: body["params"]["symbol"],
        ),
        "verify claim": (lambda: post("/claim/verify", signed), lambda body: (body["verified"], body["proofHash"])),
        "build claim": (
            lambda: post("/claim", {**claim, "proofHash": world.proof_hash}),
            lambda body: body["transaction"]["to"],
        ),
        "claim status": (
            lambda: get(f"/claim/status/{world.claim_hash}", chainId=BASE),
            lambda body: (body["status"], body["blockNumber"]),
        ),
    }


@dataclass
class Watch:
    """The answers to each kind of request."""

    expected: dict[str, Any] = field(default_factory=dict)
    answered_at: dict[str, float] = field(default_factory=dict)
    unavailable: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    longest: float = 0.0

    async def ask(self, name: str, ask: Ask, view: Callable[[Any], Any]) -> None:
        """Send one request."""
        began = time.monotonic()
        answer = await ask()
        self.longest = max(self.longest, time.monotonic() - began)
        if answer.status_code == 503:
            self.unavailable[name] = self.unavailable.get(name, 0) + 1
            if not int(answer.headers.get("retry-after", "0")):
                self.wrong.append(f"{name}: 503 without Retry-After: {answer.text}")
        elif answer.status_code != 200:
            self.wrong.append(f"{name}: {answer.status_code} {answer.text[:300]}")
        elif view(answer.json()) != self.expected.setdefault(name, view(answer.json())):
            self.wrong.append(f"{name}: {view(answer.json())} instead of {self.expected[name]}")
        else:
            self.answered_at[name] = began

    async def keep_asking(self, name: str, ask: Ask, view: Callable[[Any], Any]) -> None:
        """Send requests until cancelled."""
        while True:
            await self.ask(name, ask, view)
            await asyncio.sleep(PAUSE_SECONDS)

    async def recovery(self, since: float) -> float:
        """Wait until every kind of request was answered again; seconds it took."""
        while not self.wrong and any(self.answered_at.get(name, 0.0) < since for name in self.expected):
            assert time.monotonic() - since < RECOVERY_SECONDS, (self.answered_at, since)
            await asyncio.sleep(PAUSE_SECONDS)
        return time.monotonic() - since

    async def outage(self, touched: set[str]) -> None:
        """Wait until all these kinds of requests are answered 503."""
        began, self.unavailable = time.monotonic(), {}
        while not touched <= self.unavailable.keys():
            assert time.monotonic() - began < RECOVERY_SECONDS, (touched, self.unavailable)
            await asyncio.sleep(PAUSE_SECONDS)


@asynccontextmanager
async def watching(service: Service, world: World) -> AsyncIterator[Watch]:
    """Everything is asked once, then all the time until the block ends."""
    asked, watch = questions(service, world), Watch()
    for name, (ask, view) in asked.items():
        await watch.ask(name, ask, view)
    assert not watch.wrong
    assert set(watch.expected) == set(asked)
    tasks = [asyncio.create_task(watch.keep_asking(name, ask, view)) for name, (ask, view) in asked.items()]
    try:
        yield watch
    finally:
        for task in tasks:
            task.cancel()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [outcome for outcome in outcomes if not isinstance(outcome, asyncio.CancelledError)] == []


async def test_engines_killed_and_started_again_under_load(world: World) -> None:
    async with serving(world, world.urls) as service, watching(service, world) as watch:
        for engine, touched in (
            (record.CLICKHOUSE, {"search", "history", "claimable"}),
            (record.POSTGRES, set(watch.expected) - {"token"}),
        ):
            world.engines.kill(engine)
            await watch.outage(touched)
            world.engines.start(engine)
            await asyncio.to_thread(world.engines.await_ready)
            await watch.recovery(time.monotonic())
        assert not watch.wrong
        assert watch.longest < MAX_SECONDS


async def test_engines_that_stop_answering_under_load(world: World) -> None:
    async with stalling_proxy(world.urls.clickhouse_url) as warehouse, stalling_proxy(world.urls.database_url) as store:
        urls = EngineUrls(warehouse.url(world.urls.clickhouse_url), store.url(world.urls.database_url))
        async with serving(world, urls) as service, watching(service, world) as watch:
            for line, touched in (
                (warehouse, {"search", "history", "claimable"}),
                (store, set(watch.expected) - {"token"}),
            ):
                line.stall()
                await watch.outage(touched)
                ready = await service.client.get("/health/live")
                assert ready.status_code == 200
                line.resume()
                assert await watch.recovery(time.monotonic()) < MAX_SECONDS
            assert not watch.wrong
            assert watch.longest < MAX_SECONDS
