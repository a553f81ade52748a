"""Accounts make, change and revoke keys."""

import asyncio
from uuid import uuid4

import pytest

from api.accounts.service import Accounts
from tests.fixtures.owners import Owner
from tests.fixtures.service import HOLDER
from tests.fixtures.sign_in import SignInClient, authorized
from warehouse.postgres import Connection


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
