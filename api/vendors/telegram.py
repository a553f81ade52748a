"""Telegram, by a bot. A bot reaches only people who have written to it, and rooms that it was added to."""

import re
from dataclasses import dataclass

from api.outbound.answers import OutboundAnswer
from api.vendors.messages import AddressRefused, Message, Outcome
from api.vendors.requests import VendorRequests, cut, member

_CHAT = re.compile(r"-?[1-9][0-9]{0,18}")
_MARKS = re.compile(r"((?<!\w)@|(?<!\S)[/#$])(?=\w)")
_MOST_CHARACTERS = 4096
_WORD_JOINER = "\u2060"


@dataclass(frozen=True, slots=True)
class TelegramVendor:
    """Sends to chats by their numeric id."""

    requests: VendorRequests
    url: str
    token: str

    def read_address(self, text: str) -> str:
        """The numeric id of a chat."""
        if not _CHAT.fullmatch(text.strip()):
            raise AddressRefused("must be the numeric id of a chat with the bot")
        return text.strip()

    async def send(self, address: str, message: Message) -> Outcome:
        """Send plain text: without ``parse_mode`` Telegram reads no markup."""
        parts = (neutral(message.title), neutral(message.text), message.link, message.why)
        body = {
            "chat_id": int(address),
            "text": cut("\n\n".join(part for part in parts if part), _MOST_CHARACTERS),
            "link_preview_options": {"is_disabled": True},
        }
        answer = await self.requests.post_json(f"{self.url}/bot{self.token}/sendMessage", body, {})
        return self.requests.outcome(answer, _is_gone)

    async def close(self) -> None:
        """Nothing is open."""


def neutral(text: str) -> str:
    """The text with a word joiner after marks that Telegram turns into mentions, commands and tags."""
    return _MARKS.sub(rf"\1{_WORD_JOINER}", text)


def _is_gone(answer: OutboundAnswer) -> bool:
    """The person blocked the bot, or the chat is no more."""
    return answer.status == 403 or (answer.status == 400 and "chat not found" in str(member(answer, "description")))
