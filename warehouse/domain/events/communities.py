"""Communities of tokens, interest in unregistered ones, and apps. Declared for subscribers; not produced yet."""

from typing import Annotated, ClassVar

from warehouse.domain.events.accounts import AccountEvent
from warehouse.domain.events.event import Event, member
from warehouse.domain.events.examples import ADDRESS, MOMENT, TIME, TOKEN, WALLET
from warehouse.domain.events.registrations import SYMBOL


class CommunityMemberJoined(AccountEvent, frozen=True, kw_only=True):
    """A wallet joined the community of a token you manage."""

    type: ClassVar[str] = "community.member_joined"
    produced: ClassVar[bool] = False


class CommunityMemberLeft(AccountEvent, frozen=True, kw_only=True):
    """A wallet left the community of a token you manage, or was removed from it."""

    type: ClassVar[str] = "community.member_left"
    produced: ClassVar[bool] = False


class InterestExpressed(Event, frozen=True, kw_only=True):
    """Somebody is interested in a token that has no registration."""

    type: ClassVar[str] = "interest.expressed"
    produced: ClassVar[bool] = False
    chain_id: Annotated[int, member("the chain's number", 8453)]
    token_address: Annotated[str, member("the token's contract", TOKEN, **ADDRESS)]
    symbol: Annotated[str, SYMBOL]
    wallet_address: Annotated[str, member("who is interested", WALLET, **ADDRESS)]
    has_email: Annotated[bool, member("whether an address for mail was left; it is never told", False)]
    timestamp: Annotated[str, member("when, ISO 8601 in UTC", MOMENT, **TIME)]


class AutofixFailed(AccountEvent, frozen=True, kw_only=True):
    """An operations signal for developers of apps."""

    type: ClassVar[str] = "ci.autofix.failed"
    produced: ClassVar[bool] = False
