"""What the quote assets were worth in each hour, by the rules of prices, from the pools among themselves."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import ROUND_DOWN, Decimal
from typing import Any

from pipelines import frames
from pipelines.prices.market import native_names, stablecoin_names
from pipelines.pricing import Pool, usd_quotes
from pipelines.refresh_run import RefreshRun
from pipelines.windows import Window
from warehouse.domain.addresses import digits_of
from warehouse.domain.chains import Chain
from warehouse.domain.copies import HOUR_SECONDS

_COLUMNS = {
    "chain_id": frames.UINT32,
    "hour": frames.TIME,
    "quote": frames.HEX,
    "usd": frames.decimal(38, 18),
    "deleted": frames.UINT8,
    "version": frames.UINT64,
}
_DIGITS = Decimal("1e-18")
_LIMIT = Decimal(10) ** 18
"""A quote worth more is no quote."""


def price_quotes(run: RefreshRun, window: Window, closed_to: int, reached: int) -> None:
    """Write the prices of the quote assets for the hours between two moments."""
    chain = window.chain
    found = run.read(
        "weights/quote_pools",
        {
            **window.parameters(run.version),
            "from_hour": closed_to,
            "until": reached,
            "quotes": [*stablecoin_names(chain), *native_names(chain)],
        },
    )
    measured: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for row in found:
        measured[row["hour"]].append(row)
    pools: dict[str, Pool] = {}
    for hour in sorted(hour for hour in measured if hour < closed_to):
        pools.update(pools_of(chain, measured[hour]))
    prices = prices_of(chain, pools.values())
    rows: list[tuple[Any, ...]] = []
    for hour in range(closed_to, reached, HOUR_SECONDS):
        if hour in measured:
            pools.update(pools_of(chain, measured[hour]))
            prices = prices_of(chain, pools.values())
        rows += [(chain.chain_id, hour, quote, usd, 0, run.version) for quote, usd in prices.items()]
    if rows:
        run.warehouse.insert_arrow("agg_quote_hour", frames.of_tuples(_COLUMNS, rows))


def quote_decimals(chain: Chain) -> dict[str, int]:
    """Decimals of the chain's quote assets."""
    decimals = {digits_of(coin.address): coin.decimals for coin in chain.stablecoins}
    return {**decimals, **dict.fromkeys(native_names(chain), chain.native_decimals)}


def prices_of(chain: Chain, pools: Iterable[Pool]) -> dict[str, Decimal]:
    """The prices of the quotes that these pools make believable, rounded down to 18 decimals."""
    quotes = usd_quotes(stablecoin_names(chain), native_names(chain), list(pools))
    rounded = {name: quote.usd.quantize(_DIGITS, ROUND_DOWN) for name, quote in quotes.items() if quote.usd < _LIMIT}
    return {name: usd for name, usd in sorted(rounded.items()) if usd > 0}


def pools_of(chain: Chain, rows: Iterable[Mapping[str, Any]]) -> dict[str, Pool]:
    """The pools of rows of ``weights/quote_pools``."""
    decimals = quote_decimals(chain)
    return {
        row["pool_hex"]: Pool(
            pool=row["pool_hex"],
            dex=row["exchange"],
            token0=row["token0_hex"],
            token1=row["token1_hex"],
            decimals0=decimals[row["token0_hex"]],
            decimals1=decimals[row["token1_hex"]],
            state=(row["reserve0_raw"], row["reserve1_raw"], row["sqrt_price_x96"]),
            amount0_raw=row["amount0_raw"],
            amount1_raw=row["amount1_raw"],
        )
        for row in rows
    }
