"""Notices to operators: sent once, in order, again when the receiver failed, and signed."""

import json
import logging
import time

import pytest

from tests.fixtures.receiver import Receiver
from warehouse.notices import chains, ledger
from warehouse.notices.conditions import Condition, Severity, message
from warehouse.notices.webhook import DeliveryFailed, Webhook, send, signature
from warehouse.postgres import Connection

SECRET = "f00d-secret"


def failing(subject: str = "raw_block.contiguous_blocks", severity: Severity = "error") -> Condition:
    return Condition("check_failed", subject, severity, f"check {subject} failed", {"violations": 3})


def make_due(store: Connection) -> None:
    store.execute("UPDATE alert_delivery SET next_attempt_at = now() WHERE status = 'waiting'")


def statuses(store: Connection) -> list[tuple[str, int]]:
    rows = store.execute("SELECT status, attempts FROM alert_delivery ORDER BY id").fetchall()
    return [(row["status"], row["attempts"]) for row in rows]


def test_a_condition_and_its_end_are_reported_once(store: Connection, receiver: Receiver) -> None:
    condition = failing()
    for _ in range(3):
        ledger.report(store, condition)
        ledger.deliver_due(store, receiver.webhook())
    ledger.resolve(store, condition.key)
    ledger.resolve(store, condition.key)
    ledger.deliver_due(store, receiver.webhook())
    assert receiver.events() == [("firing", condition.key), ("resolved", condition.key)]
    ledger.report(store, condition)
    ledger.deliver_due(store, receiver.webhook())
    assert receiver.events()[2:] == [("firing", condition.key)]
    keys = [one.headers["Idempotency-Key"] for one in receiver.received]
    assert len(set(keys)) == 3


def test_a_condition_that_outlasts_its_messages_is_not_reported_again(store: Connection, receiver: Receiver) -> None:
    def all_is_old() -> None:
        store.execute("UPDATE alert_delivery SET finished_at = now() - interval '31 days'")

    ledger.report(store, failing())
    ledger.deliver_due(store, receiver.webhook())
    all_is_old()
    ledger.deliver_due(store, receiver.webhook())
    ledger.report(store, failing())
    ledger.deliver_due(store, receiver.webhook())
    assert receiver.events() == [("firing", failing().key)]
    ledger.resolve(store, failing().key)
    ledger.deliver_due(store, receiver.webhook())
    all_is_old()
    ledger.deliver_due(store, receiver.webhook())
    assert statuses(store) == []


def test_a_message_has_summary_and_start(store: Connection, receiver: Receiver) -> None:
    ledger.report(store, failing())
    ledger.resolve(store, failing().key)
    ledger.deliver_due(store, receiver.webhook())
    first, last = (one.body for one in receiver.received)
    assert set(first) == {"version", "event", "text", "alert"}
    assert first["text"] == "[ERROR] check raw_block.contiguous_blocks failed"
    assert last["text"] == "[RESOLVED] check raw_block.contiguous_blocks failed"
    assert set(first["alert"]) == {
        "key", "kind", "subject", "severity", "summary", "details", "startedAt", "resolvedAt"
    }  # fmt: skip
    assert (first["alert"]["resolvedAt"], first["alert"]["details"]) == (None, {"violations": 3})
    assert last["alert"]["startedAt"] == first["alert"]["startedAt"]
    assert last["alert"]["resolvedAt"] >= last["alert"]["startedAt"]


def test_a_warning_that_becomes_an_error_is_reported_again(store: Connection, receiver: Receiver) -> None:
    for severity in ("warning", "warning", "error", "error", "warning"):
        ledger.report(store, failing(severity=severity))
    ledger.deliver_due(store, receiver.webhook())
    assert [one.body["alert"]["severity"] for one in receiver.received] == ["warning", "error"]


def test_refused_messages_are_sent_again_unchanged_and_in_order(
    store: Connection, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.answers = [500]
    ledger.report(store, failing())
    assert ledger.deliver_due(store, receiver.webhook(SECRET)) == 0
    ledger.resolve(store, failing().key)
    ledger.report(store, failing("other.check"))
    assert ledger.deliver_due(store, receiver.webhook(SECRET)) == 1  # the other; the first is not due yet
    make_due(store)
    assert ledger.deliver_due(store, receiver.webhook(SECRET)) == 2
    key = failing().key
    assert receiver.events() == [
        ("firing", key), ("firing", "check_failed:other.check"), ("firing", key), ("resolved", key)
    ]  # fmt: skip
    first, again = receiver.received[0], receiver.received[2]
    assert first.payload == again.payload
    assert first.headers["Idempotency-Key"] == again.headers["Idempotency-Key"]
    assert statuses(store) == [("delivered", 2), ("delivered", 1), ("delivered", 1)]
    assert "HTTP 500" in caplog.text
    assert "t0ken" not in caplog.text
    assert SECRET not in caplog.text


def test_pauses_grow_until_a_message_is_given_up(store: Connection, receiver: Receiver) -> None:
    receiver.answers = [503] * 20
    ledger.report(store, failing())
    pauses = []
    for _ in range(11):
        make_due(store)
        ledger.deliver_due(store, receiver.webhook())
        row = store.execute(
            "SELECT extract(epoch FROM next_attempt_at - now()) AS pause FROM alert_delivery"
        ).fetchone()
        assert row is not None
        pauses.append(round(row["pause"]))
    assert pauses[:9] == sorted(pauses[:9])
    assert (pauses[0], pauses[8]) == (10, 28_800)
    assert statuses(store) == [("given_up", 10)]
    assert len(receiver.received) == 10


def test_a_receiver_that_is_down_costs_one_attempt_a_call(store: Connection, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(5):
        ledger.report(store, failing(f"check.{number}"))
    caplog.set_level(logging.WARNING)
    assert ledger.deliver_due(store, Webhook("http://127.0.0.1:9/secret-path")) == 0
    assert sorted(statuses(store)) == [("waiting", 0)] * 4 + [("waiting", 1)]
    assert "secret-path" not in caplog.text


def test_without_a_receiver_messages_expire(store: Connection, receiver: Receiver) -> None:
    ledger.report(store, failing())
    ledger.deliver_due(store, None)
    assert statuses(store) == [("waiting", 0)]
    store.execute("UPDATE alert_delivery SET created_at = now() - interval '17 hours'")
    ledger.deliver_due(store, receiver.webhook())
    assert (statuses(store), receiver.received) == ([("given_up", 0)], [])


def test_halted_chains_and_their_recovery_are_reported(store: Connection, receiver: Receiver) -> None:
    store.execute(
        "INSERT INTO chain_checkpoint (chain_id, generation, block_number, halted) VALUES (8453, 1, 7, 'run --rewind')"
    )
    for _ in range(2):
        chains.settle_halted(store, {8453: "base"})
    store.execute("UPDATE chain_checkpoint SET halted = NULL")
    chains.settle_halted(store, {8453: "base"})
    ledger.deliver_due(store, receiver.webhook())
    assert receiver.events() == [("firing", "chain_halted:base"), ("resolved", "chain_halted:base")]
    assert receiver.received[0].body["alert"]["summary"] == "ingestion of base is halted: run --rewind"


# -- the webhook -------------------------------------------------------------------------------------------------------

BODY = message("test", failing(), started_at="2026-01-01T00:00:00Z")


def test_the_receiver_can_verify_who_wrote(receiver: Receiver) -> None:
    assert send(receiver.webhook(SECRET), BODY, "key-1") == 204
    one = receiver.received[0]
    expected = signature(SECRET, one.headers["X-Regalia-Timestamp"], one.payload)
    assert one.headers["X-Regalia-Signature"] == f"sha256={expected}"
    assert abs(int(one.headers["X-Regalia-Timestamp"]) - time.time()) < 60
    assert (one.headers["Idempotency-Key"], one.path) == ("key-1", "/hooks/t0ken?team=ops")
    assert json.loads(one.payload) == BODY


def test_without_a_secret_nothing_is_signed(receiver: Receiver) -> None:
    send(receiver.webhook(), BODY, "key-1")
    assert "X-Regalia-Signature" not in receiver.received[0].headers


def test_redirects_are_not_followed(receiver: Receiver) -> None:
    receiver.answers = [302]
    with pytest.raises(DeliveryFailed, match=r"127\.0\.0\.1:\d+: HTTP 302"):
        send(receiver.webhook(), BODY, "key-1")
    assert len(receiver.received) == 1


def test_a_dripping_receiver_times_out(receiver: Receiver) -> None:
    receiver.drip_seconds = 0.1
    began = time.monotonic()
    with pytest.raises(DeliveryFailed, match=r"no answer in 0\.5 seconds"):
        send(receiver.webhook(), BODY, "key-1", limit_seconds=0.5)
    assert time.monotonic() - began < 30  # all of it would take 56
    receiver.drip_seconds = 0
