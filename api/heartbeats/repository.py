"""Scores as the store holds them."""

from decimal import Decimal

from sqlalchemy import and_, case, func, select

from api.core.store import Row, Store
from api.models import IndexedToken, RegistrationRecord

_STANDS = and_(
    RegistrationRecord.chain_id == IndexedToken.chain_id,
    RegistrationRecord.token_address == IndexedToken.address,
    RegistrationRecord.symbol == IndexedToken.symbol_key,
    RegistrationRecord.released_at.is_(None),
    RegistrationRecord.expired_at.is_(None),
)
_SCORE = (
    IndexedToken.symbol_key,
    IndexedToken.chain_id,
    IndexedToken.address,
    IndexedToken.score,
    IndexedToken.timestamp_score,
    IndexedToken.volume_score,
    IndexedToken.holders_score,
    IndexedToken.confidence_score,
    IndexedToken.scored_at,
    IndexedToken.as_of_block,
    RegistrationRecord.token_id,
    RegistrationRecord.owner,
    RegistrationRecord.minted_at,
)


class HeartbeatRepository:
    """Statements of the heartbeat routes."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def token(self, symbol: str, chain_id: int, address: str | None) -> Row | None:
        """The token a symbol means on a chain: the named one, else the registered one, else the original."""
        query = (
            select(*_SCORE)
            .outerjoin(RegistrationRecord, _STANDS)
            .where(IndexedToken.symbol_key == symbol, IndexedToken.chain_id == chain_id)
        )
        if address is not None:
            query = query.where(IndexedToken.address == address)
        order = (RegistrationRecord.token_id.is_(None), IndexedToken.precedence, IndexedToken.address)
        return await self.store.row(query.order_by(*order).limit(1))

    async def registered_below(
        self, least: Decimal, below: Decimal, chain_id: int | None, *, limit: int, offset: int
    ) -> list[Row]:
        """Registered tokens with a score in the range, lowest first."""
        query = (
            select(*_SCORE)
            .join(RegistrationRecord, _STANDS)
            .where(IndexedToken.score >= least, IndexedToken.score < below)
        )
        if chain_id is not None:
            query = query.where(IndexedToken.chain_id == chain_id)
        order = (IndexedToken.score, IndexedToken.chain_id, RegistrationRecord.token_id)
        return await self.store.rows(query.order_by(*order).limit(limit).offset(offset))

    async def count_below(self, critical: Decimal, warning: Decimal, chain_id: int | None) -> dict[str, int]:
        """How many registered tokens are below each threshold, each counted once."""
        level = case((IndexedToken.score < critical, "critical"), else_="warning")
        query = (
            select(level.label("level"), func.count().label("tokens"))
            .select_from(IndexedToken)
            .join(RegistrationRecord, _STANDS)
            .where(IndexedToken.score < warning)
        )
        if chain_id is not None:
            query = query.where(IndexedToken.chain_id == chain_id)
        rows = await self.store.rows(query.group_by(level))
        return {"critical": 0, "warning": 0} | {row["level"]: row["tokens"] for row in rows}
