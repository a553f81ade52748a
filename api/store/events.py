"""What there is to be told of, and how it is recorded: in the transaction that makes it true, each once.

``EVENTS`` is the catalogue of what anybody may subscribe to. What the service records for itself alone is in
``INTERNAL``. Events that chains make true are recorded by the pipelines (``sql/store/events``), with the same columns.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy.dialects.postgresql import Insert, insert

from api.models import EventRecord
from api.store.store import Transaction

INTERNAL = frozenset({"claim.confirmed", "pipeline.failed", "webhook.disabled"})
"""Recorded for the service itself; nobody subscribes to them."""


class Audience(StrEnum):
    """Who is told of an event."""

    SUBSCRIBERS = "subscribers"
    """Public facts: every subscription of the type whose filter lets them pass."""
    ACCOUNT = "account"
    """Matters of one account: its own subscriptions of the type, whatever their filter."""


@dataclass(frozen=True, slots=True)
class Field:
    """A member of an event's ``data``. ``type`` is a JSON type; ``string[]`` and ``object[]`` are arrays."""

    name: str
    type: str
    description: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class EventType:
    """A type of event that can be subscribed to. ``plan`` is the least one that is told of it, where the plan that
    webhooks need does not say so already; ``produced`` whether this version of the service has anything to tell."""

    type: str
    description: str
    fields: tuple[Field, ...] = ()
    audience: Audience = Audience.SUBSCRIBERS
    plan: str | None = None
    produced: bool = True


_SYMBOL = Field("symbol", "string", "the token's symbol")
_CHAIN = Field("chain", "string", "the chain, by CAIP-2, such as eip155:8453")
_CROWN = (Field("crown_id", "string", "the registration's id on its chain, in decimal digits"), _SYMBOL, _CHAIN)
_TIMESTAMP = Field("timestamp", "string", "when it happened on the chain, ISO 8601 in UTC")
_PREVIOUS_OWNER = Field("previous_owner", "string", "the wallet that held the registration")
_SCORE = Field("score", "number", "the heartbeat score, 0 to 100")
_PLAN_FIELDS = (
    Field("wallet", "string", "the account's first wallet"),
    Field("previous_tier", "string", "the plan before"),
    Field("new_tier", "string", "the plan now"),
)
_QUOTA_FIELDS = (
    Field("day", "string", "the day in UTC, YYYY-MM-DD"),
    Field("used", "integer", "requests counted that day"),
    Field("limit", "integer", "requests the plan allows a day"),
    Field("percent", "integer", "the share of the quota that was crossed"),
)
_DEAL_FIELDS = (
    Field("deal_id", "string", "the deal; read it for its terms"),
    Field("title", "string", "a headline"),
    Field("body", "string", "a sentence"),
    _SYMBOL,
    Field("chain_id", "integer", "the chain's number"),
    Field("action_url", "string", "the page of the deal"),
)
_ALERT_FIELDS = (
    Field("instance_id", "string", "the alert"),
    Field("wallet_address", "string", "the wallet whose rule it is"),
    Field("alert_type", "string", "what the rule watches"),
    Field("crown_symbol", "string", "the token's symbol"),
    Field("timestamp", "string", "when, ISO 8601 in UTC"),
)


def _account(type: str, description: str, *fields: Field, produced: bool = False, plan: str | None = None) -> EventType:
    return EventType(type, description, fields, Audience.ACCOUNT, plan, produced)


_ALL = (
    EventType(
        "token.minted",
        "A registration was claimed.",
        (
            *_CROWN,
            Field("owner", "string", "the wallet that holds the registration"),
            Field("tx_hash", "string", "the transaction that minted it"),
        ),
    ),
    EventType("token.released", "An owner released a registration.", (*_CROWN, _PREVIOUS_OWNER)),
    EventType(
        "token.expired", "A registration expired from inactivity and can be claimed again.", (*_CROWN, _PREVIOUS_OWNER)
    ),
    EventType(
        "token.copycat_detected",
        "A token that impersonates a registered one was found.",
        (
            Field("sightings", "object[]", "the tokens found: chain_id, chain_name, address, explorer_url"),
            Field("action_url", "string", "the page of the registered token"),
        ),
        plan="pro_plus",
    ),
    EventType(
        "heartbeat.warning",
        "A registered token's heartbeat score fell below the warning threshold.",
        (*_CROWN, _SCORE, Field("threshold", "number", "the threshold it fell below")),
    ),
    EventType(
        "heartbeat.critical",
        "A registered token's heartbeat score fell to a critical level.",
        (
            *_CROWN,
            _SCORE,
            Field("days_to_inactive", "integer", "whole days until the score falls below 60 if nothing happens"),
        ),
    ),
    EventType(
        "heartbeat.recovered",
        "A registered token's heartbeat score is healthy again.",
        (*_CROWN, _SCORE, Field("previous_score", "number", "the score before")),
    ),
    EventType(
        "heartbeat.change",
        "A registered token's heartbeat status changed.",
        (
            *_CROWN,
            Field("previous_status", "string", "grace_period, healthy, moderate, at_risk or inactive"),
            Field("new_status", "string", "grace_period, healthy, moderate, at_risk or inactive"),
            Field("current_score", "number", "the heartbeat score, 0 to 100"),
            _TIMESTAMP,
        ),
    ),
    EventType(
        "holder.new",
        "A wallet became a significant holder of a registered token.",
        (*_CROWN, Field("holder_address", "string", "the wallet"), _TIMESTAMP),
    ),
    EventType(
        "trade.large",
        "A registered token was traded for more than 5 % of its daily volume, or for more than 10,000 USD.",
        (
            *_CROWN,
            Field("trade_volume_usd", "number", "what the trade was worth, in US dollars"),
            Field("direction", "string", "buy or sell, as seen from the registered token"),
            _TIMESTAMP,
        ),
    ),
    EventType(
        "concentration.alert",
        "A single wallet holds more of a registered token than the threshold.",
        (
            *_CROWN,
            Field("concentration_percent", "number", "percent of the supply that the wallet holds"),
            Field("previous_concentration", "number", "percent of the supply that the wallet held before"),
            Field("threshold", "number", "the threshold, in percent"),
            _TIMESTAMP,
        ),
    ),
    EventType(
        "milestone.reached",
        "A registered token reached a number of holders for the first time.",
        (
            *_CROWN,
            Field("milestone_type", "string", "holder_count"),
            Field("milestone_value", "integer", "the milestone"),
            Field("previous_value", "integer", "the number of holders before"),
            _TIMESTAMP,
        ),
    ),
    EventType(
        "profile.updated",
        "A registration's profile changed.",
        (*_CROWN, Field("updated_fields", "string[]", "the names of the fields that changed")),
    ),
    _account(
        "alert.triggered",
        "One of your alert rules fired.",
        Field("title", "string", "a headline"),
        Field("body", "string", "a sentence"),
        Field("action_url", "string", "where to look"),
        Field("action_label", "string", "what the link is called"),
        _SYMBOL,
        Field("crown_id", "string", "the registration's id, where the token has one", optional=True),
        Field("chain_id", "integer", "the chain's number", optional=True),
    ),
    _account("alert.acknowledged", "One of your alerts was acknowledged.", *_ALERT_FIELDS),
    _account(
        "alert.resolved",
        "One of your alerts was resolved.",
        *_ALERT_FIELDS,
        Field("reason", "string", "manual or auto_recovered"),
    ),
    _account("subscription.upgraded", "Your account's plan became a higher one.", *_PLAN_FIELDS, produced=True),
    _account("subscription.downgraded", "Your account's plan became a lower one.", *_PLAN_FIELDS, produced=True),
    _account(
        "usage.threshold", "Your API usage crossed 80 % or 90 % of the daily quota.", *_QUOTA_FIELDS, produced=True
    ),
    _account(
        "quota.threshold_warning",
        "Your API usage crossed 80 % of the daily quota; at most once a day.",
        *_QUOTA_FIELDS,
        produced=True,
    ),
    _account(
        "quota.exceeded",
        "Your API usage crossed 90 % of the daily quota; at most once a day.",
        *_QUOTA_FIELDS,
        produced=True,
    ),
    _account("community.member_joined", "A wallet joined the community of a token you manage."),
    _account("community.member_left", "A wallet left the community of a token you manage, or was removed from it."),
    EventType(
        "interest.expressed",
        "Somebody is interested in a token that has no registration.",
        (
            Field("chain_id", "integer", "the chain's number"),
            Field("token_address", "string", "the token's contract"),
            _SYMBOL,
            Field("wallet_address", "string", "who is interested"),
            Field("has_email", "boolean", "whether an address for mail was left; it is never told"),
            Field("timestamp", "string", "when, ISO 8601 in UTC"),
        ),
        produced=False,
    ),
    _account("deal.created", "An offer arrived on a registration you hold.", *_DEAL_FIELDS),
    _account("deal.accepted", "The holder accepted your offer.", *_DEAL_FIELDS),
    _account("deal.rejected", "The holder rejected your offer.", *_DEAL_FIELDS),
    _account("deal.cancelled", "A deal you are a party to was cancelled before it settled.", *_DEAL_FIELDS),
    _account("deal.completed", "A deal you are a party to settled, and the registration moved.", *_DEAL_FIELDS),
    _account("deal.failed", "A deal you are a party to was closed without settling.", *_DEAL_FIELDS),
    _account("ci.autofix.failed", "An operations signal for developers of apps."),
)

EVENTS: Mapping[str, EventType] = {event.type: event for event in _ALL}
"""Every type of event that can be subscribed to, by its name, in the order in which they are shown."""


async def record_event(
    transaction: Transaction,
    *,
    type: str,
    chain_id: int | None,
    subject: str,
    payload: Mapping[str, Any],
    dedupe_key: str,
    token_id: int | None = None,
    account_id: UUID | None = None,
) -> None:
    """Append to the event log; an event already there under the key stays as it is. ``account_id``: whom alone it is
    for; ``token_id``: the registration it is about."""
    statement = event_statement(
        type=type,
        chain_id=chain_id,
        subject=subject,
        payload=payload,
        dedupe_key=dedupe_key,
        token_id=token_id,
        account_id=account_id,
    )
    await transaction.execute(statement)


def event_statement(
    *,
    type: str,
    chain_id: int | None,
    subject: str,
    payload: Mapping[str, Any],
    dedupe_key: str,
    token_id: int | None = None,
    account_id: UUID | None = None,
) -> Insert:
    """What :func:`record_event` runs, for commands, whose transactions are not awaited."""
    statement = insert(EventRecord).values(
        type=type,
        chain_id=chain_id,
        subject=subject,
        payload=dict(payload),
        dedupe_key=dedupe_key,
        token_id=token_id,
        account_id=account_id,
    )
    return statement.on_conflict_do_nothing(index_elements=[EventRecord.dedupe_key])
