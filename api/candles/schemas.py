"""Wire shapes of candles."""

from typing import Literal

from pydantic import Field

from api.heartbeats.schemas import HistoryPagination
from api.http.members import Address, BlockNumber, ChainNumber, Count, Symbol, Timestamp, Usd
from api.http.rendering import Wire

CandleInterval = Literal["5m", "15m", "1h", "4h", "1d"]


class Candle(Wire):
    """Prices of a whole token in US dollars during an interval."""

    timestamp: Timestamp = Field(description="Beginning of the interval, ISO 8601 in UTC.")
    open: Usd | None = Field(description="The price before the interval: the close of the candle before.")
    high: Usd | None = Field(description="The highest price of five minutes in the interval.")
    low: Usd | None = Field(description="The lowest price of five minutes in the interval.")
    close: Usd | None = Field(description="The price of its last five minutes with trades.")
    volume_usd: Usd | None = Field(description="Traded in pools that count, in US dollars of the minute.")
    liquidity_usd: Usd | None = Field(description="What pools that count held, in US dollars.")
    trades: Count = Field(description="Swaps in pools of known exchanges.")


class CandlesAsOf(Wire):
    """Up to where the candles go."""

    block: BlockNumber | None = Field(description="The last block that counts; null before any is known.")
    time: Timestamp | None = Field(description="Time of that block, ISO 8601 in UTC.")


class TokenCandles(Wire):
    """A token's candles, newest first."""

    symbol: Symbol
    chain_id: ChainNumber
    token_address: Address
    interval: CandleInterval = Field(description="The length of a candle.")
    begin: Timestamp = Field(alias="from", description="Beginning of the range, ISO 8601 in UTC.")
    end: Timestamp = Field(alias="to", description="End of the range, exclusive, ISO 8601 in UTC.")
    as_of: CandlesAsOf = Field(description="Up to where the candles go.")
    candles: list[Candle] = Field(description="Intervals with trades, newest first; between two, the close holds.")
    pagination: HistoryPagination = Field(description="The place of this page.")
