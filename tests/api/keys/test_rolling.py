"""Rolling a key: a new one, shown once, while the old one still works for a while."""

import asyncio
from datetime import datetime, timedelta

import pytest

from tests.fixtures.owners import Owner, ServeOwner
from tests.fixtures.service import LIMITS
from warehouse.postgres import Connection

DAY = 86_400


async def test_both_keys_work_until_the_grace_period_ends(owner: Owner) -> None:
    old = await owner.made(name="server", scopes=["read"], allowedAddresses=["127.0.0.0/8"])
    rolled = await owner.roll(old["id"], json={"graceSeconds": 3_600})
    assert rolled.status_code == 201, rolled.text
    assert rolled.headers["cache-control"] == "no-store"
    new = rolled.json()
    assert (new["name"], new["scopes"], new["allowedAddresses"]) == ("server", ["read"], ["127.0.0.0/8"])
    assert (new["replacedBy"], new["previous"]["replacedBy"]) == (None, new["id"])
    assert datetime.fromisoformat(new["previous"]["expiresAt"]) == owner.clock.now() + timedelta(hours=1)
    owner.clock.advance(minutes=59)
    assert [await owner.use(key["key"]) for key in (old, new)] == [200, 200]
    owner.clock.advance(minutes=1)
    assert [await owner.use(key["key"]) for key in (old, new)] == [403, 200]
    assert (await owner.call(old["key"])).json()["code"] == "API_KEY_EXPIRED"
    assert "key" not in (await owner.ask("GET", "/keys")).json()["keys"][-1]


async def test_a_day_is_the_default_and_none_revokes_at_once(owner: Owner) -> None:
    first = await owner.made()
    second = (await owner.ask("POST", f"/keys/{first['id']}/roll")).json()
    assert datetime.fromisoformat(second["previous"]["expiresAt"]) == owner.clock.now() + timedelta(days=1)
    third = (await owner.roll(second["id"], json={"graceSeconds": 0})).json()
    assert third["previous"]["revokedAt"] is not None
    assert [await owner.use(key["key"]) for key in (first, second, third)] == [200, 403, 200]


async def test_a_new_key_is_valid_for_as_long_as_the_old_one_was(serve_owner: ServeOwner) -> None:
    async with serve_owner() as owner:
        old = await owner.made(expiresAt=(owner.clock.now() + timedelta(days=90)).isoformat())
        owner.clock.advance(days=89, hours=12)
        new = (await owner.roll(old["id"], json={"graceSeconds": DAY})).json()
        assert datetime.fromisoformat(new["expiresAt"]) == owner.clock.now() + timedelta(days=90)
        assert new["previous"]["expiresAt"] == old["expiresAt"], "a grace period extends nothing"
    async with serve_owner(api_key_max_days=30) as owner:
        old = await owner.made()
        new = (await owner.roll(old["id"])).json()
        assert datetime.fromisoformat(new["expiresAt"]) == owner.clock.now() + timedelta(days=30)
        wanted = (owner.clock.now() + timedelta(days=3)).isoformat()
        newest = (await owner.roll(new["id"], json={"expiresAt": wanted})).json()
        assert datetime.fromisoformat(newest["expiresAt"]) == owner.clock.now() + timedelta(days=3)


@pytest.mark.parametrize("grace", [-1, 7 * DAY + 1, 10**30, "3600", None, 0.5])
async def test_an_invalid_grace_period_is_refused_by_field(owner: Owner, grace: object) -> None:
    made = await owner.made()
    answer = await owner.roll(made["id"], json={"graceSeconds": grace})
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"].startswith("graceSeconds: ")
    assert await owner.use(made["key"]) == 200


async def test_a_key_is_rolled_once_and_not_changed_after(owner: Owner) -> None:
    old = await owner.made()
    new = (await owner.roll(old["id"])).json()
    for answer in (
        await owner.roll(old["id"]),
        await owner.ask("PATCH", f"/keys/{old['id']}", json={"expiresAt": None}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (409, "KEY_REPLACED")
        assert answer.json()["replacedBy"] == new["id"]
    assert (await owner.ask("DELETE", f"/keys/{old['id']}")).status_code == 200
    assert [await owner.use(key["key"]) for key in (old, new)] == [403, 200]


async def test_concurrent_rolls_make_one_key(owner: Owner, store: Connection) -> None:
    old = await owner.made()
    answers = await asyncio.gather(*(owner.roll(old["id"]) for _ in range(6)))
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 5
    assert store.execute("SELECT count(*) AS n FROM api_key WHERE quota_of IS NOT NULL").fetchone() == {"n": 1}


async def test_repeats_with_an_idempotency_key_get_one_answer(owner: Owner, store: Connection) -> None:
    old = await owner.made()
    header = {"Idempotency-Key": "roll-2026-11"}
    answers = await asyncio.gather(*(owner.roll(old["id"], headers=header) for _ in range(6)))
    assert [answer.status_code for answer in answers] == [201] * 6
    assert len({answer.text for answer in answers}) == 1
    new = answers[0].json()
    assert await owner.use(new["key"]) == 200
    assert store.execute("SELECT count(*) AS n FROM api_key WHERE quota_of IS NOT NULL").fetchone() == {"n": 1}
    other = await owner.roll(old["id"], headers=header, json={"graceSeconds": 1})
    assert (other.status_code, other.json()["error"]) == (409, "Idempotency-Key: was used for another request")
    owner.clock.advance(hours=24)
    late = await owner.roll(old["id"], headers=header)
    assert late.status_code == 409


async def test_a_key_is_made_once_for_an_idempotency_key(owner: Owner) -> None:
    header = {"Idempotency-Key": "one"}
    answers = [await owner.ask("POST", "/keys", json={"name": "x"}, headers=header) for _ in range(3)]
    assert len({answer.json()["key"] for answer in answers}) == 1
    other = await owner.ask("POST", "/keys", json={"name": "y"}, headers=header)
    assert other.status_code == 409
    owner.clock.advance(hours=24, seconds=1)
    again = await owner.ask("POST", "/keys", json={"name": "y"}, headers=header)
    assert (again.status_code, again.json()["key"] == answers[0].json()["key"]) == (201, False)


async def test_an_idempotency_key_of_another_account_shows_nothing(serve_owner: ServeOwner) -> None:
    header = {"Idempotency-Key": "shared"}
    async with serve_owner() as owner, serve_owner() as other:
        mine = (await owner.ask("POST", "/keys", json={"name": "x"}, headers=header)).json()
        theirs = (await other.ask("POST", "/keys", json={"name": "x"}, headers=header)).json()
        assert mine["key"] != theirs["key"]


async def test_rolled_keys_share_a_rate_and_a_quota(owner: Owner, store: Connection) -> None:
    """Otherwise an account could multiply both by rolling."""
    first = await owner.made()
    second = (await owner.roll(first["id"])).json()
    third = (await owner.roll(second["id"])).json()
    left = [
        int((await owner.call(key["key"])).headers["x-ratelimit-remaining"]) for key in (first, second, third, first)
    ]
    assert left == [9_999, 9_998, 9_997, 9_996]
    await owner.service.services.limiter.keep()
    callers = (await owner.ask("GET", "/usage")).json()["callers"]
    assert [(one["keyId"], one["used"]) for one in callers if one["kind"] == "key"] == [(third["id"], 4)]


async def test_rolling_makes_no_room_for_more_keys(owner: Owner) -> None:
    """The old key of a revoked replacement still counts while it works."""
    first, _ = await owner.made(), await owner.made()
    second = (await owner.roll(first["id"])).json()
    assert (await owner.make()).status_code == 403
    await owner.ask("DELETE", f"/keys/{second['id']}")
    assert (await owner.make()).status_code == 403
    owner.clock.advance(days=1)
    assert (await owner.make()).status_code == 201


async def test_rolls_count_as_new_keys_of_the_day(owner: Owner) -> None:
    key = await owner.made()
    for _ in range(3):
        key = (await owner.roll(key["id"], json={"graceSeconds": 0})).json()
    refused = await owner.roll(key["id"])
    assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMITED")
    assert await owner.use(key["key"]) == 200


async def test_keys_of_others_are_not_rolled(serve_owner: ServeOwner) -> None:
    async with serve_owner(limits=LIMITS) as owner, serve_owner(limits=LIMITS) as other:
        made = await owner.made()
        assert (await other.roll(made["id"])).status_code == 404
        assert await owner.use(made["key"]) == 200


async def test_changes_reach_other_processes_long_before_they_forget(serve_owner: ServeOwner) -> None:
    """Two applications on one store, which remember keys for a minute."""
    async with serve_owner(api_key_cache_seconds=60) as here, serve_owner(api_key_cache_seconds=60) as there:
        changes = {
            "scopes": lambda id: here.ask("PATCH", f"/keys/{id}", json={"scopes": ["claim"]}),
            "addresses": lambda id: here.ask("PATCH", f"/keys/{id}", json={"allowedAddresses": ["203.0.113.9"]}),
            "roll": lambda id: here.roll(id, json={"graceSeconds": 0}),
            "revoke": lambda id: here.ask("DELETE", f"/keys/{id}"),
        }
        for name, change in changes.items():
            made = await here.made()
            assert await there.use(made["key"]) == 200
            assert (await change(made["id"])).status_code in (200, 201)
            async with asyncio.timeout(20):
                while await there.use(made["key"]) != 403:  # noqa: ASYNC110 - another application
                    await asyncio.sleep(0.02)
            assert await here.use(made["key"]) == 403, name
            here.clock.advance(days=1)
            for key in (await here.ask("GET", "/keys")).json()["keys"]:
                await here.ask("DELETE", f"/keys/{key['id']}")
