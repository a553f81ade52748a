"""SMS, by a vendor that speaks Twilio's protocol. It has no idempotency key: a lost answer can mean a second SMS."""

import base64
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlencode

from api.outbound.answers import OutboundAnswer
from api.vendors.messages import AddressRefused, Message, Outcome
from api.vendors.requests import VendorRequests, cut, member

_NUMBER = re.compile(r"\+[1-9][0-9]{6,14}")
_MOST_CHARACTERS: Final = 1600
_UNREACHABLE: Final = (21211, 21610, 21614)
"""The vendor's codes: no such number, the person answered STOP, not a mobile number."""


@dataclass(frozen=True, slots=True)
class SmsVendor:
    """Sends from one number of an account."""

    requests: VendorRequests
    url: str
    account: str
    token: str
    sender: str

    def read_address(self, text: str) -> str:
        """A number in E.164; spaces, dots, dashes and brackets are dropped."""
        number = re.sub(r"[ .()-]", "", text)
        if not _NUMBER.fullmatch(number):
            raise AddressRefused("must be a phone number with its country, such as +41446681800")
        return number

    async def send(self, address: str, message: Message) -> Outcome:
        """Send title, text and link."""
        link = f"\n{message.link}" if message.link else ""
        text = cut(f"{message.title}\n{message.text}", _MOST_CHARACTERS - len(link)) + link
        body = urlencode({"To": address, "From": self.sender, "Body": text}).encode()
        basic = base64.b64encode(f"{self.account}:{self.token}".encode()).decode()
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Authorization": f"Basic {basic}"}
        url = f"{self.url}/2010-04-01/Accounts/{quote(self.account, safe='')}/Messages.json"
        return self.requests.outcome(await self.requests.post(url, body, headers), _is_gone)

    async def close(self) -> None:
        """Nothing is open."""


def _is_gone(answer: OutboundAnswer) -> bool:
    return member(answer, "code") in _UNREACHABLE
