"""Refusals of broadcasts."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field

from api.http.errors import Forbidden, NotFound, TooManyRequests, Unprocessable
from api.http.members import Timestamp
from api.http.times import timestamp


class Resets(BaseModel):
    """When a broadcast may be sent again."""

    model_config = ConfigDict(frozen=True)

    resetsAt: Timestamp = Field(description="The first moment at which no ceiling refuses a broadcast.")


class CeilingReached(TooManyRequests):
    """The page has sent as much as its plan or a safety ceiling allows."""

    code = "BROADCAST_LIMIT"
    text = "the page may send 3 broadcasts an hour"
    details_schema = Resets
    example_details: ClassVar[Mapping[str, Any]] = {"resetsAt": "2026-03-08T12:00:00.000Z"}

    @classmethod
    def of(cls, message: str, resets_at: datetime, now: datetime) -> Self:
        """The error of a ceiling."""
        made = cls(message, (resets_at - now).total_seconds())
        made.details["resetsAt"] = timestamp(resets_at)
        return made


class LinkBlocked(Unprocessable):
    """A link leads to a domain of the blocklist."""

    code = "LINK_BLOCKED"
    text = "linkUrl: leads to bit.ly, which is on the blocklist"


class ImageRefused(Unprocessable):
    """An image is not on IPFS or Arweave."""

    code = "IMAGE_NOT_PERMANENT"
    text = "imageUrl: must be https:// on IPFS or Arweave, with the content's id"


class NoSuchPage(NotFound):
    """There is no registration with this id."""

    text = "id: no registration 7"


class WalletNotOnSession(Forbidden):
    """The sender is none of the session's wallets."""

    code = "WALLET_NOT_SIGNED_IN"
    text = "wallet: is not one of this session's wallets"


class NoSuchBroadcast(NotFound):
    """The page has no broadcast with this id."""

    text = "this page has no such broadcast"


class NoSuchRoom(NotFound):
    """The page has no room on the channel."""

    text = "this page has no room on this channel"
