"""What a refresh run did: one entry per step and chain, kept in the store for operators."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

from warehouse import postgres
from warehouse.postgres import Connection

LOG = logging.getLogger(__name__)
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class StepRun:
    """One run of a step: its name, the chain (None: all chains), seconds, rows written, and the range it covered.

    ``note`` says why nothing was done, unless there was nothing new.
    """

    step: str
    chain_id: int | None
    seconds: float
    rows: int
    range_from: str = ""
    range_to: str = ""
    note: str = ""


OnStepRun = Callable[[StepRun], None]


@dataclass(slots=True)
class RunLog:
    """The entries of one refresh run. ``on_step_run`` is called with each."""

    store: Connection
    on_step_run: OnStepRun | None = None
    entries: list[StepRun] = field(default_factory=list)
    began: float = field(default_factory=time.perf_counter)

    def record(self, entry: StepRun) -> StepRun:
        """Add an entry. The store keeps those that wrote rows: most runs of a quiet chain write none."""
        self.entries.append(entry)
        if entry.rows:
            postgres.run(
                self.store,
                "step_runs/record",
                {
                    "step": entry.step,
                    "chain_id": entry.chain_id,
                    "started_at": datetime.fromtimestamp(time.time() - entry.seconds, UTC),
                    "seconds": round(entry.seconds, 3),
                    "row_count": entry.rows,
                    "range_from": entry.range_from,
                    "range_to": entry.range_to,
                },
            )
        if self.on_step_run is not None:
            self.on_step_run(entry)
        return entry

    def tell(self) -> None:
        """Log the whole run in one line: at DEBUG where it wrote nothing, as most runs of a quiet chain."""
        rows = sum(entry.rows for entry in self.entries)
        seconds = time.perf_counter() - self.began
        fields = {
            "steps": sum(1 for entry in self.entries if entry.rows),
            "rows": rows,
            "seconds": round(seconds, 3),
            "rows_per_second": round(rows / seconds) if seconds > 0 else 0,
        }
        LOG.log(logging.INFO if rows else logging.DEBUG, "refreshed", extra=fields)


def timed(function: Callable[[], Result]) -> tuple[Result, float]:
    """The result of ``function``, such as a count of rows, and how many seconds it took."""
    started = time.perf_counter()
    result = function()
    return result, time.perf_counter() - started
