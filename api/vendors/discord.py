"""Discord: direct messages by a bot, and posts by a room's webhook."""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from api.outbound.answers import OutboundAnswer
from api.vendors.messages import AddressRefused, Message, Outcome
from api.vendors.requests import VendorRequests, cut, member

_USER = re.compile(r"[1-9][0-9]{16,19}")
_WEBHOOK_PATH = re.compile(r"/api/(?:v\d+/)?webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{20,100}")
_MARKUP = re.compile(r"(https?://[^\s<>\[\]()]+)|([\\*_~`|>#\[\]()<-])")
_MENTION = re.compile(r"@(?=\w)")
_WORD_JOINER = "\u2060"
_MOST_TITLE: Final = 256
_MOST_TEXT: Final = 4096
_CANNOT_REACH: Final = (10013, 50007, 10003, 10015)
"""Discord's codes: unknown user, cannot message this user, unknown channel, unknown webhook."""


@dataclass(frozen=True, slots=True)
class DiscordVendor:
    """Sends to users by their id, and to rooms by their webhook's URL."""

    requests: VendorRequests
    url: str
    token: str

    def read_address(self, text: str) -> str:
        """The id of a user, or the URL of a webhook of Discord."""
        text = text.strip()
        site = self.url.partition("/api")[0]
        is_webhook = text.startswith(f"{site}/") and _WEBHOOK_PATH.fullmatch(text.removeprefix(site))
        if not _USER.fullmatch(text) and not is_webhook:
            raise AddressRefused(f"must be the id of a user; of a room, a webhook's URL at {site}")
        return text

    async def send(self, address: str, message: Message) -> Outcome:
        """Send an embed, which mentions nobody. Discord drops a second message with the same nonce."""
        if address.startswith("http"):
            answer = await self.requests.post_json(f"{address}?wait=true", _body(message), {})
            return self.requests.outcome(answer, _is_gone)
        opened = await self._post("/users/@me/channels", {"recipient_id": address})
        channel = member(opened, "id")
        if not opened.succeeded or not isinstance(channel, str) or not channel.isdecimal():
            return self.requests.outcome(opened, _is_gone) if not opened.succeeded else _UNREADABLE
        more = {"nonce": _nonce(message.id), "enforce_nonce": True}
        return self.requests.outcome(
            await self._post(f"/channels/{channel}/messages", {**_body(message), **more}), _is_gone
        )

    async def close(self) -> None:
        """Nothing is open."""

    async def _post(self, path: str, body: Mapping[str, Any]) -> OutboundAnswer:
        return await self.requests.post_json(f"{self.url}{path}", body, {"Authorization": f"Bot {self.token}"})


_UNREADABLE: Final = Outcome("protocol", "Discord answered what cannot be read")


def neutral(text: str) -> str:
    """The text with Discord's markup escaped, except in links, and its mentions broken."""
    escaped = _MARKUP.sub(lambda found: found[1] or f"\\{found[2]}", text)
    return _MENTION.sub(f"@{_WORD_JOINER}", escaped)


def _body(message: Message) -> dict[str, Any]:
    embed: dict[str, Any] = {
        "title": cut(neutral(message.title), _MOST_TITLE),
        "description": cut(neutral(message.text), _MOST_TEXT),
    }
    if message.link is not None:
        embed["url"] = message.link
    if message.why is not None:
        embed["footer"] = {"text": message.why}
    return {"embeds": [embed], "allowed_mentions": {"parse": []}}


def _nonce(id: UUID) -> str:
    return base64.urlsafe_b64encode(id.bytes).decode().rstrip("=")


def _is_gone(answer: OutboundAnswer) -> bool:
    return member(answer, "code") in _CANNOT_REACH
