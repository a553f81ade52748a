"""Depth of pools by the hour, measured as decision 33 says."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pipelines import frames
from pipelines.prices.market import native_names, stablecoin_names
from pipelines.refresh_run import RefreshRun
from pipelines.weights.progress import Progress
from pipelines.windows import Window
from warehouse.domain.addresses import digits_of
from warehouse.domain.amm import pool_amounts
from warehouse.domain.chains import Chain
from warehouse.domain.copies import HOUR_SECONDS, needed_hours

_DAY_SECONDS = 86_400
_HELD_SECONDS = needed_hours(HOUR_SECONDS)
"""Amounts count that a pool held for this part of an hour. By the median, capital that moves between two pools every
half hour would count twice."""
_POOLS_PER_STATEMENT = 2_000
_HOURS_PER_STATEMENT = 168
_DAYS_PER_STATEMENT = 31
_MAX_UINT256 = (1 << 256) - 1
_STATE = frames.pa.struct([(name, frames.pa.binary(32)) for name in ("reserve0_raw", "reserve1_raw", "sqrt_price_x96")])
_COLUMNS = {
    "chain_id": frames.UINT32,
    "hour": frames.TIME,
    "pool": frames.HEX,
    "state": _STATE,
    "amount0_raw": frames.UINT256,
    "amount1_raw": frames.UINT256,
    "depth0_raw": frames.UINT256,
    "depth1_raw": frames.UINT256,
    "moved": frames.UINT8,
    "deleted": frames.UINT8,
    "version": frames.UINT64,
}
_HOUR_COLUMNS = {"pool": frames.HEX, "hour": frames.TIME}
Positions = Sequence[tuple[int, int, int]]
"""Tick ranges with their liquidity: lower tick, upper tick, liquidity."""


def measure_depth(run: RefreshRun, window: Window, before: Progress, closed_to: int, reached: int) -> None:
    """Write the depth of the pools that had events, for the hours between two moments, and each day's first rows."""
    parameters = {
        **window.parameters(run.version),
        "pending_after": before.pending_after,
        "history_from": before.history_from,
        "closed_to": closed_to,
        "quotes": [*stablecoin_names(window.chain), *native_names(window.chain)],
        "factories": sorted({digits_of(dex.factory) for dex in window.chain.dexes}),
    }
    first_blocks = _first_blocks(run, window, closed_to - HOUR_SECONDS)
    pools = run.read("weights/pool_count", parameters)[0]["pools"]
    parts = 1 + pools // _POOLS_PER_STATEMENT
    for part in range(parts):
        run.clear(window.chain, "work_key")
        run.transform("weights/pools_to_measure", {**parameters, "parts": parts, "part": part})
        for start in range(closed_to, reached, _HOURS_PER_STATEMENT * HOUR_SECONDS):
            until = min(start + _HOURS_PER_STATEMENT * HOUR_SECONDS, reached)
            from_block = first_blocks(start - HOUR_SECONDS)
            if from_block is not None:
                bounds = {"from_hour": start, "until": until, "from_block": from_block}
                _measure(run, window.chain, {**parameters, **bounds})
    first_day = -(-closed_to // _DAY_SECONDS) * _DAY_SECONDS
    days = list(range(first_day, reached, _DAY_SECONDS))
    for place in range(0, len(days), _DAYS_PER_STATEMENT):
        run.transform("weights/days", {**parameters, "days": days[place : place + _DAYS_PER_STATEMENT]})


def depths(state: tuple[int, int, int], amount0_raw: int, amount1_raw: int) -> tuple[int, int]:
    """Depth of a pool in token0 and in token1: the smaller of its two sides at a state (reserve0, reserve1,
    sqrt_price_x96), rounded down. A V2 pool is no deeper than that state's reserves."""
    reserve0, reserve1, root = state
    if root > 0:
        square = root * root
        return min(amount0_raw, (amount1_raw << 192) // square), min(amount1_raw, amount0_raw * square >> 192)
    if reserve0 <= 0 or reserve1 <= 0:
        return 0, 0
    return (
        min(amount0_raw, reserve0, amount1_raw * reserve0 // reserve1),
        min(amount1_raw, reserve1, amount0_raw * reserve1 // reserve0),
    )


def _first_blocks(run: RefreshRun, window: Window, from_hour: int) -> Any:
    """A function that gives the first block at or after an hour; None if there is none."""
    rows = run.read(
        "weights/first_blocks",
        {"chain_id": window.chain.chain_id, "through": window.through, "from_hour": from_hour},
    )
    hours = [row["hour"] for row in rows]
    blocks = [row["first_block"] for row in rows]

    def first_block(hour: int) -> int | None:
        place = bisect_left(hours, hour)
        return blocks[place] if place < len(blocks) else None

    return first_block


def _measure(run: RefreshRun, chain: Chain, parameters: Mapping[str, Any]) -> None:
    measured = run.read("weights/states", {**parameters, "held_seconds": _HELD_SECONDS})
    if not measured:
        return
    positions = _positions(run, chain, parameters, [row for row in measured if row["sqrt_price_x96"]])
    rows = [_row(parameters, row, positions.get((row["pool_hex"], row["hour"]), ())) for row in measured]
    run.warehouse.insert_arrow("agg_pool_depth", frames.table(_COLUMNS, rows))


def _positions(
    run: RefreshRun, chain: Chain, parameters: Mapping[str, Any], ranged: Sequence[Mapping[str, Any]]
) -> Mapping[tuple[str, int], Positions]:
    """What was there in each hour of pools with tick ranges, by pool and hour."""
    if not ranged:
        return {}
    run.clear(chain, "work_pool_hour")
    hours = [{"pool": row["pool_hex"], "hour": row["hour"]} for row in ranged]
    run.fill(chain, "work_pool_hour", frames.table(_HOUR_COLUMNS, hours))
    found: dict[tuple[str, int], list[tuple[int, int, int]]] = defaultdict(list)
    for row in run.read("weights/positions", {**parameters, "held_seconds": _HELD_SECONDS}):
        place = (row["pool_hex"], row["hour_seconds"])
        found[place].append((row["tick_lower"], row["tick_upper"], row["liquidity"]))
    return found


def _held(measured: Mapping[str, Any], positions: Positions) -> tuple[int, int]:
    """What a pool held for long enough. A position has the least of token0 at the highest price, of token1 at the
    lowest. At the median, capital that swaps move between two pools every half hour would count twice."""
    if not measured["sqrt_price_x96"]:
        return measured["held0_raw"], measured["held1_raw"]
    low, high = measured["low_root"], measured["high_root"]
    at_low = pool_amounts(low, positions)
    at_high = at_low if low == high else pool_amounts(high, positions)
    return at_high[0], at_low[1]


def _row(parameters: Mapping[str, Any], measured: Mapping[str, Any], positions: Positions) -> dict[str, Any]:
    state = (measured["reserve0_raw"], measured["reserve1_raw"], measured["sqrt_price_x96"])
    amount0, amount1 = (min(amount, _MAX_UINT256) for amount in _held(measured, positions))
    depth0, depth1 = depths(state, amount0, amount1)
    return {
        "chain_id": parameters["chain_id"],
        "hour": measured["hour"],
        "pool": measured["pool_hex"],
        "state": {
            name: value.to_bytes(32, "little")
            for name, value in zip(("reserve0_raw", "reserve1_raw", "sqrt_price_x96"), state, strict=True)
        },
        "amount0_raw": amount0,
        "amount1_raw": amount1,
        "depth0_raw": depth0,
        "depth1_raw": depth1,
        "moved": int(measured["moved"]),
        "deleted": 0,
        "version": parameters["version"],
    }
