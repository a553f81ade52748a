"""CORS: which web pages may read a route group's answers, on every answer and without credentials.

Groups for any origin send ``Access-Control-Allow-Origin: *``. Groups for the site name the site's origin to its pages
and send nothing to others. ``Access-Control-Allow-Credentials`` is never sent: keys and tokens travel in headers that a
page sets itself, so a page of another origin cannot use a visitor's session.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.groups import Origins
from api.http.route_table import RouteTable

_EXPOSED = "ETag, Retry-After, X-Request-Id, X-Unknown-Parameters"
_ANY_ANSWER = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": _EXPOSED,
    "Cross-Origin-Resource-Policy": "cross-origin",
}
_ANY_PREFLIGHT = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
    "Access-Control-Allow-Headers": "Accept, Content-Type, If-None-Match, X-Request-Id",
    "Access-Control-Max-Age": "86400",
    "Cache-Control": "public, max-age=86400",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
_VARIES = {"Vary": "Origin"}
_DEFAULT_PORTS = {"http": 80, "https": 443}


def _site_answer(origin: str) -> dict[str, str]:
    limits = "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit-Policy, RateLimit"
    return {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Expose-Headers": f"{_EXPOSED}, WWW-Authenticate, {limits}",
    }


def _site_preflight(origin: str) -> dict[str, str]:
    return {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
        "Access-Control-Allow-Headers": "Accept, Authorization, Content-Type, Idempotency-Key, If-None-Match, "
        "X-API-Key, X-Request-Id, X-Wallet-Address",
        "Access-Control-Max-Age": "600",
        **_VARIES,
    }


class SharingMiddleware:
    """Answers preflight requests, and allows the origins of a route's group to read its answers.

    Args:
        site_url: the site whose pages use wallet sessions.
    """

    def __init__(self, app: ASGIApp, *, table: RouteTable, site_url: str) -> None:
        self.app = app
        self.table = table
        self.site = site_origin(site_url)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        wanted = headers.get("access-control-request-method") if scope["method"] == "OPTIONS" else None
        # A preflight is about another method, whose route may belong to another group.
        group = self.table.of(scope) if wanted is None else self.table.find(wanted, scope["path"])
        if group.origins is Origins.ANY:
            if scope["method"] == "OPTIONS":
                await Response(status_code=204, headers=_ANY_PREFLIGHT)(scope, receive, send)
            else:
                await self._share(scope, receive, send, _ANY_ANSWER)
            return
        if group.origins is Origins.NONE:
            await self.app(scope, receive, send)
            return
        if self.site is None or headers.get("origin") != self.site:
            await self._share(scope, receive, send, {}, varies=True)
        elif wanted is not None:
            await Response(status_code=204, headers=_site_preflight(self.site))(scope, receive, send)
        else:
            await self._share(scope, receive, send, _site_answer(self.site), varies=True)

    async def _share(
        self, scope: Scope, receive: Receive, send: Send, added: Mapping[str, str], *, varies: bool = False
    ) -> None:
        async def send_shared(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(added)
                if varies:
                    headers.add_vary_header("Origin")
            await send(message)

        await self.app(scope, receive, send_shared)


def site_origin(url: str) -> str | None:
    """The origin of a URL as browsers write it: in lower case and without a default port. None if the URL has none."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not host:
        return None
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}" + ("" if port in (None, _DEFAULT_PORTS[parts.scheme]) else f":{port}")
