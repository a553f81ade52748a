"""When keys expire: at most as late as the operator allows, announced before and after."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from api.accounts.service import Accounts
from api.keys.tasks import announce, forget_requests
from tests.fixtures.owners import Owner, ServeOwner
from tests.fixtures.service import HOLDER
from warehouse.postgres import Connection


def later(owner: Owner, **span: float) -> str:
    return (owner.clock.now() + timedelta(**span)).isoformat()


async def test_a_key_expires_on_time_even_where_it_is_cached(serve_owner: ServeOwner) -> None:
    async with serve_owner(api_key_cache_seconds=60) as owner:
        made = await owner.made(expiresAt=later(owner, hours=2))
        owner.clock.advance(minutes=119)
        assert await owner.use(made["key"]) == 200
        owner.clock.advance(minutes=1)
        refused = await owner.call(made["key"])
        assert (refused.status_code, refused.json()) == (
            403,
            {"error": "the API key has expired", "code": "API_KEY_EXPIRED"},
        )


@pytest.mark.parametrize(
    ("expires_at", "problem"),
    [
        ("2020-01-01T00:00:00Z", "must be in the future"),
        ("tomorrow", "must be an ISO 8601 time"),
        ("9999-12-31T23:59:59-23:59", "must be an ISO 8601 time"),
        (7, ""),
    ],
)
async def test_an_invalid_expiry_is_refused_by_field(owner: Owner, expires_at: Any, problem: str) -> None:
    answer = await owner.make(expiresAt=expires_at)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(f"expiresAt: {problem}")


async def test_the_operator_limits_how_long_keys_are_valid(serve_owner: ServeOwner) -> None:
    async with serve_owner(api_key_max_days=30) as owner:
        latest = owner.clock.now() + timedelta(days=30)
        made = await owner.made()
        assert datetime.fromisoformat(made["expiresAt"]) == latest, "a key without a wish expires as late as it may"
        refused = await owner.make(expiresAt=later(owner, days=30, seconds=1))
        assert (refused.status_code, refused.json()["error"]) == (400, "expiresAt: must be within 30 days")
        path = f"/keys/{made['id']}"
        owner.clock.advance(days=29)
        far = await owner.ask("PATCH", path, json={"expiresAt": later(owner, days=31)})
        assert far.status_code == 400
        extended = await owner.ask("PATCH", path, json={"expiresAt": None})
        assert datetime.fromisoformat(extended.json()["expiresAt"]) == latest + timedelta(days=29)


async def test_an_expired_key_cannot_be_made_valid_again(owner: Owner) -> None:
    made = await owner.made(expiresAt=later(owner, minutes=5))
    owner.clock.advance(minutes=6)
    for answer in (
        await owner.ask("PATCH", f"/keys/{made['id']}", json={"expiresAt": None}),
        await owner.roll(made["id"]),
    ):
        assert (answer.status_code, answer.json()["code"]) == (409, "KEY_EXPIRED")
    assert await owner.use(made["key"]) == 403
    [listed] = (await owner.ask("GET", "/keys")).json()["keys"]
    assert listed["id"] == made["id"]


async def test_an_expired_key_makes_room_for_another(owner: Owner) -> None:
    for _ in range(2):
        await owner.made(expiresAt=later(owner, minutes=5))
    assert (await owner.make()).status_code == 403
    owner.clock.advance(minutes=6)
    assert (await owner.make()).status_code == 201


async def told(owner: Owner, store: Connection) -> list[tuple[str, str]]:
    await announce(owner.service.services)
    rows = store.execute(
        "SELECT type, payload FROM event_log WHERE type IN ('key.expiring', 'key.expired') ORDER BY created_at, id"
    ).fetchall()
    return [(row["type"], row["payload"]["key_id"]) for row in rows]


async def test_an_expiry_is_announced_seven_days_before_and_when_it_comes(owner: Owner, store: Connection) -> None:
    made = await owner.made(expiresAt=later(owner, days=30))
    owner.clock.advance(days=22, hours=23)
    assert await told(owner, store) == []
    owner.clock.advance(hours=2)
    for _ in range(2):
        assert await told(owner, store) == [("key.expiring", made["id"])]
    owner.clock.advance(days=7)
    for _ in range(2):
        assert await told(owner, store) == [("key.expiring", made["id"]), ("key.expired", made["id"])]


async def test_a_short_validity_is_announced_at_its_half(owner: Owner, store: Connection) -> None:
    made = await owner.made(expiresAt=later(owner, days=2))
    assert await told(owner, store) == []
    owner.clock.advance(days=1, minutes=1)
    assert await told(owner, store) == [("key.expiring", made["id"])]


async def test_a_new_expiry_is_announced_again(owner: Owner, store: Connection) -> None:
    made = await owner.made(expiresAt=later(owner, days=20))
    owner.clock.advance(days=14)
    assert await told(owner, store) == [("key.expiring", made["id"])]
    await owner.ask("PATCH", f"/keys/{made['id']}", json={"expiresAt": later(owner, days=20)})
    assert len(await told(owner, store)) == 1
    owner.clock.advance(days=14)
    assert await told(owner, store) == [("key.expiring", made["id"])] * 2


async def test_revoked_and_rolled_keys_are_not_announced_before(owner: Owner, store: Connection) -> None:
    revoked = await owner.made(expiresAt=later(owner, days=10))
    rolled = await owner.made(expiresAt=later(owner, days=10))
    await owner.ask("DELETE", f"/keys/{revoked['id']}")
    assert (await owner.roll(rolled["id"], json={"graceSeconds": 7 * 86_400})).status_code == 201
    owner.clock.advance(days=6)
    assert [key for kind, key in await told(owner, store) if key in (revoked["id"], rolled["id"])] == []
    owner.clock.advance(days=2)
    assert ("key.expired", rolled["id"]) in await told(owner, store)


async def test_workers_at_once_announce_each_key_once(owner: Owner, store: Connection, store_url: str) -> None:
    for _ in range(30):
        Accounts(store_url).create_key(HOLDER, expires_days=10)
    owner.clock.advance(days=9)
    counts = await asyncio.gather(*(announce(owner.service.services) for _ in range(4)))
    assert sum(counts) == 30
    count = store.execute("SELECT count(*) AS n FROM account_audit WHERE action = 'key.expiring'").fetchone()
    assert count == {"n": 30}


async def test_kept_secrets_are_forgotten_after_a_day(owner: Owner, store: Connection) -> None:
    await owner.ask("POST", "/keys", json={"name": "one"}, headers={"Idempotency-Key": "a"})
    kept = "SELECT count(sealed_secret) AS sealed, count(idempotency_key) AS keys FROM api_key"
    await forget_requests(owner.service.services)
    assert store.execute(kept).fetchone() == {"sealed": 1, "keys": 1}
    owner.clock.advance(hours=24)
    await forget_requests(owner.service.services)
    assert store.execute(kept).fetchone() == {"sealed": 0, "keys": 0}
