"""Limits of a request: how large its body, how long it may take. Pure ASGI, before any route."""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.errors import ApiError, PayloadTooLarge, RouteGroups, Unavailable

LOG = logging.getLogger(__name__)
LINGERING = 4
"""A body that is too large is received up to so many times its limit before it is refused."""
LINGER_SECONDS = 5.0


class _BodyTooLarge(HTTPException):
    """Raised while a body is read that grows beyond the limit. FastAPI lets an HTTPException through from where it
    reads bodies, and would take anything else for a body that cannot be parsed."""


class LimitsMiddleware:
    """Refuses bodies that are too large, and requests that take too long.

    Args:
        larger_bodies: paths that take other bodies, and their limits.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        groups: RouteGroups,
        body_limit_bytes: int,
        timeout_seconds: float,
        larger_bodies: Mapping[str, int] | None = None,
    ) -> None:
        self.app = app
        self.groups = groups
        self.body_limit_bytes = body_limit_bytes
        self.larger_bodies = dict(larger_bodies or {})
        self.timeout_seconds = timeout_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        length = Headers(scope=scope).get("content-length", "0")
        most_bytes = self.larger_bodies.get(scope["path"], self.body_limit_bytes)
        if length.isdecimal() and int(length) > most_bytes:
            if "expect" not in Headers(scope=scope):  # who asks first has not sent anything yet
                await _take_the_rest(receive, LINGERING * most_bytes)
            await self._answer(_too_large(most_bytes), scope, receive, send)
            return
        started = False
        received = 0

        async def limited_receive() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most_bytes:
                if message.get("more_body", False):
                    await _take_the_rest(receive, LINGERING * most_bytes)
                raise _BodyTooLarge(413, _too_large(most_bytes).message, {"Connection": "close"})
            return message

        async def noted_send(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            async with asyncio.timeout(self.timeout_seconds) as limit:
                await self.app(scope, limited_receive, noted_send)
        except _BodyTooLarge:
            if started:
                raise
            await self._answer(_too_large(most_bytes), scope, receive, send)
        except TimeoutError:
            if started or not limit.expired():
                raise
            LOG.warning("%s %a took longer than %s s", scope["method"], scope["path"], self.timeout_seconds)
            await self._answer(Unavailable("this took too long, try again"), scope, receive, send)

    async def _answer(self, error: ApiError, scope: Scope, receive: Receive, send: Send) -> None:
        await self.groups.of(scope).render(error)(scope, receive, send)


async def _take_the_rest(receive: Receive, most_bytes: int) -> None:
    """Receive what the client still sends, up to a bound, and forget it. Where a connection is closed that data still
    comes on, the client is told of a reset and never sees the answer."""
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_SECONDS):
            while most_bytes > 0:
                message = await receive()
                if not message.get("more_body", False):
                    return
                most_bytes -= len(message.get("body", b""))


def _too_large(most_bytes: int) -> ApiError:
    # The rest of the body may not have been read: the connection cannot be used again.
    return PayloadTooLarge(f"body: is larger than {most_bytes} bytes", headers={"Connection": "close"})
