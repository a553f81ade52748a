"""A service whose accounts may subscribe, receivers on loopback, and an engine whose clock is in the test's hand."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aiohttp import web

from api.accounts.service import Accounts
from api.outbound.client import Outbound
from api.webhooks.engine import DeliveryEngine
from tests.api.conftest import Serve, Service
from warehouse.postgres import Connection, Jsonb

OWNER = "0x00000000000000000000000000000000000b0b01"
OTHER = "0x00000000000000000000000000000000000b0b02"


@dataclass(slots=True)
class HandClock:
    """A clock that goes on when it is told to."""

    moment: datetime = field(default_factory=lambda: datetime.now(UTC))

    def now(self) -> datetime:
        return self.moment

    def advance(self, **span: float) -> None:
        self.moment += timedelta(**span)


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as a receiver got it; ``at``: seconds of the loop's clock."""

    path: str
    headers: dict[str, str]
    body: bytes
    at: float

    @property
    def envelope(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found


@dataclass(slots=True)
class Receivers:
    """One server that stands for any number of receivers, told apart by the path. ``answers``: the status of every
    answer by path, 204 where nothing is said; ``wait_seconds``: how long an answer takes."""

    port: int = 0
    sent: list[Sent] = field(default_factory=list)
    answers: dict[str, int] = field(default_factory=dict)
    wait_seconds: dict[str, float] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    text: str = ""
    on_request: Callable[[Sent], None] | None = None

    def url(self, path: str = "hook") -> str:
        return f"http://127.0.0.1:{self.port}/{path}"

    def of(self, path: str = "hook") -> list[Sent]:
        return [one for one in self.sent if one.path == f"/{path}"]

    async def wait_for(self, count: int, seconds: float = 20.0) -> None:
        async with asyncio.timeout(seconds):
            while len(self.sent) < count:  # noqa: ASYNC110 - what is waited for is another process
                await asyncio.sleep(0.02)

    async def handle(self, request: web.Request) -> web.Response:
        one = Sent(request.path, dict(request.headers), await request.read(), asyncio.get_running_loop().time())
        self.sent.append(one)
        if self.on_request is not None:
            self.on_request(one)
        name = request.path.removeprefix("/")
        if name in self.wait_seconds:
            await asyncio.sleep(self.wait_seconds[name])
        return web.Response(status=self.answers.get(name, 204), headers=self.headers, text=self.text or None)


@pytest.fixture
async def receivers() -> AsyncIterator[Receivers]:
    """Receivers that run."""
    kept = Receivers()
    app = web.Application()
    app.router.add_route("*", "/{name:.*}", kept.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    kept.port = runner.addresses[0][1]
    yield kept
    await runner.cleanup()


@dataclass(slots=True)
class Hooks:
    """A service, the account that subscribes, its engine, and a way to make events happen."""

    service: Service
    store: Connection
    receivers: Receivers
    clock: HandClock
    engine: DeliveryEngine
    key: str
    account_id: str

    async def call(self, method: str, path: str, body: Any = None, key: str | None = None, **headers: str) -> Any:
        return await self.service.anonymous.request(
            method,
            f"/api/v2/webhooks{path}",
            json=body,
            headers={"X-API-Key": key or self.key, **{name.replace("_", "-"): text for name, text in headers.items()}},
        )

    async def subscribe(self, *events: str, path: str = "hook", **more: Any) -> dict[str, Any]:
        answer = await self.call(
            "POST", "", {"url": self.receivers.url(path), "events": list(events) or ["token.minted"], **more}
        )
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    def happen(self, type: str = "token.minted", **columns: Any) -> str:
        """Record an event; the answer is its id in envelopes."""
        row = {"chain_id": 8453, "token_id": 17, "payload": {"crown_id": "17", "symbol": "QUILL"}, **columns}
        found = self.store.execute(
            "INSERT INTO event_log (type, chain_id, subject, payload, dedupe_key, token_id, account_id, created_at)"
            " VALUES (%s, %s, 'QUILL', %s, gen_random_uuid()::text, %s, %s, %s) RETURNING id",
            (
                type,
                row["chain_id"],
                Jsonb(row["payload"]),
                row["token_id"],
                row.get("account_id"),
                row.get("created_at", self.clock.now()),
            ),
        ).fetchone()
        assert found is not None
        return f"evt_{found['id'].hex}"

    async def deliveries(self, id: str, **parameters: str) -> list[dict[str, Any]]:
        answer = await self.service.anonymous.get(
            f"/api/v2/webhooks/{id}/deliveries", params=parameters, headers={"X-API-Key": self.key}
        )
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["deliveries"]
        return found

    def plan(self, plan: str) -> None:
        self.store.execute("UPDATE account SET plan = %s WHERE wallet = %s", (plan, OWNER))

    def new_engine(self, **settings: Any) -> DeliveryEngine:
        """Another worker's engine."""
        return DeliveryEngine(
            self.service.app.state.store,
            self.engine._outbound,
            self.service.app.state.sealer,
            self.clock,
            user_agent="Regalia-Webhook/1.0",
            **settings,
        )


MakeHooks = Callable[..., Any]


@pytest.fixture
async def hooks(serve: Serve, store: Connection, store_url: str, receivers: Receivers) -> AsyncIterator[Hooks]:
    """A service that may call loopback, and an account of plan developer."""
    async with make_hooks(serve, store, store_url, receivers) as made:
        yield made


@asynccontextmanager
async def make_hooks(
    serve: Serve, store: Connection, store_url: str, receivers: Receivers, **settings: Any
) -> AsyncIterator[Hooks]:
    key = Accounts(store_url).create_key(OWNER, "developer").key
    row = store.execute("SELECT id FROM account WHERE wallet = %s", (OWNER,)).fetchone()
    assert row is not None
    async with serve(outbound_loopback=True, api_key_cache_seconds=0, **settings) as service:
        clock = HandClock()
        service.app.state.clock = clock
        outbound = Outbound(allow_loopback=True)
        engine = DeliveryEngine(
            service.app.state.store,
            outbound,
            service.app.state.sealer,
            clock,
            user_agent="Regalia-Webhook/1.0",
        )
        yield Hooks(service, store, receivers, clock, engine, key, row["id"])
        await outbound.close()
