"""Heartbeats: the score of every token by the hour, stored with its inputs.

A row belongs to the hour it covers. While the hour runs, tokens that changed are scored as of the published block. Once
it is over, every token is scored as of its end: tokens active within a month get a row for each hour, the others one
when their score changes (a row holds until the next).
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from itertools import accumulate
from typing import Any

import polars as pl

from pipelines import frames
from pipelines.documents.requests import request_documents
from pipelines.heartbeats.current import STORED_SCHEMA, CurrentScores
from pipelines.heartbeats.moments import Moment, inputs_at
from pipelines.heartbeats.observation import Observation
from pipelines.heartbeats.scores import SCORES, inputs_json, score_all
from pipelines.parallel import run_parallel
from pipelines.prices.market import Market, read_past_markets
from pipelines.pricing import token_metrics
from pipelines.ranking import counted_volume
from pipelines.refresh_run import RefreshRun
from pipelines.run_log import StepRun, timed
from pipelines.scoring import VERSION
from pipelines.step import ChainStep, Group, Phase
from pipelines.windows import Window
from warehouse.domain.chains import Chain
from warehouse.domain.symbols import symbol_key

SUBJECT = "heartbeats"
HOUR_SECONDS = 3_600
_MONTH_SECONDS = 31 * 86_400
_MAX_CATCH_UP_HOURS = 24
"""How many closed hours a run catches up on; older ones are for a backfill."""
_FOLLOWER_HOURS = 2
"""How many of them a run of the follower scores: it publishes what is new first and catches up over the next runs."""
_ROWS_PER_PART = 200_000
_MIN_GAP_SECONDS = 900
_RECENT_BLOCKS = 200_000
_RECENT_SECONDS = 86_400
_ACTIVITY_SCHEMA = pl.Schema(
    {"row": pl.UInt32(), **dict.fromkeys(("hour", "transfers", "holders_net", "last_time"), pl.Int64())}
)
_SCORE = pl.Decimal(5, 2)


def derive(run: RefreshRun, chain: Chain) -> StepRun | None:
    """Score the hours that closed since the last time for every token, and the running hour for those that changed.

    None on chains without heartbeats.
    """
    window = run.windows.open(SUBJECT, chain) if chain.has_heartbeats else None
    if window is None:
        return None
    as_of = int(window.as_of.timestamp())
    running = as_of // HOUR_SECONDS * HOUR_SECONDS
    seen = int(window.details.get("version", 0))
    closed = int(window.details.get("closed_to", 0))
    requested = [
        row["token"]
        for row in run.read(
            "documents/requested",
            {"chain_id": chain.chain_id, "after_version": seen, "version": run.version, "causes": []},
        )
    ]
    if not requested and closed >= running:
        return None

    observation = observe(run, window, [as_of])[0]
    known_from = observation.known_from // HOUR_SECONDS * HOUR_SECONDS
    first = max(closed, known_from, running - _MAX_CATCH_UP_HOURS * HOUR_SECONDS)
    until = running if run.full else min(running, first + _FOLLOWER_HOURS * HOUR_SECONDS)

    def refresh() -> int:
        rows = score_hours(run, window, range(first, until, HOUR_SECONDS))
        return rows + (_score_running(run, window, running, requested, observation) if requested else 0)

    rows, seconds = timed(refresh)
    gaps = [gap for gap in observation.gaps if running - _MONTH_SECONDS <= gap[1] <= until]
    run.windows.advance(SUBJECT, window, {"version": run.version, "closed_to": until, "gaps": gaps})
    span = (_iso(max(closed, running - HOUR_SECONDS)), _iso(as_of))
    return run.log.record(StepRun("heartbeats", chain.chain_id, seconds, rows, *span))


STEP = ChainStep(
    name=SUBJECT,
    description="The score of every token by the hour, with its inputs. Scoring an hour again gives the same scores.",
    after=("tokens", "holders", "prices"),
    tables=("agg_heartbeat",),
    group=Group.SCORES,
    phase=Phase.METRICS,
    hourly=True,
    derive=derive,
)


def score_hours(run: RefreshRun, window: Window, hours: Sequence[int]) -> int:
    """Score every token as of the ends of closed hours, in order; returns how many rows were written.

    A row that was made as of the end of its hour stays, so scoring an hour again gives the same scores. Tokens without
    one are scored from history. All hours are read together.
    """
    if not hours:
        return 0
    ends = [hour + HOUR_SECONDS for hour in hours]
    markets = read_past_markets(run, window.chain, through=window.through, moments=ends)
    last_blocks = _last_blocks(run, window, ends)
    moments = [
        Moment(
            hour, last_blocks[hour + HOUR_SECONDS], _volumes(markets[hour + HOUR_SECONDS]), observation, closing=True
        )
        for hour, observation in zip(hours, observe(run, window, ends), strict=True)
    ]
    tokens = run.read("heartbeats/token_count", {"chain_id": window.chain.chain_id})[0]["tokens"]
    parts = 1 + tokens * len(hours) // _ROWS_PER_PART
    bounds = {
        "chain_id": window.chain.chain_id,
        "first_moment": moments[0].until,
        "last_moment": moments[-1].until,
        "first_hour": moments[0].hour,
        "last_hour": moments[-1].hour,
        "parts": parts,
    }
    return sum(_score_part(run, window, moments, {**bounds, "part": part}) for part in range(parts))


def _score_part(run: RefreshRun, window: Window, moments: Sequence[Moment], parameters: Mapping[str, Any]) -> int:
    found = run.read_frame("heartbeats/inputs", parameters).with_row_index("row")
    return _score(run, window, moments, found, _exploded(found, "activity", _ACTIVITY_SCHEMA))


def _score_running(run: RefreshRun, window: Window, hour: int, tokens: Sequence[str], observation: Observation) -> int:
    """While an hour runs, the volumes are those that are served, as of when each token was last priced."""
    run.clear(window.chain, "work_key")
    run.fill(window.chain, "work_key", frames.key_table(tokens))
    bounds = {"chain_id": window.chain.chain_id, "moment": observation.as_of + 1, "hour": hour}
    found = run.read_frame("heartbeats/running", bounds).with_row_index("row")
    volumes = {
        token: counted
        for token, volume, liquidity in found.select("token", "volume_24h_usd", "liquidity_usd").iter_rows()
        if volume is not None
        and (counted := counted_volume(Decimal(volume), None if liquidity is None else Decimal(liquidity))) is not None
    }
    # Two sums stand for the hours: the transfers of the last day, and everything that led to today's holders.
    day = found.select("row", hour=observation.as_of, transfers="sent", holders_net=0, last_time=0)
    before = found.select("row", hour=0, transfers=0, holders_net="held", last_time="latest")
    activity = pl.concat([day.cast(_ACTIVITY_SCHEMA), before.cast(_ACTIVITY_SCHEMA)])
    moment = Moment(hour, window.through, volumes, observation, closing=False)
    return _score(run, window, [moment], found, activity)


def _volumes(market: Market) -> dict[str, Decimal]:
    volumes = {}
    for token, pools in market.pools_of.items():
        metrics = token_metrics(token, pools, market.quotes)
        volume = counted_volume(metrics.volume_24h_usd, metrics.liquidity_usd)
        if volume is not None:
            volumes[token] = volume
    return volumes


def observe(run: RefreshRun, window: Window, moments: Sequence[int]) -> list[Observation]:
    """When the chain was observed before each moment. Gaps before the closed hours are stored with the checkpoint; only
    later blocks are read."""
    chain = window.chain
    known_from = run.read("heartbeats/known_from", {"chain_id": chain.chain_id})[0]["known_from"]
    closed_to = int(window.details.get("closed_to", 0))
    remembers = bool(closed_to) and min(moments) >= closed_to
    # A gap across the moment up to which gaps are stored begins up to its length earlier.
    since = {moment: closed_to - _RECENT_SECONDS if remembers else moment - _MONTH_SECONDS for moment in moments}
    found = run.read(
        "heartbeats/gaps",
        {
            "chain_id": chain.chain_id,
            "from_block": max(0, window.through - _RECENT_BLOCKS) if remembers else 0,
            "through": window.through,
            "since": max(min(since.values()), 0),
            "as_of": max(moments),
            "allowed_seconds": max(_MIN_GAP_SECONDS, int(chain.block_seconds * 50)),
        },
    )
    remembered = [(start, end) for start, end in window.details.get("gaps", ())]
    known = {start for start, _ in remembered}
    new = [(row["gap_start"], row["gap_end"]) for row in found if row["gap_start"] not in known]
    return [
        Observation(
            moment,
            known_from,
            chain.start_block == 0,
            sorted(
                [gap for gap in remembered if gap[1] <= moment]
                + [gap for gap in new if gap[0] >= since[moment] and gap[1] <= moment]
            ),
        )
        for moment in moments
    ]


def _last_blocks(run: RefreshRun, window: Window, ends: Sequence[int]) -> dict[int, int]:
    """The last block before each of these moments, which come in order; 0 where there is none."""
    chain_id, through = window.chain.chain_id, window.through
    parameters = {"chain_id": chain_id, "through": through, "ends": list(ends)}
    found = run.read("heartbeats/last_blocks", {**parameters, "from_block": max(0, through - _RECENT_BLOCKS)})
    if not found or found[0]["place"] != 1:
        found = run.read("heartbeats/last_blocks", {**parameters, "from_block": 0})
    blocks = {row["place"]: row["last_block"] for row in found}
    return dict(zip(ends, accumulate((blocks.get(place, 0) for place in range(1, len(ends) + 1)), max), strict=True))


def _score(
    run: RefreshRun, window: Window, moments: Sequence[Moment], found: pl.DataFrame, activity: pl.DataFrame
) -> int:
    """Score the tokens found as of each moment, in order, and write the rows that are new."""
    if found.is_empty():
        return 0
    keys = [symbol_key(symbol) for symbol in found.get_column("symbol")]
    tokens = found.select("row", "token", "read_status", "first_time").with_columns(pl.Series("symbol_key", keys))
    current = CurrentScores(_exploded(found, "standing", STORED_SCHEMA))
    new = []
    for moment in moments:
        inputs = inputs_at(moment, tokens, activity)
        scored = inputs.hstack(score_all(inputs)).with_columns(version=pl.lit(VERSION, pl.Int64))
        made = current.new_rows(moment, scored)
        new.append(
            made.with_columns(hour=pl.lit(moment.hour, pl.UInt32), as_of_block=pl.lit(moment.last_block, pl.UInt64))
        )
    rows = pl.concat(new)
    if not rows.is_empty():
        run.windows.ensure_not_reorged(window)
        # Request the documents first: to a run after one that died in between, a row that exists is not new.
        _, table = run_parallel(
            lambda: request_documents(
                run, window.chain.chain_id, rows.get_column("token").unique().to_list(), "heartbeat"
            ),
            lambda: _stored_form(rows, window.chain),
        )
        run.warehouse.insert_arrow("agg_heartbeat", table)
    return rows.height


def _exploded(found: pl.DataFrame, column: str, schema: pl.Schema) -> pl.DataFrame:
    """The tuples of an array column as rows of ``schema``, with the row each belongs to. Decimals become hundredths."""
    fields = pl.col(column).struct.rename_fields(list(schema)[1:])
    tuples = found.select("row", column).explode(column).drop_nulls().with_columns(fields).unnest(column)
    decimals = [name for name, kind in tuples.schema.items() if isinstance(kind, pl.Decimal)]
    return tuples.with_columns(pl.col(decimals) * 100).cast(schema)


def _stored_form(rows: pl.DataFrame, chain: Chain) -> frames.Table:
    """Rows as ``agg_heartbeat`` has them."""
    cent = Decimal("0.01")
    return rows.select(
        pl.lit(chain.chain_id, pl.UInt32).alias("chain_id"),
        pl.col("token").str.decode("hex"),
        "hour",
        "symbol_key",
        *((pl.col(name).cast(pl.Decimal(10, 2)) * cent).cast(_SCORE) for name in SCORES),
        pl.col("version").cast(pl.UInt16).alias("weights_version"),
        inputs_json().alias("inputs"),
        "as_of_block",
        pl.lit(int(datetime.now(UTC).timestamp()), pl.UInt32).alias("computed_at"),
    ).to_arrow(compat_level=pl.CompatLevel.oldest())


def _iso(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
