"""The event log: everything that happened and that somebody may want to be told of; and what it is made against."""

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, DateTime, ForeignKey, Index, Numeric, text
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, CreatedAt, Id, Moment


class EventRecord(Base):
    """One event, recorded in the transaction that made it true; ``dedupe_key`` keeps it from being recorded twice.

    ``payload`` is what subscribers receive as ``data``. ``account_id`` says whom it is for, null whoever subscribes to
    its type; ``token_id`` is the registration it is about; ``fanned_out_at`` when deliveries were made out of it.
    """

    __tablename__ = "event_log"
    __table_args__ = (
        Index("event_log_by_type", "type", "created_at"),
        Index("event_log_to_fan_out", "id", postgresql_where=text("fanned_out_at IS NULL")),
    )

    id: Mapped[Id]
    type: Mapped[str]
    chain_id: Mapped[int | None]
    subject: Mapped[str]
    payload: Mapped[dict[str, Any]]
    dedupe_key: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[CreatedAt]
    account_id: Mapped[UUID | None] = mapped_column(ForeignKey("account.id"))
    token_id: Mapped[int | None]
    fanned_out_at: Mapped[Moment | None]


class EventProgress(Base):
    """How far a source of chain-made events has looked: ``position`` is a block, or for heartbeats a moment in unix
    seconds; null: it has not looked yet. What happened before ``told_from`` is recorded, and told to nobody;
    ``in_time`` says that the position is past it. ``looked_at``: when it looked last."""

    __tablename__ = "event_progress"

    chain_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    source: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int | None]
    in_time: Mapped[bool] = mapped_column(server_default=text("false"))
    told_from: Mapped[datetime] = mapped_column(
        DateTime(timezone=True), server_default=text("now() - interval '1 day'")
    )
    looked_at: Mapped[CreatedAt]


class EventState(Base):
    """What a registration's events are told against: the highest milestone of holders, its heartbeat as told last."""

    __tablename__ = "event_state"
    __table_args__ = (CheckConstraint("heartbeat_level IN ('well', 'warning', 'critical')"),)

    chain_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    token_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    holder_milestone: Mapped[int | None]
    heartbeat_level: Mapped[str | None]
    heartbeat_status: Mapped[str | None]
    heartbeat_score: Mapped[Decimal | None] = mapped_column(Numeric(5, 2))


class CopySighting(Base):
    """A token judged a copy of a registered one. ``told_at``: when an event was made of it, or was seen to be due no
    more."""

    __tablename__ = "copy_sighting"
    __table_args__ = (
        Index("copy_sighting_untold", "chain_id", "first_seen_at", postgresql_where=text("told_at IS NULL")),
    )

    chain_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    address: Mapped[str] = mapped_column(primary_key=True)
    of_chain_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    of_token_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    first_seen_at: Mapped[Moment]
    seen_at: Mapped[CreatedAt]
    told_at: Mapped[Moment | None]
