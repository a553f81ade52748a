"""Wallets: where each wallet's transfers are, so that views find them without reading every token.

The rows are places to look at, not facts: a reorganisation takes none of them back, and repeating them changes nothing.
"""

from pipelines.refresh_run import RefreshRun
from pipelines.run_log import StepRun, timed
from pipelines.step import ChainStep, Phase
from pipelines.windows import Window
from warehouse.domain.chains import Chain
from warehouse.kept_transfers import kept_transfers

SUBJECT = "wallets"
_CHANGES_PER_STATEMENT = 200
_CHANGES_WAITING = 200
"""Views read units that are not in yet from the facts. So runs for a new block leave this few to a full run."""


def derive(run: RefreshRun, chain: Chain) -> StepRun | None:
    """Add the transfers of the units that came since the last time."""
    window = run.windows.open(SUBJECT, chain)
    if window is None or not window.has_changes:
        return None
    if not run.full and window.up_to - window.after < _CHANGES_WAITING:
        return None
    rows, seconds = timed(lambda: _add(run, window))
    run.windows.advance(SUBJECT, window)
    return run.log.record(StepRun(SUBJECT, chain.chain_id, seconds, rows, str(window.after), str(window.up_to)))


STEP = ChainStep(
    name=SUBJECT,
    description="Which tokens each wallet sent or received, and in which blocks.",
    tables=("agg_wallet_transfer",),
    phase=Phase.METRICS,
    derive=derive,
)


def _add(run: RefreshRun, window: Window) -> int:
    if window.after == 0:
        kept_transfers(run.warehouse, window.chain.chain_id).ensure_whole(
            f"finding the wallets of chain {window.chain.key} anew"
        )
    rows = 0
    for after in range(window.after, window.up_to, _CHANGES_PER_STATEMENT):
        part = {
            "chain_id": window.chain.chain_id,
            "after": after,
            "up_to": min(after + _CHANGES_PER_STATEMENT, window.up_to),
        }
        rows += run.transform("wallets/add_units", part)
    # Only now: the views stop reading these units from the facts.
    run.transform("wallets/mark_units", {"chain_id": window.chain.chain_id, "up_to": window.up_to})
    return rows
