"""Answers that nothing counts are slowed for addresses that ask for too many of them.

Counted requests are bounded by plans and by the limits of addresses. What is left is cheap, one by one: unknown paths,
missing and invalid credentials, refusals, health checks, preflights. A client that asks for them as fast as it can
would still take the process from all others. Beyond a number a minute, each such answer to its address is held back for
a second: a connection then costs one of them a second, and connections are limited too. Counted answers are never held
back, so other clients at the address lose nothing. Answers of 5xx are the service's own fault and are not held back
either.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HELD_SECONDS: Final = 1.0
GRANTED: Final = "granted"
"""In a request's state: a plan or an address's limit counted the request, and granted it."""


class PacingMiddleware:
    """The outermost middleware.

    Args:
        is_over: counts an answer that nothing else counts, and says whether its client's address has had too many.
    """

    def __init__(self, app: ASGIApp, *, is_over: Callable[[HTTPConnection], bool]) -> None:
        self.app = app
        self.is_over = is_over

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        held: list[Message] = []

        async def pace(message: Message) -> None:
            if held or (message["type"] == "http.response.start" and self._holds(scope, state, message["status"])):
                held.append(message)
            else:
                await send(message)

        await self.app(scope, receive, pace)
        if held:
            # Now that the request has left its slot and everything else that is limited.
            await asyncio.sleep(HELD_SECONDS)
            for message in held:
                await send(message)

    def _holds(self, scope: Scope, state: dict[str, object], status: int) -> bool:
        return GRANTED not in state and status < 500 and self.is_over(HTTPConnection(scope))
