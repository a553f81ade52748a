"""Market score: how large a token's market is, from 0 to 1, out of 40 parts market cap, 30 volume, 30 liquidity."""

from decimal import Decimal
from math import log10

from pipelines.rules import MARKET, MarketRules

_SCALES = {
    # metric: (parts, USD at which it begins to count, powers of ten until it is complete)
    "market_cap": (0.40, Decimal("1e4"), 7),
    "volume": (0.30, Decimal("1e2"), 7),
    "liquidity": (0.30, Decimal("1e3"), 5),
}
_DIGITS = Decimal("1e-9")


def market_score(
    market_cap_usd: Decimal | None,
    volume_24h_usd: Decimal | None,
    liquidity_usd: Decimal | None,
    rules: MarketRules = MARKET,
) -> Decimal:
    """The score. Each amount is on a logarithmic scale between two fixed bounds; unknown ones count as zero.

    Volume counts up to ten times the liquidity, and market cap up to ten thousand times: both can be faked at no cost,
    liquidity cannot.
    """
    liquidity = liquidity_usd or Decimal(0)
    volume = counted_volume(volume_24h_usd, liquidity, rules) or Decimal(0)
    market_cap = min(market_cap_usd or Decimal(0), liquidity * rules.max_cap_to_liquidity)
    amounts = {"market_cap": market_cap, "volume": volume, "liquidity": liquidity}
    # A logarithm in doubles has six digits more than are kept and costs a hundredth of a decimal one.
    total = sum(parts * _scaled(amounts[name], low, powers) for name, (parts, low, powers) in _SCALES.items())
    return Decimal(total).quantize(_DIGITS)


def counted_volume(
    volume_24h_usd: Decimal | None, liquidity_usd: Decimal | None, rules: MarketRules = MARKET
) -> Decimal | None:
    """Volume as scores and heartbeats count it: bounded by liquidity, because wash trading costs only gas."""
    if volume_24h_usd is None:
        return None
    return min(volume_24h_usd, (liquidity_usd or Decimal(0)) * rules.max_volume_to_liquidity)


def believed_value(
    value_usd: Decimal | None, liquidity_usd: Decimal | None, rules: MarketRules = MARKET
) -> Decimal | None:
    """A supply times a price as it is served: unknown where it exceeds what the liquidity supports. A price without
    pools (``liquidity_usd`` None) is that of a stablecoin and is kept."""
    if value_usd is None or liquidity_usd is None:
        return value_usd
    return value_usd if value_usd <= liquidity_usd * rules.max_cap_to_liquidity else None


def _scaled(amount: Decimal, low: Decimal, powers: int) -> float:
    return min(1.0, log10(amount / low) / powers) if amount > low else 0.0
