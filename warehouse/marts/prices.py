"""Marts of the dollar history."""

from collections.abc import Sequence

from warehouse.marts.mart import AS_OF_BLOCK, CHAIN, FLOAT, TIME, TOKEN, Column, Mart, amount_of, nullable

_RULE = "Approximate; null where no believed pool was deep enough."


def _prices(span: str) -> Sequence[Column]:
    return (
        Column("price_open_usd", nullable(FLOAT), f"Price of a whole token before the {span}, in US dollars. {_RULE}"),
        Column("price_high_usd", nullable(FLOAT), f"Highest price of the {span}. {_RULE}"),
        Column("price_low_usd", nullable(FLOAT), f"Lowest price of the {span}. {_RULE}"),
        Column("price_close_usd", nullable(FLOAT), f"Last price of the {span}. {_RULE}"),
        Column("volume_usd", nullable(FLOAT), f"Traded in pools that count, in US dollars of the minute. {_RULE}"),
        Column("liquidity_usd", nullable(FLOAT), f"Held by pools that count at the end of the {span}. {_RULE}"),
        Column("trades", "UInt64", "Swaps in believed pools."),
    )


PRICES_HOURLY = Mart(
    name="prices_hourly",
    comment="Price, volume and liquidity of every token by the hour.",
    grain="an hour of a token in which it was traded; its close holds until the next",
    key=("chain", "token", "hour"),
    month_of="hour",
    internals=("agg_token_candle", "agg_token"),
    columns=(*CHAIN, *TOKEN, Column("hour", TIME, "Beginning of the hour, in UTC."), *_prices("hour"), AS_OF_BLOCK),
)
TOKEN_DAILY = Mart(
    name="token_daily",
    comment="Price, market and holders of every token by the day.",
    grain="a day of a token with transfers or trades",
    key=("chain", "token", "day"),
    month_of="day",
    internals=("agg_token_candle", "agg_token_hour", "agg_holder_day", "agg_top_day", "agg_token"),
    columns=(
        *CHAIN,
        *TOKEN,
        Column("day", "Date", "The day, in UTC."),
        *_prices("day"),
        Column(
            "market_cap_usd", nullable(FLOAT), "Supply times close, in US dollars. Approximate; null where unknown."
        ),
        *amount_of("Minted less burned up to the end of the day", "supply"),
        Column("holders", "Int64", "Wallets that held some of it at the end of the day."),
        Column(
            "top10_share",
            nullable(FLOAT),
            "Share of what all wallets held that the ten largest had when the day ended, 0 to 1; null until then.",
        ),
        Column("transfers", "Int64", "Transfers, with mints and burns."),
        Column("new_holders", "Int64", "Wallets that held nothing when the day began and some when it ended."),
        Column("leaving_holders", "Int64", "Wallets that held some when the day began and nothing when it ended."),
        AS_OF_BLOCK,
    ),
)
MARTS = (PRICES_HOURLY, TOKEN_DAILY)
