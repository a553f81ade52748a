"""Evaluating alert rules.

Moments are the quarters of an hour. A source of readings is judged at the moments that its data has reached and that
were not judged before, at most a day of them. What changed is recorded in one transaction with the moment that is then
judged: a run that dies is repeated, of two runs one records nothing, and data that comes later than its moment changes
nothing. A rule that was created or changed since is judged at the newest moment only.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from pipelines.alerts.reading import read_series
from pipelines.alerts.recording import Found, record
from pipelines.alerts.rules import read_rules
from pipelines.locks import chain_lock
from pipelines.refresh_run import RefreshRun
from pipelines.run_log import StepRun, timed
from warehouse.alerts import readings
from warehouse.alerts.evaluating import Outcome, evaluate_rules
from warehouse.alerts.firing import Standings
from warehouse.clickhouse import Warehouse
from warehouse.domain.addresses import digits_of
from warehouse.domain.alerts import ALERT_TYPES, STEP_SECONDS, Source
from warehouse.domain.chains import Chain, Chains
from warehouse.postgres import Connection

log = logging.getLogger(__name__)

SUBJECT = "alerts"
_MOST_MOMENTS = readings.DAY // STEP_SECONDS
_ROWS_AT_ONCE = 1_000_000
"""Rules times moments that are judged together."""
_TOKENS_AT_ONCE = 20_000


@dataclass(frozen=True, slots=True)
class Reached:
    """How far a source goes on a chain, and through when it is judged, in unix seconds."""

    chain_id: int
    source: str
    reached: int
    judged_through: int | None

    def moments(self) -> list[int]:
        """The moments to judge, ascending: those that the data has reached since; at first the newest only."""
        last = self.reached // STEP_SECONDS * STEP_SECONDS
        first = last if self.judged_through is None else self.judged_through + STEP_SECONDS
        return list(range(max(first, last - (_MOST_MOMENTS - 1) * STEP_SECONDS), last + 1, STEP_SECONDS))


def evaluate(
    warehouse: Warehouse, store: Connection, chains: Chains, site_url: str, *, wait_seconds: float = 60.0
) -> list[StepRun]:
    """Judge all rules at the moments that are due, and record alerts, recoveries and their events.

    Args:
        warehouse: the warehouse.
        store: the store, whose connection commits by itself.
        chains: the facts of the chains.
        site_url: where events link to.
        wait_seconds: how long to wait for a chain's refresh run: readings must not change while they are read.

    Raises:
        RefreshBusy: the refresh run of a chain did not finish in time.
    """
    run = RefreshRun(warehouse, store, chains)
    rules = read_rules(store)
    for reached in run.store_records(Reached, "alerts/read_reached"):
        chain = chains.by_id(reached.chain_id)
        moments = reached.moments()
        if chain is None or not moments:
            continue
        source = Source(reached.source)
        names = [type.name for type in ALERT_TYPES.values() if type.source is source]
        chosen = rules.filter((pl.col("chain_id") == chain.chain_id) & pl.col("alert_type").is_in(names))
        with chain_lock(store, chain.chain_id, wait_seconds):
            changed, seconds = timed(lambda: _evaluate(run, chain, reached, chosen, moments, site_url))  # noqa: B023
        if chosen.height:
            covered = (str(moments[0]), str(moments[-1]), f"{source}: {chosen.height} rules")
            run.log.record(StepRun(SUBJECT, chain.chain_id, seconds, changed, *covered))
    return run.log.entries


def _evaluate(
    run: RefreshRun, chain: Chain, reached: Reached, rules: pl.DataFrame, moments: Sequence[int], site_url: str
) -> int:
    """Judge the rules of one source of a chain; how many alerts were raised or resolved."""
    found = [
        _judge_batch(chain, batch, moments, series)
        for batch, series in _batches(run, chain, Source(reached.source), rules, moments)
    ]
    progress = {"chain_id": chain.chain_id, "source": reached.source, "before": reached.judged_through}
    changed = record(run.store, chain, {**progress, "judged_through": moments[-1]}, Found.joined(found), site_url)
    if changed is None:
        log.info("%s alerts of chain %s were evaluated by another run", reached.source, chain.key)
    return changed or 0


def _batches(
    run: RefreshRun, chain: Chain, source: Source, rules: pl.DataFrame, moments: Sequence[int]
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """The rules by batches of tokens, with the readings of those tokens."""
    addresses = rules.get_column("token_address").unique().sort().to_list()
    for place in range(0, len(addresses), _TOKENS_AT_ONCE):
        part = addresses[place : place + _TOKENS_AT_ONCE]
        digits = pl.DataFrame({"token_address": part, "token": [digits_of(address) for address in part]})
        batch = rules.join(digits, on="token_address", how="inner")
        begin = readings.begin_of(source, moments[0], int(batch.get_column("window_seconds").max() or 0))  # type: ignore[arg-type]
        yield batch, read_series(run, chain, source, part, begin, moments[-1])


def _judge_batch(chain: Chain, rules: pl.DataFrame, moments: Sequence[int], series: pl.DataFrame) -> Found:
    at_once = max(1, _ROWS_AT_ONCE // len(moments))
    found = [
        _judge_rules(name, part, moments, series)
        for (name,), of_type in rules.group_by("alert_type", maintain_order=True)
        for part in of_type.iter_slices(at_once)
    ]
    return Found.joined(found)


def _judge_rules(name: Any, rules: pl.DataFrame, moments: Sequence[int], series: pl.DataFrame) -> Found:
    """Judge rules of one type."""
    type = ALERT_TYPES[name]
    rules = rules.with_row_index("row")
    outcome = evaluate_rules(
        type,
        rules.select("row", "token", "operator", "threshold", window="window_seconds"),
        readings.series_of(type, series),
        moments,
        standings=Standings(
            rules.get_column("fired").to_numpy().copy(), rules.get_column("last_fired").to_numpy().copy()
        ),
        cooldowns=rules.get_column("cooldown_seconds").to_numpy(),
        newest_only=~rules.get_column("judged").to_numpy(),  # a new rule was not there at the earlier moments
    )
    return _found(type.severity, rules, moments, outcome)


def _found(
    severity: str,
    rules: pl.DataFrame,
    moments: Sequence[int],
    outcome: Outcome,
) -> Found:
    ids = rules.get_column("id")
    alerts: dict[int, list[Mapping[str, Any]]] = {}
    recoveries: dict[int, list[Mapping[str, Any]]] = {}
    for change in outcome.changes:
        moment = moments[change.place]
        at = outcome.verdicts[(change.fired * len(moments) + change.place).tolist()]
        alerts[moment] = [
            {
                "rule_id": ids[row["row"]],
                "severity": severity,
                "metric_value": row["value"],
                "read_at": row["at"],
                "earlier_value": row["earlier"],
                "earlier_read_at": row["earlier_at"],
                "triggered_at": moment,
            }
            for row in at.iter_rows(named=True)
        ]
        recoveries[moment] = [{"rule_id": ids[int(row)], "recovered_at": moment} for row in change.recovered]
    after = rules.with_columns(
        fired_now=pl.Series(outcome.standings.fired), last_now=pl.Series(outcome.standings.last_fired)
    )
    moved = {int(row) for change in outcome.changes for row in np.concatenate([change.fired, change.recovered])}
    is_moved = pl.Series(np.isin(np.arange(rules.height), sorted(moved)))
    standing = after.filter(is_moved | ~pl.col("judged")).select(
        "id", "revision", fired="fired_now", last_fired="last_now"
    )
    return Found([standing] if standing.height else [], alerts, recoveries)
