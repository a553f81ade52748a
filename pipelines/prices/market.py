"""Pools as pricing sees them at one moment, read from the warehouse."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pipelines.parallel import run_parallel
from pipelines.pricing import Pool, Quote, State, TokenMetrics, usd_quotes
from pipelines.refresh_run import RefreshRun
from pipelines.rules import CHANGE_HOURS, SEASONED, ZERO_WALLET
from warehouse.domain.addresses import digits_of
from warehouse.domain.chains import Chain


@dataclass(frozen=True, slots=True)
class Market:
    """The prices of a chain's quote assets at one moment, and each token's pools."""

    quotes: Mapping[str, Quote]
    pools_of: Mapping[str, Sequence[Pool]]
    last_trade: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class StoredMetrics:
    """A token's row in ``agg_token_price``: its metrics, its last trade in unix seconds, and the block of both."""

    metrics: TokenMetrics
    last_trade_time: int
    as_of_block: int


def native_names(chain: Chain) -> list[str]:
    """The native coin in pools: wrapped, and as the zero address on V4. Hexadecimal without prefix."""
    return [*([digits_of(chain.wrapped_native)] if chain.wrapped_native else []), ZERO_WALLET]


def stablecoin_names(chain: Chain) -> list[str]:
    """The chain's stablecoins, the most trusted first."""
    return [digits_of(coin.address) for coin in chain.stablecoins]


def read_market(run: RefreshRun, chain: Chain, *, through: int, as_of: int) -> tuple[Market, dict[str, StoredMetrics]]:
    """The market of the tokens in ``work_key`` as of ``as_of`` (unix seconds), the pools' states being those of the
    last evaluation; and the current metrics of these tokens, by token."""
    rows, decimals, stored = run_parallel(
        lambda: _read_pools(run, chain, through, [as_of], hours_before=[0, *CHANGE_HOURS], all_tokens=False),
        lambda: run.read("prices/decimals", {"chain_id": chain.chain_id, "all_tokens": 0}),
        lambda: run.read("prices/current", {"chain_id": chain.chain_id}),
    )
    market = _market(chain, rows, _decimals(chain, decimals), as_of, live=True)
    return market, {
        row.pop("token_hex"): StoredMetrics(
            last_trade_time=row.pop("last_trade_time"),
            as_of_block=row.pop("as_of_block"),
            metrics=TokenMetrics(**row),
        )
        for row in stored
    }


def read_past_markets(run: RefreshRun, chain: Chain, *, through: int, moments: Sequence[int]) -> dict[int, Market]:
    """The markets of all tokens at past moments, without earlier prices. Pool states come from the candles."""
    rows: dict[int, list[Mapping[str, Any]]] = {moment: [] for moment in moments}
    for row in _read_pools(run, chain, through, moments, hours_before=[0], all_tokens=True):
        rows[row["as_of"]].append(row)
    decimals = _read_decimals(run, chain, all_tokens=True)
    return {moment: _market(chain, found, decimals, moment, live=False) for moment, found in rows.items()}


def read_past_quotes(
    run: RefreshRun, chain: Chain, *, through: int, moments: Sequence[int]
) -> dict[int, Mapping[str, Quote]]:
    """The prices of the quote assets at past moments. ``work_key`` must be empty."""
    rows: dict[int, list[Mapping[str, Any]]] = {moment: [] for moment in moments}
    for row in _read_pools(run, chain, through, moments, hours_before=[0], all_tokens=False):
        rows[row["as_of"]].append(row)
    decimals = _read_decimals(run, chain, all_tokens=False)
    return {moment: _market(chain, found, decimals, moment, live=False).quotes for moment, found in rows.items()}


def _read_decimals(run: RefreshRun, chain: Chain, *, all_tokens: bool) -> dict[str, int]:
    return _decimals(chain, run.read("prices/decimals", {"chain_id": chain.chain_id, "all_tokens": int(all_tokens)}))


def _decimals(chain: Chain, rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    decimals = {row["token_hex"]: row["decimals"] for row in rows}
    decimals.update({digits_of(coin.address): coin.decimals for coin in chain.stablecoins})
    decimals.update(dict.fromkeys(native_names(chain), chain.native_decimals))
    return decimals


def _read_pools(
    run: RefreshRun,
    chain: Chain,
    through: int,
    moments: Sequence[int],
    *,
    hours_before: Sequence[int],
    all_tokens: bool,
) -> list[dict[str, Any]]:
    parameters = {
        "chain_id": chain.chain_id,
        "through": through,
        "moments": list(moments),
        "hours_before": list(hours_before),
        "all_tokens": int(all_tokens),
        "quotes": [*stablecoin_names(chain), *native_names(chain)],
        "factories": sorted({digits_of(dex.factory) for dex in chain.dexes}),
    }
    return run.read("prices/pools", parameters)


def _market(
    chain: Chain, rows: Sequence[Mapping[str, Any]], decimals: Mapping[str, int], as_of: int, *, live: bool
) -> Market:
    quotes = {*stablecoin_names(chain), *native_names(chain)}
    pools = [pool for row in rows if (pool := _pool(row, decimals, as_of, live)) is not None]
    pools_of: dict[str, list[Pool]] = {}
    last_trade: dict[str, int] = {}
    moments = {row["pool"]: row["last_time"] for row in rows}
    for pool in pools:
        for token, other in ((pool.token0, pool.token1), (pool.token1, pool.token0)):
            pools_of.setdefault(token, []).append(pool)
            # A quote asset is priced by its pools with another one. Its other pools are read only with the tokens
            # that a run prices, and its last trade would depend on which those are.
            if other in quotes:
                last_trade[token] = max(last_trade.get(token, 0), moments[pool.pool])
    among = [pool for pool in pools if pool.token0 in quotes and pool.token1 in quotes]
    return Market(usd_quotes(stablecoin_names(chain), native_names(chain), among), pools_of, last_trade)


def _pool(row: Mapping[str, Any], decimals: Mapping[str, int], as_of: int, live: bool) -> Pool | None:
    decimals0, decimals1 = decimals.get(row["token0"]), decimals.get(row["token1"])
    if decimals0 is None or decimals1 is None:
        return None
    now: State = (row["reserve0_raw"], row["reserve1_raw"], row["sqrt_price_x96"])
    past = _past(row, now, as_of)
    if not live:
        then = past.get(0)
        if then is None:
            return None
        now = then
    return Pool(
        pool=row["pool"],
        dex=row["exchange"],
        token0=row["token0"],
        token1=row["token1"],
        decimals0=decimals0,
        decimals1=decimals1,
        state=now,
        amount0_raw=row["amount0_raw"],
        amount1_raw=row["amount1_raw"],
        volume0_raw=row["volume0_raw"],
        volume1_raw=row["volume1_raw"],
        swaps=row["swaps"],
        past=past,
        seasoned=row["created_at"] + int(SEASONED / timedelta(seconds=1)) <= as_of,
    )


def _past(row: Mapping[str, Any], now: State, as_of: int) -> dict[int, State]:
    """States by hours ago. A moment that no candle covers lies after the last event: its state is the current one."""
    states: dict[int, State] = {}
    decided = set()
    for (hours, known), *state in zip(
        row["past_known"],
        row["past_reserve0_raw"],
        row["past_reserve1_raw"],
        row["past_sqrt_price_x96"],
        strict=True,
    ):
        decided.add(hours)
        if known:
            states[hours] = (state[0], state[1], state[2])
    for hours in (0, *CHANGE_HOURS):
        if hours not in decided and row["created_at"] < as_of - 3600 * hours:
            states[hours] = now
    return states
