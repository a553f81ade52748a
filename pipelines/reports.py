"""What followers and commands did, reported to the history of Dagster's assets, so that it shows how fresh each table
is. What indexers wrote is in ``pipelines.ingestion.reports``.

A run is reported if it ended after the last materialisation that Dagster knows of. Dagster's own runs are not reported
again, therefore, nor is a report that was sent before this sensor was interrupted. The sensor looks once a minute, so a
table has one report a minute at most, about the last run of each step.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import dagster as dg

from pipelines import lineage
from pipelines.assets import head_of
from pipelines.ingestion.reports import read_indexed
from pipelines.ingestion.reports import unreported as unreported_facts
from pipelines.notices import open_store, skips_without_engines
from pipelines.partitions import block_windows, missing_windows
from pipelines.resources import configured_chains
from pipelines.run_log import StepRun
from pipelines.running import run_metadata
from warehouse import postgres
from warehouse.postgres import Connection

SECONDS = 60


@dataclass(frozen=True, slots=True)
class LastRun:
    """The last run of a step that wrote rows, for one chain."""

    run: StepRun
    ended: float
    """Seconds since 1970."""


@dg.sensor(name="report_runs", default_status=dg.DefaultSensorStatus.RUNNING, minimum_interval_seconds=SECONDS)
@skips_without_engines
def report_runs(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    """Report what followers and commands wrote since the last materialisation of each table."""
    chains = configured_chains()
    with open_store() as store:
        runs, indexed = last_runs(store), read_indexed(store, chains)
    events = [
        *unreported(context.instance, runs),
        *unreported_facts(known_times(context.instance, [*lineage.INDEXED, *map(head_of, chains)]), indexed),
    ]
    windows = [
        key
        for position in indexed.positions
        for key in missing_windows(context.instance, position.chain, position.block)
    ]
    return dg.SensorResult(
        asset_events=events,
        dynamic_partitions_requests=[block_windows.build_add_request(windows)] if windows else [],
        skip_reason=f"{len(events)} assets changed since the last look",
    )


def known_times(instance: dg.DagsterInstance, assets: Sequence[str]) -> dict[str, float]:
    """When each asset was last materialised, as far as Dagster knows, in seconds since 1970."""
    known = {}
    for record in instance.get_asset_records([dg.AssetKey(asset) for asset in assets]):
        made = record.asset_entry.last_materialization_record
        known[record.asset_entry.asset_key.to_user_string()] = made.timestamp if made is not None else 0.0
    return known


def last_runs(store: Connection) -> list[LastRun]:
    """The last run of every step on every chain."""
    rows = postgres.run(store, "status/list_last_runs")
    return [_last_run(row, row["started_at"]) for row in rows if row["started_at"] is not None]


def _last_run(row: Mapping[str, object], started_at: datetime) -> LastRun:
    seconds = float(str(row["seconds"]))
    chain = row["chain_id"]
    run = StepRun(
        step=str(row["step"]),
        chain_id=None if chain is None else int(str(chain)),
        seconds=seconds,
        rows=int(str(row["row_count"])),
        range_from=str(row["range_from"] or ""),
        range_to=str(row["range_to"] or ""),
    )
    return LastRun(run, started_at.timestamp() + seconds)


def unreported(instance: dg.DagsterInstance, runs: Sequence[LastRun]) -> list[dg.AssetMaterialization]:
    """One materialisation for each table that was written after Dagster's last one of it."""
    tables = lineage.derived_tables()
    known = known_times(instance, tables)
    found = []
    for table in tables:
        names = lineage.run_names(table)
        later = [last.run for last in runs if last.run.step in names and last.ended > known.get(table, 0.0)]
        if later:
            found.append(dg.AssetMaterialization(table, metadata=run_metadata(later)))
    return found
