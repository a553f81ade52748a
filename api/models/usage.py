"""What is counted of callers: daily usage of keys and sessions, and the shared limiter's own rows."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, Date, DateTime, Double, ForeignKey, Index, Integer, SmallInteger, text
from sqlalchemy.dialects.postgresql import UUID as StoreUuid
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, CreatedAt


class ApiUsage(Base):
    """Requests of a key, or of an account's sessions (``subject`` is the account then), on a day in UTC.

    ``per_day`` is the quota as it was when a request was counted last, ``told`` the highest percentage of it that an
    event tells of.
    """

    __tablename__ = "api_usage"
    __table_args__ = (
        CheckConstraint("used >= 0"),
        Index("api_usage_by_account", "account_id", "day"),
        {"postgresql_with": {"fillfactor": 50}},
    )

    subject: Mapped[UUID] = mapped_column(StoreUuid(as_uuid=True), primary_key=True)
    day: Mapped[date] = mapped_column(Date, primary_key=True)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id"))
    used: Mapped[int]
    per_day: Mapped[int]
    told: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))


class UsageWriter(Base):
    """The last batch of counts that an API process wrote down."""

    __tablename__ = "usage_writer"

    process: Mapped[UUID] = mapped_column(StoreUuid(as_uuid=True), primary_key=True)
    number: Mapped[int]
    written_at: Mapped[CreatedAt]


class RateBucket(Base):
    """A token bucket of the shared limiter: ``tokens`` at ``counted_at``, and how many the last batch was granted."""

    __tablename__ = "rate_bucket"
    __table_args__ = ({"prefixes": ["UNLOGGED"], "postgresql_with": {"fillfactor": 50}},)

    subject: Mapped[UUID] = mapped_column(StoreUuid(as_uuid=True), primary_key=True)
    tokens: Mapped[float] = mapped_column(Double)
    counted_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    granted: Mapped[int] = mapped_column(Integer)


class AddressWindow(Base):
    """How often an address asked since ``began_at``, for a kind of public reads."""

    __tablename__ = "address_window"
    __table_args__ = ({"prefixes": ["UNLOGGED"], "postgresql_with": {"fillfactor": 50}},)

    address: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(primary_key=True)
    began_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    used: Mapped[int] = mapped_column(Integer)
