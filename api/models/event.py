"""The event log: everything that happened and that somebody may want to be told of."""

from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, text
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
