"""Reader of heartbeats by the hour."""

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from warehouse import sql
from warehouse.readers.source import Source


@dataclass(frozen=True, slots=True)
class HeartbeatPoint:
    """The score of an hour, and its components."""

    hour: datetime
    score: Decimal
    timestamp_score: Decimal
    volume_score: Decimal
    holders_score: Decimal
    confidence_score: Decimal
    weights_version: int
    as_of_block: int


async def read_heartbeats(
    source: Source, chain_id: int, token: str, *, begin: datetime, end: datetime, step_seconds: int, limit: int
) -> list[HeartbeatPoint]:
    """Scores of the token (hexadecimal) from ``begin`` to before ``end``, newest first, one for each step: its last."""
    found = await source.rows(
        sql.load("queries/heartbeats/history"),
        {
            "chain_id": chain_id,
            "token": token,
            "from": int(begin.timestamp()),
            "to": int(end.timestamp()),
            "step": step_seconds,
            "limit": limit,
        },
    )
    return [HeartbeatPoint(hour=datetime.fromtimestamp(row.pop("at"), UTC), **row) for row in found]
