"""Communities of tokens, interest in unregistered ones, and apps."""

from typing import Annotated, ClassVar

from warehouse.domain.events.accounts import AccountEvent
from warehouse.domain.events.event import Event, member
from warehouse.domain.events.examples import ADDRESS, MOMENT, TIME, TOKEN, WALLET
from warehouse.domain.events.registrations import SYMBOL


class CommunityEvent(AccountEvent, frozen=True, kw_only=True):
    """A wallet came to the community of a token's page, or left it."""

    once_per: ClassVar[tuple[str, ...]] = ("change",)
    crown_id: Annotated[str, member("the registration's id on its chain, in decimal digits", "17")]
    symbol: Annotated[str, SYMBOL]
    chain: Annotated[str, member("the chain, by CAIP-2, such as eip155:8453", "eip155:8453")]
    wallet_address: Annotated[str, member("the wallet of the subscription", WALLET, **ADDRESS)]
    timestamp: Annotated[str, member("when, ISO 8601 in UTC", MOMENT, **TIME)]


class CommunityMemberJoined(CommunityEvent, frozen=True, kw_only=True):
    """A wallet joined the community of a token you manage."""

    type: ClassVar[str] = "community.member_joined"


class CommunityMemberLeft(CommunityEvent, frozen=True, kw_only=True):
    """A wallet left the community of a token you manage, or was removed from it."""

    type: ClassVar[str] = "community.member_left"


class InterestExpressed(Event, frozen=True, kw_only=True):
    """Somebody is interested in a token that has no registration."""

    type: ClassVar[str] = "interest.expressed"
    once_per: ClassVar[tuple[str, ...]] = ("chain_id", "token_address", "wallet_address")
    chain_id: Annotated[int, member("the chain's number", 8453)]
    token_address: Annotated[str, member("the token's contract", TOKEN, **ADDRESS)]
    symbol: Annotated[str, SYMBOL]
    wallet_address: Annotated[str, member("who is interested", WALLET, **ADDRESS)]
    has_email: Annotated[bool, member("whether an address for mail was left; it is never told", False)]
    timestamp: Annotated[str, member("when, ISO 8601 in UTC", MOMENT, **TIME)]


class AutofixFailed(AccountEvent, frozen=True, kw_only=True):
    """An operations signal for developers of apps."""

    type: ClassVar[str] = "ci.autofix.failed"
    once_per: ClassVar[tuple[str, ...]] = ("run",)
    app: Annotated[str, member("the app whose automatic fix failed", "quill-site")]
    run: Annotated[str, member("the run that failed, as the operator names it", "run-1842")]
    message: Annotated[str, member("what failed, in words", "The fixed build does not pass its checks.")]
