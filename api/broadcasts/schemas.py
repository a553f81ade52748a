"""Wire shapes of broadcasts."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from api.broadcasts.groups import MAX_GROUPS
from api.broadcasts.segments import Segment
from api.http import fields
from api.http.examples import WALLET
from api.http.members import (
    Address,
    BlockNumber,
    ChainNumber,
    Count,
    NextCursor,
    PlanName,
    Timestamp,
    TokenId,
    Uuid,
    one_of,
    text,
)
from api.http.rendering import Wire
from api.profiles.rules import paragraphs, plain
from api.subscriptions.schemas import ChannelName
from api.vendors.messages import Channel

MAX_TITLE = 100
MAX_BODY = 2000
MAX_LINK = 1024
ChainKeyGiven = Annotated[str, Field(pattern=r"^[a-z0-9-]{1,32}$")]
Title = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_TITLE), AfterValidator(plain)
]
Body = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_BODY), AfterValidator(paragraphs)
]
Status = Annotated[
    str,
    one_of(
        "BroadcastStatus",
        "Where a broadcast stands: review waits for the operator, queued is due or scheduled.",
        ["review", "queued", "sending", "sent", "refused", "cancelled"],
    ),
]
DeliveryStatus = Annotated[
    str, one_of("BroadcastDeliveryStatus", "What became of it.", ["pending", "delivered", "exhausted", "skipped"])
]


class _Given(Wire):
    model_config = ConfigDict(alias_generator=to_camel, frozen=True, extra="forbid")


class AudienceGiven(_Given):
    """Whom a broadcast is for."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"segments": ["whales"]}]})

    crown_chain: ChainKeyGiven | None = Field(
        default=None, description="Chain of the page; needed where the id exists on several chains."
    )
    channels: list[Channel] = Field(
        default=[Channel.INAPP], max_length=len(Channel), description="Must include `inapp`."
    )
    segments: list[Segment] = Field(
        default=[], max_length=len(Segment), description="Narrows to holders in any of them; see docs/broadcasts.md."
    )
    tier_ids: list[str] | None = Field(
        default=None,
        max_length=MAX_GROUPS,
        description="Narrows to holders in any of these groups of the page; left out: every subscribed holder. Needs"
        " the owner's paid plan; see docs/broadcasts.md.",
    )


class BroadcastGiven(AudienceGiven):
    """A message to a page's subscribers."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"wallet": WALLET, "title": "The frog speaks", "body": "Version 2 is live.", "type": "update"}]
        }
    )

    wallet: Annotated[
        str, text("The sender: one of the session's wallets, owner or manager of the page.", **fields.WALLET)
    ]
    title: Title = Field(description="At most 100 characters.")
    body: Body = Field(description="At most 2000 characters; may have lines.")
    kind: Literal["update", "alert"] = Field(alias="type", description="update or alert.")
    chain_scope: ChainKeyGiven | None = Field(
        default=None, description="Chain that the message is about; left out: none. Nothing is written on it."
    )
    access_tier_id: str | None = Field(
        default=None, description="Refused: it is about a feed of the page, which does not exist."
    )
    scheduled_at: Timestamp | None = Field(
        default=None, description="ISO 8601, at least 5 minutes ahead; left out: now."
    )
    image_url: str | None = Field(default=None, max_length=MAX_LINK, description="https:// on IPFS or Arweave.")
    link_url: str | None = Field(default=None, max_length=MAX_LINK, description="https://.")
    rich_content: dict[str, Any] | None = Field(
        default=None, description="Rich text as JSON, at most 32 KB; shown in the inbox alone."
    )
    source_type: str = Field(default="manual", pattern=r"^[a-z0-9_-]{1,40}$", description="What made the message.")
    holdout_percent: int = Field(
        default=0, ge=0, le=50, description="Share of the recipients, in percent, that gets nothing, for comparison."
    )
    signature: Any = Field(default=None, description="Ignored.", deprecated=True)
    timestamp: Any = Field(default=None, description="Ignored.", deprecated=True)


class AcceptedAnswer(Wire):
    """A broadcast that was accepted. A message that was sent cannot be recalled."""

    id: Uuid
    status: Status
    recipient_count: Count = Field(description="Accounts that it is for as of now; 0 while it waits for the operator.")
    scheduled_at: Timestamp | None = Field(description="When it is due; null: now.")


class BroadcastPreview(Wire):
    """Whom a broadcast would be for now."""

    recipient_count: Count = Field(description="Accounts, at most 50,000.")
    as_of_block: BlockNumber | None = Field(
        description="The block that segments hold as of; null: no segment was asked for."
    )


class CeilingState(Wire):
    """A limit on how often the page sends."""

    name: Annotated[str, one_of("BroadcastCeiling", "The limit.", ["plan", "hour", "day", "first_week"])]
    limit: Count = Field(description="Broadcasts in any window.")
    window_seconds: Count = Field(description="Length of the window.")
    used: Count = Field(description="Broadcasts in the window that ends now.")
    remaining: Count = Field(description="How many more may be sent now, as far as this limit goes.")


class BroadcastLimits(Wire):
    """What the page may send now."""

    plan: PlanName
    limits: list[CeilingState] = Field(description="The limits that apply to the page.")
    can_send: bool = Field(description="Whether a broadcast may be sent now.")
    resets_at: Timestamp = Field(description="The first moment at which one may be sent.")
    max_recipients: Count = Field(description="Recipients of one broadcast, at most.")
    review_above: Count = Field(description="A page's first broadcast to more recipients waits for the operator.")
    reviewed: bool = Field(description="Whether the page's first large broadcast was approved.")


class ChannelState(Wire):
    """A channel, as the page's broadcasts use it."""

    channel: ChannelName
    configured: bool = Field(description="Whether this service sends over it; off until the operator configures it.")
    subscribers: Count = Field(description="Subscribers who opted in to it and are reached.")
    posts_publicly: bool = Field(
        description="Whether a broadcast without groups and segments is also posted once in the page's public room."
    )


class DeliveryState(Wire):
    """How the page's broadcasts are delivered."""

    channels: list[ChannelState] = Field(description="Every channel.")
    subscribers: Count = Field(description="Accounts that are reached over any channel.")


class ChannelResult(Wire):
    """How many deliveries over a channel have a status."""

    channel: ChannelName
    status: DeliveryStatus
    count: Count = Field(description="Deliveries, the post in a public room included.")


class Broadcast(Wire):
    """A broadcast and what became of it."""

    id: Uuid
    kind: Literal["update", "alert"] = Field(alias="type", description="update or alert.")
    title: str = Field(description="Its title.")
    status: Status
    explanation: str | None = Field(description="Why it was refused or cancelled; null: it was not.")
    channels: list[ChannelName] = Field(description="The channels it was sent over.")
    segments: list[str] = Field(description="The segments it was narrowed to; empty: it was not.")
    tier_ids: list[str] = Field(description="The holder groups it was narrowed to; empty: it was not.")
    recipients: Count | None = Field(description="Accounts it was for; null before it was sent.")
    held_out: Count = Field(description="Of them, those that got nothing, for comparison.")
    read: Count = Field(description="Inboxes in which it was read.")
    as_of_block: BlockNumber | None = Field(description="The block that recipients were chosen as of; null before.")
    created_at: Timestamp
    due_at: Timestamp
    sent_at: Timestamp | None = Field(description="When all deliveries were queued; null before.")
    results: list[ChannelResult] = Field(description="What became of the deliveries.")


class BroadcastPage(Wire):
    """Broadcasts of a page, newest first."""

    broadcasts: list[Broadcast] = Field(description="The broadcasts.")
    next_cursor: NextCursor


class RecipientResult(Wire):
    """What became of a broadcast for one recipient over one channel."""

    position: Count = Field(description="Place among the recipients; 1 holds most.")
    wallet: Address
    held_out: bool = Field(description="Whether the recipient got nothing, for comparison.")
    channel: ChannelName | None = Field(description="The channel; null: nothing was sent over any.")
    status: DeliveryStatus | None = Field(description="What became of it; null: nothing was sent.")
    problem: str | None = Field(description="What went wrong last, without the address; null: nothing.")


class RecipientPage(Wire):
    """Results, largest holders first."""

    results: list[RecipientResult] = Field(description="The results of 100 recipients.")
    next_cursor: NextCursor


class ShareInterval(Wire):
    """A share of accounts, or a difference of shares, with its 95 % interval."""

    estimate: float = Field(description="From 0 to 1; of a difference from -1 to 1.")
    low: float = Field(description="Lower bound.")
    high: float = Field(description="Upper bound.")


class HoldingChanges(Wire):
    """How many accounts hold more or less than when recipients were chosen. Shares are null of fewer than 30
    accounts."""

    accounts: Count = Field(description="All of the group.")
    more: Count = Field(description="Those that hold more.")
    same: Count = Field(description="Those that hold as much, which may be nothing.")
    less: Count = Field(description="Those that hold less, but some.")
    nothing: Count = Field(description="Those that held some and hold nothing.")
    more_share: ShareInterval | None = Field(description="Share of those that hold more.")
    less_share: ShareInterval | None = Field(description="Share of those that hold less, but some.")
    nothing_share: ShareInterval | None = Field(description="Share of those that hold nothing any more.")


class ShareDifferences(Wire):
    """Shares among recipients less those among the held out; null where either is."""

    more: ShareInterval | None = Field(description="Of those that hold more.")
    less: ShareInterval | None = Field(description="Of those that hold less, but some.")
    nothing: ShareInterval | None = Field(description="Of those that hold nothing any more.")


class EffectAfter(Wire):
    """What was held at the end of a day (UTC) after the broadcast; null until a block after that day is published."""

    days: Count = Field(description="Days after the day of the sending.")
    as_of_block: BlockNumber | None = Field(description="The last block of the day.")
    recipients: HoldingChanges | None = Field(description="Who was to get the message, whether it arrived or not.")
    held_out: HoldingChanges | None = Field(description="Who was held out.")
    difference: ShareDifferences | None = Field(description="Recipients compared with the held out.")


class BroadcastEffect(Wire):
    """What recipients of a broadcast held afterwards, next to those who were held out of it."""

    id: Uuid
    as_of_block: BlockNumber | None = Field(description="The block that balances are compared with; null before.")
    sent_at: Timestamp | None = Field(description="When all deliveries were queued; null before.")
    after: list[EffectAfter] = Field(description="After 1, 7 and 30 days.")


class RoomGiven(_Given):
    """A token's public room."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"to": "-1001234567890"}]})

    to: str = Field(
        min_length=1, max_length=300, description="Id of the Telegram chat, or URL of the Discord room's webhook."
    )


class Room(Wire):
    """Whether the page has a public room on a channel. Its address is not shown."""

    chain_id: ChainNumber
    token_id: TokenId
    channel: ChannelName
    connected: bool = Field(description="Whether broadcasts to everybody are posted there.")
