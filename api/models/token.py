"""Indexed tokens' current scores, and native coins' prices: what the pipelines publish for single-key reads."""

from decimal import Decimal
from typing import Annotated

from sqlalchemy import Index, Integer, Numeric, SmallInteger, text
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, CreatedAt, Moment

Score = Annotated[Decimal | None, mapped_column(Numeric(5, 2))]


class IndexedToken(Base):
    """A token with its heartbeat, its place among the tokens of its symbol, and the copy verdict."""

    __tablename__ = "indexed_token"
    __table_args__ = (
        Index("indexed_token_by_symbol", "symbol_key", "chain_id", "precedence"),
        Index("indexed_token_at_risk", "score", postgresql_where=text("score IS NOT NULL")),
    )

    chain_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    address: Mapped[str] = mapped_column(primary_key=True)
    symbol_key: Mapped[str]
    name: Mapped[str]
    decimals: Mapped[int | None] = mapped_column(SmallInteger)
    deployer: Mapped[str | None]
    deployed_at: Mapped[Moment | None]
    first_seen_at: Mapped[Moment]
    precedence: Mapped[int] = mapped_column(Integer)
    is_copy: Mapped[bool]
    copy_of_chain_id: Mapped[int | None]
    copy_of_address: Mapped[str | None]
    copy_rule: Mapped[str | None]
    score: Mapped[Score]
    timestamp_score: Mapped[Score]
    volume_score: Mapped[Score]
    holders_score: Mapped[Score]
    confidence_score: Mapped[Score]
    weights_version: Mapped[int | None] = mapped_column(Integer)
    scored_at: Mapped[Moment | None]
    as_of_block: Mapped[int]
    updated_at: Mapped[CreatedAt]


class NativePrice(Base):
    """What a chain's native coin costs."""

    __tablename__ = "native_price"

    chain_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    price_usd: Mapped[Decimal] = mapped_column(Numeric(38, 18))
    source: Mapped[str]
    liquidity_usd: Mapped[Decimal | None] = mapped_column(Numeric(38, 6))
    as_of_block: Mapped[int]
    as_of_time: Mapped[Moment]
