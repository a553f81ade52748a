"""Concentration: the balances of the ten largest holders and of all, for every token with transfers on a day that is
over. Days that a reorganisation reaches are computed again."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from pipelines.refresh_run import RefreshRun
from pipelines.run_log import StepRun, timed
from pipelines.step import ChainStep, Phase
from pipelines.windows import Window
from warehouse.domain.chains import Chain

SUBJECT = "concentration"
_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Progress:
    """What the step stores with its checkpoint: the first day (since 1970) that is not computed; 0: none is."""

    next_day: int = 0


def derive(run: RefreshRun, chain: Chain) -> StepRun | None:
    """Compute the days that ended since the last time, and those that changed."""
    window = run.windows.open(SUBJECT, chain)
    if window is None:
        return None
    before = Progress(**window.details).next_day
    today = int(window.as_of.timestamp()) // _DAY_SECONDS
    if before == today and not window.has_changes:
        return None
    first = _first_changed_day(run, window)
    start = min(before, today, today if first is None else first) if before else (first or today)
    if start == before == today:
        # Changes of the running day: it is computed from all balances when it is over.
        run.windows.advance(SUBJECT, window)
        return None
    rows, seconds = timed(lambda: _compute(run, window, start, today))
    run.windows.advance(SUBJECT, window, asdict(Progress(today)))
    return run.log.record(StepRun(SUBJECT, chain.chain_id, seconds, rows, _iso(start), _iso(today)))


STEP = ChainStep(
    name=SUBJECT,
    description="What the ten largest holders of every token had at the end of each day with transfers.",
    tables=("agg_top_day",),
    phase=Phase.METRICS,
    derive=derive,
)


def _first_changed_day(run: RefreshRun, window: Window) -> int | None:
    rows = run.read("concentration/first_change", window.parameters(run.version))
    found = rows[0]["first_time"]
    return None if found is None else int(found) // _DAY_SECONDS


def _compute(run: RefreshRun, window: Window, start: int, today: int) -> int:
    """Compute the days from ``start`` up to ``today``. Their rows are removed first: blocks may be gone."""
    parameters: Mapping[str, Any] = window.parameters(run.version)
    run.transform("concentration/remove", {**parameters, "day": start})
    days = run.read("concentration/days", {**parameters, "from_day": start, "until_day": today})
    return sum(run.transform("concentration/day", {**parameters, "day": row["day_number"]}) for row in days)


def _iso(day: int) -> str:
    return datetime.fromtimestamp(day * _DAY_SECONDS, UTC).date().isoformat()
