"""Alert rules and alerts as rows of the store, with defaults for what a test does not care about; and readings."""

from typing import Any
from uuid import UUID

from tests.factories.registrations import address
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection, Jsonb

WALLET = address(0xACC)
_DIGITS = address(0x70CE)[2:]
_DAY = 86_400


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


class Readings:
    """Readings of one token on Base, as the steps of a refresh leave them."""

    def __init__(self, warehouse: Warehouse, store: Connection) -> None:
        self.warehouse, self.store = warehouse, store
        store.execute("INSERT INTO chain_checkpoint (chain_id, generation, block_number) VALUES (8453, 1, 7)")
        warehouse.command(
            "INSERT INTO agg_token (chain_id, token, symbol, decimals, version)"
            " VALUES (8453, unhex({token:String}), 'PEPE', 18, 1)",
            {"token": _DIGITS},
        )

    def reached(self, source: str, **details: int) -> None:
        """How far a step has come."""
        self.store.execute(
            "INSERT INTO derive_checkpoint (subject, chain_id, change_id, details) VALUES (%s, 8453, 1, %s)"
            " ON CONFLICT (subject, chain_id) DO UPDATE SET details = excluded.details",
            (source, Jsonb(details)),
        )

    def price(self, at: int, usd: float, *, liquidity: float = 5_000, volume: float = 100) -> None:
        """A candle that ended at a moment, and nothing after it."""
        self.warehouse.command(
            "INSERT INTO agg_token_candle (chain_id, token, seconds, start, open, high, low, close, volume_usd,"
            " liquidity_usd, trades, deleted, version) SELECT 8453, unhex({token:String}), 300, {at:UInt32} - 300,"
            " {usd:Float64} / 1e18, {usd:Float64} / 1e18, {usd:Float64} / 1e18, {usd:Float64} / 1e18,"
            " {volume:Float64}, {liquidity:Float64}, 1, 0, 1",
            {"token": _DIGITS, "at": at, "usd": usd, "liquidity": liquidity, "volume": volume},
        )
        self.reached("candles", as_of=at)

    def score(self, ended_at: int, value: float, *, observed: int = _DAY) -> None:
        """The score at the end of an hour, and nothing after it."""
        self.warehouse.command(
            "INSERT INTO agg_heartbeat (chain_id, token, hour, symbol_key, score, inputs, computed_at)"
            " VALUES (8453, unhex({token:String}), {hour:UInt32}, 'PEPE', {score:Float64}, {inputs:String}, now())",
            {
                "token": _DIGITS,
                "hour": ended_at - 3_600,
                "score": value,
                "inputs": f'{{"as_of": {ended_at}, "observed_seconds": {observed}, "window_seconds": {_DAY}}}',
            },
        )
        self.reached("heartbeats", closed_to=ended_at)

    def holders(self, hour: int, net: int) -> None:
        """A change of the number of holders in an hour; hour 0 has the number."""
        self.warehouse.command(
            "INSERT INTO agg_token_hour (chain_id, token, hour, holders_net, version)"
            " VALUES (8453, unhex({token:String}), {hour:UInt32}, {net:Int64}, 1)",
            {"token": _DIGITS, "hour": hour, "net": net},
        )

    def concentration(self, day: int, *, top10: int, held: int) -> None:
        """What the ten largest holders and all holders had at the end of a day, and nothing after it."""
        self.warehouse.command(
            "INSERT INTO agg_top_day (chain_id, token, day, top10_raw, held_raw, deleted, version)"
            " SELECT 8453, unhex({token:String}), toDate({day:UInt16}), {top10:UInt64}, {held:UInt64}, 0, 1",
            {"token": _DIGITS, "day": day, "top10": top10, "held": held},
        )
        self.reached("concentration", next_day=day + 1)


def _insert(store: Connection, table: str, row: dict[str, Any]) -> UUID:
    columns, marks = ", ".join(row), ", ".join(["%s"] * len(row))
    made = store.execute(
        f"INSERT INTO {table} ({columns}) VALUES ({marks}) RETURNING id",
        list(row.values()),
    ).fetchone()
    assert made is not None
    id: UUID = made["id"]
    return id
