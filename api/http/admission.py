"""Admission: how many requests run at a time, which wait, and which are rejected with 503 and Retry-After.

A request is admitted once its body has arrived, and before routing, authentication and parsing. Each admission class
has slots of its own, so that one cannot take those of another. A request without a free slot waits in a short queue; it
is rejected when the queue is full or the wait too long. The class is declared by the request's route group.
See docs/decisions/0012-admission.md.
"""

import random
import time
from functools import partial
from typing import Final

from prometheus_client import Counter, Gauge, Histogram
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.errors import InvalidInput, Unavailable
from api.http.gate import Gate, Rejected
from api.http.groups import ADMISSION_CLASSES, RouteGroup
from api.http.metrics import Metrics
from api.http.route_table import RouteTable
from api.settings import ApiSettings

MAX_RETRY_SECONDS: Final = 3
_WAIT_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)


class AdmissionMiddleware:
    """Admits requests by the class of their route group, and rejects others while that costs almost nothing."""

    def __init__(self, app: ASGIApp, *, table: RouteTable, settings: ApiSettings, metrics: Metrics) -> None:
        self.app = app
        self.table = table
        self.gates = {
            kind.name: Gate(kind.limit(settings), patience_seconds=kind.patience * settings.admission_queue_seconds)
            for kind in ADMISSION_CLASSES
        }
        self._observed = _Observed(metrics, self.gates)
        self._rejections: dict[RouteGroup, list[Response]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        kind = self.table.of(scope).admission if scope["type"] == "http" else None
        if kind is None:
            await self.app(scope, receive, send)
            return
        name = kind.name
        if _has_body(scope) and not kind.streams_body:
            body = await _whole_body(receive)
            if body is None:
                answer = self.table.of(scope).errors.render(InvalidInput("body", "broke off"))
                await answer(scope, receive, send)
                return
            receive = _replayed(body, receive)
        gate = self.gates[name]
        began = time.perf_counter()
        try:
            await gate.enter()
        except Rejected as rejected:
            self._observed.count(name, rejected.reason)
            await self._rejection(self.table.of(scope))(scope, receive, send)
            return
        self._observed.admit(name, time.perf_counter() - began)
        try:
            await self.app(scope, receive, send)
        finally:
            gate.leave()

    def _rejection(self, group: RouteGroup) -> Response:
        """503 in the group's shape, rendered once; Retry-After differs so that clients do not return together."""
        known = self._rejections.get(group)
        if known is None:
            known = [_rendered(group, 1 + seconds) for seconds in range(MAX_RETRY_SECONDS)]
            self._rejections[group] = known
        return random.choice(known)  # noqa: S311 - nothing is secret about it


class _Observed:
    """The metrics of admission."""

    def __init__(self, metrics: Metrics, gates: dict[str, Gate]) -> None:
        requests = Counter(
            "regalia_admission_requests",
            "Requests by class and outcome: admitted, or rejected because the queue was full or the wait too long.",
            ("class", "outcome"),
            registry=metrics.registry,
        )
        waits = Histogram(
            "regalia_admission_wait_seconds",
            "Seconds that admitted requests waited for a slot.",
            ("class",),
            buckets=_WAIT_BUCKETS,
            registry=metrics.registry,
        )
        working = Gauge("regalia_admission_working", "Requests running.", ("class",), registry=metrics.registry)
        waiting = Gauge("regalia_admission_waiting", "Requests in the queue.", ("class",), registry=metrics.registry)
        slots = Gauge(
            "regalia_admission_places", "Requests that may run at a time.", ("class",), registry=metrics.registry
        )
        for name, gate in gates.items():
            working.labels(name).set_function(partial(getattr, gate, "running"))
            waiting.labels(name).set_function(partial(getattr, gate, "waiting"))
            slots.labels(name).set(gate.slots)
        outcomes = ("admitted", "queue_full", "waited_too_long")
        self._requests = {(name, outcome): requests.labels(name, outcome) for name in gates for outcome in outcomes}
        self._waits = {name: waits.labels(name) for name in gates}

    def count(self, name: str, outcome: str) -> None:
        """Count one outcome."""
        self._requests[name, outcome].inc()

    def admit(self, name: str, waited_seconds: float) -> None:
        """Count one admitted request."""
        self.count(name, "admitted")
        self._waits[name].observe(waited_seconds)


def _rendered(group: RouteGroup, seconds: int) -> Response:
    return group.errors.render(
        Unavailable("too many requests are being answered, try again", retry_after_seconds=seconds)
    )


def _has_body(scope: Scope) -> bool:
    if scope["method"] in ("GET", "HEAD"):
        return False
    headers = Headers(scope=scope)
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


async def _whole_body(receive: Receive) -> bytes | None:
    """The body in one piece, however many it arrived in; None when the client disconnected."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return pending.pop() if pending else await receive()

    return replay
