"""Alert rules and alerts as rows of the store, with defaults for what a test does not care about."""

from typing import Any
from uuid import UUID

from tests.factories.registrations import address
from warehouse.postgres import Connection

WALLET = address(0xACC)


def add_account(store: Connection, plan: str = "pro_plus") -> UUID:
    """An account."""
    return _insert(store, "account", {"wallet": WALLET, "plan": plan})


def add_rule(
    store: Connection, account_id: UUID, alert_type: str, operator: str, threshold: float, **changes: Any
) -> UUID:
    """A rule on a token of Base."""
    rule = {
        "account_id": account_id, "wallet": WALLET, "chain_id": 8453, "token_address": address(0x70CE),
        "symbol": "PEPE", "alert_type": alert_type, "operator": operator, "threshold": threshold,
        "window_minutes": 60, "cooldown_minutes": 5, "enabled": True, **changes,
    }  # fmt: skip
    return _insert(store, "alert_rule", rule)


def add_alert(store: Connection, rule_id: UUID, **changes: Any) -> UUID:
    """An open alert of a rule, which has fired."""
    store.execute("UPDATE alert_rule SET judged = true, fired = true, last_fired_at = now() WHERE id = %s", (rule_id,))
    rule = store.execute("SELECT * FROM alert_rule WHERE id = %s", (rule_id,)).fetchone()
    assert rule is not None
    copied = (
        "account_id", "wallet", "chain_id", "token_address", "symbol", "alert_type", "operator", "threshold",
        "window_minutes",
    )  # fmt: skip
    alert = {
        "rule_id": rule_id, **{name: rule[name] for name in copied}, "severity": "high", "metric_value": 3.0,
        "read_at": "2026-01-03T11:10:00Z", "triggered_at": "2026-01-03T11:15:00Z", **changes,
    }  # fmt: skip
    return _insert(store, "alert_instance", alert)


def _insert(store: Connection, table: str, row: dict[str, Any]) -> UUID:
    columns, marks = ", ".join(row), ", ".join(["%s"] * len(row))
    made = store.execute(
        f"INSERT INTO {table} ({columns}) VALUES ({marks}) RETURNING id",
        list(row.values()),
    ).fetchone()
    assert made is not None
    id: UUID = made["id"]
    return id
