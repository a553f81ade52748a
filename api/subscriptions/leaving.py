"""Links that end a subscription with one POST and no session (RFC 8058)."""

import base64
import binascii
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from api.security.sealing import MAC_BYTES, Sealer
from api.vendors.messages import Channel

PATH: Final = "/api/v2/public/unsubscribe"
_PURPOSE: Final = "unsubscribe"


@dataclass(frozen=True, slots=True)
class LeaveLinks:
    """Makes and reads tokens that name a subscription and a channel. They do not expire: a mail may be read years
    later.

    Args:
        base_url: of this service.
    """

    sealer: Sealer
    base_url: str

    def url(self, subscription_id: UUID, channel: Channel) -> str:
        """The address to POST to."""
        return f"{self.base_url.rstrip('/')}{PATH}?token={self.token(subscription_id, channel)}"

    def token(self, subscription_id: UUID, channel: Channel) -> str:
        """A token for one subscription and channel."""
        named = subscription_id.bytes + channel.encode()
        return base64.urlsafe_b64encode(self.sealer.sign(named, _PURPOSE) + named).decode().rstrip("=")

    def read(self, token: str) -> tuple[UUID, Channel] | None:
        """What a token names; None if this service did not make it."""
        try:
            raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            return None
        mac, named = raw[:MAC_BYTES], raw[MAC_BYTES:]
        if len(named) <= 16 or not self.sealer.is_signed(named, mac, _PURPOSE):
            return None
        return UUID(bytes=named[:16]), Channel(named[16:].decode())
