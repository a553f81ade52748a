"""The catalogue of events, and how one is recorded."""

import pytest

from api.models.account import PLANS
from api.store.events import EVENTS, INTERNAL, Audience, record_event
from api.store.store import Store
from warehouse.postgres import Connection

# What the interface names, by whom it is for.
PUBLIC = (
    "token.minted", "token.released", "token.expired", "token.copycat_detected", "heartbeat.warning",
    "heartbeat.critical", "heartbeat.recovered", "heartbeat.change", "holder.new", "trade.large",
    "concentration.alert", "milestone.reached", "profile.updated", "interest.expressed",
)  # fmt: skip
PRIVATE = (
    "alert.triggered", "alert.acknowledged", "alert.resolved", "subscription.upgraded", "subscription.downgraded",
    "usage.threshold", "quota.threshold_warning", "quota.exceeded", "community.member_joined",
    "community.member_left", "deal.created", "deal.accepted", "deal.rejected", "deal.cancelled", "deal.completed",
    "deal.failed", "ci.autofix.failed",
)  # fmt: skip
_TYPES = {"string", "number", "integer", "boolean", "string[]", "object[]"}


def test_the_catalogue_names_every_event_and_whom_it_is_for() -> None:
    audiences = {name: event.audience for name, event in EVENTS.items()}
    assert audiences == {**dict.fromkeys(PUBLIC, Audience.SUBSCRIBERS), **dict.fromkeys(PRIVATE, Audience.ACCOUNT)}
    assert not INTERNAL & set(EVENTS)


def test_every_type_is_described_and_its_members_named_once() -> None:
    for event in EVENTS.values():
        names = [field.name for field in event.fields]
        assert event.description.endswith(".")
        assert len(names) == len(set(names))
        assert event.plan is None or event.plan in PLANS
        assert {field.type for field in event.fields} <= _TYPES


async def test_an_event_is_recorded_once_and_only_with_its_transaction(store: Connection, store_url: str) -> None:
    events = Store(store_url, pool_size=1)

    async def record(key: str, *, then_fail: bool = False) -> None:
        async with events.transaction() as transaction:
            await record_event(
                transaction, type="interest.expressed", chain_id=1, subject="PEPE", payload={"a": 1}, dedupe_key=key
            )
            if then_fail:
                raise ZeroDivisionError

    for _ in range(2):
        await record("one")
    with pytest.raises(ZeroDivisionError):
        await record("two", then_fail=True)
    await events.close()
    rows = store.execute("SELECT dedupe_key, payload, account_id, token_id, fanned_out_at FROM event_log").fetchall()
    assert rows == [
        {"dedupe_key": "one", "payload": {"a": 1}, "account_id": None, "token_id": None, "fanned_out_at": None}
    ]
