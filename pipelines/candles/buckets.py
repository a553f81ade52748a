"""Candles of five minutes, from the pools of each token: pure functions of rows of ``candles/sides``.

A token's price in a bucket is the weighted median over its believed pools (docs/decisions/0002-prices.md), each at its
typical state. A pool weighs what its depth of the hour before exceeds the minimum; others count as trades only.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import groupby
from typing import Any

from pipelines.medians import weighted_median
from pipelines.pricing import round_usd
from pipelines.rules import MARKET
from warehouse.domain.amm import EXACT, raw_price

_DIGITS = Decimal("1e-54")
_LIMIT = Decimal("1e22")
_USD_LIMIT = Decimal("1e32")
STANDS_SECONDS = 7 * 86_400
"""How long a price holds on as the open of a later bucket."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class QuotePrices:
    """What the quotes were worth in USD by the minute, in order; a price holds until the next, None is unknown.

    ``decimals`` are those of each quote.
    """

    decimals: Mapping[str, int]
    minutes: Mapping[str, list[int]]
    prices: Mapping[str, list[Decimal | None]]
    _units: dict[tuple[str, int], Decimal | None] = field(default_factory=dict, repr=False, compare=False)

    def unit_usd(self, quote: str, until: int) -> Decimal | None:
        """USD of one base unit in the last minute that begins before ``until``. Every token asks for the same few."""
        key = (quote, until)
        if key not in self._units:
            self._units[key] = self._find_unit(quote, until)
        return self._units[key]

    def _find_unit(self, quote: str, until: int) -> Decimal | None:
        place = bisect_right(self.minutes.get(quote, []), until - 1)
        usd = self.prices[quote][place - 1] if place else None
        return None if usd is None else usd.scaleb(-self.decimals[quote], EXACT)


@dataclass(frozen=True, slots=True)
class Bucket:
    """One candle; prices are USD of one base unit."""

    token: str
    start: int
    open: Decimal | None
    close: Decimal | None
    volume_usd: Decimal | None
    liquidity_usd: Decimal | None
    trades: int


def price_buckets(
    rows: Iterable[Row], quotes: QuotePrices, stored: Mapping[str, tuple[Decimal, int]], seconds: int
) -> Iterator[Bucket]:
    """The candles of rows that come in the order of tokens and buckets.

    Args:
        rows: a token's pools in each of its buckets.
        quotes: the prices of the quotes.
        stored: the last price of each token before these buckets, and the start of its bucket.
        seconds: the length of a bucket.
    """
    for token, of_token in groupby(rows, key=lambda row: row["token_hex"]):
        price, since = stored.get(token, (None, 0))
        for start, sides in groupby(of_token, key=lambda row: row["bucket_seconds"]):
            close, volume, liquidity, trades = _figures(token, list(sides), quotes, start + seconds)
            before = price if price is not None and start - since <= STANDS_SECONDS else close
            yield Bucket(token, start, None if close is None else before, close, volume, liquidity, trades)
            if close is not None:
                price, since = close, start


def _figures(
    token: str, sides: list[Row], quotes: QuotePrices, until: int
) -> tuple[Decimal | None, Decimal | None, Decimal | None, int]:
    """Price, volume, liquidity and trades of a token in a bucket."""
    readings: list[tuple[Decimal, Decimal]] = []
    volume = liquidity = Decimal(0)
    counts = False
    for side in sides:
        unit = quotes.unit_usd(side["quote_hex"], until)
        depth = side["depth_raw"] * unit if unit else Decimal(0)
        weight = depth - MARKET.min_depth_usd
        if weight <= 0 or not unit:
            continue
        counts = True
        volume += side["volume_raw"] * unit
        liquidity += side["quote_raw"] * unit + depth
        price = raw_price(side["reserve0_raw"], side["reserve1_raw"], side["sqrt_price_x96"])
        if price:
            usd = EXACT.multiply(price, unit) if side["quote_side"] else EXACT.divide(unit, price)
            readings.append((usd, weight))
    own = token in quotes.decimals
    close = _rounded(quotes.unit_usd(token, until) if own else weighted_median(readings))
    trades = sum(side["swaps"] for side in sides)
    if not counts:
        return close, None, None, trades
    return close, _usd(volume), _usd(liquidity), trades


def _rounded(price: Decimal | None) -> Decimal | None:
    if price is None or price >= _LIMIT:
        return None
    return EXACT.quantize(price, _DIGITS) or None


def _usd(value: Decimal) -> Decimal | None:
    return None if value >= _USD_LIMIT else round_usd(value)
