"""Requests to vendors that speak JSON over HTTP."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from api.http.rendering import dumps
from api.outbound.answers import OutboundAnswer
from api.outbound.client import Outbound
from api.vendors.messages import SENT, Outcome

LIMIT_SECONDS: Final = 10.0
_RETRIED: Final = (408, 425, 429)
IsGone = Callable[[OutboundAnswer], bool]


@dataclass(frozen=True, slots=True)
class VendorRequests:
    """Posts to one vendor over the protected client: it never follows redirects and connects to public addresses."""

    outbound: Outbound
    name: str

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> OutboundAnswer:
        """POST a body."""
        return await self.outbound.post(url, body, headers, LIMIT_SECONDS)

    async def post_json(self, url: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> OutboundAnswer:
        """POST JSON."""
        return await self.post(url, dumps(body), {"Content-Type": "application/json", **headers})

    def outcome(self, answer: OutboundAnswer, is_gone: IsGone) -> Outcome:
        """What an answer means. Those that say "later", and what is no answer, are worth another attempt."""
        if answer.succeeded:
            return SENT
        status = answer.status
        if status is None:
            return Outcome(str(answer.failure), f"{self.name}: {answer.problem}")
        gone = is_gone(answer)
        final = gone or (400 <= status < 500 and status not in _RETRIED)
        return Outcome("gone" if gone else "status", f"{self.name} answered {status}", final=final, gone=gone)


def member(answer: OutboundAnswer, name: str) -> Any:
    """A member of the JSON object that a vendor answered; None where there is none."""
    try:
        found = json.loads(answer.body)
    except ValueError:
        return None
    return found.get(name) if isinstance(found, dict) else None


def cut(text: str, most: int) -> str:
    """The text in at most so many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
