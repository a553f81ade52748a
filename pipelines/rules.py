"""Thresholds for prices, ranks and copies, all in one place."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class MarketRules:
    """When a pool counts, and how far prices may disagree."""

    min_depth_usd: Decimal = Decimal(1000)
    """Smaller side of a pool, in USD, up to which its price is not believed; what is beyond it is the pool's weight."""
    outlier: Decimal = Decimal("0.20")
    """Pools whose price is further than this from the weighted median contradict it: they lower its confidence."""
    agreement: Decimal = Decimal("0.05")
    """Pools within this of the price agree with it (for the confidence)."""
    stable_band: Decimal = Decimal("0.03")
    """How far a stablecoin may stand from the others before it is no longer taken for a dollar."""
    full_confidence_usd: Decimal = Decimal(1_000_000)
    """Depth at which the depth part of the confidence is complete."""
    max_volume_to_liquidity: Decimal = Decimal(10)
    """Volume beyond this many times the liquidity raises neither market score nor heartbeat: trading with oneself is
    cheap."""
    max_cap_to_liquidity: Decimal = Decimal(10_000)
    """A market cap beyond this many times the liquidity is unknown: supply times price says little when next to nothing
    can be sold at it."""


MARKET = MarketRules()

BUCKET = timedelta(minutes=5)
"""Length of a candle."""
WINDOW = timedelta(minutes=10)
"""The time-weighted median of a pool's state is taken over this long (and the part of a bucket before it)."""
SEASONED = WINDOW / 2
"""How old a pool must be to count where older ones exist: a state that held for less sets no price."""
CHANGE_HOURS = (1, 6, 24)
ACTIVE_FOR = timedelta(hours=25)
"""A token whose last trade is younger than this is priced again as time passes, so its 24-hour metrics decay."""

COPY_FACTOR = 10
"""How many times the holders and the liquidity of another token the older one must have to be its original."""
COPY_MIN_HOLDERS = 10
"""An original has at least this many holders."""

DEAD_WALLET = "000000000000000000000000000000000000dead"
ZERO_WALLET = "00" * 20
