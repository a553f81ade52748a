"""What the checks of facts and sums cost: the rows and bytes that each reads, its seconds and its CPU.

A run as the schedule makes it looks at new events and at a piece of the history; a run over everything at all of it.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from pipelines.checks.check import Check
from pipelines.checks.run import run_check
from pipelines.holders.checks import HOLDER_CHECKS
from pipelines.ingestion.checks import INGESTION_CHECKS
from pipelines.refresh import refresh
from pipelines.resources import Connections
from tests.bench import processes
from tests.bench.result import Result
from tests.factories.history import EVENTS_A_BLOCK, History
from warehouse.clickhouse import Warehouse

_CHECKS: Sequence[Check] = (*INGESTION_CHECKS, *HOLDER_CHECKS)
"""Those of facts and sums, which grow with events. What the others read grows with tokens."""
_STEPS = ("tokens", "holders")
"""Those whose tables they read."""
_NEW_BLOCKS = 100
_RUNS_A_DAY = 96
_READ = "SELECT event, value FROM system.events WHERE event IN ('SelectedRows', 'SelectedBytes')"


@dataclass(slots=True)
class Cost:
    """What one run of a check took."""

    rows: float
    megabytes: float
    seconds: float
    cpu_seconds: float


def measure(
    connections: Connections, history: History, data_dir: Path, progress: Callable[[str], None]
) -> list[Result]:
    """Derive the tables, pass through the history once, then measure a run over new events and one over everything.

    Raises:
        AssertionError: a check found a violation.
    """
    began = time.perf_counter()
    _derive(connections)
    progress(f"derived in {time.perf_counter() - began:.0f} s")
    measured = processes.of_run(data_dir)
    whole = _costs(connections, measured, whole=True)
    history.add_blocks(_NEW_BLOCKS)
    _derive(connections)
    scheduled = _costs(connections, measured, whole=False)
    for name, cost in scheduled.items():
        progress(f"{name}: {_words(cost)}; over everything {_words(whole[name])}")
    label = f"{_NEW_BLOCKS * EVENTS_A_BLOCK:,} new events and a piece of history"
    a_day = _RUNS_A_DAY * sum(cost.cpu_seconds for cost in scheduled.values())
    return [
        *_totals(f"warehouse: checks of facts and sums, {label}", scheduled),
        *_totals("warehouse: checks of facts and sums over everything", whole),
        Result("warehouse: CPU of these checks in a day, every quarter of an hour", a_day, "s"),
    ]


def _derive(connections: Connections) -> None:
    refresh(connections.warehouse, connections.store, connections.chains, steps=_STEPS)
    processes.wait_for_merges(connections.warehouse)


def _costs(connections: Connections, measured: Mapping[str, psutil.Process], *, whole: bool) -> dict[str, Cost]:
    costs = {}
    for check in _CHECKS:
        with _counted(connections.warehouse, measured) as cost:
            _run(connections, check, whole=whole)
        costs[check.name] = cost
    return costs


def _run(connections: Connections, check: Check, *, whole: bool) -> None:
    outcome = run_check(connections, check, whole=whole)
    if outcome.rows:
        raise AssertionError(f"{check.name}: {outcome.rows[0]}")


@contextmanager
def _counted(warehouse: Warehouse, measured: Mapping[str, psutil.Process]) -> Iterator[Cost]:
    """What the block read and took, known at its end."""
    cost = Cost(0, 0, 0, 0)
    before, cpu, began = _read(warehouse), processes.cpu_of_all(measured), time.perf_counter()
    yield cost
    cost.seconds, cost.cpu_seconds = time.perf_counter() - began, processes.cpu_of_all(measured) - cpu
    after = _read(warehouse)
    cost.rows = after["SelectedRows"] - before["SelectedRows"]
    cost.megabytes = (after["SelectedBytes"] - before["SelectedBytes"]) / 1e6


def _read(warehouse: Warehouse) -> dict[str, int]:
    return {row["event"]: int(row["value"]) for row in warehouse.rows(_READ)}


def _words(cost: Cost) -> str:
    return f"{cost.rows:,.0f} rows, {cost.megabytes:,.1f} MB, {cost.seconds:.2f} s, {cost.cpu_seconds:.2f} s of CPU"


def _totals(name: str, costs: Mapping[str, Cost]) -> list[Result]:
    return [
        Result(f"{name}: rows", sum(cost.rows for cost in costs.values()), "rows"),
        Result(f"{name}: bytes", sum(cost.megabytes for cost in costs.values()), "MB"),
        Result(f"{name}: time", sum(cost.seconds for cost in costs.values()), "s"),
        Result(f"{name}: CPU", sum(cost.cpu_seconds for cost in costs.values()), "s"),
    ]
