"""Accounts and their API keys."""

from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, CreatedAt, Id, Moment
from warehouse.domain.plans import PLANS

"""Each satisfies a need of those before it."""


class Account(Base):
    """One wallet and its plan."""

    __tablename__ = "account"
    __table_args__ = (CheckConstraint("plan IN ({})".format(", ".join(f"'{plan}'" for plan in PLANS))),)

    id: Mapped[Id]
    wallet: Mapped[str] = mapped_column(unique=True)
    plan: Mapped[str]
    created_at: Mapped[CreatedAt]


class ApiKeyRecord(Base):
    """An API key: its hash, and the beginning of it that people recognise it by."""

    __tablename__ = "api_key"
    __table_args__ = (Index("api_key_by_account", "account_id"),)

    id: Mapped[Id]
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id"))
    name: Mapped[str]
    prefix: Mapped[str]
    key_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    created_at: Mapped[CreatedAt]
    last_used_at: Mapped[Moment | None]
    revoked_at: Mapped[Moment | None]
