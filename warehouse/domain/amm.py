"""Amounts and prices of automated market makers, in the integers of the contracts.

Uniswap V3 and V4 positions: ticks to square-root prices exactly as ``TickMath`` computes them, and the token amounts
of a range of liquidity as ``SqrtPriceMath`` does, rounding down.
"""

import math
from collections.abc import Iterable
from decimal import Context, Decimal
from functools import lru_cache

MIN_TICK = -887272
MAX_TICK = 887272
_Q128 = 1 << 128
_LOG_Q96 = math.log(1 << 96)
_MAX_UINT256 = (1 << 256) - 1

# Powers of 1.0001 ** (-1/2) in Q128, one for each bit of the tick (a part of the protocol, as published).
_RATIOS = (
    0xFFFCB933BD6FAD37AA2D162D1A594001,
    0xFFF97272373D413259A46990580E213A,
    0xFFF2E50F5F656932EF12357CF3C7FDCC,
    0xFFE5CACA7E10E4E61C3624EAA0941CD0,
    0xFFCB9843D60F6159C9DB58835C926644,
    0xFF973B41FA98C081472E6896DFB254C0,
    0xFF2EA16466C96A3843EC78B326B52861,
    0xFE5DEE046A99A2A811C461F1969C3053,
    0xFCBE86C7900A88AEDCFFC83B479AA3A4,
    0xF987A7253AC413176F2B074CF7815E54,
    0xF3392B0822B70005940C7A398E4B70F3,
    0xE7159475A2C29B7443B29C7FA6E889D9,
    0xD097F3BDFD2022B8845AD8F792AA5825,
    0xA9F746462D870FDF8A65DC1F90E061E5,
    0x70D869A156D2A1B890BB3DF62BAF32F7,
    0x31BE135F97D08FD981231505542FCFA6,
    0x9AA508B5B7A84E1C677DE54F3E99BC9,
    0x5D6AF8DEDB81196699C329225EE604,
    0x2216E584F5FA1EA926041BEDFE98,
    0x48A170391F7DC42444E8FA2,
)
# Wide enough for the quotient of two 256-bit numbers with 18 digits to spare on either side.
EXACT = Context(prec=110, Emin=-999999, Emax=999999)


@lru_cache(maxsize=100_000)
def sqrt_ratio_at_tick(tick: int) -> int:
    """Square root of the price at ``tick``, as Q64.96.

    Raises:
        ValueError: the tick lies outside what the protocol allows.
    """
    if not MIN_TICK <= tick <= MAX_TICK:
        raise ValueError(f"tick {tick} is outside {MIN_TICK}..{MAX_TICK}")
    ratio = _Q128
    for bit, factor in enumerate(_RATIOS):
        if abs(tick) >> bit & 1:
            ratio = ratio * factor >> 128
    if tick > 0:
        ratio = _MAX_UINT256 // ratio
    return (ratio >> 32) + (1 if ratio % (1 << 32) else 0)


def tick_at_sqrt_ratio(sqrt_price_x96: int) -> int:
    """The highest tick whose ratio is at most this one; the lowest tick below all."""
    if sqrt_price_x96 < sqrt_ratio_at_tick(MIN_TICK):
        return MIN_TICK
    # The logarithm is exact to far less than a tick; the comparisons decide at its edges.
    guess = math.floor(2 * (math.log(sqrt_price_x96) - _LOG_Q96) / math.log(1.0001))
    tick = min(max(guess, MIN_TICK), MAX_TICK)
    while tick > MIN_TICK and sqrt_ratio_at_tick(tick) > sqrt_price_x96:
        tick -= 1
    while tick < MAX_TICK and sqrt_ratio_at_tick(tick + 1) <= sqrt_price_x96:
        tick += 1
    return tick


def range_amounts(sqrt_price_x96: int, tick_lower: int, tick_upper: int, liquidity: int) -> tuple[int, int]:
    """Token amounts that ``liquidity`` between two ticks stands for at a price, rounded down."""
    lower = sqrt_ratio_at_tick(tick_lower)
    upper = sqrt_ratio_at_tick(tick_upper)
    if lower > upper:
        lower, upper = upper, lower
    inside = min(max(sqrt_price_x96, lower), upper)
    amount0 = (liquidity << 96) * (upper - inside) // upper // inside
    amount1 = liquidity * (inside - lower) >> 96
    return amount0, amount1


def pool_amounts(sqrt_price_x96: int, positions: Iterable[tuple[int, int, int]]) -> tuple[int, int]:
    """What positions ``(tick_lower, tick_upper, liquidity)`` hold at a price; impossible ones are left out."""
    total0 = total1 = 0
    if sqrt_price_x96 <= 0:
        return 0, 0
    for tick_lower, tick_upper, liquidity in positions:
        if liquidity <= 0 or tick_lower >= tick_upper or tick_lower < MIN_TICK or tick_upper > MAX_TICK:
            continue
        amount0, amount1 = range_amounts(sqrt_price_x96, tick_lower, tick_upper, liquidity)
        total0 += amount0
        total1 += amount1
    return total0, total1


def raw_price(reserve0_raw: int, reserve1_raw: int, sqrt_price_x96: int) -> Decimal | None:
    """Price of one base unit of token0 in base units of token1; None when the state prices nothing."""
    if sqrt_price_x96 > 0:
        return EXACT.divide(Decimal(sqrt_price_x96 * sqrt_price_x96), Decimal(1 << 192))
    if reserve0_raw > 0 and reserve1_raw > 0:
        return EXACT.divide(Decimal(reserve1_raw), Decimal(reserve0_raw))
    return None
