"""What operators watch: counters, sums of each asset's runs, alerts. Indexer, pipelines and worker write them."""

from decimal import Decimal
from typing import Any

from sqlalchemy import CheckConstraint, Index, Integer, Numeric, text
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, CreatedAt, Id, Moment


class ServiceCounter(Base):
    """A counter of processes that nobody scrapes."""

    __tablename__ = "service_counter"

    name: Mapped[str] = mapped_column(primary_key=True)
    chain_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, server_default=text("0"))
    value: Mapped[int]


class AssetTotal(Base):
    """The last run of an asset, and the sums of all."""

    __tablename__ = "asset_total"

    asset: Mapped[str] = mapped_column(primary_key=True)
    chain_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, server_default=text("0"))
    runs: Mapped[int] = mapped_column(server_default=text("0"))
    seconds: Mapped[Decimal] = mapped_column(Numeric(18, 3), server_default=text("0"))
    row_count: Mapped[int] = mapped_column(server_default=text("0"))
    failures: Mapped[int] = mapped_column(server_default=text("0"))
    last_started_at: Mapped[Moment | None]
    last_seconds: Mapped[Decimal | None] = mapped_column(Numeric(12, 3))
    last_row_count: Mapped[int | None]
    last_range_from: Mapped[str | None]
    last_range_to: Mapped[str | None]
    last_failed_at: Mapped[Moment | None]


class OperatorAlert(Base):
    """A condition that operators are told of, now or once."""

    __tablename__ = "operator_alert"
    __table_args__ = (CheckConstraint("severity IN ('warning', 'error')"),)

    key: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    subject: Mapped[str]
    severity: Mapped[str]
    summary: Mapped[str]
    details: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    firing: Mapped[bool]
    episode: Mapped[int] = mapped_column(Integer, server_default=text("1"))
    started_at: Mapped[CreatedAt]
    seen_at: Mapped[CreatedAt]
    resolved_at: Mapped[Moment | None]


class AlertDelivery(Base):
    """A message to the operator's webhook."""

    __tablename__ = "alert_delivery"
    __table_args__ = (
        CheckConstraint("status IN ('waiting', 'delivered', 'given_up')"),
        Index("alert_delivery_waiting", "alert_key", "id", postgresql_where=text("status = 'waiting'")),
    )

    id: Mapped[Id]
    alert_key: Mapped[str]
    change_key: Mapped[str] = mapped_column(unique=True)
    body: Mapped[dict[str, Any]]
    status: Mapped[str] = mapped_column(server_default=text("'waiting'"))
    attempts: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    next_attempt_at: Mapped[CreatedAt]
    last_error: Mapped[str | None]
    created_at: Mapped[CreatedAt]
    finished_at: Mapped[Moment | None]
