"""Reader of a token's candles."""

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from warehouse import sql
from warehouse.domain.amm import EXACT
from warehouse.readers.source import Source

STORED_SECONDS = (86_400, 3_600, 300)
"""Lengths of the stored candles, the longest first."""


@dataclass(frozen=True, slots=True)
class Candle:
    """Prices of a whole token in USD, its volume and its trades from ``start`` on; None is unknown."""

    start: datetime
    open: Decimal | None
    high: Decimal | None
    low: Decimal | None
    close: Decimal | None
    volume_usd: Decimal | None
    liquidity_usd: Decimal | None
    trades: int


async def read_candles(
    source: Source, chain_id: int, token: str, *, begin: datetime, end: datetime, step_seconds: int, limit: int
) -> list[Candle]:
    """Candles of the token (hexadecimal) that begin from ``begin`` to before ``end``, newest first. A step without
    trades in believed pools has none."""
    found = await source.rows(
        sql.load("queries/candles/history"),
        {
            "chain_id": chain_id,
            "token": token,
            "from": int(begin.timestamp()),
            "to": int(end.timestamp()),
            "seconds": next(seconds for seconds in STORED_SECONDS if step_seconds % seconds == 0),
            "step": step_seconds,
            "limit": limit,
        },
    )
    return [
        Candle(
            start=datetime.fromtimestamp(row["at"], UTC),
            **{name: _whole(row[name], row["decimals"]) for name in ("open", "high", "low", "close")},
            volume_usd=row["volume_usd"],
            liquidity_usd=row["liquidity_usd"],
            trades=row["trades"],
        )
        for row in found
    ]


def _whole(unit_usd: Decimal | None, decimals: int | None) -> Decimal | None:
    """The price of a whole token, from that of its base unit."""
    return None if unit_usd is None or decimals is None else unit_usd.scaleb(decimals, EXACT)
