"""The outermost middleware: request ids, timing, the log of requests, security headers, and the answer to unexpected
exceptions.

``request.state.answer_headers`` are raw headers that are added to the answer, whatever its status.
"""

import logging
import random
import re
import time
import uuid
from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.errors import ApiError
from api.http.metrics import Metrics
from api.http.route_table import RouteTable
from api.http.unknown_parameters import HEADER as UNKNOWN_PARAMETERS
from api.http.unknown_parameters import resembling
from api.limits.addresses import connection_address
from api.outbound.destinations import Network
from warehouse.logs import REQUEST_ID, bind
from warehouse.tracing import TRACEPARENT, Kind, Span, trace

LOG = logging.getLogger(__name__)
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}


class ObservationMiddleware:
    """Gives each request an id, measures and logs it, and answers 500 if nothing else did.

    Args:
        proxies: their X-Request-Id and traceparent are kept; other clients could give theirs to many requests.
        logged_share: of requests that are neither slow nor an error of ours.
        slow_seconds: from which on a request is slow.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        table: RouteTable,
        metrics: Metrics,
        secure: bool,
        proxies: Sequence[Network] = (),
        logged_share: float = 0.0,
        slow_seconds: float = 1.0,
    ) -> None:
        self.app = app
        self.table = table
        self.metrics = metrics
        self.proxies = proxies
        self.logged_share = logged_share
        self.slow_seconds = slow_seconds
        self.headers = dict(SECURITY_HEADERS)
        if secure:
            self.headers["Strict-Transport-Security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        proxied = Headers(scope=scope) if self._is_proxied(scope) else Headers()
        request_id = _request_id(proxied)
        attributes = {"http.request.method": scope["method"], REQUEST_ID: request_id}
        continued = proxied.get(TRACEPARENT)
        with (
            bind(**{REQUEST_ID: request_id}),
            trace("request", attributes, kind=Kind.SERVER, traceparent=continued) as span,
        ):
            await self._observe(scope, receive, send, request_id, span)

    async def _observe(self, scope: Scope, receive: Receive, send: Send, request_id: str, span: Span) -> None:
        group = self.table.of(scope)
        scope.setdefault("state", {})["request_id"] = request_id
        began = time.perf_counter()
        self.metrics.in_flight.inc()
        status = 500
        started = False
        answered = began

        async def observed_send(message: Message) -> None:
            nonlocal status, started, answered
            if message["type"] == "http.response.start":
                started, answered = True, time.perf_counter()
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
            LOG.exception("%s %a failed", scope["method"], scope["path"])
            if started:
                raise
            answer = group.errors.render(ApiError())
            await answer(scope, receive, observed_send)
        finally:
            self.metrics.in_flight.dec()
            route, method = _route_of(scope)
            ended = answered if started and group.streams else time.perf_counter()
            seconds = ended - began
            self.metrics.observe(route, method, status, seconds)
            self._log(route, method, status, seconds)
            span.rename(f"{method} {route}")
            span.set({"http.route": route, "http.response.status_code": status})
            if status >= 500:
                span.fail(str(status))

    def _is_proxied(self, scope: Scope) -> bool:
        """Whether a trusted proxy sent the request, whose word counts."""
        client = scope.get("client")
        return bool(self.proxies) and client is not None and connection_address(client[0], self.proxies) is None

    def _log(self, route: str, method: str, status: int, seconds: float) -> None:
        failed = status >= 500 and status != 503
        slow = seconds >= self.slow_seconds
        if not (failed or slow or (self.logged_share and random.random() < self.logged_share)):  # noqa: S311 - a sample
            return
        fields = {"method": method, "route": route, "status": status, "milliseconds": round(1000 * seconds, 1)}
        LOG.log(logging.WARNING if failed or slow else logging.INFO, "request", extra=fields)


def _request_id(proxied: Headers) -> str:
    given = proxied.get("x-request-id")
    return given if given is not None and _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex


def _route_of(scope: Scope) -> tuple[str, str]:
    """The route's path with its parameters unfilled, and its method. Clients choose paths and methods: those that no
    route has are one."""
    route, method = scope.get("route"), scope["method"]
    path = getattr(route, "path", None)
    return (path, method) if path and method in (getattr(route, "methods", None) or ()) else ("unmatched", "other")
