"""Making, reading, changing and removing subscriptions."""

import base64
from datetime import timedelta
from typing import Any

from api.accounts.service import Accounts
from tests.fixtures.webhooks import OTHER, OWNER, Hooks
from warehouse.domain.events.catalogue import EVENTS

URL = "https://hooks.example.com/in?team=1"


async def test_the_catalogue_lists_all_events(hooks: Hooks) -> None:
    listed = (await hooks.call("GET", "/events")).json()["events"]
    assert [one["type"] for one in listed] == list(EVENTS)
    assert all(one["description"] for one in listed)
    for one in listed:
        made = await hooks.call("POST", "/preview", {"events": [one["type"]]})
        assert made.status_code == 200


async def test_the_secret_is_shown_once(hooks: Hooks) -> None:
    body = {"url": URL, "events": ["token.minted", "token.minted", "trade.large"]}
    filter = {"crown_ids": [18, 17, 17], "chains": ["eip155:42161"]}
    answer = await hooks.call("POST", "", {**body, "filter": filter})
    assert answer.status_code == 201
    made = answer.json()
    assert made["secret"].startswith("whsec_")
    assert len(base64.b64decode(made["secret"].removeprefix("whsec_"))) == 32
    assert (made["url"], made["events"]) == (URL, ["token.minted", "trade.large"])
    assert made["filter"] == {"crown_ids": [17, 18], "chains": ["eip155:42161"]}
    assert (made["status"], made["consecutive_failures"]) == ("active", 0)
    shown = (await hooks.call("GET", f"/{made['id']}")).json()
    assert shown == {name: value for name, value in made.items() if name != "secret"}
    assert (await hooks.call("GET", "")).json() == {"webhooks": [shown], "limit": 5}
    rows = hooks.store.execute("SELECT sealed FROM webhook_secret").fetchall()
    assert len(rows) == 1
    assert made["secret"].encode() not in bytes(rows[0]["sealed"])
    assert base64.b64decode(made["secret"].removeprefix("whsec_")) not in bytes(rows[0]["sealed"])


BAD: list[tuple[dict[str, Any], str]] = [
    ({"url": None}, "url: "),
    ({"url": "http://hooks.example.com/"}, "url: must begin with https://"),
    ({"url": "https://10.0.0.1/"}, "url: must lead to a public address"),
    ({"url": "https://user:pass@example.com/"}, "url: must not hold a user name"),
    ({"url": 5}, "url: "),
    ({"events": []}, "events: "),
    ({"events": None}, "events: "),
    ({"events": "token.minted"}, "events: "),
    ({"events": ["token.minted", "token.nothing"]}, "events: 'token.nothing' is no type of event"),
    ({"events": ["claim.confirmed"]}, "events: 'claim.confirmed' is no type"),
    ({"filter": {"crown_ids": []}}, "filter.crown_ids: "),
    ({"filter": {"crown_ids": ["17"]}}, "filter.crown_ids.0: "),
    ({"filter": {"crown_ids": [0]}}, "filter.crown_ids.0: "),
    ({"filter": {"crown_ids": [2**63]}}, "filter.crown_ids.0: "),
    ({"filter": {"crown_ids": [True]}}, "filter.crown_ids.0: "),
    ({"filter": {"chains": []}}, "filter.chains: "),
    ({"filter": {"chains": ["base"]}}, "filter.chains: 'base' is no chain of this service; write it as CAIP-2"),
    ({"filter": {"chains": ["eip155:31337"]}}, "filter.chains: 'eip155:31337' is no chain"),
    ({"filter": {"crownIds": [17]}}, "filter.crownIds: "),
    ({"filter": []}, "filter: "),
    ({"filters": {"crown_ids": [17]}}, "filters: is not a known member"),
]


async def test_bad_input_names_the_field(hooks: Hooks) -> None:
    for change, problem in BAD:
        answer = await hooks.call("POST", "", {"url": URL, "events": ["token.minted"], **change})
        assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST"), change
        assert answer.json()["error"].startswith(problem), answer.text


async def test_unknown_ids_are_404(hooks: Hooks) -> None:
    for method in ("GET", "PATCH", "DELETE"):
        for id in ("no-uuid", "01980000-0000-7000-8000-0000000000a1"):
            answer = await hooks.call(method, f"/{id}", {} if method == "PATCH" else None)
            assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")


async def test_other_accounts_cannot_see_or_change_a_webhook(hooks: Hooks, store_url: str) -> None:
    made = await hooks.subscribe("token.minted")
    hooks.record_event()
    await hooks.engine.run_until_idle()
    [delivery] = await hooks.deliveries(made["id"])
    other = Accounts(store_url).create_key(OTHER, "partner").key
    place = f"/{made['id']}"
    calls: list[tuple[str, str, Any]] = [
        ("GET", place, None),
        ("PATCH", place, {"events": ["token.expired"]}),
        ("DELETE", place, None),
        ("POST", f"{place}/reactivate", None),
        ("POST", f"{place}/rotate-secret", None),
        ("POST", f"{place}/test", None),
        ("POST", f"{place}/replay", {"from": hooks.clock.now().isoformat()}),
        ("GET", f"{place}/deliveries", None),
        ("GET", f"{place}/deliveries/{delivery['id']}", None),
        ("POST", f"{place}/deliveries/{delivery['id']}/replay", None),
    ]
    for method, path, body in calls:
        answer = await hooks.call(method, path, body, key=other)
        assert answer.status_code == 404, (method, path, answer.text)
    assert (await hooks.call("GET", "", key=other)).json()["webhooks"] == []
    assert (await hooks.call("GET", place)).json()["events"] == ["token.minted"]


async def test_plans_below_developer_are_refused_and_the_error_names_the_plan(hooks: Hooks) -> None:
    for path in ("", "/events"):
        answer = await hooks.call("GET", path, key=hooks.service.key)
        assert (answer.status_code, answer.json()["requiredPlan"], answer.json()["plan"]) == (403, "developer", "free")
    assert (await hooks.service.anonymous.get("/api/v2/webhooks")).status_code == 401


async def test_each_plan_has_a_webhook_limit(hooks: Hooks) -> None:
    for at in range(5):
        last = await hooks.subscribe("token.minted", path=f"hook{at}")
    body = {"url": hooks.receivers.url(), "events": ["token.minted"]}
    answer = await hooks.call("POST", "", body)
    assert (answer.status_code, answer.json()["code"], answer.json()["limit"]) == (403, "WEBHOOK_LIMIT", 5)
    await hooks.call("DELETE", f"/{last['id']}")
    assert (await hooks.call("POST", "", body)).status_code == 201
    hooks.plan("partner")
    assert (await hooks.call("GET", "")).json()["limit"] == 25
    made = (await hooks.call("POST", "", body)).json()
    assert (await hooks.call("PATCH", f"/{made['id']}", {"enabled": False})).json()["disabled_reason"] == "owner"
    hooks.plan("developer")
    assert (await hooks.call("POST", f"/{made['id']}/reactivate")).status_code == 403


async def test_members_left_out_of_an_update_do_not_change(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted", filter={"crown_ids": [17]})
    place = f"/{made['id']}"
    changed = (await hooks.call("PATCH", place, {"url": URL})).json()
    assert (changed["url"], changed["events"], changed["filter"]["crown_ids"]) == (URL, ["token.minted"], [17])
    changed = (await hooks.call("PATCH", place, {"filter": {"chains": ["eip155:1"]}})).json()
    assert changed["filter"] == {"crown_ids": None, "chains": ["eip155:1"]}
    changed = (await hooks.call("PATCH", place, {"filter": None, "events": ["trade.large"]})).json()
    assert (changed["filter"], changed["events"]) == ({"crown_ids": None, "chains": None}, ["trade.large"])
    for name in ("url", "events", "enabled", "filters"):
        answer = await hooks.call("PATCH", place, {name: None})
        assert (answer.status_code, answer.json()["error"][: len(name)]) == (400, name)


async def test_a_switched_off_webhook_receives_nothing_until_switched_on(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    await hooks.call("PATCH", f"/{made['id']}", {"enabled": False})
    hooks.record_event()
    await hooks.engine.run_until_idle()
    await hooks.call("PATCH", f"/{made['id']}", {"enabled": True})
    id = hooks.record_event()
    await hooks.engine.run_until_idle()
    assert [one.envelope["id"] for one in hooks.receivers.sent] == [id]


async def test_the_same_idempotency_key_makes_one_subscription(hooks: Hooks) -> None:
    body = {"url": URL, "events": ["token.minted"]}
    first = await hooks.call("POST", "", body, Idempotency_Key="one")
    again = await hooks.call("POST", "", body, Idempotency_Key="one")
    assert (again.status_code, again.json()) == (201, first.json())
    other = await hooks.call("POST", "", {**body, "events": ["trade.large"]}, Idempotency_Key="one")
    assert (other.status_code, other.json()["code"]) == (409, "CONFLICT")
    assert (await hooks.call("POST", "", body, Idempotency_Key="x" * 256)).status_code == 400
    assert len((await hooks.call("GET", "")).json()["webhooks"]) == 1
    hooks.clock.advance(hours=25)
    later = await hooks.call("POST", "", body, Idempotency_Key="one")
    assert later.json()["id"] != first.json()["id"]


async def test_a_read_only_session_cannot_change_anything(hooks: Hooks) -> None:
    made = await hooks.subscribe()
    now = hooks.clock.now()
    scopes, ends = ["api:read"], now + timedelta(hours=1)
    row = hooks.store.execute(
        "INSERT INTO wallet_session (account_id, wallets, contract_chains, scopes, created_at, expires_at)"
        " VALUES (%s, %s, '{}', %s, %s, %s) RETURNING id",
        (hooks.account_id, [OWNER], scopes, now, ends),
    ).fetchone()
    assert row is not None
    tokens = hooks.service.services.tokens
    token = tokens.issue_wallet_session(row["id"], (OWNER,), frozenset(scopes), now=now, expires_at=ends)

    async def ask(method: str, path: str = "") -> Any:
        return await hooks.service.anonymous.request(
            method, f"/api/v2/webhooks{path}", headers={"Authorization": f"Bearer {token}"}
        )

    assert (await ask("GET", f"/{made['id']}")).status_code == 200
    place = f"/{made['id']}"
    writes = ("/reactivate", "/rotate-secret", "/test", "/replay", f"/deliveries/{made['id']}/replay")
    for method, path in [("POST", ""), ("PATCH", place), ("DELETE", place), *(("POST", place + end) for end in writes)]:
        refused = await ask(method, path)
        assert refused.status_code == 403, (method, path)
        assert (refused.json()["requiredScope"], refused.json()["scopes"]) == ("api:write", scopes)
