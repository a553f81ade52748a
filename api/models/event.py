"""The event log: everything that happened and that somebody may want to be told of."""

from typing import Any

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, CreatedAt, Id


class EventRecord(Base):
    """One event, recorded in the transaction that made it true; ``dedupe_key`` keeps it from being recorded twice."""

    __tablename__ = "event_log"
    __table_args__ = (Index("event_log_by_type", "type", "created_at"),)

    id: Mapped[Id]
    type: Mapped[str]
    chain_id: Mapped[int | None]
    subject: Mapped[str]
    payload: Mapped[dict[str, Any]]
    dedupe_key: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[CreatedAt]
