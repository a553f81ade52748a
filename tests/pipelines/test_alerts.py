"""Rules are evaluated on real readings, each breach once, whatever happens to the runs."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from pipelines.alerts import recording
from pipelines.alerts.evaluation import evaluate
from pipelines.refresh import refresh
from tests.factories.alerts import Readings, add_account, add_rule
from tests.factories.events import log
from tests.factories.ledger import Ledger
from tests.factories.markets import build_market
from tests.factories.registrations import add_registration, add_token, address
from warehouse import event_log
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

DAY, QUARTER = 86_400, 900
NOON = 1_767_225_600 + DAY // 2
SITE = "https://crowns.example"


class Chain(Readings):
    """Rules on one token of Base, with its readings."""

    def __init__(self, warehouse: Warehouse, store: Connection, chains: Chains) -> None:
        super().__init__(warehouse, store)
        self.chains = chains
        self.account = add_account(store)

    def rule(self, alert_type: str, operator: str, threshold: float, **changes: Any) -> UUID:
        """A rule on the token."""
        return add_rule(self.store, self.account, alert_type, operator, threshold, **changes)

    def evaluate(self) -> int:
        """Evaluate all rules; how many alerts changed."""
        return sum(run.rows for run in evaluate(self.warehouse, self.store, self.chains, SITE))

    def alerts(self) -> list[tuple[Any, ...]]:
        """All alerts by the moment at which they were raised: type, moment, value, earlier value, status, reason."""
        rows = self.store.execute("SELECT * FROM alert_instance ORDER BY triggered_at, alert_type").fetchall()
        return [
            (
                row["alert_type"],
                int(row["triggered_at"].timestamp()),
                round(row["metric_value"], 9),
                row["earlier_value"] and round(row["earlier_value"], 9),
                row["status"],
                row["resolved_reason"],
            )
            for row in rows
        ]


@pytest.fixture
def chain(warehouse: Warehouse, store: Connection, chains: Chains) -> Chain:
    return Chain(warehouse, store, chains)


def test_without_rules_or_data_nothing_happens(chain: Chain) -> None:
    assert chain.evaluate() == 0
    chain.price(NOON, 4)
    assert chain.evaluate() == 0
    assert chain.alerts() == []


def test_a_breach_fires_once_and_its_recovery_resolves_it(chain: Chain, store: Connection) -> None:
    add_registration(store, token_id=17)
    chain.rule("price_change", "pct_drop", 20)
    chain.price(NOON - 3_600, 4)
    chain.price(NOON, 4)
    assert chain.evaluate() == 0
    chain.price(NOON + QUARTER, 3)
    assert [chain.evaluate() for _ in range(3)] == [1, 0, 0]
    raised = ("price_change", NOON + QUARTER, 3, 4)
    assert chain.alerts() == [(*raised, "active", None)]
    chain.price(NOON + 2 * QUARTER, 2.9)
    assert chain.evaluate() == 0
    chain.price(NOON + 3 * QUARTER, 3.9)
    assert chain.evaluate() == 1
    assert chain.alerts() == [(*raised, "resolved", "auto_recovered")]
    triggered, resolved = log(store, "alert.triggered", "alert.resolved")
    assert triggered["payload"] == {
        "title": "PEPE: Price",
        "body": "The price of a whole token in US dollars: fell by 25 percent in 60 minutes, from 4 to 3; the rule's"
        " threshold is 20 percent.",
        "action_url": f"{SITE}/base/PEPE",
        "action_label": "See PEPE",
        "symbol": "PEPE",
        "crown_id": "17",
        "chain_id": 8453,
    }
    assert resolved["payload"]["reason"] == "auto_recovered"
    assert resolved["payload"]["timestamp"] == datetime.fromtimestamp(NOON + 3 * QUARTER, UTC).strftime(
        "%Y-%m-%dT%H:%M:%SZ"
    )
    assert {row["account_id"] for row in (triggered, resolved)} == {chain.account}


def test_a_gap_neither_recovers_nor_fires_and_missed_moments_are_caught_up(chain: Chain) -> None:
    chain.rule("price_change", "lt", 3)
    chain.price(NOON, 2)
    assert chain.evaluate() == 1
    # Nothing is judged until the data has passed the next quarter.
    chain.reached("candles", as_of=NOON + QUARTER - 1)
    assert chain.evaluate() == 0
    # Two runs were missed: the recovery and the new breach in between are found.
    chain.price(NOON + QUARTER, 5)
    chain.price(NOON + 2 * QUARTER, 1)
    assert chain.evaluate() == 2
    assert chain.alerts() == [
        ("price_change", NOON, 2, None, "resolved", "auto_recovered"),
        ("price_change", NOON + 2 * QUARTER, 1, None, "active", None),
    ]


def test_late_data_changes_nothing_about_judged_moments(chain: Chain) -> None:
    chain.rule("price_change", "lt", 3)
    chain.price(NOON - 300, 5)
    chain.reached("candles", as_of=NOON)
    assert chain.evaluate() == 0
    chain.price(NOON, 1)  # of a moment that was judged
    assert chain.evaluate() == 0
    chain.reached("candles", as_of=NOON + QUARTER)
    assert chain.evaluate() == 1
    assert chain.alerts() == [("price_change", NOON + QUARTER, 1, None, "active", None)]


def test_a_run_that_dies_before_it_commits_is_repeated(chain: Chain, monkeypatch: pytest.MonkeyPatch) -> None:
    chain.rule("price_change", "lt", 3)
    chain.price(NOON, 1)

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(event_log, "parameters", die)  # for the last statement of the transaction
        with pytest.raises(KeyboardInterrupt):
            chain.evaluate()
    assert (chain.alerts(), log(chain.store)) == ([], [])
    assert chain.evaluate() == 1
    assert len(log(chain.store, "alert.triggered")) == 1


def test_of_two_runs_that_read_the_same_state_one_records_nothing(chain: Chain) -> None:
    chain.rule("price_change", "lt", 3)
    chain.price(NOON, 1)
    assert chain.evaluate() == 1
    base = chain.chains.by_key["base"]
    stale = {"chain_id": 8453, "source": "candles", "before": None, "judged_through": NOON}
    assert recording.record(chain.store, base, stale, recording.Found(), SITE) is None


@pytest.mark.parametrize(
    "act",
    [
        "UPDATE alert_rule SET threshold = 1, revision = revision + 1",
        "UPDATE alert_rule SET enabled = false, revision = revision + 1",
        "DELETE FROM alert_rule",
    ],
)
def test_what_was_found_about_a_rule_changed_meanwhile_is_left_out(
    chain: Chain, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain.rule("price_change", "lt", 3)
    chain.price(NOON, 2)
    record = recording.record

    def change_first(*given: Any) -> int | None:
        chain.store.execute(act)
        return record(*given)

    monkeypatch.setattr("pipelines.alerts.evaluation.record", change_first)
    assert chain.evaluate() == 0
    assert (chain.alerts(), log(chain.store)) == ([], [])


def test_rules_beyond_the_plan_are_paused(chain: Chain, store: Connection) -> None:
    add_token(store)
    rules = [chain.rule("heartbeat_score", "lt", 60) for _ in range(4)]
    price = chain.rule("price_change", "lt", 3)
    store.execute("UPDATE account SET plan = 'free'")
    chain.score(NOON, 40)
    chain.price(NOON, 1)
    assert chain.evaluate() == 3
    fired = store.execute("SELECT rule_id FROM alert_instance").fetchall()
    assert {row["rule_id"] for row in fired} == set(rules[:3])
    store.execute("UPDATE account SET plan = 'pro'")
    chain.score(NOON + 3_600, 40)
    chain.price(NOON + QUARTER, 1)
    assert chain.evaluate() == 2
    fired = store.execute("SELECT rule_id FROM alert_instance").fetchall()
    assert {row["rule_id"] for row in fired} == {*rules, price}


def test_a_score_that_fell_for_want_of_data_does_not_fire(chain: Chain) -> None:
    chain.rule("heartbeat_score", "lt", 60)
    chain.score(NOON, 80)
    assert chain.evaluate() == 0
    chain.score(NOON + 3_600, 30, observed=DAY // 2)
    assert chain.evaluate() == 0
    chain.score(NOON + 7_200, 30)
    assert chain.evaluate() == 1
    assert chain.alerts() == [("heartbeat_score", NOON + 7_200, 30, None, "active", None)]


def test_holders_liquidity_volume_and_concentration_are_read(chain: Chain) -> None:
    midnight = NOON - NOON % DAY
    chain.rule("holder_count_drop", "pct_drop", 50)
    chain.rule("liquidity_drop", "lt", 2_000)
    chain.rule("volume_anomaly", "gt", 1_000)
    chain.rule("top10_concentration", "gt", 70)
    for hour, net in ((0, 40), (NOON - 2 * 3_600, 100), (NOON - 3_600, -60)):
        chain.holders(hour, net)
    chain.concentration(NOON // DAY - 1, top10=800, held=1_000)
    chain.reached("holders", as_of=NOON)
    chain.price(NOON - DAY + 300, 4, volume=600)
    chain.price(NOON, 4, liquidity=1_500, volume=500)
    assert chain.evaluate() == 4
    # Concentration is known for the moments of the whole day: it is judged at the newest.
    last = midnight + DAY - QUARTER
    assert sorted(chain.alerts()) == [
        ("holder_count_drop", NOON, 40, 100, "active", None),
        ("liquidity_drop", NOON, 1_500, None, "active", None),
        ("top10_concentration", last, 80, None, "active", None),
        ("volume_anomaly", NOON, 1_100, None, "active", None),
    ]


def test_copies_are_counted_as_they_are_found(chain: Chain, store: Connection) -> None:
    add_registration(store, token_id=17)
    chain.rule("copycat_detected", "gt", 1, window_minutes=1440)
    assert chain.evaluate() == 0
    for number in (1, 2):
        store.execute(
            "INSERT INTO copy_sighting (chain_id, address, of_chain_id, of_token_id, first_seen_at, seen_at)"
            " VALUES (8453, %s, 8453, 17, now() - interval '1 year', now() - interval '1 hour')",
            (address(number),),
        )
    store.execute("UPDATE alert_progress SET judged_through = judged_through - interval '15 minutes'")
    assert chain.evaluate() == 1
    [(kind, _, copies, *_)] = chain.alerts()
    assert (kind, copies) == ("copycat_detected", 2)


def test_holders_of_a_chain_are_judged_as_they_are_shown(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    pepe, _ = build_market(ledger)
    ledger.mine(3_600)
    ledger.publish()
    refresh(warehouse, store, chains)
    add_rule(store, add_account(store), "holder_count_drop", "lt", 1_000_000, token_address=f"0x{pepe}")
    assert sum(run.rows for run in evaluate(warehouse, store, chains, SITE)) == 1
    shown = warehouse.scalar(
        "SELECT toInt64(sum(holders_net)) FROM agg_token_hour FINAL"
        " WHERE token = unhex({token:String}) AND hour = toDateTime(0)",
        {"token": pepe},
    )
    [row] = store.execute("SELECT metric_value FROM alert_instance").fetchall()
    assert row["metric_value"] == shown > 0
