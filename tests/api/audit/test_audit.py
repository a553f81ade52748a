"""The audit log of an account: who did what, when, from where; never a secret."""

import json
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from solders.keypair import Keypair

from api.accounts.service import Accounts
from api.audit.tasks import forget
from tests.factories.events import assert_as_declared
from tests.fixtures.owners import Owner, ServeOwner
from tests.fixtures.sign_in import SignInClient, authorized, new_wallet
from warehouse.domain.events.catalogue import EVENTS
from warehouse.postgres import Connection


async def everything(owner: Owner, store_url: str) -> list[str]:
    """Do all that is recorded; returns the secrets that were involved."""
    key = await owner.made(scopes=["read"], allowedAddresses=["127.0.0.1"])
    await owner.ask("PATCH", f"/keys/{key['id']}", json={"name": "renamed"})
    rolled = (await owner.roll(key["id"], headers={"Idempotency-Key": "once"})).json()
    await owner.ask("DELETE", f"/keys/{rolled['id']}")
    token = owner.headers["Authorization"].split()[1]
    sign_in = SignInClient(owner.service, owner.clock)
    second = Keypair()
    assert (await sign_in.solana(second, bearer=token)).status_code == 200
    assert (await owner.ask("DELETE", f"/wallets/{second.pubkey()}")).status_code == 200
    other = await sign_in.token(owner.wallet)
    await owner.service.anonymous.post("/api/v2/auth/logout", headers=authorized(other))
    Accounts(store_url).set_plan(owner.wallet.address, "pro")
    return [key["key"], rolled["key"], token, other]


async def test_everything_is_recorded_with_actor_address_and_key(owner: Owner, store_url: str) -> None:
    await everything(owner, store_url)
    entries = await owner.audit()
    assert [entry["action"] for entry in reversed(entries)] == [
        "session.started", "key.created", "key.updated", "key.rolled", "key.revoked", "session.joined",
        "wallet.linked", "wallet.unlinked", "session.started", "session.ended", "subscription.upgraded",
    ]  # fmt: skip
    plan, *done = entries
    assert (plan["actor"], plan["clientIp"]) == ({"kind": "operator", "wallet": None, "sessionId": None}, None)
    for entry in done:
        assert entry["actor"]["kind"] == "session"
        assert entry["actor"]["wallet"] == owner.wallet.address
        assert entry["clientIp"] == entry["data"]["client_ip"] == "127.0.0.1"
        assert (entry["keyId"] is not None) == entry["action"].startswith("key.")
        assert entry["keyId"] == entry["data"].get("key_id")


async def test_events_say_the_same_and_reach_the_account_alone(owner: Owner, store: Connection, store_url: str) -> None:
    await everything(owner, store_url)
    entries = await owner.audit()
    rows = store.execute("SELECT type, payload, account_id FROM event_log").fetchall()
    mine = {json.dumps([entry["action"], entry["data"]], sort_keys=True) for entry in entries}
    recorded = {json.dumps([row["type"], row["payload"]], sort_keys=True) for row in rows}
    assert mine <= recorded
    assert None not in {row["account_id"] for row in rows}
    for entry in entries:
        declared = {member.name: member.optional for member in EVENTS[entry["action"]].members()}
        assert set(entry["data"]) <= set(declared)
        assert {name for name, optional in declared.items() if not optional} <= set(entry["data"])


async def test_no_secret_is_ever_in_log_or_events(owner: Owner, store: Connection, store_url: str) -> None:
    secrets = await everything(owner, store_url)
    kept = store.execute(
        "SELECT (SELECT string_agg(account_audit::text, ' ') FROM account_audit)"
        " || (SELECT string_agg(event_log::text, ' ') FROM event_log) AS text"
    ).fetchone()
    assert kept is not None
    for secret in secrets:
        assert secret not in kept["text"]
        assert secret[-24:] not in kept["text"]


async def test_pages_and_filters(owner: Owner) -> None:
    keys = [await owner.made() for _ in range(2)]
    for key in keys:
        owner.clock.advance(minutes=20)
        await owner.ask("PATCH", f"/keys/{key['id']}", json={"name": "renamed"})
    await owner.ask("DELETE", f"/keys/{keys[0]['id']}")
    whole = await owner.audit()
    seen: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = (await owner.ask("GET", "/audit", params={"limit": 2, **cursor})).json()
        seen += page["entries"]
        if page["nextCursor"] is None:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert seen == whole
    assert len(whole) == 6
    assert {entry["action"] for entry in await owner.audit(action="key.updated")} == {"key.updated"}
    assert {entry["keyId"] for entry in await owner.audit(keyId=keys[0]["id"])} == {keys[0]["id"]}
    since = (owner.clock.now() - timedelta(minutes=10)).isoformat()
    assert [entry["action"] for entry in await owner.audit(**{"from": since})] == ["key.revoked", "key.updated"]
    assert len(await owner.audit(to=since)) == 4


@pytest.mark.parametrize(
    ("name", "value"),
    [("cursor", "x"), ("limit", "0"), ("limit", "101"), ("keyId", "x"), ("from", "x"), ("action", "x" * 65)],
)
async def test_invalid_parameters_are_refused_by_name(owner: Owner, name: str, value: str) -> None:
    answer = await owner.ask("GET", "/audit", params={name: value})
    assert (answer.status_code, answer.json()["error"].split(":")[0]) == (400, name)


async def test_accounts_see_only_their_own_log(serve_owner: ServeOwner) -> None:
    async with serve_owner() as owner, serve_owner() as other:
        await owner.made()
        assert [entry["action"] for entry in await other.audit()] == ["session.started"]
        key = await other.made(scopes=["audit"])
        answer = await other.call(key["key"], "/account/audit")
        assert {entry["keyId"] for entry in answer.json()["entries"]} == {key["id"], None}
        assert (await owner.service.anonymous.get("/api/v2/account/audit")).status_code == 401


async def test_a_session_ended_by_the_limit_says_so(serve_owner: ServeOwner) -> None:
    async with serve_owner(sessions_per_wallet=1) as owner:
        token = await SignInClient(owner.service, owner.clock).token(owner.wallet)
        answer = await owner.service.anonymous.get("/api/v2/account/audit", headers=authorized(token))
        ended, started, _ = answer.json()["entries"]
        assert (ended["action"], ended["data"]["reason"], started["action"]) == (
            "session.ended",
            "limit",
            "session.started",
        )


async def test_what_fails_is_not_recorded(owner: Owner, store: Connection) -> None:
    before = await owner.audit()
    sign_in = SignInClient(owner.service, owner.clock)
    await sign_in.ethereum(new_wallet(), uri="https://evil.example")
    await owner.make(scopes=["nothing"])
    await owner.ask("DELETE", "/keys/00000000-0000-0000-0000-000000000000")
    await owner.ask("DELETE", f"/wallets/{owner.wallet.address}")
    made = await owner.made()
    await owner.ask("PATCH", f"/keys/{made['id']}", json={"name": made["name"]})
    for _ in range(2):
        await owner.ask("DELETE", f"/keys/{made['id']}")
    assert [entry["action"] for entry in await owner.audit()][: -len(before)] == ["key.revoked", "key.created"]


async def test_the_log_is_append_only(owner: Owner, store: Connection) -> None:
    await owner.made()
    for statement in ("UPDATE account_audit SET action = 'x'", "DELETE FROM account_audit"):
        with pytest.raises(psycopg.errors.RaiseException, match="append-only"), store.transaction():
            store.execute(statement)
    assert len(await owner.audit()) == 2


async def test_old_entries_are_removed(serve_owner: ServeOwner, store: Connection) -> None:
    async with serve_owner(audit_days=30) as owner:
        store.execute(
            "INSERT INTO account_audit (account_id, action, actor, data, created_at)"
            " SELECT account_id, 'key.created', 'service', '{}', now() - make_interval(days => age)"
            " FROM account_audit, unnest(ARRAY[29, 31, 32, 500]) AS age WHERE action = 'session.started'"
        )
        await forget(owner.service.services)
        assert [entry["action"] for entry in await owner.audit()] == ["key.created", "session.started"]


async def test_the_operators_commands_are_recorded(store: Connection, store_url: str) -> None:
    accounts = Accounts(store_url)
    made = accounts.create_key(new_wallet().address, "pro", scopes=["read"], addresses=["10.0.0.0/8"], expires_days=9)
    accounts.rename_key(str(made.id), "other")
    for _ in range(2):
        accounts.revoke_key(made.key)
    rows = store.execute("SELECT action, actor, address, key_id, data FROM account_audit ORDER BY id").fetchall()
    assert [row["action"] for row in rows] == ["key.created", "key.updated", "key.revoked"]
    assert {(row["actor"], row["address"], row["key_id"]) for row in rows} == {("operator", None, made.id)}
    assert rows[0]["data"]["allowed_addresses"] == ["10.0.0.0/8"]


def test_the_audit_log_accepts_what_the_catalogue_declares() -> None:
    example = json.loads(EVENTS["key.updated"].example().data())
    assert_as_declared("key.updated", example)
