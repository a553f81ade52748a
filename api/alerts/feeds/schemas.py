"""Wire shapes of feeds of buys."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from api.alerts.schemas import Threshold
from api.http import fields, members
from api.http.members import BlockNumber, Count, Timestamp, Uuid
from api.http.rendering import Number, Wire

_RAW = "^[1-9][0-9]{0,77}$"
Raw = Annotated[str, Field(pattern=_RAW, max_length=78)]
AddressText = Annotated[str, Field(max_length=64, json_schema_extra=fields.WALLET)]
ChatChannel = Literal["telegram", "discord"]
_CREATE: dict[str, Any] = {
    "chainId": "eip155:8453",
    "tokenAddress": "0x6982508145454Ce325dDbE47a25d4ec3d2311933",
    "minUsd": 1000,
}


class _Body(Wire):
    model_config = ConfigDict(extra="forbid")


class FeedChat(_Body):
    """A chat that is told."""

    channel: ChatChannel = Field(description="The chat's service.")
    to: str = Field(
        max_length=256,
        description="On Discord the URL of a channel's webhook; on Telegram the id of a group with this service's bot.",
    )


class CreateFeed(_Body):
    """A feed: of one token, or of all tokens whose registrations a wallet owns; over a size in US dollars, or in base
    units of the token."""

    model_config = ConfigDict(json_schema_extra={"examples": [dict(_CREATE)]})

    chain_id: str = Field(description="The chain by CAIP-2, such as eip155:8453.", max_length=64)
    token_address: AddressText | None = Field(default=None, description="The token; or give `wallet`.")
    wallet: AddressText | None = Field(
        default=None, description="One of the session's wallets: all tokens whose registrations it owns at the time."
    )
    min_usd: Threshold | None = Field(
        default=None, description="The least worth in US dollars; or give `minAmountRaw`."
    )
    min_amount_raw: Raw | None = Field(default=None, description="The least amount in base units of the token.")
    chat: FeedChat | None = Field(default=None, description="A chat that is told, too.")


class UpdateFeed(_Body):
    """Another size; one of both."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"minUsd": 5000}]})

    min_usd: Threshold | None = Field(default=None, description="The least worth in US dollars.")
    min_amount_raw: Raw | None = Field(default=None, description="The least amount in base units of the token.")


class Feed(Wire):
    """A feed of buys."""

    id: Uuid = Field(description="Id of the feed.")
    chain_id: members.Caip2 = Field(description="The chain by CAIP-2.")
    token_address: members.Address | None = Field(description="The token; null: those of `wallet`.")
    wallet: members.Address | None = Field(description="The wallet whose registered tokens it follows; null: none.")
    min_usd: Number | None = Field(description="The least worth in US dollars; null: `minAmountRaw` counts.")
    min_amount_raw: str | None = Field(description="The least amount in base units; null: `minUsd` counts.")
    chat: ChatChannel | None = Field(description="The service of the chat that is told; null: none.")
    after_block: BlockNumber = Field(description="Buys after this block are told.")
    created_at: Timestamp = Field(description="When it was created.")


class FeedData(Wire):
    """A feed."""

    feed: Feed = Field(description="The feed.")


class FeedAnswer(Wire):
    """A feed."""

    success: Literal[True] = Field(default=True, description="Always true.")
    data: FeedData = Field(description="The feed.")


class FeedList(Wire):
    """Feeds, oldest first."""

    feeds: list[Feed] = Field(description="The account's feeds.")
    limit: Count = Field(description="How many feeds the plan allows.")


class FeedsAnswer(Wire):
    """The account's feeds."""

    success: Literal[True] = Field(default=True, description="Always true.")
    data: FeedList = Field(description="The feeds.")


class DeletedFeed(Wire):
    """A feed that was deleted."""

    id: Uuid = Field(description="Id of the feed.")
    deleted: Literal[True] = Field(default=True, description="Always true.")


class DeletedFeedAnswer(Wire):
    """A feed that was deleted."""

    success: Literal[True] = Field(default=True, description="Always true.")
    data: DeletedFeed = Field(description="The feed.")


class FeedBuy(Wire):
    """A buy, as the `data` of an event."""

    feed_id: Uuid = Field(description="The feed.")
    chain_id: members.Caip2 = Field(description="The chain by CAIP-2.")
    token_address: members.Address = Field(description="The token that was bought.")
    transaction_hash: members.Transaction = Field(description="The transaction.")
    block_number: BlockNumber
    log_index: Count = Field(description="Place of the swap in its block.")
    timestamp: Timestamp = Field(description="Time of the block.")
    buyer: members.Address | None = Field(description="Who received the tokens; null: the swap does not say.")
    amount_raw: str = Field(description="How much was bought, in base units.")
    amount_usd: Number | None = Field(description="What it was worth in US dollars; null: not known.")
