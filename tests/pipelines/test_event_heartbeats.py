"""Events about heartbeats."""

from dataclasses import replace
from decimal import Decimal

import pytest
from msgspec.structs import asdict

from pipelines.events.crowns import Crown, Crowns
from pipelines.events.heartbeats import Beat, Scored, days_to_inactive, heartbeat_events, judge
from pipelines.refresh import refresh
from pipelines.scoring import Inputs, score
from tests.factories.events import log, register
from tests.factories.ledger import Ledger, address
from tests.factories.markets import build_market
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.domain.lifecycle import heartbeat_status
from warehouse.postgres import Connection

HOUR = 3_600
MONTH = 30 * 24 * HOUR
LIVELY = Inputs(
    idle_seconds=0,
    volume_24h_usd="100000",
    transfers_24h=1_000,
    holders=10_000,
    observed_seconds=24 * HOUR,
    window_seconds=24 * HOUR,
    read_status="ok",
    as_of=0,
)
QUIET = replace(LIVELY, idle_seconds=30 * 24 * HOUR, volume_24h_usd="0", transfers_24h=0)
CROWNS = Crowns({"9e": [Crown(7, "PEPE", 1, 100)]})


def beats(*scores: float) -> list[str]:
    """The levels that scores lead to, one after the other."""
    found: list[str] = []
    beat: Beat | None = None
    for value in scores:
        beat = judge(beat, Decimal(str(value)), Decimal(str(value)), False)
        found.append(beat.level)
    return found


def events_of(chains: Chains, inputs: list[Inputs]) -> list[tuple[str, dict[str, object]]]:
    """The events of successive hours with these inputs, after the grace period."""
    start = 100 + MONTH
    scored = [Scored("9e", start + HOUR * place, score(one).score, 1, one) for place, one in enumerate(inputs, 1)]
    events, _ = heartbeat_events(chains.by_key["base"], scored, CROWNS, {}, 10)
    return [(one.event.type, asdict(one.event)) for one in events]


def test_without_a_score_there_is_no_event(chains: Chains) -> None:
    assert events_of(chains, []) == []


def test_the_first_score_of_a_registration_makes_no_event(chains: Chains) -> None:
    assert events_of(chains, [QUIET]) == []


def test_a_falling_score_and_its_recovery_make_events(chains: Chains) -> None:
    found = events_of(chains, [LIVELY, LIVELY, QUIET, QUIET, LIVELY])
    assert [name for name, _ in found] == [
        "heartbeat.warning",
        "heartbeat.critical",
        "heartbeat.change",
        "heartbeat.recovered",
        "heartbeat.change",
    ]
    crown = {"crown_id": "7", "symbol": "PEPE", "chain": "eip155:8453"}
    low = score(QUIET).score
    assert found[0][1] == {**crown, "score": low, "threshold": 70}
    assert found[1][1] == {**crown, "score": low, "days_to_inactive": 0}
    assert found[2][1] == {
        **crown,
        "previous_status": "healthy",
        "new_status": "inactive",
        "current_score": low,
        "timestamp": "1970-01-31T03:01:40Z",
    }
    assert found[3][1] == {**crown, "score": score(LIVELY).score, "previous_score": low}


def test_an_unobserved_day_changes_nothing(chains: Chains) -> None:
    blind = replace(QUIET, observed_seconds=0, idle_seconds=0)
    assert events_of(chains, [LIVELY, blind, blind, LIVELY]) == []


def test_missing_data_makes_no_warning(chains: Chains) -> None:
    # Below the threshold of 70 only for the gap.
    near = replace(LIVELY, idle_seconds=68 * HOUR, volume_24h_usd="10", transfers_24h=0)
    partly = replace(near, observed_seconds=int(24 * HOUR * 0.93))
    assert score(near).score >= 70 > score(partly).score
    assert "heartbeat.warning" not in [name for name, _ in events_of(chains, [LIVELY, near, partly, partly])]


@pytest.mark.parametrize(
    ("scores", "levels"),
    [
        ((85, 75, 69.99), ["well", "well", "warning"]),
        ((85, 69, 75, 69), ["well", "warning", "warning", "warning"]),
        ((85, 61.99, 69, 61), ["well", "critical", "critical", "critical"]),
        ((85, 61, 70, 61), ["well", "critical", "warning", "critical"]),
        ((61, 79.99, 80, 69), ["critical", "warning", "well", "warning"]),
    ],
)
def test_levels_must_recover_before_they_repeat(scores: tuple[float, ...], levels: list[str]) -> None:
    assert beats(*scores) == levels


@pytest.mark.parametrize(
    ("value", "expected"),
    [("80", "healthy"), ("79.99", "moderate"), ("69.99", "at_risk"), ("60", "at_risk"), ("59.99", "inactive")],
)
def test_status_follows_from_the_score(value: str, expected: str) -> None:
    assert heartbeat_status(Decimal(value), in_grace=False) == expected
    assert heartbeat_status(Decimal(value), in_grace=True) == "grace_period"


def test_days_to_inactive_counts_until_the_score_is_below_60() -> None:
    days = days_to_inactive(LIVELY, 1)
    late = replace(LIVELY, idle_seconds=(days + 1) * 24 * HOUR, volume_24h_usd="0", transfers_24h=0)
    assert score(late).score < 60
    assert days_to_inactive(QUIET, 1) == 0


def test_registrations_are_judged_once_final(chains: Chains) -> None:
    scored = [Scored("9e", 100 + HOUR, score(LIVELY).score, 1, LIVELY)]
    assert heartbeat_events(chains.by_key["base"], scored, CROWNS, {}, 0) == ([], {})


@pytest.mark.usefixtures("listening")
def test_closed_hours_make_events_once_and_gaps_make_none(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.finality_blocks = 2
    token, _ = build_market(ledger)
    register(ledger, token)
    for number in range(2_000):
        ledger.mine(30)
        ledger.transfer(token, address(0xD1), address(0xB000 + number), 1)
    ledger.publish()
    refresh(warehouse, store, chains)
    before = store.execute("SELECT * FROM event_state").fetchall()
    assert [(row["token_id"], row["heartbeat_status"]) for row in before] == [(1, "grace_period")]
    lively = before[0]["heartbeat_score"]
    assert lively > 80

    for _ in range(6 * 24 * 3):  # three days of blocks without a transfer
        ledger.mine(600)
    ledger.publish()
    for _ in range(3):
        refresh(warehouse, store, chains)
    found = log(store, "heartbeat.warning", "heartbeat.critical", "heartbeat.change", "heartbeat.recovered")
    assert [row["type"] for row in found] == ["heartbeat.warning", "heartbeat.critical"]
    assert found[0]["payload"]["score"] < 70
    assert found[1]["payload"]["score"] < 62
    assert found[1]["payload"]["days_to_inactive"] >= 0

    ledger.mine(3 * 24 * HOUR)  # without a refresh
    ledger.mine()
    ledger.publish()
    refresh(warehouse, store, chains)
    assert len(log(store, "heartbeat.warning", "heartbeat.critical", "heartbeat.change")) == 2
