"""Heartbeats: every token's score by the hour, its inputs beside it.

A row belongs to the hour it covers. While the hour runs, tokens that changed are scored as of the published block;
once it is over, every token is scored as of its end: tokens active within a month get a row for each hour, the others
one when their score changes (the last row holds until the next).
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from indexer.chains.facts import Chain
from pipelines import frames
from pipelines.derivation import AssetRun, DerivePass, Window, timed
from pipelines.documents.derive import request
from pipelines.heartbeats.observation import Observation
from pipelines.prices.market import Market, read_market
from pipelines.pricing import token_figures
from pipelines.ranking import counted_volume
from pipelines.scoring import Heartbeat, Inputs, score
from warehouse.symbols import symbol_key

SUBJECT = "heartbeats"
HOUR_SECONDS = 3_600
_MONTH_SECONDS = 31 * 86_400
_CAUGHT_UP_HOURS = 24
"""How many closed hours are caught up on; older ones are for a backfill."""
_QUICK_HOURS = 2
"""How many of them a quick pass scores: what is new is served first, the past follows over the next passes."""
_TOKENS_PER_PART = 50_000
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


def derive(run: DerivePass, chain: Chain) -> AssetRun | None:
    """Score the hours that closed since the last time for every token, and the running hour for those that changed."""
    window = run.window(SUBJECT, chain)
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

    observation = observe(run, window, as_of)
    known_from = observation.known_from // HOUR_SECONDS * HOUR_SECONDS
    first = max(closed, known_from, running - _CAUGHT_UP_HOURS * HOUR_SECONDS)
    until = running if run.thorough else min(running, first + _QUICK_HOURS * HOUR_SECONDS)

    def refresh() -> int:
        rows = sum(score_hour(run, window, hour) for hour in range(first, until, HOUR_SECONDS))
        return rows + (_score_running(run, window, running, requested, observation) if requested else 0)

    rows, seconds = timed(refresh)
    gaps = [gap for gap in observation.gaps if running - _MONTH_SECONDS <= gap[1] <= until]
    run.advance(SUBJECT, window, {"version": run.version, "closed_to": until, "gaps": gaps})
    span = (_iso(max(closed, running - HOUR_SECONDS)), _iso(as_of))
    return run.record(AssetRun("heartbeats", chain.chain_id, seconds, rows, *span))


def score_hour(run: DerivePass, window: Window, hour: int) -> int:
    """Score every token as of the end of a closed hour. A row that was made at the end of the hour stands, so scoring
    the hour again gives the same figures; tokens without one get theirs from history."""
    chain_id = window.chain.chain_id
    as_of = hour + HOUR_SECONDS
    tokens = int(
        run.warehouse.scalar("SELECT count() FROM agg_token WHERE chain_id = {chain_id:UInt32}", {"chain_id": chain_id})
    )
    market = read_market(run, window.chain, through=window.through, as_of=as_of, live=False, all_tokens=True)
    observation = observe(run, window, as_of)
    parts = 1 + tokens // _TOKENS_PER_PART
    written = 0
    for part in range(parts):
        found = run.read(
            "heartbeats/inputs",
            {"chain_id": chain_id, "as_of": as_of, "hour": hour, "all_tokens": 1, "parts": parts, "part": part},
        )
        written += _store(run, window, hour, found, market, observation, closing=True)
    return written


def _score_running(run: DerivePass, window: Window, hour: int, tokens: Sequence[str], observation: Observation) -> int:
    as_of = observation.as_of
    run.empty("work_key")
    run.warehouse.insert_arrow("work_key", frames.key_table(tokens))
    market = read_market(run, window.chain, through=window.through, as_of=as_of, live=True, all_tokens=False)
    # Activity in the second of the published block itself counts: the moment is the second after it.
    found = run.read(
        "heartbeats/inputs",
        {"chain_id": window.chain.chain_id, "as_of": as_of + 1, "hour": hour, "all_tokens": 0, "parts": 1, "part": 0},
    )
    return _store(run, window, hour, found, market, observation, closing=False)


def observe(run: DerivePass, window: Window, as_of: int) -> Observation:
    """When the chain was observed before a moment. What lies before the hours already closed is remembered with them;
    only the blocks since are read."""
    chain = window.chain
    known_from = run.read("heartbeats/known_from", {"chain_id": chain.chain_id})[0]["known_from"]
    gaps = [(start, end) for start, end in window.details.get("gaps", ()) if end <= as_of]
    remembered = int(window.details.get("closed_to", 0))
    recent = remembered and as_of >= remembered
    # A gap that spans the moment up to which all is remembered begins up to its length before.
    since = remembered - _RECENT_SECONDS if recent else as_of - _MONTH_SECONDS
    found = run.read(
        "heartbeats/gaps",
        {
            "chain_id": chain.chain_id,
            "from_block": max(0, window.through - _RECENT_BLOCKS) if recent else 0,
            "through": window.through,
            "since": max(since, 0),
            "as_of": as_of,
            "allowed_seconds": max(_MIN_GAP_SECONDS, int(chain.block_seconds * 50)),
        },
    )
    known = {start for start, _ in gaps}
    gaps += [(row["gap_start"], row["gap_end"]) for row in found if row["gap_start"] not in known]
    return Observation(as_of, known_from, chain.start_block == 0, sorted(gaps))


def _store(
    run: DerivePass,
    window: Window,
    hour: int,
    found: Sequence[Mapping[str, Any]],
    market: Market,
    observation: Observation,
    *,
    closing: bool,
) -> int:
    now = int(datetime.now(UTC).timestamp())
    rows = []
    for token in found:
        inputs = token_inputs(token, market, observation)
        made = score(inputs)
        if not _is_news(token, made, hour, observation, closing=closing):
            continue
        rows.append(_row(window, hour, token, made, inputs.to_json(), now))
    if rows:
        run.warehouse.insert_arrow("agg_heartbeat", frames.table(_COLUMNS, rows))
        request(run, window.chain.chain_id, [row["token"] for row in rows], "heartbeat")
    return len(rows)


def _is_news(token: Mapping[str, Any], made: Heartbeat, hour: int, observation: Observation, *, closing: bool) -> bool:
    """Whether a heartbeat is to be stored. The row of an hour that was scored at its end stands for good."""
    if not token["previous_inputs"]:
        return True
    stood = Inputs.from_json(token["previous_inputs"])
    same = score(stood, token["previous_version"]) == made
    if token["previous_hour"] == hour:
        return stood.as_of != observation.as_of if closing else not same
    active = bool(token["last_time"]) and observation.as_of - token["last_time"] <= _MONTH_SECONDS
    return active or not same


def token_inputs(token: Mapping[str, Any], market: Market, observation: Observation) -> Inputs:
    """The inputs of one token's heartbeat at the observed moment."""
    figures = token_figures(token["token"], market.pools_of.get(token["token"], ()), market.quotes)
    volume = counted_volume(figures.volume_24h_usd, figures.liquidity_usd)
    observed, to_observe = observation.day_window()
    return Inputs(
        idle_seconds=observation.idle_seconds(token["last_time"]) if token["last_time"] else None,
        volume_24h_usd=None if volume is None else str(volume),
        transfers_24h=max(0, token["transfers_24h"]),
        holders=max(0, token["holders"]),
        observed_seconds=observed,
        window_seconds=to_observe,
        read_status=token["read_status"],
        as_of=observation.as_of,
    )


def _row(
    window: Window, hour: int, token: Mapping[str, Any], made: Heartbeat, inputs: str, computed_at: int
) -> dict[str, Any]:
    return {
        "chain_id": window.chain.chain_id,
        "token": token["token"],
        "hour": hour,
        "symbol_key": symbol_key(token["symbol"]),
        "score": made.score,
        "timestamp_score": made.timestamp,
        "volume_score": made.volume,
        "holders_score": made.holders,
        "confidence_score": made.confidence,
        "weights_version": made.version,
        "inputs": inputs,
        "as_of_block": window.through,
        "computed_at": computed_at,
    }


def _iso(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()
