"""What a refresh after 10,000 new events costs, compared with deriving everything."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pipelines.refresh import refresh
from tests.bench.directories import new_directory
from tests.bench.machine import compare, sampled
from tests.bench.processes import wait_for_merges
from tests.bench.result import Result
from tests.factories.history import BLOCK_SECONDS, EVENTS_A_BLOCK, History
from tests.factories.ledger import CHAINS_TOML
from warehouse import engines, postgres
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.settings import EngineSettings

EVENTS = 3_000_000
NEW_EVENTS = 10_000
UNITS = 10
INCREMENTS = 5
"""Of 10,000 events each, one on top of the other. One in three ends an hour, after which every active token is scored:
the middle one says what an increment costs, the slowest what an hour's end does."""


@dataclass(frozen=True, slots=True)
class IncrementalFigures:
    """Results, and the seconds of each step the plot is drawn from."""

    results: list[Result]
    seconds: dict[str, dict[str, float]]


def measure(directory: Path, progress: Callable[[str], None]) -> IncrementalFigures:
    """Derive a generated history in full, then what a little more of it adds, several times over."""
    data_dir = new_directory(directory, "incremental")
    settings = EngineSettings(data_dir=data_dir, clickhouse_url=None, database_url=None)
    with (
        engines.ensure(settings) as urls,
        Warehouse.connect(urls.clickhouse_url) as warehouse,
        postgres.connect(urls.database_url, autocommit=True) as store,
        sampled(urls.clickhouse_url) as machine,
    ):
        chains_file = data_dir / "chains.toml"
        chains_file.write_text(CHAINS_TOML)
        chains = facts.load(chains_file)
        started = time.perf_counter()
        history = History(warehouse, store)
        events = history.create_assets()
        blocks = (EVENTS - events) // EVENTS_A_BLOCK
        for part in range(UNITS):
            events += history.add_blocks(blocks * (part + 1) // UNITS - blocks * part // UNITS)
        hours = history.blocks * BLOCK_SECONDS / 3600
        progress(f"{events:,} events of {hours:.0f} hours in {time.perf_counter() - started:.1f} s")

        def derive(name: str) -> dict[str, float]:
            began = time.perf_counter()
            spent: dict[str, float] = {}
            for run in refresh(warehouse, store, chains):
                spent[run.step] = spent.get(run.step, 0.0) + run.seconds
            wall = time.perf_counter() - began
            parts = ", ".join(f"{step} {seconds:.2f}" for step, seconds in spent.items())
            progress(f"{name}: {sum(spent.values()):.2f} s of steps, {wall:.2f} s in all ({parts})")
            return spent

        full = derive("in full")
        added = []
        for _ in range(INCREMENTS):
            _settle(warehouse)
            machine.sample()
            new = history.add_blocks(NEW_EVENTS // EVENTS_A_BLOCK)
            added.append(derive(f"after {new:,} new events"))
    added.sort(key=lambda spent: sum(spent.values()))
    spent, slowest = (sum(some.values()) for some in (added[INCREMENTS // 2], added[-1]))
    results = [
        Result(f"incremental: {new:,} new events / in full", spent / sum(full.values()), "ratio"),
        *compare(
            f"incremental: {new:,} new events on {events:,}",
            spent,
            "s",
            "<= 300",
            "a bare request",
            machine.mean_request_ms() / 1000,
        ),
        *machine.results("incremental"),
        Result(f"incremental: the slowest of {INCREMENTS}, which ends an hour", slowest, "s"),
        Result(f"incremental: all {events:,} events in full", sum(full.values()), "s"),
    ]
    return IncrementalFigures(results, {"in full": full, f"{new:,} new events": added[INCREMENTS // 2]})


def _settle(warehouse: Warehouse) -> None:
    """Wait for the merges of the last refresh and for the disk: on a chain twenty minutes pass before the next one."""
    wait_for_merges(warehouse)
    os.sync()
