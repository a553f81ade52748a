"""Wire shapes of subscriptions."""

from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from api.http import fields
from api.http.examples import WALLET
from api.http.members import Address, ChainNumber, NextCursor, Symbol, Timestamp, TokenId, one_of, text
from api.http.rendering import Wire
from api.vendors.messages import Channel

ChannelName = Annotated[str, one_of("Channel", "A way to reach a recipient.", list(Channel))]


class SubscriptionChange(Wire):
    """With which wallet, and over which channels, the account hears from a page."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        frozen=True,
        extra="forbid",
        json_schema_extra={"examples": [{"wallet": WALLET, "channels": ["inapp", "email"]}]},
    )

    wallet: Annotated[str, text("One of the session's wallets, which holds the token or held it.", **fields.WALLET)]
    channels: list[Channel] = Field(
        default=[Channel.INAPP],
        min_length=1,
        max_length=len(Channel),
        description="The channels to be reached over, and no others.",
    )


class Subscription(Wire):
    """An account's subscription to a token's page."""

    chain_id: ChainNumber
    token_id: TokenId
    symbol: Symbol | None = Field(description="Symbol of the registration; null once it has ended.")
    wallet: Address
    channels: list[ChannelName] = Field(description="The channels that the account opted in to.")
    subscribed_at: Timestamp


class SubscriptionPage(Wire):
    """Subscriptions of the account, newest first."""

    subscriptions: list[Subscription] = Field(description="The subscriptions.")
    next_cursor: NextCursor


class Unsubscribed(Wire):
    """The account left a page."""

    chain_id: ChainNumber
    token_id: TokenId
    left: bool = Field(description="True.")


class Left(Wire):
    """A link was followed: nothing more is sent over its channel."""

    unsubscribed: bool = Field(description="True, however often the link is followed.")
