"""Where links lead: redirects are followed a few steps, each looked up on the blocklist."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urljoin

from api.broadcasts.links import Blocklist, host_of
from api.outbound.client import Outbound

_MOST_STEPS: Final = 5
_STEP_SECONDS: Final = 3.0


@dataclass(frozen=True, slots=True)
class Redirects:
    """Follows links over the protected client. A link that does not answer leads nowhere that could be looked up."""

    outbound: Outbound

    async def refusal(self, urls: Iterable[str], blocklist: Blocklist) -> str | None:
        """Why the first of the links is refused that is; None if none is."""
        found = await asyncio.gather(*(self._follow(url, blocklist) for url in dict.fromkeys(urls)))
        return next((reason for reason in found if reason is not None), None)

    async def _follow(self, url: str, blocklist: Blocklist) -> str | None:
        for _ in range(_MOST_STEPS + 1):
            domain = blocklist.blocked(host_of(url) or "")
            if domain is not None:
                return f"is redirected to {domain}, which is on the blocklist"
            answer = await self.outbound.request("GET", url, timeout_seconds=_STEP_SECONDS, body_bytes=0)
            target = answer.headers.get("location")
            if answer.status is None or not 300 <= answer.status < 400 or target is None:
                return None
            url = urljoin(url, target)
        return f"is redirected more than {_MOST_STEPS} times"
