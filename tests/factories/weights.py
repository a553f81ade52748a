"""Weights of a ledger's tokens, computed from its rows in plain Python: what the warehouse is compared with."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from pipelines.pricing import Pool, State, usd_quotes
from pipelines.rules import MARKET, ZERO_WALLET
from tests.factories.ledger import EXCHANGES, USDC, WETH, Ledger
from warehouse.domain.amm import pool_amounts, raw_price
from warehouse.domain.copies import CopyRules, Standing, standing_at

HOUR = 3_600
_DECIMALS = {USDC: 6, WETH: 18, ZERO_WALLET: 18}
_HELD_SECONDS = 3_086
Row = dict[str, Any]


class PlainWeights:
    """The published rows of a ledger, and what follows from them hour by hour."""

    def __init__(self, ledger: Ledger) -> None:
        self.rows: dict[str, list[Row]] = defaultdict(list)
        for _, _, _, tables in ledger.units:
            for table, found in tables.items():
                self.rows[table] += found
        times = [row["block_time"] for row in self.rows["raw_block"] if row["block_number"] > 0]
        self.history_from = -(-min(times) // HOUR) * HOUR
        self.closed_to = max(times) // HOUR * HOUR
        self.pools = [row for row in self.rows["fact_pool"] if row["factory"] == EXCHANGES[row["protocol"]]]

    def weights(self) -> dict[str, dict[datetime, Decimal]]:
        """USD by token and hour; without zeros."""
        found: dict[str, dict[datetime, Decimal]] = defaultdict(dict)
        for hour in range(self.history_from, self.closed_to, HOUR):
            measured = [(row, *self._measure(row, hour)) for row in self.pools]
            quotes = usd_quotes(
                [USDC],
                [WETH, ZERO_WALLET],
                [
                    Pool(
                        row["pool"], "uniswap", row["token0"], row["token1"],
                        _DECIMALS[row["token0"]], _DECIMALS[row["token1"]], state, *amounts,
                    )
                    for row, state, amounts in measured
                    if row["token0"] in _DECIMALS and row["token1"] in _DECIMALS and state is not None
                ],
            )  # fmt: skip
            for row, state, amounts in measured:
                for side in (0, 1):
                    token, quote = row[f"token{side}"], row[f"token{1 - side}"]
                    if state is None or quote not in quotes:
                        continue
                    depth = _depth(state, amounts, side)
                    usd = Decimal(depth).scaleb(-_DECIMALS[quote]) * quotes[quote].usd
                    weight = usd - MARKET.min_depth_usd
                    if weight > 0:
                        at = datetime.fromtimestamp(hour, UTC)
                        found[token][at] = found[token].get(at, Decimal(0)) + weight
        return found

    def standings(self, weights: dict[datetime, Decimal], rules: CopyRules) -> dict[datetime, Standing]:
        """The standings of a token by hour; without those that say nothing."""
        start = datetime.fromtimestamp(self.history_from, UTC)
        hours = [datetime.fromtimestamp(hour, UTC) for hour in range(self.history_from, self.closed_to, HOUR)]
        found = {hour: standing_at(weights, hour, start, rules) for hour in hours}
        return {hour: standing for hour, standing in found.items() if standing != Standing()}

    def _measure(self, pool: Row, hour: int) -> tuple[State | None, tuple[int, int]]:
        """The median state of a pool in an hour, and what it held for long enough."""
        end = hour + HOUR
        states = sorted(
            [
                (row["block_number"], row["log_index"], row["block_time"], _state(row))
                for table in ("fact_pool_state", "fact_swap")
                for row in self.rows[table]
                if row["pool"] == pool["pool"] and row["block_time"] < end
                and (table == "fact_pool_state" or row["sqrt_price_x96"])
            ]
        )  # fmt: skip
        pieces: list[tuple[State, int]] = []
        for place, (_, _, since, state) in enumerate(states):
            until = states[place + 1][2] if place + 1 < len(states) else end
            seconds = min(until, end) - max(since, hour)
            if seconds > 0:
                pieces.append((state, seconds))
        if not pieces:
            return None, (0, 0)
        middle = _median(pieces)
        if not middle[2]:
            return middle, (_held([(s[0], t) for s, t in pieces]), _held([(s[1], t) for s, t in pieces]))
        ranges: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        for row in self.rows["fact_liquidity"]:
            if row["pool"] == pool["pool"] and row["block_time"] < end:
                ranges[row["tick_lower"], row["tick_upper"]].append((row["block_time"], row["liquidity_delta"]))
        positions = []
        for (lower, upper), moves in ranges.items():
            amount, since, parts = 0, 0, []
            for at, delta in [*moves, (end, 0)]:
                parts.append((amount, max(0, at - max(since, hour))))
                amount, since = amount + delta, at
            positions.append((lower, upper, _held(parts)))
        roots = [(state[2], seconds) for state, seconds in pieces]
        high = -_held([(-root, seconds) for root, seconds in roots])
        return middle, (pool_amounts(high, positions)[0], pool_amounts(_held(roots), positions)[1])


def _state(row: Row) -> State:
    return row.get("reserve0_raw", 0), row.get("reserve1_raw", 0), row["sqrt_price_x96"]


def _median(pieces: Sequence[tuple[State, int]]) -> State:
    ordered = sorted(pieces, key=lambda piece: (raw_price(*piece[0]) or Decimal(0), piece[0]))
    reached, total = 0, sum(seconds for _, seconds in pieces)
    for state, seconds in ordered:
        reached += seconds
        if reached * 2 >= total:
            return state
    raise AssertionError(pieces)


def _held(pieces: Sequence[tuple[int, int]]) -> int:
    """The largest amount that was there for six sevenths of an hour."""
    reached = 0
    for amount, seconds in sorted(pieces, reverse=True):
        reached += seconds
        if reached >= _HELD_SECONDS:
            return amount
    return 0


def _depth(state: State, amounts: tuple[int, int], side: int) -> int:
    """The smaller side, in units of the token that is not the one of ``side``."""
    own, other = amounts[side], amounts[1 - side]
    if state[2]:
        square = state[2] ** 2
        return min(other, own * square >> 192 if side == 0 else (own << 192) // square)
    if not state[0] or not state[1]:
        return 0
    return min(other, state[1 - side], own * state[1 - side] // state[side])
