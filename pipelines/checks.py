"""Checks that are one query: a file of ``sql/checks`` returns the rows that violate a rule.

A query may run while a unit or a refresh is half written. So what it finds is queried again while nobody writes.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import dagster as dg

from pipelines.locks import writer_paused
from pipelines.refresh_run import open_refresh_run
from pipelines.resources import Connections, Engines
from warehouse import postgres, sql

_MAX_SHOWN = 10
_WRITER_WAIT_SECONDS = 10.0


@contextmanager
def nobody_writing(connections: Connections) -> Iterator[frozenset[int]]:
    """Keep refresh runs and indexers from writing. Yields the ids of chains that cannot be judged now: their indexer
    does not pause, or left a unit unfinished."""
    unsettled: set[int] = set()
    with open_refresh_run(connections.warehouse, connections.store, connections.chains) as run, ExitStack() as held:
        held.enter_context(run.serving())
        for chain in connections.chains.enabled():
            if not held.enter_context(writer_paused(connections.store, chain, _WRITER_WAIT_SECONDS)):
                unsettled.add(chain.chain_id)
        unfinished = postgres.run(connections.store, "ingestion/list_unfinished")
        yield frozenset(unsettled | {int(row["chain_id"]) for row in unfinished})


def violations_check(asset: str, name: str, severity: dg.AssetCheckSeverity) -> dg.AssetChecksDefinition:
    """The check ``name`` of an asset. Its description is the comment at the top of the query."""
    statement = sql.load(f"checks/{name}")
    comment = [line.removeprefix("--").strip() for line in statement.splitlines() if line.startswith("--")]

    @dg.asset_check(asset=asset, name=name, description=" ".join(comment))
    def check(engines: Engines) -> dg.AssetCheckResult:
        with engines.connect() as connections:
            rows = connections.warehouse.rows(statement)
            if rows:
                with nobody_writing(connections) as unsettled:
                    rows = [row for row in connections.warehouse.rows(statement) if row["chain_id"] not in unsettled]
        return dg.AssetCheckResult(
            passed=not rows,
            severity=severity,
            metadata={"violations": len(rows), "first": "\n".join(str(row) for row in rows[:_MAX_SHOWN]) or "none"},
        )

    return check


def violations_checks(asset: str, *names: str) -> list[dg.AssetChecksDefinition]:
    """Checks with severity ERROR."""
    return [violations_check(asset, name, dg.AssetCheckSeverity.ERROR) for name in names]
