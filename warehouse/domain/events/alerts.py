"""Alert rules of users. Declared for subscribers; not produced yet."""

from typing import Annotated, ClassVar

from msgspec import UNSET, UnsetType

from warehouse.domain.events.accounts import AccountEvent
from warehouse.domain.events.event import member
from warehouse.domain.events.examples import ADDRESS, MOMENT, TIME, WALLET
from warehouse.domain.events.registrations import SYMBOL


class AlertTriggered(AccountEvent, frozen=True, kw_only=True):
    """One of your alert rules fired."""

    type: ClassVar[str] = "alert.triggered"
    produced: ClassVar[bool] = False
    title: Annotated[str, member("a headline", "A test")]
    body: Annotated[str, member("a sentence", "This is a test.")]
    action_url: Annotated[str, member("where to look", "https://example.com/token/17")]
    action_label: Annotated[str, member("what the link is called", "Look at it")]
    symbol: Annotated[str, SYMBOL]
    crown_id: Annotated[str, member("the registration's id, where the token has one", "17")] | UnsetType = UNSET
    chain_id: Annotated[int, member("the chain's number", 8453)] | UnsetType = UNSET


class AlertEnded(AccountEvent, frozen=True, kw_only=True):
    """An alert was dealt with."""

    produced: ClassVar[bool] = False
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
