"""Bonding curves: a constant product of virtual reserves, which is one range of liquidity.

A curve takes no fee in its own token, so the price follows exactly from the tokens that it paid or received. Tokens or
coins that somebody gives it change nothing.
"""

from dataclasses import dataclass
from math import isqrt

from indexer.chains.solana.pools.ranges import Range
from warehouse.domain.amm import sqrt_ratio_at_tick, tick_at_sqrt_ratio
from warehouse.domain.pool_programs import Curve


@dataclass(frozen=True, slots=True)
class CurvePrice:
    """A curve whose token is token0 or token1 of its pool."""

    curve: Curve
    token_is_0: bool

    @property
    def liquidity(self) -> int:
        """The square root of the product of the reserves, rounded down."""
        return isqrt(self.curve.virtual_tokens * self.curve.virtual_quote)

    @property
    def first_root(self) -> int:
        """The price before the first trade, as a square root with 96 fractional bits."""
        return self.root(self.curve.virtual_tokens)

    def root(self, tokens: int) -> int:
        """The price at which so many virtual tokens are left."""
        return (self.liquidity << 96) // tokens if self.token_is_0 else (tokens << 96) // self.liquidity

    def tokens(self, root: int) -> int:
        """How many virtual tokens are left at a price: the inverse of :meth:`root`."""
        if self.token_is_0:
            return ((self.liquidity << 97) // root + 1) >> 1
        return (root * self.liquidity + (1 << 95)) >> 96

    def ticks(self) -> Range:
        """The range from the first price to the one at which all is sold, not wider."""
        ends = (self.first_root, self.root(self.curve.virtual_tokens - self.curve.tokens_for_sale))
        low, high = min(ends), max(ends)
        lower = tick_at_sqrt_ratio(low)
        return lower + (sqrt_ratio_at_tick(lower) < low), tick_at_sqrt_ratio(high)

    def trade(self, root: int, gained_tokens: int) -> tuple[int, int] | None:
        """The price after the curve gained so many tokens, and what it gained of the quote; negative is what it paid.
        None if it cannot have gained or paid as many."""
        before = self.tokens(root)
        after = before + gained_tokens
        most = self.curve.virtual_tokens
        if not most - self.curve.tokens_for_sale <= after <= most:
            return None
        product = most * self.curve.virtual_quote
        return self.root(after), product // after - product // before
