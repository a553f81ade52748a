"""Webhook subscriptions, their secrets, deliveries, and every attempt of them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, DateTime, Double, ForeignKey, Index, Integer, LargeBinary, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, CreatedAt, Id, Moment, Texts

_PENDING = text("status = 'pending'")


class WebhookSubscription(Base):
    """An address that an account wants events sent to. ``crown_ids`` and ``chain_ids`` narrow what is sent; null:
    they do not. ``disabled_reason``: failures, gone (the receiver answered 410) or owner."""

    __tablename__ = "webhook_subscription"
    __table_args__ = (
        CheckConstraint("status IN ('active', 'disabled', 'deleted')"),
        CheckConstraint("disabled_reason IN ('failures', 'gone', 'owner')"),
        Index(
            "webhook_subscription_by_event",
            "events",
            postgresql_using="gin",
            postgresql_where=text("status = 'active'"),
        ),
        Index("webhook_subscription_of_account", "account_id", "idempotency_key", unique=True),
    )

    id: Mapped[Id]
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id"))
    url: Mapped[str]
    events: Mapped[Texts]
    crown_ids: Mapped[list[int] | None] = mapped_column(ARRAY(BigInteger))
    chain_ids: Mapped[list[int] | None] = mapped_column(ARRAY(BigInteger))
    status: Mapped[str] = mapped_column(server_default=text("'active'"))
    disabled_reason: Mapped[str | None]
    disabled_at: Mapped[Moment | None]
    consecutive_failures: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    idempotency_key: Mapped[str | None]
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[CreatedAt]


class WebhookSecret(Base):
    """A signing secret, sealed with a key that is not in the store. Without ``ends_at`` it is the current one."""

    __tablename__ = "webhook_secret"
    __table_args__ = (Index("webhook_secret_by_subscription", "subscription_id"),)

    id: Mapped[Id]
    subscription_id: Mapped[UUID] = mapped_column(ForeignKey("webhook_subscription.id", ondelete="CASCADE"))
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[CreatedAt]
    ends_at: Mapped[Moment | None]


class WebhookDelivery(Base):
    """An event on its way to a subscription. ``due_at``: when it is tried next, or when the lease of who tries it ends;
    ``cause``: event, replay or test (whose data are in ``test_payload``)."""

    __tablename__ = "webhook_delivery"
    __table_args__ = (
        CheckConstraint("cause IN ('event', 'replay', 'test')"),
        CheckConstraint("status IN ('pending', 'delivered', 'exhausted')"),
        CheckConstraint("(cause = 'test') = (event_id IS NULL)"),
        CheckConstraint("(cause = 'test') = (test_payload IS NOT NULL)"),
        CheckConstraint("(status = 'pending') = (finished_at IS NULL)"),
        Index(
            "webhook_delivery_once",
            "subscription_id",
            "event_id",
            unique=True,
            postgresql_where=text("cause = 'event'"),
        ),
        Index(
            "webhook_delivery_one_replay",
            "subscription_id",
            "event_id",
            unique=True,
            postgresql_where=text("cause = 'replay' AND status = 'pending'"),
        ),
        Index("webhook_delivery_due", "subscription_id", "due_at", "id", postgresql_where=_PENDING),
        Index("webhook_delivery_next", "due_at", postgresql_where=_PENDING),
        Index(
            "webhook_delivery_tests",
            "subscription_id",
            postgresql_where=text("status = 'pending' AND cause = 'test'"),
        ),
        Index("webhook_delivery_by_subscription", "subscription_id", "id"),
        Index("webhook_delivery_exhausted", "finished_at", postgresql_where=text("status = 'exhausted'")),
        Index("webhook_delivery_finished", "finished_at", postgresql_where=text("status <> 'pending'")),
    )

    id: Mapped[Id]
    subscription_id: Mapped[UUID] = mapped_column(ForeignKey("webhook_subscription.id", ondelete="CASCADE"))
    event_id: Mapped[UUID | None] = mapped_column(ForeignKey("event_log.id"))
    event_type: Mapped[str]
    cause: Mapped[str]
    test_payload: Mapped[dict[str, Any] | None]
    status: Mapped[str] = mapped_column(server_default=text("'pending'"))
    attempts: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    due_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    lease: Mapped[UUID | None]
    created_at: Mapped[CreatedAt]
    finished_at: Mapped[Moment | None]


class WebhookAttempt(Base):
    """One request of a delivery and what came back; ``status`` null: nothing did, ``problem`` says why."""

    __tablename__ = "webhook_attempt"

    delivery_id: Mapped[UUID] = mapped_column(ForeignKey("webhook_delivery.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    url: Mapped[str]
    request_headers: Mapped[dict[str, Any]]
    status: Mapped[int | None] = mapped_column(Integer)
    response_headers: Mapped[dict[str, Any] | None]
    response_body: Mapped[str | None]
    response_complete: Mapped[bool | None]
    failure: Mapped[str | None]
    problem: Mapped[str | None]
    dns_seconds: Mapped[float | None] = mapped_column(Double)
    connect_seconds: Mapped[float | None] = mapped_column(Double)
    answer_seconds: Mapped[float | None] = mapped_column(Double)
    total_seconds: Mapped[float] = mapped_column(Double)
    started_at: Mapped[Moment]
