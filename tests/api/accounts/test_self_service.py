"""Accounts unlink wallets, and read their limits and usage."""

import asyncio

import pytest

from api.accounts.service import Accounts
from tests.fixtures.owners import Owner
from tests.fixtures.sign_in import SignInClient, authorized, new_wallet


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
