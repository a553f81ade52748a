"""Thresholds for prices and ranks, all in one place. Those of copies are settings."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from warehouse.domain.addresses import AddressFormat


@dataclass(frozen=True, slots=True)
class MarketRules:
    """When a pool counts, and how far prices may disagree."""

    min_depth_usd: Decimal = Decimal(1000)
    """A pool sets no price unless its smaller side is worth more than this, in USD; the excess is the pool's weight."""
    outlier: Decimal = Decimal("0.20")
    """A pool whose price differs from the weighted median by more than this lowers the confidence of the price."""
    agreement: Decimal = Decimal("0.05")
    """A pool whose price differs from the result by at most this raises the confidence."""
    stable_band: Decimal = Decimal("0.03")
    """A stablecoin that differs from the others by more than this no longer counts as one dollar."""
    full_confidence_usd: Decimal = Decimal(1_000_000)
    """The depth, in USD, from which the depth part of the confidence is at its maximum."""
    max_volume_to_liquidity: Decimal = Decimal(10)
    """Volume above this multiple of the liquidity raises neither market score nor heartbeat: wash trading is cheap."""
    max_cap_to_liquidity: Decimal = Decimal(10_000)
    """A market cap above this multiple of the liquidity is unknown: supply times price says little if almost nothing
    can be sold at that price."""


MARKET = MarketRules()

BUCKET = timedelta(minutes=5)
"""Length of a candle."""
WINDOW = timedelta(minutes=10)
"""Length of the time-weighted median of a pool's state; the partial bucket before it is included."""
SEASONED = WINDOW / 2
"""The age from which a pool counts if older pools exist: a state that lasted less sets no price."""
CHANGE_HOURS = (1, 6, 24)
ACTIVE_FOR = timedelta(hours=25)
"""A token traded within this time is priced again as time passes, so its 24-hour metrics decay."""

ZERO_WALLET = "00" * 20
"""Nobody, on every kind of chain: the sender of a mint and the receiver of a burn."""
DEAD_WALLETS = {
    AddressFormat.HEX: "000000000000000000000000000000000000dead",
    AddressFormat.BASE58: "003390728d34116079bdc911bfff00dbd44d2ecdccf79ca6e10038e100000000",  # Solana's incinerator
}
"""What it holds is out of circulation."""
NOBODY = frozenset({"", ZERO_WALLET, "00" * 32, *DEAD_WALLETS.values()})
"""Accounts that nobody has a key of: they control nothing. 32 zero bytes are Solana's system program."""
