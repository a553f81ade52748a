"""Registrations and tokens as the store holds them."""

from collections.abc import Sequence

from sqlalchemy import and_, select

from api.core.store import Row, Store
from api.models import IndexedToken, RegistrationRecord

_ENDED = and_(RegistrationRecord.released_at.is_(None), RegistrationRecord.expired_at.is_(None)).is_(False)
_TOKEN = (
    IndexedToken.address,
    IndexedToken.name,
    IndexedToken.score,
    IndexedToken.timestamp_score,
    IndexedToken.volume_score,
    IndexedToken.holders_score,
    IndexedToken.confidence_score,
    IndexedToken.scored_at,
)


class RegistrationRepository:
    """Statements of the registration routes."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def earliest_with_id(self, token_id: int, chain_id: int | None) -> Row | None:
        """The earliest mint with the id, on the chain if one is named."""
        query = select(RegistrationRecord.__table__).where(RegistrationRecord.token_id == token_id)
        if chain_id is not None:
            query = query.where(RegistrationRecord.chain_id == chain_id)
        return await self.store.row(query.order_by(RegistrationRecord.minted_at, RegistrationRecord.chain_id).limit(1))

    async def first_of_symbol(self, symbol: str, chain_id: int | None) -> Row | None:
        """The first registration of a symbol; those that still stand come before those that ended."""
        query = select(RegistrationRecord.__table__).where(RegistrationRecord.symbol == symbol)
        if chain_id is not None:
            query = query.where(RegistrationRecord.chain_id == chain_id)
        order = (_ENDED, RegistrationRecord.minted_at, RegistrationRecord.chain_id)
        return await self.store.row(query.order_by(*order).limit(1))

    async def standing(self, symbol: str, chain_id: int, token: str | None) -> Row | None:
        """The registration of a symbol on a chain that has not ended, of one token if one is named."""
        query = select(RegistrationRecord.__table__).where(
            RegistrationRecord.symbol == symbol, RegistrationRecord.chain_id == chain_id, _ENDED.is_(False)
        )
        if token is not None:
            query = query.where(RegistrationRecord.token_address == token)
        return await self.store.row(query.order_by(RegistrationRecord.token_id.desc()).limit(1))

    async def token(self, symbol: str, chain_id: int, token: str | None) -> Row | None:
        """The token a symbol means on a chain: the named one, else the original."""
        query = select(*_TOKEN).where(IndexedToken.symbol_key == symbol, IndexedToken.chain_id == chain_id)
        if token is not None:
            query = query.where(IndexedToken.address == token)
        return await self.store.row(query.order_by(IndexedToken.precedence, IndexedToken.address).limit(1))

    async def standing_among(
        self, chain_ids: Sequence[int], tokens: Sequence[str], symbols: Sequence[str]
    ) -> list[Row]:
        """Registrations that have not ended, of any of these tokens or symbols on any of these chains."""
        return await self.store.rows(
            select(RegistrationRecord.chain_id, RegistrationRecord.token_address, RegistrationRecord.symbol).where(
                RegistrationRecord.chain_id.in_(chain_ids),
                _ENDED.is_(False),
                RegistrationRecord.token_address.in_(tokens) | RegistrationRecord.symbol.in_(symbols),
            )
        )
