"""Liquidity in ranges of ticks, and how far a payout moves the price in it.

A pool takes its fee from what it receives, so the price follows exactly from what it pays. Square roots of prices have
96 fractional bits.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from warehouse.domain.amm import range_amounts, sqrt_ratio_at_tick

Range = tuple[int, int]
"""Lower and upper tick."""


@dataclass(frozen=True, slots=True)
class Move:
    """Where a payout took the price, and what was needed for it without a fee."""

    sqrt_price_x96: int
    needed: int
    liquidity: int


class Ladder:
    """The liquidity between each two neighbouring ticks of some ranges."""

    def __init__(self, ranges: Mapping[Range, int]) -> None:
        """Sum ``ranges``."""
        net: dict[int, int] = {}
        for (lower, upper), liquidity in ranges.items():
            net[lower] = net.get(lower, 0) + liquidity
            net[upper] = net.get(upper, 0) - liquidity
        ticks = sorted(net)
        self._roots = [sqrt_ratio_at_tick(tick) for tick in ticks]
        self._active = list(accumulate(net[tick] for tick in ticks))

    def pay0(self, root: int, amount: int) -> Move | None:
        """Pay token0: the price rises. None if there is not as much."""
        roots, needed = self._roots, 0
        step = bisect_right(roots, root) - 1
        if step < 0 and roots and amount:
            root, step = roots[0], 0
        while step < len(roots) - 1 and step >= 0:
            high, liquidity = roots[step + 1], self._active[step]
            scaled = liquidity << 96
            available = scaled * (high - root) // high // root
            if amount <= available:
                reached = scaled * root // (scaled - amount * root) if amount else root
                return Move(reached, needed + (liquidity * (reached - root) >> 96), liquidity)
            amount -= available
            needed += liquidity * (high - root) >> 96
            root, step = high, step + 1
        return None if amount else Move(root, needed, 0)

    def pay1(self, root: int, amount: int) -> Move | None:
        """Pay token1: the price falls. None if there is not as much."""
        roots, needed = self._roots, 0
        step = bisect_left(roots, root) - 1
        while step >= 0:
            low, liquidity = roots[step], self._active[step]
            if liquidity:
                available = liquidity * (root - low) >> 96
                if amount <= available:
                    reached = root - -(-(amount << 96) // liquidity)
                    return Move(reached, needed + (liquidity << 96) * (root - reached) // root // reached, liquidity)
                amount -= available
                needed += (liquidity << 96) * (root - low) // root // low
            elif not amount:
                break
            root, step = low, step - 1
        return None if amount else Move(root, needed, 0)


def least_amounts(root: int, ticks: Range, liquidity: int) -> tuple[int, int]:
    """The least of either token that this liquidity holds if the price is known to a millionth."""
    slack = root >> 20
    return range_amounts(root + slack, *ticks, liquidity)[0], range_amounts(root - slack, *ticks, liquidity)[1]


def most_amounts(root: int, ticks: Range, liquidity: int) -> tuple[int, int]:
    """The most of either token that this liquidity holds if the price is known to a millionth."""
    slack = root >> 20
    return range_amounts(root - slack, *ticks, liquidity)[0], range_amounts(root + slack, *ticks, liquidity)[1]


def liquidity_of(root: int, ticks: Range, amount0: int, amount1: int) -> int:
    """The liquidity that these amounts pay for, rounded down."""
    low, high = sqrt_ratio_at_tick(ticks[0]), sqrt_ratio_at_tick(ticks[1])
    inside = min(max(root, low), high)
    found = []
    if inside < high:
        found.append(amount0 * inside * high // (high - inside) >> 96)
    if inside > low:
        found.append((amount1 << 96) // (inside - low))
    return min(found)
