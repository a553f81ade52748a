"""Events about large trades in registered tokens: each swap of a final block is judged once."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pipelines import frames
from pipelines.events.crowns import Crowns, read_crowns
from pipelines.events.recording import iso, read_progress, recording, registration, skip_history
from pipelines.events.rules import RULES, EventRules
from pipelines.prices.market import native_names, read_past_quotes, stablecoin_names
from pipelines.refresh_run import RefreshRun
from pipelines.rules import BUCKET
from pipelines.windows import Window
from warehouse.domain.addresses import digits_of, hash_text
from warehouse.domain.amm import EXACT
from warehouse.domain.chains import Chain
from warehouse.domain.events.event import Occurrence
from warehouse.domain.events.registrations import of_registration
from warehouse.domain.events.trades import LargeTrade

SOURCE = "trades"
_BLOCKS_AT_ONCE = 10_000
_TOKENS_AT_ONCE = 1_000
_BUCKET_SECONDS = int(BUCKET.total_seconds())
_DAY_SECONDS = 86_400
_CENTS = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class TradedPool:
    """A pool of a registered token and a quote asset. ``depth_raw`` is how much of the quote asset the pool holds, in
    base units."""

    pool: str
    token: str
    quote: str
    quote_is_token1: bool
    decimals: int
    depth_raw: int

    def units(self, amount_raw: int) -> Decimal:
        """The amount in whole quote coins."""
        return Decimal(amount_raw).scaleb(-self.decimals, EXACT)


@dataclass(frozen=True, slots=True)
class PoolVolume:
    """What changed hands in a pool in five minutes that began at ``bucket`` (unix seconds), in base units."""

    pool: str
    bucket: int
    volume0_raw: int
    volume1_raw: int


@dataclass(frozen=True, slots=True)
class Swap:
    """One swap; amounts are what the pool gained, in base units."""

    pool: str
    block_number: int
    log_index: int
    block_time_seconds: int
    transaction_hash: str
    amount0_raw: int
    amount1_raw: int

    @property
    def bucket(self) -> int:
        """The start of its five minutes, in unix seconds."""
        return self.block_time_seconds // _BUCKET_SECONDS * _BUCKET_SECONDS


def derive(run: RefreshRun, window: Window, final: int) -> int:
    """Record the large trades up to the final block; return how many."""
    recorded = 0
    while True:
        progress = skip_history(run, read_progress(run, window.chain, SOURCE), final)
        if progress.first > final:
            if progress.position != progress.stored:
                with recording(run, window, progress, progress.position, ()):
                    pass
            return recorded
        position = min(final, progress.first + _BLOCKS_AT_ONCE - 1)
        events = _find_events(run, window.chain, progress.first, position)
        with recording(run, window, progress, position, events):
            recorded += len(events)


def _find_events(run: RefreshRun, chain: Chain, first: int, final: int) -> list[Occurrence]:
    units = run.store_rows(
        "ingestion/units_of_blocks", {"chain_id": chain.chain_id, "after": first - 1, "through": final}
    )[0]
    quotes = [*stablecoin_names(chain), *native_names(chain)]
    if units["first_unit"] is None:
        return []
    bounds = {"chain_id": chain.chain_id, "first": first, "final": final, "quotes": quotes}
    tokens = [row["token_hex"] for row in run.read("events/traded_tokens", {**bounds, **units})]
    crowns = read_crowns(run, chain, tokens) if tokens else Crowns({})
    events: list[Occurrence] = []
    for start in range(0, len(tokens), _TOKENS_AT_ONCE):
        events += _find_events_of_tokens(run, chain, crowns, bounds, sorted(tokens)[start : start + _TOKENS_AT_ONCE])
    return events


def _find_events_of_tokens(
    run: RefreshRun, chain: Chain, crowns: Crowns, bounds: Mapping[str, Any], tokens: Sequence[str]
) -> list[Occurrence]:
    factories = sorted({digits_of(dex.factory) for dex in chain.dexes})
    chosen = run.read("events/pools", {**bounds, "tokens": tokens, "factories": factories})
    if not chosen:
        return []
    run.clear(chain, "work_key")
    run.fill(chain, "work_key", frames.key_table(sorted({row["pool"] for row in chosen})))
    began = run.read("events/first_bucket", bounds)[0]
    swaps = run.read_records(Swap, "events/swaps", {**bounds, "first": began["first_block"]})
    new = [swap for swap in swaps if swap.block_number >= bounds["first"]]
    if not new:
        return []
    day_before = {**bounds, "from": began["bucket"] - _DAY_SECONDS, "until": began["bucket"]}
    volumes = run.read_records(PoolVolume, "events/volumes", day_before)
    depths = {row["pool_hex"]: row for row in run.read("events/depths", bounds)}
    decimals = {digits_of(coin.address): coin.decimals for coin in chain.stablecoins}
    decimals |= dict.fromkeys(native_names(chain), chain.native_decimals)
    pools = [
        TradedPool(
            row["pool"],
            row["token_hex"],
            row["quote"],
            bool(row["quote_is_token1"]),
            decimals[row["quote"]],
            int(depths[row["pool"]]["amount1_raw" if row["quote_is_token1"] else "amount0_raw"]),
        )
        for row in chosen
        if row["pool"] in depths
    ]
    run.clear(chain, "work_key")
    worth = _read_worth(run, chain, bounds["final"], new)
    return trade_events(chain, pools, swaps, bounds["first"], volumes, worth, crowns)


def _read_worth(run: RefreshRun, chain: Chain, final: int, swaps: Iterable[Swap]) -> dict[int, dict[str, Decimal]]:
    """What the quote assets were worth in USD when the swaps' five minutes began; in a younger market, at the last of
    the swaps."""
    latest: dict[int, int] = {}
    for swap in swaps:
        latest[swap.bucket] = max(latest.get(swap.bucket, 0), swap.block_time_seconds + 1)
    found = read_past_quotes(run, chain, through=final, moments=sorted({*latest, *latest.values()}))
    return {
        bucket: {name: quote.usd for name, quote in {**found[moment], **found[bucket]}.items()}
        for bucket, moment in latest.items()
    }


def trade_events(
    chain: Chain,
    pools: Sequence[TradedPool],
    swaps: Sequence[Swap],
    first: int,
    volumes: Iterable[PoolVolume],
    quotes: Mapping[int, Mapping[str, Decimal]],
    crowns: Crowns,
    rules: EventRules = RULES,
) -> list[Occurrence]:
    """The large ones among the swaps from block ``first`` on.

    Args:
        chain: the chain.
        pools: the pools of some registered tokens; a pool of two of them is there twice.
        swaps: their swaps in order, from the beginning of the five minutes that block ``first`` lies in.
        first: the first block whose swaps are judged.
        volumes: what changed hands in the day before, by pool and five minutes.
        quotes: what the quote assets are worth in USD, by five minutes; absent where unknown.
        crowns: the tokens' registrations.
        rules: from when on a trade is large.
    """
    of_pool: dict[str, list[TradedPool]] = defaultdict(list)
    for pool in pools:
        of_pool[pool.pool].append(pool)
    traded = _Traded(of_pool)
    for volume in volumes:
        traded.add(volume.pool, volume.bucket, volume.volume0_raw, volume.volume1_raw)
    events = []
    for swap in swaps:
        traded.add(swap.pool, swap.bucket, abs(swap.amount0_raw), abs(swap.amount1_raw))
        if swap.block_number >= first:
            usd = quotes.get(swap.bucket, {})
            events += [
                event
                for pool in of_pool[swap.pool]
                if (event := _judge(chain, pool, swap, usd, traded, crowns, rules)) is not None
            ]
    return events


def _judge(
    chain: Chain,
    pool: TradedPool,
    swap: Swap,
    usd: Mapping[str, Decimal],
    traded: "_Traded",
    crowns: Crowns,
    rules: EventRules,
) -> Occurrence | None:
    price = usd.get(pool.quote)
    if price is None or pool.units(pool.depth_raw) * price < rules.least_depth_usd:
        return None
    amount = swap.amount1_raw if pool.quote_is_token1 else swap.amount0_raw
    value = pool.units(abs(amount)) * price
    if value <= rules.large_trade_usd and value <= rules.large_trade_share * traded.day_usd(
        pool.token, swap.bucket, usd
    ):
        return None
    crowned = crowns.at(pool.token, swap.block_number, swap.block_time_seconds)
    if crowned is None:
        return None
    about = registration(chain, crowned.token_id, crowned.symbol)
    event = LargeTrade(
        **about.members,
        trade_volume_usd=value.quantize(_CENTS),
        direction="buy" if amount > 0 else "sell",
        timestamp=iso(swap.block_time_seconds),
    )
    facts = {"transaction": hash_text(swap.transaction_hash, chain.address_format), "log_index": swap.log_index}
    return of_registration(event, about, swap.block_time_seconds, **facts)


class _Traded:
    """What was traded of each token, in quote coins by five minutes; swaps are added as they are judged."""

    def __init__(self, of_pool: Mapping[str, Sequence[TradedPool]]) -> None:
        self.of_pool = of_pool
        self.units: dict[tuple[str, str], dict[int, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
        self._before: dict[tuple[str, str, int], Decimal] = {}

    def add(self, pool: str, bucket: int, volume0_raw: int, volume1_raw: int) -> None:
        """What changed hands in a pool."""
        for side in self.of_pool[pool]:
            amount = side.units(volume1_raw if side.quote_is_token1 else volume0_raw)
            self.units[side.token, side.quote][bucket] += amount

    def day_usd(self, token: str, bucket: int, usd: Mapping[str, Decimal]) -> Decimal:
        """In the day before ``bucket``, and so far in it, at one moment's prices."""
        return sum(
            (
                (self._day_before(token, quote, bucket) + self.units[token, quote][bucket]) * price
                for quote, price in usd.items()
                if (token, quote) in self.units
            ),
            Decimal(0),
        )

    def _day_before(self, token: str, quote: str, bucket: int) -> Decimal:
        # Judged in order: by then nothing is added to earlier buckets any more.
        key = (token, quote, bucket)
        if key not in self._before:
            found = self.units[token, quote].items()
            self._before[key] = sum(
                (units for began, units in found if bucket - _DAY_SECONDS <= began < bucket), Decimal(0)
            )
        return self._before[key]
