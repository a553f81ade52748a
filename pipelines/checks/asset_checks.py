"""Checks as Dagster shows them."""

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

from pipelines.checks.check import Check, Row, Stops
from pipelines.checks.run import Outcome, run_check
from pipelines.resources import Engines

_MOST_SHOWN = 50
_STOPS = {
    Stops.NOTHING: "",
    Stops.CLAIMS: " While it fails, claims are not answered.",
    Stops.PUBLICATION: " While it fails, nothing new is published and claims are not answered.",
}


def asset_check(check: Check) -> dg.AssetChecksDefinition:
    """The Dagster check of a declaration."""

    @dg.asset_check(asset=check.asset, name=check.name, description=check.describe() + _STOPS[check.stops])
    def materialize(engines: Engines) -> dg.AssetCheckResult:
        with engines.connect() as connections:
            outcome = run_check(connections, check)
        return dg.AssetCheckResult(
            passed=not outcome.rows, severity=dg.AssetCheckSeverity.ERROR, metadata=_metadata(outcome)
        )

    return materialize


def _metadata(outcome: Outcome) -> Mapping[str, dg.MetadataValue[Any]]:
    found: dict[str, dg.MetadataValue[Any]] = {"violations": dg.MetadataValue.int(len(outcome.rows))}
    if outcome.rows:
        found["rows"] = violations_table(outcome.rows)
    ended = [look.progress.pass_ended_at for look in outcome.looks]
    through = min((moment for moment in ended if moment is not None), default=None)
    found["history looked at by"] = dg.MetadataValue.text(
        through.isoformat(timespec="seconds") if through is not None and None not in ended else "first pass goes on"
    )
    if outcome.unsettled:
        found["not judged"] = dg.MetadataValue.text(f"{', '.join(outcome.unsettled)}: being written")
    return found


def violations_table(rows: Sequence[Row]) -> dg.TableMetadataValue:
    """Violations as a table in Dagster; the first ones."""
    shown = rows[:_MOST_SHOWN]
    columns = [dg.TableColumn(name, "string") for name in shown[0]]
    return dg.MetadataValue.table(
        [dg.TableRecord({name: str(value) for name, value in row.items()}) for row in shown],
        schema=dg.TableSchema(columns),
    )
