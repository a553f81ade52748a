"""The outermost middleware: request ids, timing, security headers, and the answer to unexpected exceptions.

``request.state.answer_headers`` are raw headers that are added to the answer, whatever its status.
"""

import logging
import re
import time
import uuid

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.errors import ApiError
from api.http.metrics import Metrics
from api.http.route_table import RouteTable
from api.http.unknown_parameters import HEADER as UNKNOWN_PARAMETERS
from api.http.unknown_parameters import resembling

LOG = logging.getLogger(__name__)
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}


class ObservationMiddleware:
    """Gives each request an id (a valid X-Request-Id is kept), measures it, and answers 500 if nothing else did."""

    def __init__(self, app: ASGIApp, *, table: RouteTable, metrics: Metrics, secure: bool) -> None:
        self.app = app
        self.table = table
        self.metrics = metrics
        self.headers = dict(SECURITY_HEADERS)
        if secure:
            self.headers["Strict-Transport-Security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        group = self.table.of(scope)
        request_id = _request_id(scope)
        scope.setdefault("state", {})["request_id"] = request_id
        began = time.perf_counter()
        self.metrics.in_flight.inc()
        status = 500
        started = False

        async def observed_send(message: Message) -> None:
            nonlocal status, started
            if message["type"] == "http.response.start":
                started = True
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = request_id
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
                headers.raw.extend(scope["state"].get("answer_headers", ()))
                if scope["query_string"] and (named := resembling(scope.get("route"), scope["query_string"])):
                    headers[UNKNOWN_PARAMETERS] = named
            await send(message)

        try:
            await self.app(scope, receive, observed_send)
        except Exception:  # whatever no handler took: logged with the request's id, answered 500 in the group's shape
            LOG.exception("request %s failed: %s %a", request_id, scope["method"], scope["path"])
            if started:
                raise
            answer = group.errors.render(ApiError())
            await answer(scope, receive, observed_send)
        finally:
            self.metrics.in_flight.dec()
            self.metrics.observe(*_route_of(scope), status, time.perf_counter() - began)


def _request_id(scope: Scope) -> str:
    given = Headers(scope=scope).get("x-request-id")
    return given if given is not None and _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex


def _route_of(scope: Scope) -> tuple[str, str]:
    """The route's path with its parameters unfilled, and its method. Clients choose paths and methods: those that no
    route has are one."""
    route, method = scope.get("route"), scope["method"]
    path = getattr(route, "path", None)
    return (path, method) if path and method in (getattr(route, "methods", None) or ()) else ("unmatched", "other")
