"""Heartbeats: every token's score by the hour, its inputs beside it.

A row belongs to the hour it covers. While the hour runs, tokens that changed are scored as of the published block;
once it is over, every token is scored as of its end: tokens active within a month get a row for each hour, the others
one when their score changes (the last row holds until the next).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from pipelines import frames
from pipelines.documents.derive import request
from pipelines.heartbeats.activity import Activity
from pipelines.heartbeats.observation import Observation
from pipelines.parallel import run_parallel
from pipelines.prices.market import Market, read_past_markets
from pipelines.pricing import token_metrics
from pipelines.ranking import counted_volume
from pipelines.refresh_run import RefreshRun
from pipelines.run_log import AssetRun, timed
from pipelines.scoring import Heartbeat, Inputs, score
from pipelines.step import ChainStep, Phase
from pipelines.windows import Window
from warehouse.domain.chains import Chain
from warehouse.domain.symbols import symbol_key

SUBJECT = "heartbeats"
HOUR_SECONDS = 3_600
_MONTH_SECONDS = 31 * 86_400
_CAUGHT_UP_HOURS = 24
"""How many closed hours are caught up on; older ones are for a backfill."""
_QUICK_HOURS = 2
"""How many of them a quick pass scores: what is new is served first, the past follows over the next passes."""
_ROWS_PER_PART = 200_000
_MIN_GAP_SECONDS = 900
_RECENT_BLOCKS = 200_000
_RECENT_SECONDS = 86_400
_COLUMNS = {
    "chain_id": frames.UINT32,
    "token": frames.HEX,
    "hour": frames.TIME,
    "symbol_key": frames.TEXT,
    "score": frames.decimal(5, 2),
    "timestamp_score": frames.decimal(5, 2),
    "volume_score": frames.decimal(5, 2),
    "holders_score": frames.decimal(5, 2),
    "confidence_score": frames.decimal(5, 2),
    "weights_version": frames.UINT16,
    "inputs": frames.TEXT,
    "as_of_block": frames.UINT64,
    "computed_at": frames.TIME,
}


@dataclass(frozen=True, slots=True)
class Moment:
    """An hour, and the moment as of which it is scored: its end, or while it runs the published block.

    ``volumes`` are the tokens' 24-hour volumes in USD as far as they count; a token without a market has none.
    """

    hour: int
    volumes: Mapping[str, Decimal]
    observation: Observation
    closing: bool

    @property
    def until(self) -> int:
        """Activity before this counts: in the second of the published block itself, too."""
        return self.observation.as_of if self.closing else self.observation.as_of + 1


@dataclass(slots=True)
class _Standing:
    """Scores that stand for a token, by hour in order, to be looked at as the hours go by."""

    scores: Sequence[tuple[Any, ...]]
    position: int = 0
    hour: int = 0
    as_of: int = 0
    beat: Heartbeat | None = None

    def at(self, hour: int) -> None:
        """Go on to the last score at or before ``hour``."""
        while self.position < len(self.scores) and self.scores[self.position][0] <= hour:
            self.hour, self.as_of, made, timestamp, volume, holders, confidence, version = self.scores[self.position]
            self.beat = Heartbeat(made, timestamp, volume, holders, confidence, version)
            self.position += 1

    def put(self, hour: int, as_of: int, beat: Heartbeat) -> None:
        """Another score stands from now on."""
        self.hour, self.as_of, self.beat = hour, as_of, beat


@dataclass(slots=True)
class _Rows:
    """Rows to be written, by column."""

    columns: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in _COLUMNS})

    def add(self, values: Sequence[Any]) -> None:
        """One row, its values in the order of the columns."""
        for column, value in zip(self.columns.values(), values, strict=True):
            column.append(value)


def derive(run: RefreshRun, chain: Chain) -> AssetRun | None:
    """Score the hours that closed since the last time for every token, and the running hour for those that changed."""
    window = run.windows.open(SUBJECT, chain)
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
    first = max(closed, known_from, running - _CAUGHT_UP_HOURS * HOUR_SECONDS)
    until = running if run.full else min(running, first + _QUICK_HOURS * HOUR_SECONDS)

    def refresh() -> int:
        rows = score_hours(run, window, range(first, until, HOUR_SECONDS))
        return rows + (_score_running(run, window, running, requested, observation) if requested else 0)

    rows, seconds = timed(refresh)
    gaps = [gap for gap in observation.gaps if running - _MONTH_SECONDS <= gap[1] <= until]
    run.windows.advance(SUBJECT, window, {"version": run.version, "closed_to": until, "gaps": gaps})
    span = (_iso(max(closed, running - HOUR_SECONDS)), _iso(as_of))
    return run.log.record(AssetRun("heartbeats", chain.chain_id, seconds, rows, *span))


STEP = ChainStep(
    name=SUBJECT,
    asset="agg_heartbeat",
    description="The score of every token by the hour, with its inputs. Scoring an hour again gives the same scores.",
    after=("tokens", "holders", "prices"),
    tables=("agg_heartbeat",),
    phase=Phase.METRICS,
    hourly=True,
    derive=derive,
)


def score_hours(run: RefreshRun, window: Window, hours: Sequence[int]) -> int:
    """Score every token as of the ends of closed hours, in order. A row that was made at the end of its hour stands, so
    scoring an hour again gives the same figures; tokens without one get theirs from history. All hours are read
    together."""
    if not hours:
        return 0
    ends = [hour + HOUR_SECONDS for hour in hours]
    markets = read_past_markets(run, window.chain, through=window.through, moments=ends)
    moments = [
        Moment(hour, _volumes(markets[hour + HOUR_SECONDS]), observation, closing=True)
        for hour, observation in zip(hours, observe(run, window, ends), strict=True)
    ]
    tokens = int(
        run.warehouse.scalar(
            "SELECT count() FROM agg_token WHERE chain_id = {chain_id:UInt32}", {"chain_id": window.chain.chain_id}
        )
    )
    parts = 1 + tokens * len(hours) // _ROWS_PER_PART
    bounds = {
        "chain_id": window.chain.chain_id,
        "first_moment": moments[0].until,
        "last_moment": moments[-1].until,
        "first_hour": moments[0].hour,
        "last_hour": moments[-1].hour,
        "parts": parts,
    }
    return sum(
        _score(run, window, moments, run.read("heartbeats/inputs", {**bounds, "part": part})) for part in range(parts)
    )


def _score_running(run: RefreshRun, window: Window, hour: int, tokens: Sequence[str], observation: Observation) -> int:
    """While an hour runs, its volumes are those that are served: of when each token was priced last."""
    run.truncate("work_key")
    run.warehouse.insert_arrow("work_key", frames.key_table(tokens))
    found = run.read(
        "heartbeats/running", {"chain_id": window.chain.chain_id, "moment": observation.as_of + 1, "hour": hour}
    )
    volumes = {
        row["token"]: volume
        for row in found
        if (volume := counted_volume(row["volume_24h_usd"], row["liquidity_usd"])) is not None
    }
    for row in found:
        # Two sums stand for the hours: what lies within the day, and all that led to today's holders.
        row["activity"] = [(0, 0, row["held"], row["latest"]), (observation.as_of, row["sent"], 0, 0)]
    return _score(run, window, [Moment(hour, volumes, observation, closing=False)], found)


def _volumes(market: Market) -> dict[str, Decimal]:
    volumes = {}
    for token, pools in market.pools_of.items():
        figures = token_metrics(token, pools, market.quotes)
        volume = counted_volume(figures.volume_24h_usd, figures.liquidity_usd)
        if volume is not None:
            volumes[token] = volume
    return volumes


def observe(run: RefreshRun, window: Window, moments: Sequence[int]) -> list[Observation]:
    """When the chain was observed before each moment. What lies before the hours already closed is remembered with
    them; only the blocks since are read."""
    chain = window.chain
    known_from = run.read("heartbeats/known_from", {"chain_id": chain.chain_id})[0]["known_from"]
    closed_to = int(window.details.get("closed_to", 0))
    remembers = bool(closed_to) and min(moments) >= closed_to
    # A gap that spans the moment up to which all is remembered begins up to its length before.
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


def _score(run: RefreshRun, window: Window, moments: Sequence[Moment], found: Iterable[Mapping[str, Any]]) -> int:
    """Score the tokens found as of each moment, in order, and write what is news."""
    now = int(datetime.now(UTC).timestamp())
    rows = _Rows()
    tokens = []
    for token in found:
        activity = Activity(token["activity"])
        standing = _Standing(token["standing"])
        key, name = symbol_key(token["symbol"]), token["token"]
        written = 0
        for moment in moments:
            if token["first_time"] > moment.until:
                continue
            standing.at(moment.hour)
            sums = activity.before(moment.until)
            inputs = token_inputs(name, token["read_status"], sums, moment)
            made = score(inputs)
            if not _is_news(standing, made, moment, last_time=sums[2]):
                continue
            standing.put(moment.hour, inputs.as_of, made)
            written += 1
            parts = (made.score, made.timestamp, made.volume, made.holders, made.confidence, made.version)
            rows.add((window.chain.chain_id, name, moment.hour, key, *parts, inputs.to_json(), window.through, now))
        if written:
            tokens.append(name)
    if tokens:
        run.windows.ensure_not_reorged(window)
        # Asked for first: a row that is there is no news to a pass after one that died in between.
        _, table = run_parallel(
            lambda: request(run, window.chain.chain_id, tokens, "heartbeat"),
            lambda: frames.of_columns(_COLUMNS, rows.columns),
        )
        run.warehouse.insert_arrow("agg_heartbeat", table)
    return len(rows.columns["hour"])


def _is_news(standing: _Standing, made: Heartbeat, moment: Moment, *, last_time: int) -> bool:
    """Whether a heartbeat is to be stored. The row of an hour that was scored at its end stands for good."""
    if standing.beat is None:
        return True
    as_of = moment.observation.as_of
    if standing.hour == moment.hour:
        return standing.as_of != as_of if moment.closing else standing.beat != made
    active = bool(last_time) and as_of - last_time <= _MONTH_SECONDS
    return active or standing.beat != made


def token_inputs(token: str, read_status: str, sums: tuple[int, int, int], moment: Moment) -> Inputs:
    """The inputs of one token's heartbeat: ``sums`` are transfers in 24 hours, holders and the last transfer's time."""
    observation, volume = moment.observation, moment.volumes.get(token)
    transfers, holders, last_time = sums
    observed, to_observe = observation.day_window()
    return Inputs(
        idle_seconds=observation.idle_seconds(last_time) if last_time else None,
        volume_24h_usd=None if volume is None else str(volume),
        transfers_24h=max(0, transfers),
        holders=max(0, holders),
        observed_seconds=observed,
        window_seconds=to_observe,
        read_status=read_status,
        as_of=observation.as_of,
    )


def _iso(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
