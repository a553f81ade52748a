"""Recording what an evaluation found: alerts, recoveries, what is then known of the rules, and the events and
messages, in one transaction with how far the source is judged."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import quote

import polars as pl

from warehouse import event_log, postgres
from warehouse.alerts import wording
from warehouse.domain.alerts import ALERT_TYPES, Operator
from warehouse.domain.chains import Chain
from warehouse.domain.events.alerts import AlertResolved, AlertTriggered, alert_members
from warehouse.domain.events.event import Occurrence, given, of_account
from warehouse.postgres import Connection, Jsonb

_ROWS_AT_ONCE = 100_000
Row = Mapping[str, Any]
Rows = Sequence[Row]


@dataclass(frozen=True, slots=True)
class Found:
    """What an evaluation found.

    Args:
        standings: what is then known of rules: ``id``, ``revision``, ``fired``, ``last_fired``.
        alerts: those that fired, by moment.
        recoveries: rules that recovered, by moment.
    """

    standings: Sequence[pl.DataFrame] = ()
    alerts: Mapping[int, Rows] = field(default_factory=dict)
    recoveries: Mapping[int, Rows] = field(default_factory=dict)

    @classmethod
    def joined(cls, parts: Sequence["Found"]) -> "Found":
        """All of them as one."""
        return cls(
            [frame for part in parts for frame in part.standings],
            _by_moment(part.alerts for part in parts),
            _by_moment(part.recoveries for part in parts),
        )


class _Told(NamedTuple):
    """What is told of a change: the account's event, and the message to the rule's owner."""

    event: Occurrence
    message: Row


def _by_moment(parts: Iterable[Mapping[int, Rows]]) -> dict[int, Rows]:
    found: dict[int, list[Row]] = defaultdict(list)
    for part in parts:
        for moment, rows in part.items():
            found[moment] += rows
    return {**found}


def record(store: Connection, chain: Chain, progress: Mapping[str, Any], found: Found, site_url: str) -> int | None:
    """Record it; how many alerts were raised or resolved. None: another evaluation was first, and nothing is recorded.

    What concerns a rule that its owner changed, disabled or deleted since it was read is left out.
    """
    with store.transaction():
        if not postgres.run(store, "alerts/advance_progress", progress):
            return None
        same = {
            str(row["id"])
            for frame in found.standings
            for part in frame.iter_slices(_ROWS_AT_ONCE)
            for row in postgres.run(store, "alerts/save_standings", {"standings": part.write_json()})
        }
        changed = 0
        for moment in sorted(found.alerts.keys() | found.recoveries.keys()):
            recovered = [row for row in found.recoveries.get(moment, ()) if row["rule_id"] in same]
            fired = [row for row in found.alerts.get(moment, ()) if row["rule_id"] in same]
            told = [*_resolve(store, chain, recovered, site_url), *_raise(store, chain, fired, site_url)]
            if told:
                postgres.run(store, event_log.STATEMENT, event_log.parameters([one.event for one in told]))
                postgres.run(store, "alerts/add_messages", {"messages": Jsonb([one.message for one in told])})
            changed += len(told)
        return changed


def _resolve(store: Connection, chain: Chain, recovered: Rows, site_url: str) -> list[_Told]:
    if not recovered:
        return []
    rows = postgres.run(store, "alerts/resolve_recovered", {"recoveries": Jsonb(recovered)})
    told = []
    for row in rows:
        about = alert_members(row["id"], row["wallet"], row["alert_type"], row["symbol"], row["resolved_at"])
        event = of_account(AlertResolved(**about, reason="auto_recovered"), row["account_id"])
        type, symbol = ALERT_TYPES[row["alert_type"]], row["symbol"]
        title, body = wording.title(symbol, type), wording.recovered(type, row["triggered_at"])
        told.append(_Told(event, _message(row, title, body, _page(site_url, chain, symbol), None)))
    return told


def _raise(store: Connection, chain: Chain, fired: Rows, site_url: str) -> list[_Told]:
    if not fired:
        return []
    rows = postgres.run(store, "alerts/add_alerts", {"alerts": Jsonb(fired)})
    told = []
    for row in rows:
        event = _triggered(chain, row, site_url)
        message = _message(row, event.title, event.body, event.action_url, row["token_id"])
        told.append(_Told(of_account(event, row["account_id"], instance_id=row["id"]), message))
    return told


def _message(row: Row, title: str, body: str, url: str, token_id: int | None) -> Row:
    return {
        "rule_id": str(row["rule_id"]),
        "title": title,
        "body": body,
        "link_url": url,
        "chain_id": row["chain_id"],
        "token_id": token_id,
        "symbol": row["symbol"],
    }


def _page(site_url: str, chain: Chain, symbol: str) -> str:
    return f"{site_url}/{chain.key}/{quote(symbol, safe='')}"


def _triggered(chain: Chain, row: Mapping[str, Any], site_url: str) -> AlertTriggered:
    type, symbol = ALERT_TYPES[row["alert_type"]], row["symbol"]
    return AlertTriggered(
        title=wording.title(symbol, type),
        body=wording.body(
            type,
            Operator(row["operator"]),
            float(row["threshold"]),
            row["window_minutes"],
            row["metric_value"],
            row["earlier_value"],
        ),
        action_url=_page(site_url, chain, symbol),
        action_label=f"See {symbol}",
        symbol=symbol,
        crown_id=given(None if row["token_id"] is None else str(row["token_id"])),
        chain_id=chain.chain_id,
    )
