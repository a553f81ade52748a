"""What is sent to a person over a channel, and what became of it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol
from uuid import UUID


class Channel(StrEnum):
    """A way to reach a recipient."""

    INAPP = "inapp"
    PUSH = "push"
    EMAIL = "email"
    XMTP = "xmtp"
    SMS = "sms"
    TELEGRAM = "telegram"
    DISCORD = "discord"


REACHED_BY_VENDORS: Final = (Channel.PUSH, Channel.EMAIL, Channel.SMS, Channel.TELEGRAM, Channel.DISCORD)
"""The channels that there are adapters for. ``inapp`` is the service's own; ``xmtp`` has no adapter."""
WITH_ROOMS: Final = (Channel.TELEGRAM, Channel.DISCORD)
"""The channels that also post in a token's public room."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message for one recipient, as plain text.

    Args:
        id: the same in every attempt; the idempotency key towards vendors that have one.
        link: https, or None.
        leave_url: ends the subscription with one POST (RFC 8058); None where there is none to end.
        why: why the recipient gets it, in a sentence.
    """

    id: UUID
    title: str
    text: str
    link: str | None = None
    leave_url: str | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an attempt.

    Args:
        failure: the kind of failure in a word; None: the vendor took the message.
        problem: the failure in words, without the recipient's address.
        final: another attempt would fail, too.
        gone: the address no longer takes messages.
    """

    failure: str | None = None
    problem: str | None = None
    final: bool = False
    gone: bool = False


SENT: Final = Outcome()


class AddressRefused(ValueError):
    """An address does not have its channel's form; the message gives the rule."""


class Vendor(Protocol):
    """Sends messages over one channel."""

    def read_address(self, text: str) -> str:
        """The address in the form that ``send`` takes.

        Raises:
            AddressRefused: it is not one.
        """
        ...

    async def send(self, address: str, message: Message) -> Outcome:
        """Make one attempt. A failure is an outcome, not an exception."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...
