"""Weights: how much believed depth each token had in each hour, and since when. The copy rule rests on them.

Only complete hours of chain time are computed. The step waits until an hour is over, and computes hours again from
the first one that a reorganisation reaches.
"""

from dataclasses import asdict, replace
from datetime import UTC, datetime

from pipelines.documents.requests import request_documents
from pipelines.prices.market import native_names, stablecoin_names
from pipelines.refresh_run import RefreshRun
from pipelines.rules import MARKET
from pipelines.run_log import StepRun, timed
from pipelines.step import ChainStep, Group, Phase
from pipelines.weights.depth import measure_depth
from pipelines.weights.progress import SUBJECT, Progress, read_progress
from pipelines.weights.quotes import price_quotes
from pipelines.weights.tokens import weigh_tokens
from pipelines.windows import Checkpoint, Window, write_checkpoint
from warehouse.domain.chains import Chain
from warehouse.domain.copies import HOUR_SECONDS, CopyRules

CAUSE = "weights"
_MEASURES = 3
"""Counts the ways in which weights have been measured. Raise it when the code measures the same facts differently: all
stored hours are then computed again."""
_NEVER = 4_294_967_295
"""Later than every hour."""
_TABLES = ("pool_depth", "quote_hour", "token_weight")


def derive(run: RefreshRun, chain: Chain) -> StepRun | None:
    """Compute the hours that closed since the last time, and those that a reorganisation changed."""
    window = run.windows.open(SUBJECT, chain)
    if window is None:
        return None
    rules = run.copy_rules
    before = _standing(run, window, rules)
    if before is None:
        return None
    reached = max(_hour(int(window.as_of.timestamp())), before.history_from)
    closed_to = min(before.closed_to, reached, _first_changed_hour(run, window))
    closed_to = max(closed_to, before.history_from)
    if closed_to == before.closed_to == reached:
        return None
    again_from = closed_to if closed_to < before.closed_to else _NEVER
    if again_from != _NEVER:
        # First of all: a run after one that died must know that these hours are open again.
        _store(run, window, window.after, replace(before, closed_to=closed_to))
    rows, seconds = timed(lambda: _close(run, window, before, closed_to, reached, rules))
    _request(run, window, closed_to, reached, again_from, rules)
    run.windows.advance(
        SUBJECT,
        window,
        asdict(
            Progress(
                closed_to=reached,
                history_from=before.history_from,
                # Events of the hour that runs are among the changes of this window, unless earlier ones reach into it.
                pending_after=window.after if before.as_of < reached else before.pending_after,
                as_of=int(window.as_of.timestamp()),
                rules=before.rules,
            )
        ),
    )
    return run.log.record(StepRun(SUBJECT, chain.chain_id, seconds, rows, _iso(closed_to), _iso(reached)))


STEP = ChainStep(
    name=SUBJECT,
    description="Depth of every pool and weight of every token by the hour: what the copy rule compares.",
    after=("trades",),
    tables=("agg_pool_depth", "agg_quote_hour", "agg_token_weight"),
    group=Group.SCORES,
    phase=Phase.METRICS,
    derive=derive,
)


def _standing(run: RefreshRun, window: Window, rules: CopyRules) -> Progress | None:
    """The progress so far: that of a start if there is none, or if what the figures depend on has changed. None if the
    chain has no block but genesis."""
    signature = _signature(window.chain, rules)
    progress = read_progress(window.details)
    if progress.started and progress.rules == signature:
        return progress
    parameters = {"chain_id": window.chain.chain_id, "through": window.through}
    found = run.read("weights/first_time", parameters)[0]
    if not found["blocks"]:
        return None
    history_from = _hour(found["first_time"] + HOUR_SECONDS - 1)
    return Progress(closed_to=history_from, history_from=history_from, rules=signature)


def _signature(chain: Chain, rules: CopyRules) -> str:
    """What the stored figures depend on, as text."""
    measured = (rules.window_days, rules.remembered_days, rules.gap_days, str(MARKET.min_depth_usd))
    factories = sorted(dex.factory for dex in chain.dexes)
    return repr((_MEASURES, measured, stablecoin_names(chain), native_names(chain), factories))


def _first_changed_hour(run: RefreshRun, window: Window) -> int:
    """The first hour in which pools changed since the step last ran; later than every hour if none did."""
    if not window.has_changes:
        return _NEVER
    first = run.read("weights/first_change", window.parameters(run.version))[0]["first_time"]
    return _NEVER if first is None else _hour(int(first))


def _close(run: RefreshRun, window: Window, before: Progress, closed_to: int, reached: int, rules: CopyRules) -> int:
    """Compute the hours from ``closed_to`` up to ``reached``; returns how many rows of weights were written.

    Rows of hours that are not closed are left over from a run that died, or from blocks that are gone. They are removed
    first: of two rows of one version, the later one counts.
    """
    open_hours = {"chain_id": window.chain.chain_id, "closed_to": closed_to, "version": run.version}
    for table in _TABLES:
        run.transform(f"weights/remove_{table}", open_hours)
    if closed_to >= reached:
        return 0
    measure_depth(run, window, before, closed_to, reached)
    price_quotes(run, window, closed_to, reached)
    return weigh_tokens(run, window, before.history_from, closed_to, reached, rules)


def _request(run: RefreshRun, window: Window, closed_to: int, reached: int, again_from: int, rules: CopyRules) -> None:
    """Request the documents of tokens whose verdict may have changed with the hours."""
    due = run.read(
        "weights/due",
        {
            "chain_id": window.chain.chain_id,
            "before": closed_to,
            "until": reached,
            "recomputed_from": again_from,
            "settle_hours": rules.settle_hours,
            "established_usd": rules.established_usd,
        },
    )
    request_documents(run, window.chain.chain_id, [row["token_hex"] for row in due], CAUSE)


def _store(run: RefreshRun, window: Window, change_id: int, progress: Progress) -> None:
    write_checkpoint(run.store, SUBJECT, window.chain.chain_id, Checkpoint(change_id, asdict(progress)))


def _hour(seconds: int) -> int:
    return seconds // HOUR_SECONDS * HOUR_SECONDS


def _iso(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
