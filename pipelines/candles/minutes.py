"""What the quote assets were worth in each minute, by the rules of prices, from the pools among themselves.

A pool's price is its time-weighted median over the five minutes that end with the minute, so a state that held for less
than half of that cannot set it. It weighs what it held for most of the hour before.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from pipelines import frames
from pipelines.candles.buckets import QuotePrices
from pipelines.pricing import Pool, State
from pipelines.refresh_run import RefreshRun
from pipelines.weights.quotes import pools_of, prices_of
from warehouse.domain.addresses import digits_of
from warehouse.domain.chains import Chain
from warehouse.domain.copies import HOUR_SECONDS

_COLUMNS = {
    "chain_id": frames.UINT32,
    "quote": frames.HEX,
    "minute": frames.TIME,
    "usd": frames.decimal(38, 18),
    "deleted": frames.UINT8,
    "version": frames.UINT64,
}
States = Mapping[int, Mapping[str, State]]
"""States of pools by minute, in seconds since 1970; those of minute 0 held before all others."""


def price_minutes(run: RefreshRun, chain: Chain, parameters: Mapping[str, Any]) -> QuotePrices:
    """Write the prices of the quotes from ``from``, the beginning of an hour, to ``until`` (seconds since 1970): of
    every minute in which they can have changed, and of the first minute of every hour."""
    start, until = parameters["from"], parameters["until"]
    run.clear(chain, "work_key")
    run.transform("candles/quote_pools", parameters)
    states: dict[int, dict[str, State]] = defaultdict(dict)
    for row in run.read("candles/minute_states", parameters):
        states[row["minute"]][row["pool_hex"]] = (row["reserve0_raw"], row["reserve1_raw"], row["sqrt_price_x96"])
    measured: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for row in run.read("weights/quote_pools", {**parameters, "from_hour": start - HOUR_SECONDS}):
        measured[row["hour"]].append(row)
    decimals = {digits_of(quote.address): quote.decimals for quote in chain.quotes}
    minutes: dict[str, list[int]] = {name: [] for name in decimals}
    prices: dict[str, list[Decimal | None]] = {name: [] for name in decimals}
    rows: list[tuple[Any, ...]] = []
    for minute, found in _by_minute(chain, states, measured, start, until):
        for name in decimals:
            rows.append((chain.chain_id, name, minute, found.get(name), 0, parameters["version"]))
            minutes[name].append(minute)
            prices[name].append(found.get(name))
    if rows:
        run.warehouse.insert_arrow("agg_quote_minute", frames.of_tuples(_COLUMNS, rows))
    return QuotePrices(decimals, minutes, prices)


def _by_minute(
    chain: Chain, states: States, measured: Mapping[int, list[Mapping[str, Any]]], start: int, until: int
) -> Iterator[tuple[int, Mapping[str, Decimal]]]:
    known = dict(states.get(0, {}))
    pools: dict[str, Pool] = {}
    hours = sorted(measured)
    for hour in range(start, until, HOUR_SECONDS):
        while hours and hours[0] < hour:
            pools.update(pools_of(chain, measured[hours.pop(0)]))
        moved = {minute for minute in states if hour <= minute < hour + HOUR_SECONDS}
        for minute in sorted(moved | {hour}):
            known.update(states.get(minute, {}))
            standing = [replace(pool, state=known[name]) for name, pool in pools.items() if name in known]
            yield minute, prices_of(chain, standing)
