"""Holders: counts by hour, entering and leaving by day, and the largest ones, from the new transfers."""

from collections.abc import Mapping
from typing import Any

from pipelines.parallel import run_parallel
from pipelines.refresh_run import RefreshRun
from pipelines.rules import DEAD_WALLETS, ZERO_WALLET
from pipelines.run_log import StepRun, timed
from pipelines.step import ChainStep, Phase
from pipelines.tokens.derive import count_touched
from pipelines.windows import Window
from warehouse.domain.chains import Chain
from warehouse.kept_transfers import kept_transfers

SUBJECT = "holders"
_TOKENS_PER_STATEMENT = 2_000
_TRANSFERS_PER_STATEMENT = 400_000
_WORKING = ("work_token", "work_move", "work_wallet")


def derive(run: RefreshRun, chain: Chain) -> StepRun | None:
    """Bring the holder tables up to date for the tokens whose balances changed, and request their documents.

    The chain's indexer is paused meanwhile, because balances are running sums, so this must be short.
    """
    window = run.windows.open(SUBJECT, chain)
    if window is None:
        return None
    if not window.has_changes:
        if window.details.get("through") != window.through:
            run.windows.advance(SUBJECT, window, _counted(window))
        return None
    rows, seconds = timed(lambda: _refresh(run, window))
    run.windows.advance(SUBJECT, window, _counted(window))
    return run.log.record(StepRun("holders", chain.chain_id, seconds, rows, str(window.after), str(window.up_to)))


STEP = ChainStep(
    name=SUBJECT,
    description="Holder counts by hour, entering and leaving holders by day, and the largest holders.",
    tables=("agg_token_hour", "agg_holder_day", "agg_top_holder"),
    phase=Phase.METRICS,
    pauses_writer=True,
    derive=derive,
)


def _counted(window: Window) -> dict[str, int]:
    """What the checkpoint says: the block up to which all tokens are counted, and its time."""
    return {"through": window.through, "as_of": int(window.as_of.timestamp())}


def _refresh(run: RefreshRun, window: Window) -> int:
    dead = DEAD_WALLETS[window.chain.address_format]
    parameters = {**window.parameters(run.version), "zero": ZERO_WALLET, "dead": dead}
    kept = kept_transfers(run.warehouse, window.chain.chain_id)
    if window.after == 0:
        kept.ensure_whole(f"counting the holders of chain {window.chain.key} anew")
    balances_anew = "wallets_anew" if kept.whole else "wallets_since"
    touched, _ = run_parallel(lambda: count_touched(run, window, ["token"]), lambda: run.clear(window.chain, *_WORKING))
    parts = 1 + max(touched // _TOKENS_PER_STATEMENT, _transfers_to_build(run, window) // _TRANSFERS_PER_STATEMENT)
    for part in range(parts if touched else 0):
        if part:
            run.clear(window.chain, *_WORKING)
        run.transform("holders/touched_tokens", {**parameters, "parts": parts, "part": part})
        for row in run.read("holders/starts", parameters):
            moves, wallets = ("moves", "wallets") if row["incremental"] else ("moves_anew", balances_anew)
            run.transform(f"holders/{moves}", {**parameters, "from_block": row["first_block"]})
            run.transform(f"holders/{wallets}", parameters)
        # Write the hours first: they hold the block up to which a token is counted. If the run dies before the other
        # tables are written, the next one counts these tokens again. Documents may be requested at any time.
        asking = ("documents/requests_from_changes", {**parameters, "subjects": ["token"], "cause": "holders"})
        run_parallel(
            lambda: run.transform("holders/hours", parameters),
            # For all parts, by the last one.
            lambda: run.transform(*asking) if part == parts - 1 else 0,  # noqa: B023 - ended before the next part
        )
        run_parallel(lambda: run.transform("holders/days", parameters), lambda: _keep_largest(run, parameters))
    return touched


def _keep_largest(run: RefreshRun, parameters: Mapping[str, Any]) -> int:
    written = run.transform("holders/top_kept", parameters)
    if run.read("holders/top_missing", parameters)[0]["missing"]:
        written += run.transform("holders/top_full", parameters)
    return written


def _transfers_to_build(run: RefreshRun, window: Window) -> int:
    """How many transfers a first build has to count. Later runs have few, or few tokens that are counted again."""
    if window.after > 0:
        return 0
    return int(run.read("holders/transfer_count", {"chain_id": window.chain.chain_id})[0]["transfers"])
