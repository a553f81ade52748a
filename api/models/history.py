"""The public history of registrations, as the store chains it together."""

from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, Moment


class RegistrationHistoryEntry(Base):
    """One link: its hash covers everything it says and the hash before. The store appends it with the event; nothing
    changes or removes it."""

    __tablename__ = "registration_history"

    chain_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    token_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    sequence: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    type: Mapped[str]
    at: Mapped[Moment]
    data: Mapped[dict[str, Any]]
    previous_hash: Mapped[str]
    hash: Mapped[str]
    event_key: Mapped[str] = mapped_column(unique=True)


class RegistrationHistoryHead(Base):
    """The last link of a registration's history."""

    __tablename__ = "registration_history_head"

    chain_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    token_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    sequence: Mapped[int] = mapped_column(server_default=text("0"))
    hash: Mapped[str] = mapped_column(server_default=text("repeat('0', 64)"))
