"""Wire shapes of contacts."""

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from api.http.members import Timestamp
from api.http.rendering import Wire
from api.subscriptions.schemas import ChannelName


class ContactChange(Wire):
    """Where the account is reached on a channel."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        frozen=True,
        extra="forbid",
        json_schema_extra={"examples": [{"to": "frog@pepe.example"}]},
    )

    to: str = Field(
        min_length=1,
        max_length=2048,
        description="A mail address; a phone number with its country; the id of a Telegram chat or a Discord user; of "
        "a browser, the JSON of its PushSubscription.",
    )


class CodeGiven(Wire):
    """The code that was sent to a contact."""

    model_config = ConfigDict(
        alias_generator=to_camel, frozen=True, extra="forbid", json_schema_extra={"examples": [{"code": "12345678"}]}
    )

    code: str = Field(min_length=1, max_length=20, description="The code, eight digits.")


class Contact(Wire):
    """Where an account is reached on a channel. Nothing but a code is sent there before it is confirmed."""

    channel: ChannelName
    to: str | None = Field(description="The address; null of a browser, and where it cannot be decrypted.")
    confirmed: bool = Field(description="Whether it is confirmed.")
    confirmed_at: Timestamp | None = Field(description="When it was confirmed; null before.")
    failed_at: Timestamp | None = Field(
        description="When the vendor said that the address takes no more messages; null: it did not. None are sent."
    )


class ContactChannel(Wire):
    """A channel of this service."""

    channel: ChannelName
    configured: bool = Field(description="Whether this service sends over it.")


class ContactList(Wire):
    """Where the account is reached."""

    contacts: list[Contact] = Field(description="The contacts, at most one on a channel.")
    channels: list[ContactChannel] = Field(description="Every channel, and whether this service uses it.")
    push_key: str | None = Field(
        description="What a page gives to the browser as applicationServerKey; null where web push is off."
    )


class ContactRemoved(Wire):
    """The contact is forgotten."""

    channel: ChannelName
    removed: bool = Field(description="True.")
