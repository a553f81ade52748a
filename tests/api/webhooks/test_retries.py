"""Retries, exhausted deliveries, disabling, and the history of attempts."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from api.outbound.answers import OutboundAnswer, Timing
from api.webhooks.channel import attempt_of
from api.webhooks.outcomes import RETRIES, SubscriptionHealth, settle
from tests.fixtures.webhooks import Hooks

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


def test_retries_come_after_1_5_30_minutes_and_2_12_hours() -> None:
    waits = []
    for attempts in range(1, 6):
        verdict = RETRIES.judge(succeeded=False, final=False, attempts=attempts, now=NOW)
        assert verdict.status == "pending"
        assert verdict.due_at is not None
        waits.append((verdict.due_at - NOW).total_seconds() / 60)
    assert waits == [1, 5, 30, 120, 720]
    assert RETRIES.judge(succeeded=False, final=False, attempts=6, now=NOW).status == "exhausted"


def test_retries_of_one_outage_spread_over_a_tenth_of_their_pause() -> None:
    def wait(chance: float) -> float:
        verdict = RETRIES.judge(succeeded=False, final=False, attempts=5, now=NOW, chance=chance)
        assert verdict.due_at is not None
        return (verdict.due_at - NOW).total_seconds() / 3600

    assert (wait(0.0), wait(0.5), wait(1.0)) == pytest.approx((12, 12.6, 13.2))


async def test_deliveries_that_fail_together_are_retried_apart(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    hooks.receivers.answers["hook"] = 500
    for _ in range(20):
        hooks.record_event()
    await hooks.new_engine(chance=random.random).run_until_idle()
    due = sorted(one["next_attempt_at"] for one in await hooks.deliveries(made["id"]))
    first, last = datetime.fromisoformat(due[0]), datetime.fromisoformat(due[-1])
    assert hooks.clock.now() + timedelta(minutes=1) <= first
    assert timedelta(seconds=1) < last - first <= timedelta(seconds=6)


@pytest.mark.parametrize(
    ("before", "endings", "after"),
    [
        (0, [("exhausted", 500)], SubscriptionHealth(1)),
        (2, [("delivered", 200)], SubscriptionHealth(0)),
        (2, [("exhausted", None)], SubscriptionHealth(3, "failures")),
        (0, [("exhausted", 500), ("delivered", 200), ("exhausted", 500)], SubscriptionHealth(1)),
        (0, [("exhausted", 500)] * 3 + [("delivered", 200)], SubscriptionHealth(3, "failures")),
        (0, [("exhausted", 410), ("delivered", 200)], SubscriptionHealth(1, "gone")),
    ],
)
def test_three_failed_deliveries_in_a_row_or_410_disable(
    before: int, endings: list[tuple[str, int | None]], after: SubscriptionHealth
) -> None:
    assert settle(before, endings) == after


async def test_a_failing_delivery_is_tried_six_times_and_then_exhausted(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    hooks.receivers.answers["hook"] = 500
    id = hooks.record_event()
    for number, wait in enumerate((timedelta(), *RETRIES.pauses), 1):
        hooks.clock.moment += wait - timedelta(seconds=1) if number > 1 else wait
        await hooks.engine.run_until_idle()
        assert len(hooks.receivers.sent) == max(number - 1, 1)
        hooks.clock.advance(seconds=1 if number > 1 else 0)
        await hooks.engine.run_until_idle()
        assert len(hooks.receivers.sent) == number
    hooks.clock.advance(days=30)
    await hooks.engine.run_until_idle()
    assert len(hooks.receivers.sent) == 6
    assert len({one.body for one in hooks.receivers.sent}) == 1
    assert {one.headers["webhook-id"] for one in hooks.receivers.sent} == {id}
    assert len({one.headers["webhook-timestamp"] for one in hooks.receivers.sent}) == 6
    [delivery] = await hooks.deliveries(made["id"])
    assert (delivery["status"], delivery["attempts"], delivery["next_attempt_at"]) == ("exhausted", 6, None)
    shown = (await hooks.call("GET", f"/{made['id']}")).json()
    assert (shown["status"], shown["consecutive_failures"]) == ("active", 1)


async def test_a_retry_that_succeeds_ends_the_delivery(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    hooks.receivers.answers["hook"] = 503
    hooks.record_event()
    await hooks.engine.run_until_idle()
    [waiting] = await hooks.deliveries(made["id"], status="pending")
    due = hooks.clock.now() + timedelta(minutes=1)
    assert waiting["next_attempt_at"] == due.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert (waiting["last_status_code"], waiting["last_problem"]) == (503, "HTTP 503")
    hooks.receivers.answers.clear()
    hooks.clock.advance(minutes=1)
    await hooks.engine.run_until_idle()
    detail = (await hooks.call("GET", f"/{made['id']}/deliveries/{waiting['id']}")).json()
    assert (detail["status"], detail["attempts"]) == ("delivered", 2)
    assert [attempt["response"]["status_code"] for attempt in detail["history"]] == [503, 204]


async def exhaust(hooks: Hooks, times: int = 1) -> None:
    for _ in range(times):
        hooks.record_event()
    for wait in (timedelta(), *RETRIES.pauses):
        hooks.clock.moment += wait
        await hooks.engine.run_until_idle()


async def test_disabling_is_recorded_and_reactivation_resumes(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    hooks.receivers.answers["hook"] = 500
    await exhaust(hooks)
    await exhaust(hooks)
    assert (await hooks.call("GET", f"/{made['id']}")).json()["consecutive_failures"] == 2
    await exhaust(hooks)
    shown = (await hooks.call("GET", f"/{made['id']}")).json()
    assert (shown["status"], shown["disabled_reason"], shown["consecutive_failures"]) == ("disabled", "failures", 3)
    assert shown["disabled_at"] is not None
    notice = hooks.store.execute("SELECT payload, account_id FROM event_log WHERE type = 'webhook.disabled'").fetchall()
    assert [(row["payload"]["webhook_id"], row["account_id"]) for row in notice] == [(made["id"], hooks.account_id)]
    sent = len(hooks.receivers.sent)
    hooks.record_event()
    await hooks.engine.run_until_idle()
    assert len(hooks.receivers.sent) == sent

    hooks.clock.advance(seconds=1)
    hooks.receivers.answers.clear()
    assert (await hooks.call("POST", f"/{made['id']}/reactivate")).json()["status"] == "active"
    missed = {"from": shown["disabled_at"], "only": "undelivered"}
    assert (await hooks.call("POST", f"/{made['id']}/replay", missed)).json() == {"queued": 1}
    hooks.record_event()
    await hooks.engine.run_until_idle()
    assert len(hooks.receivers.sent) == sent + 2


async def test_a_success_resets_the_failure_count(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    hooks.receivers.answers["hook"] = 500
    await exhaust(hooks, 2)
    hooks.receivers.answers.clear()
    hooks.record_event()
    await hooks.engine.run_until_idle()
    hooks.receivers.answers["hook"] = 500
    await exhaust(hooks, 2)
    shown = (await hooks.call("GET", f"/{made['id']}")).json()
    assert (shown["status"], shown["consecutive_failures"]) == ("active", 2)


async def test_410_disables_at_once(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    hooks.receivers.answers["hook"] = 410
    hooks.record_event()
    await hooks.engine.run_until_idle()
    hooks.clock.advance(days=1)
    await hooks.engine.run_until_idle()
    assert len(hooks.receivers.sent) == 1
    shown = (await hooks.call("GET", f"/{made['id']}")).json()
    assert (shown["status"], shown["disabled_reason"]) == ("disabled", "gone")
    assert [one["status"] for one in await hooks.deliveries(made["id"])] == ["exhausted"]


async def test_a_redirect_is_a_failure_and_not_followed(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    hooks.receivers.answers["hook"] = 307
    hooks.receivers.headers["Location"] = hooks.receivers.url("elsewhere")
    hooks.record_event()
    await hooks.engine.run_until_idle()
    [delivery] = await hooks.deliveries(made["id"])
    assert (delivery["status"], delivery["last_status_code"]) == ("pending", 307)
    assert hooks.receivers.of("elsewhere") == []


async def test_a_late_answer_is_a_failure(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    hooks.receivers.wait_seconds["hook"] = 2.0
    hooks.record_event()
    await hooks.new_engine(limit_seconds=0.2).run_until_idle()
    [delivery] = await hooks.deliveries(made["id"])
    assert (delivery["status"], delivery["last_status_code"]) == ("pending", None)
    assert delivery["last_problem"] == "no answer within 0.2 seconds"


async def test_the_history_shows_request_answer_and_timing(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    hooks.receivers.answers["hook"] = 418
    hooks.receivers.headers["X-Odd"] = "one"
    hooks.receivers.text = "no\0coffee" + "." * 10_000
    hooks.record_event()
    await hooks.engine.run_until_idle()
    [listed] = await hooks.deliveries(made["id"])
    detail = (await hooks.call("GET", f"/{made['id']}/deliveries/{listed['id']}")).json()
    assert listed.items() <= detail.items()
    [sent] = hooks.receivers.sent
    assert detail["request_body"].encode() == sent.body
    [attempt] = detail["history"]
    assert (attempt["number"], attempt["url"]) == (1, hooks.receivers.url())
    signatures = {"X-Webhook-Signature", "webhook-signature"}
    shown = attempt["request_headers"]
    assert {shown.pop(name) for name in signatures} == {"[hidden]"}
    assert shown.items() <= sent.headers.items()
    kept = hooks.store.execute("SELECT request_headers::text AS text FROM webhook_attempt").fetchone()
    assert kept is not None
    assert not any(sent.headers[name] in kept["text"] for name in signatures)
    assert attempt["response"]["status_code"] == 418
    assert attempt["response"]["headers"]["x-odd"] == "one"
    assert attempt["response"]["body"].startswith("no\ufffdcoffee.")
    assert (len(attempt["response"]["body"]), attempt["response"]["body_complete"]) == (4096, False)
    assert (attempt["failure"], attempt["problem"]) == ("status", "HTTP 418")
    assert 0 < attempt["timing"]["answer_seconds"] <= attempt["timing"]["total_seconds"] < 5


def test_invalid_bytes_become_replacement_characters() -> None:
    answer = OutboundAnswer(
        status=200,
        headers={"x-odd": "caf\udce9\0" + "." * 5000},
        body=b"\xff\0",
        body_complete=True,
        timing=Timing(None, None, 0.1, 0.1),
        failure=None,
        problem=None,
    )
    attempt = attempt_of("https://example.com", {}, NOW, answer)
    assert attempt.response_headers is not None
    assert attempt.response_headers["x-odd"].startswith("caf\ufffd\ufffd..")
    assert len(attempt.response_headers["x-odd"]) == 1024
    assert attempt.response_body == "\ufffd\ufffd"
