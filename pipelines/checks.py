"""Checks that are one query: a file of ``sql/checks`` returns the rows that violate, and none is a pass."""

import dagster as dg

from pipelines.resources import Engines
from warehouse import sql

_SHOWN = 10


def violations_check(asset: str, name: str, severity: dg.AssetCheckSeverity) -> dg.AssetChecksDefinition:
    """The check ``name`` of an asset; its description is the comment that heads the query."""
    statement = sql.load(f"checks/{name}")
    comment = [line.removeprefix("--").strip() for line in statement.splitlines() if line.startswith("--")]

    @dg.asset_check(asset=asset, name=name, description=" ".join(comment))
    def check(engines: Engines) -> dg.AssetCheckResult:
        with engines.connect() as connections:
            rows = connections.warehouse.rows(statement)
        return dg.AssetCheckResult(
            passed=not rows,
            severity=severity,
            metadata={"violations": len(rows), "first": "\n".join(str(row) for row in rows[:_SHOWN]) or "none"},
        )

    return check


def violations_checks(asset: str, *names: str) -> list[dg.AssetChecksDefinition]:
    """Checks whose violation is an error."""
    return [violations_check(asset, name, dg.AssetCheckSeverity.ERROR) for name in names]
