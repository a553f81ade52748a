"""Prices and market metrics as pure functions of pool states.

A price is the depth-weighted median over a token's pools against dollars and the native coin. Pools that are too
shallow or too young do not count. Unknown is None, never zero. ``docs/decisions/0002-prices.md`` gives the reasons and
the bounds.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation, localcontext
from functools import lru_cache

from pipelines.medians import weighted_median
from pipelines.rules import CHANGE_HOURS, MARKET, MarketRules
from warehouse.domain.amm import EXACT, raw_price

ONE = Decimal(1)
_PRICE_DIGITS = Decimal("1e-36")
_PRICE_LIMIT = Decimal("1e39")
_USD_DIGITS = Decimal("1e-6")
_USD_LIMIT = Decimal("1e60")
_CHANGE_LIMIT = Decimal("1e31")
_CONFIDENCE_DIGITS = Decimal("0.001")
_LOGARITHMS = Context(prec=28)
"""For results of three digits: a logarithm with a hundred digits takes three times as long."""
_WIDE = Context(prec=110, rounding=ROUND_HALF_EVEN, Emin=-999999, Emax=999999)

State = tuple[int, int, int]
"""reserve0, reserve1 (V2) and sqrt_price_x96 (V3, V4) of a pool at one moment."""


@dataclass(frozen=True, slots=True)
class Pool:
    """One pool as pricing sees it. Amounts are in base units; ``past`` holds its states by hours ago.

    A pool is ``seasoned`` once its median state covers half a window. Before that its creator alone sets the price.
    """

    pool: str
    dex: str
    token0: str
    token1: str
    decimals0: int
    decimals1: int
    state: State
    amount0_raw: int
    amount1_raw: int
    volume0_raw: int = 0
    volume1_raw: int = 0
    swaps: int = 0
    past: Mapping[int, State] = field(default_factory=dict)
    seasoned: bool = True

    def price0(self, hours: int = 0) -> Decimal | None:
        """Whole token1 for one whole token0, now or so many hours ago; None when there was no price."""
        state = self.past.get(hours) if hours else self.state
        raw = raw_price(*state) if state else None
        return None if raw is None or raw <= 0 else raw.scaleb(self.decimals0 - self.decimals1, EXACT)

    def units0(self) -> Decimal:
        """Whole token0 in the pool."""
        return Decimal(self.amount0_raw).scaleb(-self.decimals0, EXACT)

    def units1(self) -> Decimal:
        """Whole token1 in the pool."""
        return Decimal(self.amount1_raw).scaleb(-self.decimals1, EXACT)


@dataclass(frozen=True, slots=True)
class Quote:
    """The price of one whole quote token in USD: now and some hours ago (absent where unknown), with its confidence."""

    usd: Decimal
    past: Mapping[int, Decimal]
    confidence: Decimal
    source: str
    liquidity_usd: Decimal | None = None


@dataclass(frozen=True, slots=True)
class TokenMetrics:
    """Market metrics of a token."""

    price_usd: Decimal | None = None
    confidence: Decimal | None = None
    source: str = ""
    pools: int = 0
    liquidity_usd: Decimal | None = None
    volume_24h_usd: Decimal | None = None
    transactions_24h: int | None = None
    price_change_1h: Decimal | None = None
    price_change_6h: Decimal | None = None
    price_change_24h: Decimal | None = None


@dataclass(frozen=True, slots=True)
class _Side:
    """A pool seen from one of its tokens: the token's price in a quote, and what lies on either side."""

    pool: Pool
    quote: Quote
    usd: Decimal | None
    quote_usd: Decimal
    base_units: Decimal
    quote_volume_usd: Decimal

    @property
    def depth_usd(self) -> Decimal:
        """The smaller side in USD, so that liquidity offered on one side alone gives no depth."""
        return min(self.quote_usd, self.base_units * self.usd) if self.usd else Decimal(0)

    def weight(self, rules: MarketRules) -> Decimal:
        """Weight in a price: the depth beyond the minimum, so it falls to zero dollar by dollar as depth leaves."""
        return max(Decimal(0), self.depth_usd - rules.min_depth_usd)


def usd_quotes(
    stablecoins: Sequence[str], natives: Iterable[str], pools: Sequence[Pool], rules: MarketRules = MARKET
) -> dict[str, Quote]:
    """What the chain's stablecoins and its native coin (under each of ``natives``) are worth.

    A stablecoin is a dollar unless it leaves the band around the others, by its pools against them and against the
    native coin: the earlier in the list is believed first. The native coin is the weighted median of its pools against
    the believed stablecoins.
    """
    names = list(natives)
    with localcontext(_WIDE):
        quotes: dict[str, Quote] = {}
        for coin in stablecoins:
            if _within_band(coin, {**quotes, **_native_quotes(names, pools, quotes, rules)}, pools, rules):
                quotes[coin] = Quote(ONE, dict.fromkeys(CHANGE_HOURS, ONE), ONE, "stablecoin")
        return {**quotes, **_native_quotes(names, pools, quotes, rules)}


def token_metrics(
    token: str, pools: Sequence[Pool], quotes: Mapping[str, Quote], rules: MarketRules = MARKET
) -> TokenMetrics:
    """Price, liquidity, volume and changes of one token from its pools against the quotes."""
    with localcontext(_WIDE):
        every = list(_sides(token, pools, quotes))
        own = quotes.get(token)
        if not every:
            return _reference_figures(own) if own else TokenMetrics()
        sides = _seasoned(every, rules)
        deep = _deep(sides, rules)
        priced = _priced(deep, rules)
        usd = own.usd if own else priced[0] if priced else None
        kept = priced[1] if priced else []
        liquidity = sum((_liquidity(side, usd) for side in sides), Decimal(0))
        volume = sum((side.quote_volume_usd for side in deep), Decimal(0))
        confidence = own.confidence if own else _confidence(usd, deep, kept, rules) if usd is not None else None
        changes = {}
        for hours in CHANGE_HOURS:
            before = own.past.get(hours) if own else _past_price(kept, [token], hours, rules)
            changes[hours] = _change(usd, before)
        return TokenMetrics(
            price_usd=round_price(usd),
            confidence=None if confidence is None or usd is None else confidence.quantize(_CONFIDENCE_DIGITS),
            source=own.source if own else _source(kept),
            pools=len(kept),
            liquidity_usd=round_usd(liquidity),
            volume_24h_usd=round_usd(volume) if deep else None,
            transactions_24h=sum(side.pool.swaps for side in every),
            price_change_1h=changes[1],
            price_change_6h=changes[6],
            price_change_24h=changes[24],
        )


def round_usd(value: Decimal | None) -> Decimal | None:
    """``value`` as a stored amount of USD; None when unknown or too large to be real."""
    return None if value is None or value >= _USD_LIMIT else _WIDE.quantize(value, _USD_DIGITS)


def round_price(value: Decimal | None) -> Decimal | None:
    """``value`` as a stored price; None when unknown, too large, or too small to differ from zero."""
    if value is None or value >= _PRICE_LIMIT:
        return None
    rounded = _WIDE.quantize(value, _PRICE_DIGITS)
    return rounded or None


def _reference_figures(quote: Quote) -> TokenMetrics:
    changes = {hours: _change(quote.usd, quote.past.get(hours)) for hours in CHANGE_HOURS}
    return TokenMetrics(
        price_usd=round_price(quote.usd),
        confidence=quote.confidence.quantize(_CONFIDENCE_DIGITS),
        source=quote.source,
        price_change_1h=changes[1],
        price_change_6h=changes[6],
        price_change_24h=changes[24],
    )


def _sides(token: str, pools: Iterable[Pool], quotes: Mapping[str, Quote]) -> Iterable[_Side]:
    for pool in pools:
        price0 = pool.price0()
        if token == pool.token0 and (quote := quotes.get(pool.token1)):
            usd = price0 * quote.usd if price0 else None
            volume = Decimal(pool.volume1_raw).scaleb(-pool.decimals1) * quote.usd
            yield _Side(pool, quote, usd, pool.units1() * quote.usd, pool.units0(), volume)
        elif token == pool.token1 and (quote := quotes.get(pool.token0)):
            usd = quote.usd / price0 if price0 else None
            volume = Decimal(pool.volume0_raw).scaleb(-pool.decimals0) * quote.usd
            yield _Side(pool, quote, usd, pool.units0() * quote.usd, pool.units1(), volume)


def _deep(sides: Iterable[_Side], rules: MarketRules) -> list[_Side]:
    """Those deep enough to count."""
    return [side for side in sides if side.weight(rules) > 0]


def _seasoned(sides: Sequence[_Side], rules: MarketRules) -> Sequence[_Side]:
    """Those that are old enough; all of them where none of these is deep enough, as for a new token."""
    seasoned = [side for side in sides if side.pool.seasoned]
    return seasoned if _deep(seasoned, rules) else sides


def _native_quotes(
    names: Sequence[str], pools: Sequence[Pool], stable: Mapping[str, Quote], rules: MarketRules
) -> dict[str, Quote]:
    """The native coin against the stablecoins trusted so far; empty when none of its pools counts."""
    sides = _deep(_seasoned([side for name in names for side in _sides(name, pools, stable)], rules), rules)
    metrics = _priced(sides, rules)
    if metrics is None:
        return {}
    usd, kept = metrics
    past = {hours: value for hours in CHANGE_HOURS if (value := _past_price(kept, names, hours, rules)) is not None}
    depth = sum((side.depth_usd for side in kept), Decimal(0))
    native = Quote(usd, past, _confidence(usd, sides, kept, rules), _source(kept), depth)
    return dict.fromkeys(names, native)


def _within_band(coin: str, believed: Mapping[str, Quote], pools: Sequence[Pool], rules: MarketRules) -> bool:
    sides = _deep(_seasoned(list(_sides(coin, pools, believed)), rules), rules)
    value = weighted_median((side.usd, side.weight(rules)) for side in sides if side.usd is not None)
    return value is None or abs(value - ONE) <= rules.stable_band


def _priced(sides: Sequence[_Side], rules: MarketRules) -> tuple[Decimal, list[_Side]] | None:
    """The price, and the pools that agree with it. The median is not recomputed without the others: half of the
    remaining weight would be less than half of all."""
    middle = weighted_median((side.usd, side.weight(rules)) for side in sides if side.usd is not None)
    if middle is None:
        return None
    return middle, [side for side in sides if side.usd is not None and abs(side.usd - middle) <= middle * rules.outlier]


def _past_price(sides: Sequence[_Side], tokens: Sequence[str], hours: int, rules: MarketRules) -> Decimal | None:
    """The price that the same pools gave then, weighted by what they hold now."""
    readings = []
    for side in sides:
        price0 = side.pool.price0(hours)
        quote = side.quote.past.get(hours)
        if price0 is None or quote is None:
            continue
        usd = price0 * quote if side.pool.token0 in tokens else quote / price0
        readings.append((usd, side.weight(rules)))
    return weighted_median(readings)


def _liquidity(side: _Side, usd: Decimal | None) -> Decimal:
    """Both sides in USD. The token's own side counts up to the quote's side: an offer is not a value."""
    return side.quote_usd + (min(side.base_units * usd, side.quote_usd) if usd is not None else Decimal(0))


def _confidence(usd: Decimal, sides: Sequence[_Side], kept: Sequence[_Side], rules: MarketRules) -> Decimal:
    """Depth (log-scaled) times the share of depth that agrees, times the confidence of the quotes."""
    total = sum((side.depth_usd for side in sides), Decimal(0))
    agreeing = [side for side in kept if side.usd is not None and abs(side.usd - usd) <= usd * rules.agreement]
    agreed = sum((side.depth_usd for side in agreeing), Decimal(0))
    if not agreeing or total <= 0:
        return Decimal(0)
    scale = _powers(rules.full_confidence_usd, rules.min_depth_usd)
    reached = _powers(agreed, rules.min_depth_usd) if agreed > 0 else Decimal(0)
    depth = min(ONE, reached / scale)
    quote = sum((side.quote.confidence * side.depth_usd for side in agreeing), Decimal(0)) / agreed
    return max(Decimal(0), depth * (agreed / total) * quote)


@lru_cache(maxsize=4096)
def _powers(amount: Decimal, low: Decimal) -> Decimal:
    return _LOGARITHMS.log10(amount / low) + 1


def _source(sides: Sequence[_Side]) -> str:
    """Where a price comes from: the deepest pool's Dex, and how many pools agree."""
    if not sides:
        return ""
    deepest = max(sides, key=lambda side: (side.depth_usd, side.pool.pool))
    return f"{deepest.pool.dex}: {len(sides)} pool{'s' if len(sides) > 1 else ''}"


def _change(now: Decimal | None, before: Decimal | None) -> Decimal | None:
    if now is None or before is None or before <= 0:
        return None
    percent = (now - before) / before * 100
    try:
        return percent.quantize(_USD_DIGITS) if abs(percent) < _CHANGE_LIMIT else None
    except InvalidOperation:
        return None
