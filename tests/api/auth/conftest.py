"""Wallets that sign in, at a site with an address of its own."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount
from solders.keypair import Keypair

from api.auth import siwe, siws
from api.auth.messages import SignIn
from tests.api.claims.conftest import claim_chain, registry_node  # noqa: F401 - fixtures, for contract wallets
from tests.api.conftest import Serve, Service

SITE = "https://crowns.example"
API = "https://api.crowns.example"


def written(moment: datetime) -> str:
    """A time as wallets write it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass
class SetClock:
    """A clock that is moved by hand."""

    moment: datetime = field(default_factory=lambda: datetime.now(UTC))

    def now(self) -> datetime:
        """What it was set to."""
        return self.moment

    def pass_by(self, **passed: float) -> None:
        """Let time pass."""
        self.moment += timedelta(**passed)


@dataclass
class Door:
    """Signs in at a running service."""

    service: Service
    clock: SetClock

    async def nonce(self) -> str:
        """A nonce."""
        answer = await self.service.anonymous.get("/api/v2/auth/nonce")
        assert answer.status_code == 200, answer.text
        assert answer.headers["cache-control"] == "no-store"
        return str(answer.json()["nonce"])

    async def message(self, address: str, **changes: Any) -> SignIn:
        """What an Ethereum wallet would be asked to sign."""
        fields: dict[str, Any] = {
            "domain": "crowns.example",
            "address": address,
            "statement": "Sign in to the registry.",
            "uri": f"{SITE}/login",
            "version": "1",
            "chain": "1",
            "issued_at": written(self.clock.now()),
            **changes,
        }
        if "nonce" not in fields:
            fields["nonce"] = await self.nonce()
        return SignIn(**fields)

    async def solana_message(self, address: str, **changes: Any) -> SignIn:
        """What a Solana wallet would be asked to sign."""
        return await self.message(address, **{"chain": "mainnet", **changes})

    async def ethereum(self, wallet: LocalAccount, *, bearer: str | None = None, **changes: Any) -> httpx.Response:
        """Sign in with a plain wallet."""
        scopes = changes.pop("scopes", None)
        text = siwe.write(await self.message(wallet.address, **changes))
        return await self.login("siwe", text, sign(wallet, text), bearer=bearer, scopes=scopes)

    async def solana(self, wallet: Keypair, *, bearer: str | None = None, **changes: Any) -> httpx.Response:
        """Sign in with a Solana wallet."""
        text = siws.write(await self.solana_message(str(wallet.pubkey()), **changes))
        return await self.login("siws", text, str(wallet.sign_message(text.encode())), bearer=bearer)

    async def login(
        self, way: str, message: str, signature: str, *, bearer: str | None = None, scopes: list[str] | None = None
    ) -> httpx.Response:
        """Hand a signed message in."""
        body = {"message": message, "signature": signature} | ({} if scopes is None else {"scopes": scopes})
        return await self.service.anonymous.post(f"/api/v2/auth/login/{way}", json=body, headers=authorized(bearer))

    async def token(self, wallet: LocalAccount | None = None) -> str:
        """The access token of a new session."""
        answer = await self.ethereum(wallet or new_wallet())
        assert answer.status_code == 200, answer.text
        return str(answer.json()["accessToken"])

    async def sessions(self, bearer: str) -> httpx.Response:
        """What a session sees of its account's sessions: 401 when it has ended."""
        return await self.service.anonymous.get("/api/v2/auth/sessions", headers=authorized(bearer))


def authorized(bearer: str | None) -> dict[str, str]:
    """The header that a session is sent in."""
    return {} if bearer is None else {"Authorization": f"Bearer {bearer}"}


def new_wallet() -> LocalAccount:
    """A plain wallet."""
    account: LocalAccount = Account.create()
    return account


def sign(wallet: LocalAccount, text: str) -> str:
    """A wallet's signature of a text."""
    return str(wallet.sign_message(encode_defunct(text=text)).signature.to_0x_hex())


@pytest.fixture
def clock() -> SetClock:
    """The service's clock."""
    return SetClock()


@pytest.fixture
async def door(serve: Serve, clock: SetClock) -> AsyncIterator[Door]:
    """A service whose site has an address of its own; sessions are looked up every time."""
    async with serve(clock=clock, site_url=SITE, base_url=API, session_cache_seconds=0) as service:
        yield Door(service, clock)
