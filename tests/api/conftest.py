"""The API over the real store and warehouse, called in process."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from api.accounts.service import Accounts
from api.app import create_app
from api.clock import Clock
from api.settings import ApiSettings
from warehouse.engines import EngineUrls

HOLDER = "0x00000000000000000000000000000000000ca11e"
LIMITS = Path(__file__).parents[1] / "fixtures" / "limits.toml"
"""Limits that are never met; ``limits=None`` has the built-in ones."""


@dataclass(frozen=True, slots=True)
class Service:
    """A running application, a client with a valid key, and one without."""

    app: FastAPI
    client: httpx.AsyncClient
    anonymous: httpx.AsyncClient
    key: str

    async def get(self, path: str, **parameters: Any) -> httpx.Response:
        """GET a path under /api/v2 with the key."""
        return await self.client.get(f"/api/v2{path}", params=parameters)

    async def post(self, path: str, body: Any) -> httpx.Response:
        """POST JSON to a path under /api/v2 with the key."""
        return await self.client.post(f"/api/v2{path}", json=body)


Serve = Callable[..., AbstractAsyncContextManager[Service]]


@pytest.fixture
def serve(store_url: str, engines: EngineUrls, data_dir: Path) -> Serve:
    """Starts applications on this test's store and an empty warehouse that all tests share; settings can be given by
    name, such as ``clickhouse_url=warehouse_url`` for a warehouse of the test's own."""

    @asynccontextmanager
    async def start(clock: Clock | None = None, **settings: Any) -> AsyncIterator[Service]:
        given = {
            "data_dir": data_dir,
            "clickhouse_url": engines.clickhouse_url,
            "database_url": store_url,
            "limits": LIMITS,
            **settings,
        }
        accounts = Accounts(given["database_url"])
        key = accounts.create_key(HOLDER, "free").key
        app = create_app(ApiSettings(**given), clock=clock)
        async with (
            app.router.lifespan_context(app),
            _client(app, {"X-API-Key": key}) as client,
            _client(app, {}) as anonymous,
        ):
            yield Service(app, client, anonymous, key)

    return start


@pytest.fixture
async def service(serve: Serve) -> AsyncIterator[Service]:
    """An application with default settings and no chain enabled."""
    async with serve() as running:
        yield running


def _client(app: FastAPI, headers: dict[str, str]) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://service.test", headers=headers)
