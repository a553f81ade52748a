"""Alerts that rules of users raise."""

from datetime import UTC, datetime
from typing import Annotated, ClassVar, TypedDict
from uuid import UUID

from msgspec import UNSET, UnsetType

from warehouse.domain.addresses import checksum_address
from warehouse.domain.events.accounts import AccountEvent
from warehouse.domain.events.event import member
from warehouse.domain.events.examples import ADDRESS, MOMENT, TIME, WALLET
from warehouse.domain.events.registrations import SYMBOL

_BODY = "The price of a whole token in US dollars: fell by 25 percent in 60 minutes, from 4 to 3."


class AlertTriggered(AccountEvent, frozen=True, kw_only=True):
    """One of your alert rules fired."""

    type: ClassVar[str] = "alert.triggered"
    once_per: ClassVar[tuple[str, ...]] = ("instance_id",)
    title: Annotated[str, member("a headline", "PEPE: Price")]
    body: Annotated[str, member("a sentence", _BODY)]
    action_url: Annotated[str, member("where to look", "https://example.com/token/17")]
    action_label: Annotated[str, member("what the link is called", "See PEPE")]
    symbol: Annotated[str, SYMBOL]
    crown_id: Annotated[str, member("the registration's id, where the token has one", "17")] | UnsetType = UNSET
    chain_id: Annotated[int, member("the chain's number", 8453)] | UnsetType = UNSET


class AlertMembers(TypedDict):
    """The members that say which alert was dealt with, and when."""

    instance_id: str
    wallet_address: str
    alert_type: str
    crown_symbol: str
    timestamp: str


def alert_members(id: UUID, wallet: str, alert_type: str, symbol: str, happened_at: datetime) -> AlertMembers:
    """The members of an event about an alert; ``wallet`` is the stored address."""
    return {
        "instance_id": str(id),
        "wallet_address": checksum_address(wallet),
        "alert_type": alert_type,
        "crown_symbol": symbol,
        "timestamp": happened_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


class AlertEnded(AccountEvent, frozen=True, kw_only=True):
    """An alert was dealt with."""

    once_per: ClassVar[tuple[str, ...]] = ("instance_id",)
    instance_id: Annotated[str, member("the alert", "01980000-0000-7000-8000-000000000002")]
    wallet_address: Annotated[str, member("the wallet whose rule it is", WALLET, **ADDRESS)]
    alert_type: Annotated[str, member("what the rule watches", "price_change")]
    crown_symbol: Annotated[str, member("the token's symbol", "QUILL")]
    timestamp: Annotated[str, member("when, ISO 8601 in UTC", MOMENT, **TIME)]


class AlertAcknowledged(AlertEnded, frozen=True, kw_only=True):
    """One of your alerts was acknowledged."""

    type: ClassVar[str] = "alert.acknowledged"


class AlertResolved(AlertEnded, frozen=True, kw_only=True):
    """One of your alerts was resolved."""

    type: ClassVar[str] = "alert.resolved"
    reason: Annotated[str, member("who resolved it", "manual", enum=["manual", "auto_recovered"])]
