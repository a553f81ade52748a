"""Wire shapes of the inbox."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from api.http.members import ChainNumber, Count, NextCursor, Symbol, Timestamp, TokenId, Uri, Uuid, one_of
from api.http.rendering import Wire

MessageKind = Annotated[str, one_of("InboxMessageKind", "What sent it.", ["broadcast", "alert"])]


class InboxMessage(Wire):
    """A message."""

    id: Uuid
    kind: MessageKind
    title: str = Field(description="Its title, as plain text.")
    body: str = Field(description="Its text, as plain text.")
    link_url: Uri | None = Field(description="Its link; null: none.")
    image_url: Uri | None = Field(description="Its image, on IPFS or Arweave; null: none.")
    rich_content: dict[str, Any] | None = Field(
        description="Its rich text as the sender wrote it, without markup that was interpreted; null: none."
    )
    chain_id: ChainNumber | None = Field(description="Chain of the registration that it is about; null: of none.")
    token_id: TokenId | None = Field(description="The registration that it is about; null: none.")
    symbol: Symbol | None = Field(description="Symbol of the registration; null: of none.")
    sent_at: Timestamp
    read_at: Timestamp | None = Field(description="When it was marked as read; null: it is unread.")


class InboxPage(Wire):
    """Messages of the account, newest first."""

    messages: list[InboxMessage] = Field(description="The messages.")
    unread: Count = Field(description="Unread messages of the whole inbox.")
    next_cursor: NextCursor


class InboxRead(Wire):
    """Which messages were read."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        frozen=True,
        extra="forbid",
        json_schema_extra={"examples": [{"ids": ["01980000-0000-7000-8000-0000000000b1"]}]},
    )

    ids: list[str] = Field(default=[], max_length=100, description="Messages by their ids.")
    through: str | None = Field(default=None, description="A message: it and all before it were read.")


class InboxUnread(Wire):
    """The inbox after messages were marked as read."""

    marked: Count = Field(description="How many messages were unread and are not any more.")
    unread: Count = Field(description="Unread messages of the whole inbox.")
