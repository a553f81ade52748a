"""Candles: the dollar history of tokens and quotes (docs/decisions/0050-dollar-history.md).

A bucket is computed completely from the facts and the depths of the hours before it, so computing it again gives the
same row. What changed is computed again from the first bucket that a change reaches. A bucket has a candle when it is
over: before, the newest state of a pool could have stood for seconds only.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from pipelines import frames
from pipelines.candles.buckets import Bucket, price_buckets
from pipelines.candles.minutes import price_minutes
from pipelines.refresh_run import RefreshRun
from pipelines.run_log import StepRun, timed
from pipelines.step import ChainStep, Phase
from pipelines.weights import progress as weights
from pipelines.windows import Window
from warehouse.domain.addresses import digits_of
from warehouse.domain.chains import Chain
from warehouse.domain.copies import HOUR_SECONDS

SUBJECT = "candles"
BUCKET_SECONDS, DAY_SECONDS = 300, 86_400
SWEEP_SECONDS = 60
"""How often the follower's runs compute what passes with time."""
_MEASURES = 1
"""Counts the ways in which candles have been computed. Raise it when the code computes the same facts differently."""
_PRICE, _USD = frames.decimal(76, 54), frames.decimal(38, 6)
_COLUMNS = {
    "chain_id": frames.UINT32,
    "token": frames.HEX,
    "seconds": frames.UINT32,
    "start": frames.TIME,
    **dict.fromkeys(("open", "high", "low", "close"), _PRICE),
    "volume_usd": _USD,
    "liquidity_usd": _USD,
    "trades": frames.UINT64,
    "deleted": frames.UINT8,
    "version": frames.UINT64,
}
_NEVER = 4_294_967_295
"""Later than every moment."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What the step stores with its checkpoint. Times are unix seconds; 0 means nothing yet."""

    as_of: int = 0
    """Time of the last block that counts in a bucket."""
    through: int = 0
    """That block."""
    rules: str = ""
    """What the prices depend on besides the chain. If it changes, all buckets are computed again."""


def derive(run: RefreshRun, chain: Chain) -> StepRun | None:
    """Compute the buckets that changed, up to the published block."""
    window = run.windows.open(SUBJECT, chain)
    if window is None:
        return None
    weighed = weights.read_progress(run.windows.checkpoint(weights.SUBJECT, chain).details)
    if not weighed.started:
        return None
    before = Progress(**window.details)
    rules = repr((_MEASURES, weighed.rules))
    as_of = int(window.as_of.timestamp())
    known = before.rules == rules
    if known and _can_wait(run, window, before, as_of):
        return None
    # Weights are a step before, of the same block, or of an earlier one: then the rest waits for them.
    until = min(_up(as_of + 1, 60), weighed.closed_to + HOUR_SECONDS)
    history_from = weighed.history_from - HOUR_SECONDS
    start = _first_changed_bucket(run, window, before) if known else history_from
    start = max(start, history_from)
    if start >= until:
        return None
    rows, seconds = timed(lambda: _compute(run, window, start, until))
    run.windows.advance(SUBJECT, window, asdict(Progress(min(as_of, until - 1), window.through, rules)))
    return run.log.record(StepRun(SUBJECT, chain.chain_id, seconds, rows, _iso(start), _iso(until)))


STEP = ChainStep(
    name=SUBJECT,
    description="Prices of quotes by the minute; price and volume of tokens by five minutes, hour and day.",
    after=("trades", "weights"),
    tables=("agg_quote_minute", "agg_token_candle"),
    phase=Phase.METRICS,
    derive=derive,
)


def _can_wait(run: RefreshRun, window: Window, before: Progress, as_of: int) -> bool:
    """Whether there is nothing to do, or little that the follower does once a minute."""
    if run.full:
        return not window.has_changes and as_of == before.as_of
    return 0 <= as_of - before.as_of < SWEEP_SECONDS


def _first_changed_bucket(run: RefreshRun, window: Window, before: Progress) -> int:
    """The first bucket that may differ from what is stored: the last run's last one, or one that pools changed in."""
    found = run.read("weights/first_change", window.parameters(run.version))[0]["first_time"]
    changed = _NEVER if found is None else int(found)
    return min(changed, before.as_of) // BUCKET_SECONDS * BUCKET_SECONDS


def _compute(run: RefreshRun, window: Window, start: int, until: int) -> int:
    """Compute the buckets between two moments; returns how many candles were written.

    The rows of these buckets are removed first: blocks may be gone. Of two rows of one version, the later one counts.
    """
    chain = window.chain
    parameters = {
        **window.parameters(run.version),
        "over": int(window.as_of.timestamp()) // BUCKET_SECONDS * BUCKET_SECONDS,
        "quotes": [digits_of(quote.address) for quote in chain.quotes],
        "factories": sorted({digits_of(dex.factory) for dex in chain.dexes}),
    }
    run.transform("candles/remove_quote_minute", {**parameters, "from": _hour(start)})
    run.transform("candles/remove_token_candle", {**parameters, "from": start})
    written = 0
    place = start
    while place < until:
        end = min(place // DAY_SECONDS * DAY_SECONDS + DAY_SECONDS, until)
        written += _compute_part(run, chain, {**parameters, "from": place, "until": end})
        place = end
    return written


def _compute_part(run: RefreshRun, chain: Chain, parameters: Mapping[str, Any]) -> int:
    """Compute the buckets of a day, or of part of one, as far as they are over."""
    minutes = {**parameters, "from": _hour(parameters["from"])}
    blocks = run.read("candles/first_block", minutes)[0]["first_block"]
    quotes = price_minutes(run, chain, {**minutes, "from_block": blocks or 0})
    run.clear(chain, "work_key")
    buckets = {**parameters, "until": min(parameters["until"], parameters["over"])}
    run.transform("candles/pools_to_price", buckets)
    stored = {row["token_hex"]: (row["close"], row["start_seconds"]) for row in run.read("candles/standing", buckets)}
    priced = price_buckets(run.read("candles/sides", buckets), quotes, stored, BUCKET_SECONDS)
    rows = [_row(chain, bucket, parameters["version"]) for bucket in priced]
    if rows:
        run.warehouse.insert_arrow("agg_token_candle", frames.of_tuples(_COLUMNS, rows))
    written = len(rows)
    for seconds, of_seconds in ((HOUR_SECONDS, BUCKET_SECONDS), (DAY_SECONDS, HOUR_SECONDS)):
        begin = parameters["from"] // seconds * seconds
        written += run.transform(
            "candles/longer", {**parameters, "seconds": seconds, "of_seconds": of_seconds, "from": begin}
        )
    return written


def _row(chain: Chain, bucket: Bucket, version: int) -> tuple[Any, ...]:
    known = bucket.open is not None and bucket.close is not None
    ends = [price for price in (bucket.open, bucket.close) if price is not None]
    return (
        chain.chain_id,
        bucket.token,
        BUCKET_SECONDS,
        bucket.start,
        bucket.open,
        max(ends) if known else None,
        min(ends) if known else None,
        bucket.close,
        bucket.volume_usd,
        bucket.liquidity_usd,
        bucket.trades,
        0,
        version,
    )


def _hour(seconds: int) -> int:
    return seconds // HOUR_SECONDS * HOUR_SECONDS


def _up(seconds: int, step: int) -> int:
    return -(-seconds // step) * step


def _iso(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
