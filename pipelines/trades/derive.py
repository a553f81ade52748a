"""Trades: five-minute candles of every pool, each computed completely from the facts."""

from pipelines.parallel import run_parallel
from pipelines.refresh_run import RefreshRun
from pipelines.run_log import StepRun, timed
from pipelines.step import ChainStep, Phase
from pipelines.tokens.derive import count_touched
from pipelines.windows import Window
from warehouse.domain.chains import Chain

SUBJECT = "trades"
_POOLS_PER_STATEMENT = 2_000


def derive(run: RefreshRun, chain: Chain) -> StepRun | None:
    """Recompute the candles that changed."""
    window = run.windows.open(SUBJECT, chain)
    if window is None or not window.has_changes:
        return None
    rows, seconds = timed(lambda: _refresh(run, window))
    run.windows.advance(SUBJECT, window)
    return run.log.record(StepRun("trades", chain.chain_id, seconds, rows, str(window.after), str(window.up_to)))


STEP = ChainStep(
    name=SUBJECT,
    description="Five-minute candles of every pool.",
    tables=("agg_pool_candle",),
    phase=Phase.METRICS,
    derive=derive,
)


def _refresh(run: RefreshRun, window: Window) -> int:
    parameters = window.parameters(run.version)
    touched, first, _ = run_parallel(
        lambda: count_touched(run, window, ["pool"]),
        lambda: int(run.read("trades/first_block", parameters)[0]["first_block"] or 0),
        lambda: run.clear(window.chain, "work_pool"),
    )
    parts = 1 + touched // _POOLS_PER_STATEMENT
    for part in range(parts if touched else 0):
        if part:
            run.clear(window.chain, "work_pool")
        run.transform("trades/touched_pools", {**parameters, "parts": parts, "part": part})
        run.transform("trades/candles", {**parameters, "from_block": first})
    return touched
