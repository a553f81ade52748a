"""CORS for route groups that pages of any origin may read: on every answer, and without credentials.

``Access-Control-Allow-Origin: *`` and no ``Access-Control-Allow-Credentials``: a browser refuses the answer to a
request that it sent with credentials.
"""

from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.route_table import RouteTable

_EXPOSED = "ETag, Retry-After, X-Request-Id"
_PREFLIGHT = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
    "Access-Control-Allow-Headers": "Accept, Content-Type, If-None-Match, X-Request-Id",
    "Access-Control-Max-Age": "86400",
    "Cache-Control": "public, max-age=86400",
    "Cross-Origin-Resource-Policy": "cross-origin",
}


class SharingMiddleware:
    """Answers preflight requests, and allows every origin to read the answers."""

    def __init__(self, app: ASGIApp, *, table: RouteTable) -> None:
        self.app = app
        self.table = table

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or not self.table.of(scope).any_origin:
            await self.app(scope, receive, send)
            return
        if scope["method"] == "OPTIONS":
            await Response(status_code=204, headers=_PREFLIGHT)(scope, receive, send)
            return

        async def send_shared(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Access-Control-Allow-Origin"] = "*"
                headers["Access-Control-Expose-Headers"] = _EXPOSED
                headers["Cross-Origin-Resource-Policy"] = "cross-origin"
            await send(message)

        await self.app(scope, receive, send_shared)
