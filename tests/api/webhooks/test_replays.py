"""Replays, test events, previews and the history."""

import json
from datetime import timedelta
from typing import Any

import pytest

from api.webhooks import service
from tests.fixtures.webhooks import Hooks
from warehouse.domain.events.trades import LargeTrade


async def test_a_delivery_is_replayed_under_the_same_id(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    id = hooks.record_event()
    await hooks.engine.run_until_idle()
    [first] = await hooks.deliveries(made["id"])
    place = f"/{made['id']}/deliveries/{first['id']}/replay"
    replayed = (await hooks.call("POST", place)).json()
    assert (replayed["cause"], replayed["status"], replayed["event_id"]) == ("replay", "pending", id)
    assert (await hooks.call("POST", place)).json()["id"] == replayed["id"]  # it is queued already
    await hooks.engine.run_until_idle()
    assert [one.envelope["id"] for one in hooks.receivers.sent] == [id, id]
    assert hooks.receivers.sent[0].body == hooks.receivers.sent[1].body
    assert (await hooks.call("POST", place)).json()["id"] != replayed["id"]


async def test_a_period_is_replayed_through_the_filter(hooks: Hooks) -> None:
    begin = hooks.clock.now()
    for day, token_id in enumerate((17, 17, 18, 17)):
        hooks.record_event("trade.large", token_id=token_id, created_at=begin - timedelta(days=5 - day))
    hooks.record_event("token.minted", created_at=begin - timedelta(days=3))
    made = await hooks.subscribe("trade.large", "token.minted", filter={"crown_ids": [17]})
    await hooks.engine.run_until_idle()
    assert hooks.receivers.sent == []
    span = {"from": (begin - timedelta(days=4)).isoformat(), "to": begin.isoformat()}
    place = f"/{made['id']}/replay"
    assert (await hooks.call("POST", place, {**span, "events": ["trade.large"]})).json() == {"queued": 2}
    assert (await hooks.call("POST", place, span)).json() == {"queued": 1}
    assert (await hooks.call("POST", place, span)).json() == {"queued": 0}
    await hooks.engine.run_until_idle()
    assert len(hooks.receivers.sent) == 3
    assert (await hooks.call("POST", place, {**span, "only": "undelivered"})).json() == {"queued": 0}
    whole = {"from": (begin - timedelta(days=6)).isoformat(), "only": "undelivered"}
    assert (await hooks.call("POST", place, whole)).json() == {"queued": 1}


async def test_queued_events_do_not_count_towards_the_replay_limit(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MAX_REPLAYED", 2)
    begin = hooks.clock.now()
    for day in range(4):
        hooks.record_event(created_at=begin - timedelta(days=5 - day))
    made = await hooks.subscribe()
    place, first = f"/{made['id']}/replay", (begin - timedelta(days=6)).isoformat()
    assert (await hooks.call("POST", place, {"from": first})).status_code == 400
    early = {"from": first, "to": (begin - timedelta(days=3, hours=12)).isoformat()}
    assert (await hooks.call("POST", place, early)).json() == {"queued": 2}
    assert (await hooks.call("POST", place, {"from": first})).json() == {"queued": 2}


BAD: list[tuple[dict[str, Any], str]] = [
    ({}, "from: is required"),
    ({"from": "yesterday"}, "from: must be an ISO 8601 time"),
    ({"from": "2020-01-01T00:00:00Z"}, "from: must be within the last 30 days"),
    ({"from": 1}, "to: must not be before from"),
    ({"from": -1, "events": ["no"]}, "events: 'no' is no type of event"),
    ({"from": -1, "only": "some"}, "only: must be all or undelivered"),
]


async def test_bad_replays_name_the_field(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    for given, problem in BAD:
        body = dict(given)
        if isinstance(body.get("from"), int):  # days from now
            body["from"] = (hooks.clock.now() + timedelta(days=body["from"])).isoformat()
        answer = await hooks.call("POST", f"/{made['id']}/replay", body)
        assert answer.status_code == 400
        assert answer.json()["error"].startswith(problem), answer.text


async def test_a_disabled_webhook_replays_nothing(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    await hooks.call("PATCH", f"/{made['id']}", {"enabled": False})
    answer = await hooks.call("POST", f"/{made['id']}/replay", {"from": hooks.clock.now().isoformat()})
    assert (answer.status_code, answer.json()["code"]) == (409, "CONFLICT")


async def test_a_test_event_is_sent_once_even_to_a_disabled_webhook(hooks: Hooks) -> None:
    made = await hooks.subscribe("trade.large")
    hooks.receivers.answers["hook"] = 500
    for _ in range(4):
        test = (await hooks.call("POST", f"/{made['id']}/test")).json()
        assert (test["cause"], test["type"]) == ("test", "trade.large")
        await hooks.engine.run_until_idle()
        hooks.clock.advance(days=1)
        await hooks.engine.run_until_idle()
    assert len(hooks.receivers.sent) == 4
    shown = (await hooks.call("GET", f"/{made['id']}")).json()
    assert (shown["status"], shown["consecutive_failures"]) == ("active", 0)
    await hooks.call("PATCH", f"/{made['id']}", {"enabled": False})
    test = (await hooks.call("POST", f"/{made['id']}/test", {"type": "token.minted"})).json()
    hooks.record_event("trade.large")
    await hooks.engine.run_until_idle()
    sent = hooks.receivers.sent[4:]
    assert [one.envelope["id"] for one in sent] == [test["event_id"]]
    assert sent[0].envelope["id"].startswith("evt_test_")
    assert sent[0].envelope["data"]["symbol"] == "QUILL"
    assert (await hooks.call("POST", f"/{made['id']}/deliveries/{test['id']}/replay")).status_code == 409
    await hooks.call("PATCH", f"/{made['id']}", {"enabled": True})
    assert (await hooks.call("POST", f"/{made['id']}/deliveries/{test['id']}/replay")).status_code == 409
    answer = await hooks.call("POST", f"/{made['id']}/test", {"type": "nothing"})
    assert (answer.status_code, answer.json()["error"][:6]) == (400, "type: ")


async def test_a_preview_shows_what_would_have_been_received(hooks: Hooks) -> None:
    now = hooks.clock.now()
    ids = [hooks.record_event("trade.large", token_id=17, created_at=now - timedelta(days=day)) for day in range(1, 32)]
    hooks.record_event("trade.large", token_id=18, created_at=now - timedelta(days=2))
    hooks.record_event("token.minted", token_id=17, created_at=now - timedelta(days=3))
    hooks.record_event("quota.exceeded", token_id=None, chain_id=None, account_id=hooks.account_id)
    hooks.record_event("quota.exceeded", token_id=None, chain_id=None, account_id=None)
    hooks.clock.advance(seconds=1)
    body = {"events": ["trade.large", "quota.exceeded", "token.expired"], "filter": {"crown_ids": [17]}}
    seen = (await hooks.call("POST", "/preview", body)).json()
    assert [(one["type"], one["count"], one["at_least"]) for one in seen["counts"]] == [
        ("trade.large", 29, False),
        ("quota.exceeded", 1, False),
        ("token.expired", 0, False),
    ]
    assert seen["total"] == 30
    assert len(seen["latest"]) == 20
    assert seen["latest"][0]["type"] == "quota.exceeded"
    assert [one["id"] for one in seen["latest"][1:]] == ids[:19]
    assert seen["latest"][1]["data"] == json.loads(LargeTrade.example().data())


async def test_the_history_has_pages_and_filters(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted", "trade.large")
    ids = [hooks.record_event("token.minted" if at % 2 else "trade.large") for at in range(5)]
    await hooks.engine.run_until_idle()
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        answer = await hooks.service.anonymous.get(
            f"/api/v2/webhooks/{made['id']}/deliveries",
            params={"limit": 2, **cursor},
            headers={"X-API-Key": hooks.key},
        )
        page = answer.json()
        seen += [one["event_id"] for one in page["deliveries"]]
        if not page["has_more"]:
            assert page["next_cursor"] is None
            break
        cursor = {"cursor": page["next_cursor"]}
    assert seen == ids[::-1]
    assert len(await hooks.deliveries(made["id"], type="token.minted")) == 2
    assert await hooks.deliveries(made["id"], status="pending") == []
    assert await hooks.deliveries(made["id"], **{"from": (hooks.clock.now() + timedelta(hours=1)).isoformat()}) == []
    backwards = {"to": "2026-01-01T00:00:00Z", "from": "2026-01-02T00:00:00Z"}
    for wrong in ({"status": "lost"}, {"cursor": "x"}, {"from": "x"}, {"limit": "101"}, {"type": "\0"}, backwards):
        answer = await hooks.service.anonymous.get(
            f"/api/v2/webhooks/{made['id']}/deliveries", params=wrong, headers={"X-API-Key": hooks.key}
        )
        assert answer.status_code == 400
        assert answer.json()["error"].startswith(next(iter(wrong)))
