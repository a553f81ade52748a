"""Bounds of a request: the size of its body and the time it may take. Pure ASGI, before routing."""

import asyncio
import logging
from contextlib import suppress

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.errors import ApiError, PayloadTooLarge, Unavailable
from api.http.route_table import RouteTable
from api.settings import ApiSettings

LOG = logging.getLogger(__name__)
DISCARDED_FACTOR = 4
"""Of a body that is too large, up to this many times the limit is received and discarded before the answer."""
DISCARD_SECONDS = 5.0


class _BodyTooLarge(HTTPException):
    """Raised while a body is read that exceeds the limit. FastAPI passes an HTTPException on from where it reads
    bodies, and turns any other exception into a parsing error."""


class RequestBoundsMiddleware:
    """Refuses bodies that are larger than the route group allows (413), and ends requests that take too long (503)."""

    def __init__(self, app: ASGIApp, *, table: RouteTable, settings: ApiSettings) -> None:
        self.app = app
        self.table = table
        self.timeout_seconds = settings.request_timeout_seconds
        self.body_limits = {group: group.body_limit(settings) for group in table.groups}
        self.default_limit = settings.body_limit_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        group = self.table.of(scope)
        length = Headers(scope=scope).get("content-length", "0")
        max_bytes = self.body_limits.get(group, self.default_limit)
        if length.isdecimal() and int(length) > max_bytes:
            if "expect" not in Headers(scope=scope):  # the client waits for 100 Continue and has sent nothing
                await _discard_rest(receive, DISCARDED_FACTOR * max_bytes)
            await self._answer(_too_large(max_bytes), scope, receive, send)
            return
        started = False
        received = 0

        async def limited_receive() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > max_bytes:
                if message.get("more_body", False):
                    await _discard_rest(receive, DISCARDED_FACTOR * max_bytes)
                raise _BodyTooLarge(413, _too_large(max_bytes).message, {"Connection": "close"})
            return message

        async def observed_send(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            async with asyncio.timeout(None if group.streams else self.timeout_seconds) as limit:
                await self.app(scope, limited_receive, observed_send)
        except _BodyTooLarge:
            if started:
                raise
            await self._answer(_too_large(max_bytes), scope, receive, send)
        except TimeoutError:
            if started or not limit.expired():
                raise
            LOG.warning("%s %a took longer than %s s", scope["method"], scope["path"], self.timeout_seconds)
            await self._answer(Unavailable("this took too long, try again"), scope, receive, send)

    async def _answer(self, error: ApiError, scope: Scope, receive: Receive, send: Send) -> None:
        await self.table.of(scope).errors.render(error)(scope, receive, send)


async def _discard_rest(receive: Receive, max_bytes: int) -> None:
    """Receive and discard what the client still sends, up to a bound. If the connection were closed while data arrives,
    the client would see a reset instead of the answer."""
    with suppress(TimeoutError):
        async with asyncio.timeout(DISCARD_SECONDS):
            while max_bytes > 0:
                message = await receive()
                if not message.get("more_body", False):
                    return
                max_bytes -= len(message.get("body", b""))


def _too_large(max_bytes: int) -> ApiError:
    # Part of the body may be unread, so the connection cannot be reused.
    return PayloadTooLarge(f"body: is larger than {max_bytes} bytes", headers={"Connection": "close"})
