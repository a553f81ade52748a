"""A service that asks a name server of the test's own, and wallets that own registrations."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from eth_account.signers.local import LocalAccount

from tests.api.auth.conftest import API, SITE, Door, SetClock, authorized, new_wallet
from tests.api.conftest import Serve, Service
from tests.factories.token_lists import add_listed
from tests.fixtures.text_server import TextServer
from warehouse.postgres import Connection


@dataclass
class Page:
    """A registration's page, and a session of whoever changes it."""

    service: Service
    number: int
    bearer: str | None
    chain: str = "base"

    async def ask(self, method: str, path: str, body: Any = None, **parameters: str) -> httpx.Response:
        """Call a route below the registration's."""
        return await self.service.anonymous.request(
            method,
            f"/api/v2/registration/{self.number}{path}",
            params={"chain": self.chain, **parameters},
            json=body,
            headers=authorized(self.bearer),
        )

    async def told(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """What a call that succeeds answers."""
        answer = await self.ask(method, path, body)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def public(self, path: str) -> dict[str, Any]:
        """What the public sees, a minute later."""
        if known := getattr(self.service.app.state, "public_reads", None):
            known._pages.clear()
        answer = await self.service.anonymous.get(f"/api/v2/public{path}")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


@dataclass
class Owners:
    """Makes registrations, and signs their owners in."""

    door: Door
    store: Connection

    async def page(self, symbol: str = "PEPE", number: int = 7, **changes: Any) -> Page:
        """The page of a new registration, for its owner."""
        wallet = new_wallet()
        add_listed(self.store, symbol, number, owner=wallet.address.lower(), **changes)
        return await self.at_door(number, wallet)

    async def at_door(self, number: int, wallet: LocalAccount | None = None, **login: Any) -> Page:
        """The page of a registration, for somebody."""
        answer = await self.door.ethereum(wallet or new_wallet(), **login)
        return Page(self.door.service, number, str(answer.json()["accessToken"]))


@pytest.fixture
def clock() -> SetClock:
    """The service's clock."""
    return SetClock()


@pytest.fixture
async def owners(serve: Serve, clock: SetClock, text_server: TextServer, store: Connection) -> AsyncIterator[Owners]:
    """Owners at a running service."""
    async with serve(clock=clock, site_url=SITE, base_url=API, **text_server.settings()) as service:
        yield Owners(Door(service, clock), store)
