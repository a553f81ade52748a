"""Liquidity: what each pool holds, at the median of its states over the last minutes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from pipelines import frames
from pipelines.parallel import run_parallel
from pipelines.refresh_run import RefreshRun
from pipelines.rules import BUCKET, WINDOW
from pipelines.run_log import StepRun, timed
from pipelines.step import ChainStep, Phase
from pipelines.windows import Window
from warehouse.domain.amm import pool_amounts
from warehouse.domain.chains import Chain

SUBJECT = "liquidity"
_STATE = frames.pa.struct([(name, frames.pa.binary(32)) for name in ("reserve0_raw", "reserve1_raw", "sqrt_price_x96")])
_COLUMNS = {
    "chain_id": frames.UINT32,
    "pool": frames.HEX,
    "state": _STATE,
    "amount0_raw": frames.UINT256,
    "amount1_raw": frames.UINT256,
    "last_time": frames.TIME,
    "settled": frames.UINT8,
    "deleted": frames.UINT8,
    "as_of_block": frames.UINT64,
    "as_of_time": frames.TIME,
    "version": frames.UINT64,
}
_MAX_UINT256 = (1 << 256) - 1


def derive(run: RefreshRun, chain: Chain) -> StepRun | None:
    """Evaluate the pools with new events and those whose window still moves."""
    window = run.windows.open(SUBJECT, chain)
    if window is None or not (window.has_changes or _moved(window)):
        return None
    rows, seconds = timed(lambda: _refresh(run, window))
    run.windows.advance(SUBJECT, window, {"as_of": int(window.as_of.timestamp())})
    return run.log.record(StepRun("liquidity", chain.chain_id, seconds, rows, str(window.after), str(window.up_to)))


STEP = ChainStep(
    name=SUBJECT,
    description="What every pool holds, at its median state of the last minutes.",
    after=("trades",),
    tables=("agg_pool_liquidity",),
    phase=Phase.METRICS,
    derive=derive,
)


def _moved(window: Window) -> bool:
    return bool(window.details.get("as_of") != int(window.as_of.timestamp()))


def _refresh(run: RefreshRun, window: Window) -> int:
    as_of = int(window.as_of.timestamp())
    start = window_start(as_of)
    parameters = {**window.parameters(run.version), "as_of": as_of, "window_start": start}
    first, _ = run_parallel(lambda: _first_block(run, parameters), lambda: _name_pools(run, window, parameters))
    states, ranges = run_parallel(
        lambda: run.read("liquidity/states", {**parameters, "from_block": first}),
        lambda: run.read("liquidity/positions", parameters),
    )
    if not states:
        return 0
    positions: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for row in ranges:
        positions[row["pool_hex"]].append((row["tick_lower"], row["tick_upper"], row["liquidity"]))
    rows = [_evaluated(run, window, state, positions[state["pool"]], start) for state in states]
    run.warehouse.insert_arrow("agg_pool_liquidity", frames.table(_COLUMNS, rows))
    return len(rows)


def _name_pools(run: RefreshRun, window: Window, parameters: Mapping[str, Any]) -> None:
    run.clear(window.chain, "work_key")
    run.transform("liquidity/pools_to_evaluate", parameters)


def _first_block(run: RefreshRun, parameters: Mapping[str, Any]) -> int | None:
    found: int | None = run.read("liquidity/window_block", parameters)[0]["first_block"]
    return found


def window_start(as_of: int) -> int:
    """Where the window that ends at ``as_of`` begins: with a bucket, so that the state before it is a close."""
    bucket = int(BUCKET / timedelta(seconds=1))
    return (as_of - int(WINDOW / timedelta(seconds=1))) // bucket * bucket


def _evaluated(
    run: RefreshRun, window: Window, state: Mapping[str, Any], positions: Sequence[tuple[int, int, int]], start: int
) -> dict[str, Any]:
    reserve0, reserve1, sqrt_price = state["reserve0_raw"], state["reserve1_raw"], state["sqrt_price_x96"]
    amounts = pool_amounts(sqrt_price, positions) if sqrt_price else (reserve0, reserve1)
    return {
        "chain_id": window.chain.chain_id,
        "pool": state["pool"],
        "state": {
            "reserve0_raw": reserve0.to_bytes(32, "little"),
            "reserve1_raw": reserve1.to_bytes(32, "little"),
            "sqrt_price_x96": sqrt_price.to_bytes(32, "little"),
        },
        "amount0_raw": min(amounts[0], _MAX_UINT256),
        "amount1_raw": min(amounts[1], _MAX_UINT256),
        "last_time": state["last_time"],
        "settled": int(state["last_time"] < start),
        "deleted": int(not state["known"]),
        "as_of_block": window.through,
        "as_of_time": int(window.as_of.timestamp()),
        "version": run.version,
    }
