"""Deals on registrations. An event is a ping without terms: the deal is read back under the reader's credentials."""

from typing import Annotated, ClassVar

from warehouse.domain.events.accounts import AccountEvent
from warehouse.domain.events.event import member
from warehouse.domain.events.registrations import SYMBOL


class DealEvent(AccountEvent, frozen=True, kw_only=True):
    """An event of a deal, for each of its parties."""

    once_per: ClassVar[tuple[str, ...]] = ("deal_id",)
    deal_id: Annotated[str, member("the deal; read it for its terms", "01980000-0000-7000-8000-000000000001")]
    title: Annotated[str, member("a headline", "A test")]
    body: Annotated[str, member("a sentence", "This is a test.")]
    symbol: Annotated[str, SYMBOL]
    chain_id: Annotated[int, member("the chain's number", 8453)]
    action_url: Annotated[str, member("the page of the deal", "https://example.com/token/17")]


class DealCreated(DealEvent, frozen=True, kw_only=True):
    """An offer arrived on a registration you hold."""

    type: ClassVar[str] = "deal.created"


class DealAccepted(DealEvent, frozen=True, kw_only=True):
    """The holder accepted your offer."""

    type: ClassVar[str] = "deal.accepted"


class DealRejected(DealEvent, frozen=True, kw_only=True):
    """The holder rejected your offer."""

    type: ClassVar[str] = "deal.rejected"


class DealCancelled(DealEvent, frozen=True, kw_only=True):
    """A deal you are a party to was cancelled before it settled."""

    type: ClassVar[str] = "deal.cancelled"


class DealCompleted(DealEvent, frozen=True, kw_only=True):
    """A deal you are a party to settled, and the registration moved."""

    type: ClassVar[str] = "deal.completed"


class DealFailed(DealEvent, frozen=True, kw_only=True):
    """A deal you are a party to was closed without settling."""

    type: ClassVar[str] = "deal.failed"
