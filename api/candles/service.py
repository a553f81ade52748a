"""Candles from their rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from api.candles.schemas import Candle, CandleInterval, CandlesAsOf, TokenCandles
from api.clock import Clock
from api.heartbeats.schemas import HistoryPagination
from api.http import cursors
from api.http.pages import cut_page
from api.http.times import LATEST, range_of, timestamp, unix_timestamp
from api.symbols.states import SymbolStates
from api.tokens.errors import TokenNotFound
from warehouse.domain.addresses import checksum_address, digits_of
from warehouse.domain.chains import Chain
from warehouse.readers import candles as readings
from warehouse.readers.source import Source
from warehouse.store import Store

STEP_SECONDS: Mapping[CandleInterval, int] = {"5m": 300, "15m": 900, "1h": 3_600, "4h": 14_400, "1d": 86_400}
DEFAULT_CANDLES = 168
"""How many intervals a request without ``from`` looks back."""


@dataclass(frozen=True, slots=True)
class _Progress:
    """How far the pipelines have made candles."""

    change_id: int
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CandleService:
    """Answers of the candle route."""

    store: Store
    states: SymbolStates
    source: Source
    clock: Clock

    async def candles(
        self,
        symbol: str,
        chain: Chain,
        address: str | None,
        *,
        begin: datetime | None,
        end: datetime | None,
        interval: CandleInterval,
        limit: int,
        cursor: str | None,
    ) -> TokenCandles:
        """A token's candles, newest first.

        Raises:
            TokenNotFound, ChainNotIndexed: there is no such token, or it is unknown.
            InvalidInput: the range ends before it begins, the cursor is invalid, or the token has another symbol.
        """
        seconds = STEP_SECONDS[interval]
        begin, end = range_of(begin, end, self.clock.now(), timedelta(seconds=seconds * DEFAULT_CANDLES))
        token = (await self.states.of(symbol, chain, address)).token
        if token is None:
            raise TokenNotFound(symbol, chain, address)
        # Candles are read whole: one that began before the range is not in it.
        reached = cursors.read_time(cursor) if cursor is not None else end
        rows = await readings.read_candles(
            self.source,
            chain.chain_id,
            digits_of(token.address),
            begin=_next_step(begin, seconds),
            end=min(reached, end),
            step_seconds=seconds,
            limit=limit + 1,
        )
        given, more = cut_page(rows, limit)
        return TokenCandles(
            symbol=symbol,
            chain_id=chain.chain_id,
            token_address=checksum_address(token.address),
            interval=interval,
            begin=timestamp(begin),
            end=timestamp(end),
            as_of=await self._as_of(chain),
            candles=[_candle(row) for row in given],
            pagination=HistoryPagination(
                returned=len(given),
                limit=limit,
                has_more=more,
                next_cursor=cursors.write_time(given[-1].start) if more else None,
            ),
        )

    async def _as_of(self, chain: Chain) -> CandlesAsOf:
        asked = {"subject": "candles", "chain_id": chain.chain_id}
        found = await self.store.rows("derivation/find_checkpoint", asked, _Progress)
        details = found[0].details if found else {}
        return CandlesAsOf(block=details.get("through"), time=unix_timestamp(details.get("as_of")))


def _candle(row: readings.Candle) -> Candle:
    return Candle(
        timestamp=timestamp(row.start),
        open=row.open,
        high=row.high,
        low=row.low,
        close=row.close,
        volume_usd=row.volume_usd,
        liquidity_usd=row.liquidity_usd,
        trades=row.trades,
    )


def _next_step(moment: datetime, seconds: int) -> datetime:
    """The start of the first step that begins at a time or later, as far as the warehouse has times."""
    return min(datetime.fromtimestamp(-(-int(moment.timestamp()) // seconds) * seconds, UTC), LATEST)
