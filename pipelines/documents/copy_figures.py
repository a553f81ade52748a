"""The figures that copy verdicts rest on, in the store, and as of when the verdicts of a chain hold."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from pipelines.refresh_run import RefreshRun
from pipelines.run_log import StepRun, timed
from pipelines.step import ChainStep, Phase
from pipelines.weights import progress as weights
from pipelines.windows import Window
from warehouse.domain.chains import Chain
from warehouse.domain.copies import HOUR_SECONDS

SUBJECT = "copy_figures"
_NO_FIGURES = {
    **dict.fromkeys(("addresses", "weights_usd", "established_usd", "since_seconds", "since_blocks"), ""),
    "weighed_block": None,
}


def derive(run: RefreshRun, chain: Chain) -> StepRun | None:
    """Say that all verdicts hold as of the run's block; when weights were computed, publish those of the last hour.

    It comes after the documents: by then every verdict that changed is written.
    """
    window = run.windows.open(SUBJECT, chain)
    computed = run.windows.open(weights.SUBJECT, chain)
    if window is None or computed is None:
        return None
    progress = weights.read_progress(computed.details)
    stamp = {**asdict(progress), "change": computed.after}
    if window.details == stamp and not (window.has_changes or _moved(run, window)):
        return None
    fresh = window.details != stamp
    rows, seconds = timed(lambda: _publish(run, window, progress, fresh))
    run.windows.advance(SUBJECT, window, stamp)
    return run.log.record(StepRun(SUBJECT, chain.chain_id, seconds, rows)) if fresh else None


STEP = ChainStep(
    name=SUBJECT,
    description="The weights and the seniority that copy verdicts rest on, by token, and as of when the verdicts hold.",
    after=("weights", "documents"),
    store_tables=("indexed_token", "copy_progress"),
    phase=Phase.SERVING,
    derive=derive,
)


def _moved(run: RefreshRun, window: Window) -> bool:
    found = run.store_rows("copies/find_progress", {"chain_id": window.chain.chain_id})
    return not found or found[0]["as_of_block"] != window.through


def _publish(run: RefreshRun, window: Window, progress: weights.Progress, fresh: bool) -> int:
    weighed = progress.closed_to > progress.history_from
    run.windows.ensure_not_reorged(window)
    marks = _progress(window, progress, weighed)
    if fresh:
        hour = {"chain_id": window.chain.chain_id, "through": window.through, "hour": progress.closed_to - HOUR_SECONDS}
        figures = run.read("documents/figures", hour)[0] if weighed else _NO_FIGURES
        return int(run.store_rows("copies/publish_figures", {**figures, **marks})[0]["tokens"])
    run.store_rows("copies/confirm_progress", marks)
    return 0


def _progress(window: Window, progress: weights.Progress, weighed: bool) -> dict[str, Any]:
    return {
        "chain_id": window.chain.chain_id,
        "as_of_block": window.through,
        "as_of_time": window.as_of,
        "weighed_through": datetime.fromtimestamp(progress.closed_to, UTC) if weighed else None,
        "history_from": datetime.fromtimestamp(progress.history_from, UTC) if weighed else None,
    }
