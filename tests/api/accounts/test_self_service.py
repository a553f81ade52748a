"""Accounts make, rename and revoke keys, and read their limits and usage."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import pytest
from eth_account.signers.local import LocalAccount

from api.accounts.service import Accounts
from tests.fixtures.clocks import ManualClock
from tests.fixtures.service import HOLDER, Serve, Service
from tests.fixtures.sign_in import API, SITE, SignInClient, authorized, new_wallet
from warehouse.postgres import Connection


@dataclass(frozen=True)
class Owner:
    """A signed-in user."""

    service: Service
    wallet: LocalAccount
    headers: dict[str, str]
    clock: ManualClock

    async def ask(self, method: str, path: str = "", **request: Any) -> httpx.Response:
        return await self.service.anonymous.request(method, f"/api/v2/account{path}", headers=self.headers, **request)

    async def make(self, name: str) -> httpx.Response:
        return await self.ask("POST", "/keys", json={"name": name})

    async def use(self, key: str) -> int:
        answer = await self.service.anonymous.get("/api/v2/config/fees", headers={"X-API-Key": key})
        return answer.status_code


@pytest.fixture
async def owner(serve: Serve) -> AsyncIterator[Owner]:
    clock = ManualClock()
    async with serve(clock=clock, site_url=SITE, base_url=API, limits=None) as service:
        wallet = new_wallet()
        token = await SignInClient(service, clock).token(wallet)
        yield Owner(service, wallet, authorized(token), clock)


async def test_a_key_is_made_used_renamed_and_revoked(owner: Owner) -> None:
    made = await owner.make("laptop")
    assert made.status_code == 201, made.text
    key = made.json()
    assert key["key"].startswith(key["prefix"])
    assert await owner.use(key["key"]) == 200

    renamed = await owner.ask("PATCH", f"/keys/{key['id']}", json={"name": "desktop"})
    assert (renamed.status_code, renamed.json()["name"]) == (200, "desktop")

    listed = (await owner.ask("GET", "/keys")).json()
    assert [(one["id"], one["name"], one["revokedAt"]) for one in listed["keys"]] == [(key["id"], "desktop", None)]
    assert listed["limit"] == 2
    assert key["key"] not in str(listed)

    revoked = await owner.ask("DELETE", f"/keys/{key['id']}")
    assert revoked.status_code == 200
    assert await owner.use(key["key"]) == 403  # at once, although it was looked up a moment ago
    owner.clock.advance(minutes=1)
    again = await owner.ask("DELETE", f"/keys/{key['id']}")
    assert again.json() == revoked.json()
    late = await owner.ask("PATCH", f"/keys/{key['id']}", json={"name": "too late"})
    assert (late.status_code, late.json()["code"]) == (409, "CONFLICT")
    [kept] = (await owner.ask("GET", "/keys")).json()["keys"]
    assert (kept["name"], kept["revokedAt"]) == ("desktop", revoked.json()["revokedAt"])


async def test_concurrent_requests_cannot_exceed_the_plans_number_of_keys(owner: Owner, store: Connection) -> None:
    answers = await asyncio.gather(*(owner.make(f"key {number}") for number in range(6)))
    assert sorted(answer.status_code for answer in answers) == [201, 201, 403, 403, 403, 403]
    refused = next(answer.json() for answer in answers if answer.status_code == 403)
    assert refused == {
        "error": "plan free allows 2 API keys, this account has 2",
        "code": "KEY_LIMIT",
        "plan": "free",
        "limit": 2,
    }
    kept = store.execute("SELECT count(*) AS n FROM api_key WHERE name LIKE 'key %'").fetchone()
    assert kept == {"n": 2}


async def test_making_and_revoking_keys_does_not_extend_the_quota(owner: Owner) -> None:
    for number in range(4):
        made = await owner.make(f"number {number}")
        assert made.status_code == 201
        await owner.ask("DELETE", f"/keys/{made.json()['id']}")
        owner.clock.advance(minutes=1)
    refused = await owner.make("one more")
    assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMITED")
    wait = int(refused.headers["retry-after"])
    assert wait == 24 * 3600 - 4 * 60


async def test_keys_of_other_accounts_are_404(owner: Owner, store_url: str) -> None:
    others = Accounts(store_url).create_key(HOLDER)
    for id in (others.id, uuid4()):
        for answer in (
            await owner.ask("PATCH", f"/keys/{id}", json={"name": "mine"}),
            await owner.ask("DELETE", f"/keys/{id}"),
        ):
            assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")
    assert await owner.use(others.key) == 200


@pytest.mark.parametrize("name", ['""', '" "', f'"{"x" * 65}"', '"two\\nlines"', "7", "null", '"\\ud800"'])
async def test_an_invalid_name_is_refused_by_field(owner: Owner, name: str) -> None:
    owner.headers["content-type"] = "application/json"
    answer = await owner.ask("POST", "/keys", content=f'{{"name": {name}}}')
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")
    assert answer.json()["error"].startswith("name: ")


async def test_an_invalid_id_is_refused_by_field(owner: Owner) -> None:
    answer = await owner.ask("DELETE", "/keys/rgl_live_abc")
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")
    assert answer.json()["error"].startswith("id: ")


async def test_keys_are_managed_with_a_session_that_has_the_scope(owner: Owner) -> None:
    by_key = await owner.service.client.get("/api/v2/account/keys")
    assert by_key.status_code == 401
    reader = await SignInClient(owner.service, owner.clock).ethereum(owner.wallet, scopes=["api:read"])
    headers = authorized(reader.json()["accessToken"])
    assert (await owner.service.anonymous.get("/api/v2/account/keys", headers=headers)).status_code == 200
    refused = await owner.service.anonymous.post("/api/v2/account/keys", json={"name": "x"}, headers=headers)
    assert refused.status_code == 403
    assert refused.json()["requiredScope"] == "api:write"


async def test_every_wallet_but_the_last_can_be_unlinked(owner: Owner) -> None:
    sign_in, second = SignInClient(owner.service, owner.clock), new_wallet()
    begun = (await sign_in.ethereum(second, bearer=owner.headers["Authorization"].split()[1])).json()
    alone = authorized(await sign_in.token(owner.wallet))
    key = (await owner.make("laptop")).json()["key"]

    left = await owner.ask("DELETE", f"/wallets/{owner.wallet.address}")
    assert (left.status_code, [one["wallet"] for one in left.json()["wallets"]]) == (200, [second.address])
    assert (await owner.ask("DELETE", f"/wallets/{owner.wallet.address}")).status_code == 404
    listed = (await sign_in.sessions(begun["accessToken"])).json()  # the session that both signed in to
    assert [one["wallets"] for one in listed["sessions"]] == [[second.address]]
    assert (await owner.service.anonymous.get("/api/v2/account", headers=alone)).status_code == 401
    assert await owner.use(key) == 200

    last = await owner.ask("DELETE", f"/wallets/{second.address}")
    assert (last.status_code, last.json()["code"]) == (409, "LAST_WALLET")
    again = (await sign_in.ethereum(owner.wallet)).json()
    assert again["accountId"] != begun["accountId"]
    assert (await owner.ask("DELETE", "/wallets/0x12")).json()["error"].startswith("wallet: ")


async def test_concurrent_unlinking_keeps_one_wallet(owner: Owner) -> None:
    second = new_wallet()
    await SignInClient(owner.service, owner.clock).ethereum(second, bearer=owner.headers["Authorization"].split()[1])
    asked = (owner.ask("DELETE", f"/wallets/{wallet.address}") for wallet in (owner.wallet, second))
    assert sorted(answer.status_code for answer in await asyncio.gather(*asked)) == [200, 409]
    assert len((await owner.ask("GET")).json()["wallets"]) == 1


async def test_an_account_shows_its_plan_wallets_and_limits(owner: Owner, store_url: str) -> None:
    shown = (await owner.ask("GET")).json()
    assert shown["plan"] == "free"
    assert [wallet["wallet"] for wallet in shown["wallets"]] == [owner.wallet.address]
    assert shown["limits"] == {
        "requestsPerSecond": 10,
        "burst": 20,
        "requestsPerDay": 10_000,
        "keys": 2,
        "newKeysPerDay": 4,
    }
    Accounts(store_url).set_plan(owner.wallet.address, "pro")
    assert (await owner.ask("GET")).json()["limits"]["requestsPerDay"] == 100_000


async def test_usage_is_reported_by_caller_and_day(owner: Owner) -> None:
    key = (await owner.make("counted")).json()
    for _ in range(3):
        await owner.use(key["key"])
    await owner.service.services.limiter.keep()
    usage = (await owner.ask("GET", "/usage")).json()
    today = owner.clock.now().date().isoformat()
    assert (usage["day"], usage["plan"]) == (today, "free")
    assert [(one["kind"], one["keyId"], one["name"], one["used"], one["remaining"]) for one in usage["callers"]] == [
        ("key", key["id"], "counted", 3, 9_997),
        ("sessions", None, None, 1, 9_999),
    ]
    assert usage["days"] == [{"day": today, "used": 4}]
    by_key = await owner.service.anonymous.get("/api/v2/account/usage?days=1", headers={"X-API-Key": key["key"]})
    assert by_key.json()["days"] == usage["days"]


@pytest.mark.parametrize("days", ["0", "91", "many"])
async def test_days_out_of_range_are_refused(owner: Owner, days: str) -> None:
    answer = await owner.ask("GET", f"/usage?days={days}")
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("days: ")
