"""How far ingestion and derivation are. The indexer and the pipelines write these; the API reads them."""

from decimal import Decimal
from typing import Any

from sqlalchemy import CheckConstraint, Identity, Index, Numeric, Sequence, text
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, CreatedAt, Moment

CHANGE_IDS = Sequence("change_id_seq", metadata=Base.metadata)
PUBLICATION_VERSIONS = Sequence("publication_version_seq", metadata=Base.metadata)


class ChainCheckpoint(Base):
    """The last published block of a chain, and the unit of work under way."""

    __tablename__ = "chain_checkpoint"

    chain_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    generation: Mapped[int]
    block_number: Mapped[int | None]
    block_hash: Mapped[str | None]
    block_time: Mapped[Moment | None]
    final_block: Mapped[int | None]
    head_block: Mapped[int | None]
    pending: Mapped[dict[str, Any] | None]
    halted: Mapped[str | None]
    updated_at: Mapped[CreatedAt]


class IngestUnit(Base):
    """One unit of ingestion."""

    __tablename__ = "ingest_unit"
    __table_args__ = (
        CheckConstraint("status IN ('pending', 'published', 'reverted', 'abandoned')"),
        Index("ingest_unit_by_block", "chain_id", text("last_block DESC")),
    )

    unit_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    chain_id: Mapped[int]
    first_block: Mapped[int]
    last_block: Mapped[int]
    last_hash: Mapped[str]
    status: Mapped[str]
    row_counts: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    created_at: Mapped[CreatedAt]
    finished_at: Mapped[Moment | None]


class DeriveCheckpoint(Base):
    """The last change a derived table takes into account."""

    __tablename__ = "derive_checkpoint"

    subject: Mapped[str] = mapped_column(primary_key=True)
    chain_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    change_id: Mapped[int]
    details: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    updated_at: Mapped[CreatedAt]


class AssetRun(Base):
    """One materialisation of a derived table."""

    __tablename__ = "asset_run"
    __table_args__ = (Index("asset_run_latest", "asset", "chain_id", text("started_at DESC")),)

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    asset: Mapped[str]
    chain_id: Mapped[int | None]
    started_at: Mapped[Moment]
    seconds: Mapped[Decimal] = mapped_column(Numeric(12, 3))
    row_count: Mapped[int]
    range_from: Mapped[str | None]
    range_to: Mapped[str | None]
