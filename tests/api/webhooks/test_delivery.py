"""Which events reach which receivers."""

import hashlib
import hmac
from datetime import timedelta
from typing import Any

from api.accounts.service import Accounts
from api.security.callers import satisfies
from api.webhooks.queue import MIN_PLAN
from tests.fixtures.webhooks import OTHER, Hooks
from warehouse import postgres
from warehouse.domain.events.catalogue import EVENTS


async def test_a_subscriber_receives_the_event_as_specified(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    data = {"crown_id": "17", "symbol": "QUILL", "figure": 12345678901234567890, "word": "é"}
    id = hooks.record_event("token.minted", payload=data)
    await hooks.engine.run_until_idle()
    [sent] = hooks.receivers.sent
    moment = hooks.clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert sent.envelope == {"id": id, "type": "token.minted", "created_at": moment, "data": data}
    assert sent.headers["Content-Type"] == "application/json"
    assert sent.headers["User-Agent"] == "Regalia-Webhook/1.0"
    assert sent.headers["X-Webhook-Event"] == "token.minted"
    assert sent.headers["X-Webhook-Delivery"] == sent.headers["webhook-id"] == id
    assert sent.headers["X-Webhook-Timestamp"] == moment
    assert sent.headers["webhook-timestamp"] == str(int(hooks.clock.now().timestamp()))
    expected = hmac.new(made["secret"].encode(), sent.body, hashlib.sha256).hexdigest()
    assert sent.headers["X-Webhook-Signature"] == expected
    assert "X-Webhook-Signature-Previous" not in sent.headers


async def test_an_event_is_delivered_once(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    id = hooks.record_event()
    await hooks.engine.run_until_idle()
    await hooks.engine.run_until_idle()
    await hooks.new_engine().run_until_idle()
    assert len(hooks.receivers.sent) == 1
    [delivery] = await hooks.deliveries(made["id"])
    assert (delivery["status"], delivery["attempts"], delivery["event_id"]) == ("delivered", 1, id)
    assert (delivery["last_status_code"], delivery["next_attempt_at"]) == (204, None)


FILTERS: list[tuple[dict[str, Any] | None, dict[str, Any], bool]] = [
    (None, {"token_id": 17, "chain_id": 8453}, True),
    ({"crown_ids": [17, 18]}, {"token_id": 17, "chain_id": 1}, True),
    ({"crown_ids": [18]}, {"token_id": 17, "chain_id": 8453}, False),
    ({"chains": ["eip155:8453"]}, {"token_id": 99, "chain_id": 8453}, True),
    ({"chains": ["eip155:1"]}, {"token_id": 17, "chain_id": 8453}, False),
    ({"crown_ids": [17], "chains": ["eip155:8453"]}, {"token_id": 17, "chain_id": 8453}, True),
    ({"crown_ids": [17], "chains": ["eip155:1"]}, {"token_id": 17, "chain_id": 8453}, False),
    ({"crown_ids": [17], "chains": None}, {"token_id": 17, "chain_id": 8453}, True),
    ({"crown_ids": [18], "chains": ["eip155:1"]}, {"token_id": None, "chain_id": 8453}, True),
]


async def test_filters_match_events_about_registrations(hooks: Hooks) -> None:
    for filter, event, received in FILTERS:
        made = await hooks.subscribe("token.minted", filter=filter)
        hooks.record_event("token.minted", **event)
        await hooks.engine.run_until_idle()
        assert len(hooks.receivers.sent) == received, (filter, event)
        hooks.receivers.sent.clear()
        await hooks.call("DELETE", f"/{made['id']}")


async def test_only_subscribed_types_are_sent(hooks: Hooks) -> None:
    await hooks.subscribe("token.released", "token.expired")
    for type in ("token.minted", "token.expired", "claim.confirmed", "token.released"):
        hooks.record_event(type)
    await hooks.engine.run_until_idle()
    assert {one.envelope["type"] for one in hooks.receivers.sent} == {"token.expired", "token.released"}


async def test_account_events_reach_only_their_account_whatever_the_filter(hooks: Hooks, store_url: str) -> None:
    await hooks.subscribe("quota.exceeded", filter={"crown_ids": [5], "chains": ["eip155:1"]})
    other = Accounts(store_url).create_key(OTHER, "partner").key
    body = {"url": hooks.receivers.url("other"), "events": ["quota.exceeded"]}
    assert (await hooks.call("POST", "", body, key=other)).status_code == 201
    hooks.record_event("quota.exceeded", account_id=hooks.account_id, chain_id=None, token_id=None)
    # An account event without an account, recorded by mistake, reaches no one.
    hooks.record_event("quota.exceeded", account_id=None, chain_id=None, token_id=None)
    await hooks.engine.run_until_idle()
    assert [one.path for one in hooks.receivers.sent] == ["/hook"]


async def test_an_event_committed_late_is_not_missed(hooks: Hooks, store_url: str) -> None:
    await hooks.subscribe("token.minted")
    with postgres.connect(store_url) as late:
        row = late.execute(
            "INSERT INTO event_log (type, chain_id, subject, payload, dedupe_key, token_id)"
            " VALUES ('token.minted', 1, 'LATE', '{}', 'late', 1) RETURNING id"
        ).fetchone()
        assert row is not None
        early = hooks.record_event()
        await hooks.engine.run_until_idle()
        assert [one.envelope["id"] for one in hooks.receivers.sent] == [early]
        late.commit()
    await hooks.engine.run_until_idle()
    assert hooks.receivers.sent[1].envelope["id"] == f"evt_{row['id'].hex}"


async def test_events_from_before_a_subscription_are_not_sent(hooks: Hooks) -> None:
    hooks.record_event()
    hooks.store.execute("SELECT pg_sleep(0.005)")
    await hooks.subscribe("token.minted")
    await hooks.engine.run_until_idle()
    assert hooks.receivers.sent == []


async def test_a_lapsed_plan_stops_deliveries_and_keeps_the_subscription(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    hooks.receivers.answers["hook"] = 500
    hooks.record_event()
    await hooks.engine.run_until_idle()
    hooks.plan("pro")
    hooks.record_event()
    hooks.clock.advance(minutes=2)
    await hooks.engine.run_until_idle()
    assert len(hooks.receivers.sent) == 1
    hooks.plan("developer")
    hooks.receivers.answers.clear()
    await hooks.engine.run_until_idle()
    assert len(hooks.receivers.sent) == 2  # the queued events, not those from the pause
    assert [one["status"] for one in await hooks.deliveries(made["id"])] == ["delivered"]


async def test_nothing_is_sent_to_a_deleted_subscription(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    hooks.receivers.answers["hook"] = 500
    hooks.record_event()
    await hooks.engine.run_until_idle()
    assert (await hooks.call("DELETE", f"/{made['id']}")).json() == {"id": made["id"], "deleted": True}
    hooks.record_event()
    hooks.clock.advance(days=1)
    await hooks.engine.run_until_idle()
    assert len(hooks.receivers.sent) == 1


async def test_a_thousand_events_reach_every_subscriber(hooks: Hooks) -> None:
    await hooks.subscribe("token.minted", path="a")
    await hooks.subscribe("token.minted", path="b", filter={"crown_ids": [7]})
    hooks.store.execute(
        "INSERT INTO event_log (type, chain_id, subject, payload, dedupe_key, token_id)"
        " SELECT 'token.minted', 1, 'MANY', '{}', 'many:' || n, mod(n, 10) FROM generate_series(1, 1000) AS n"
    )
    await hooks.engine.run_until_idle()
    assert len({one.envelope["id"] for one in hooks.receivers.of("a")}) == len(hooks.receivers.of("a")) == 1000
    assert len(hooks.receivers.of("b")) == 100


def test_the_plan_for_webhooks_covers_every_event() -> None:
    assert all(event.plan is None or satisfies(MIN_PLAN, event.plan) for event in EVENTS.values())


async def test_only_old_history_is_removed(hooks: Hooks) -> None:
    from api.webhooks.tasks import forget

    kept, removed = await hooks.subscribe("token.minted"), await hooks.subscribe("token.minted", path="removed")
    hooks.record_event()
    await hooks.engine.run_until_idle()
    await hooks.call("DELETE", f"/{removed['id']}")
    services = hooks.service.services
    await forget(services)
    assert [one["status"] for one in await hooks.deliveries(kept["id"])] == ["delivered"]
    found = hooks.store.execute("SELECT count(*) AS n FROM webhook_subscription").fetchone()
    assert found == {"n": 1}
    hooks.clock.moment += timedelta(days=31)
    await forget(services)
    assert await hooks.deliveries(kept["id"]) == []
    assert hooks.store.execute("SELECT count(*) AS n FROM webhook_attempt").fetchone() == {"n": 0}
