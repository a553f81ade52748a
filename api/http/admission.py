"""Admission: how many requests are in work at a time, who waits, and who is told to come back later.

A request is admitted when it is complete and before anything is done for it: no route is looked up, no key, no JSON
read. Each class of requests has its own places, so that none takes those of another. When all places are taken a
request waits in a short queue; when it has waited too long, or the queue is full, it is answered 503 with Retry-After.
See docs/decisions/0012-admission.md.
"""

import asyncio
import random
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from functools import partial
from typing import Final

from prometheus_client import Counter, Gauge, Histogram
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.errors import InvalidInput, RouteGroup, RouteGroups, Unavailable
from api.http.metrics import Metrics
from api.settings import ApiSettings

SEARCHES, READS, CLAIMS, UPLOADS = "searches", "reads", "claims", "uploads"
_CLAIM_PATHS = ("/api/v2/claim", "/api/v2/registration/check-qualify", "/api/v2/public/holdings", "/api/v2/auth/login")
_SEARCH_PATHS = ("/api/v2/search", "/api/v2/token", "/api/v2/registration/claimable")
_UPLOAD_PATHS = ("/api/v2/metadata/upload",)
_EXEMPT_PATHS = ("/health", "/metrics")
_HISTORY = "/history"
_VERIFY = "/verify"

QUEUED_PER_PLACE: Final = 16
"""So many requests may wait for each place."""
STANDING_SECONDS: Final = 0.2
"""A queue whose first has waited so long, and that still grows, is a standing one: more comes than can be served."""
GROWING_SECONDS: Final = 0.1
"""It grows when more have come than gone in so many seconds. A burst, however large, only shrinks."""
STANDING_FOR_SECONDS: Final = 10.0
"""So long, unless it empties, it is taken for one before it is looked at again."""
STANDING_PATIENCE: Final = 0.025
"""The part of the usual patience that a standing queue allows."""
LONGEST_RETRY_SECONDS: Final = 3
_WAIT_BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)


class Shed(Exception):
    """The request gets no place; ``reason`` is ``queue_full`` or ``waited_too_long``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Gate:
    """The places of one class, and its queue.

    A burst is served in the order of its arrival. A standing queue is served newest first, and its patience is short:
    who has waited longest is the least likely to be still there, and serving the old ones first would make everyone
    wait as long as the queue is.

    Args:
        places: most requests in work at a time.
        patience_seconds: longest wait in a queue that comes and goes.
    """

    def __init__(
        self,
        places: int,
        *,
        patience_seconds: float,
        queued: int | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.places = places
        self.patience_seconds = patience_seconds
        self.most_queued = places * QUEUED_PER_PLACE if queued is None else queued
        self.working = 0
        self._waiting: OrderedDict[asyncio.Future[None], tuple[asyncio.TimerHandle, float]] = OrderedDict()
        self._monotonic = monotonic
        self._standing_until = 0.0
        self._came: deque[float] = deque()
        self._went: deque[float] = deque()

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return len(self._waiting)

    @property
    def standing(self) -> bool:
        """Whether the queue is one that does not go away by itself."""
        if not self._waiting:
            self._standing_until = 0.0
            self._came.clear()
            self._went.clear()
            return False
        now = self._monotonic()
        if now >= self._standing_until and now - self._first_came() >= STANDING_SECONDS and self._grows(now):
            self._standing_until = now + STANDING_FOR_SECONDS
        return now < self._standing_until

    def _grows(self, now: float) -> bool:
        for moments in (self._came, self._went):
            while moments and moments[0] <= now - GROWING_SECONDS:
                moments.popleft()
        return len(self._came) > len(self._went)

    def _first_came(self) -> float:
        return self._waiting[next(iter(self._waiting))][1]

    async def enter(self) -> None:
        """Take a place, to be given back by ``leave``.

        Raises:
            Shed: there is none, and none came in time.
        """
        if self.working < self.places and not self._waiting:
            self.working += 1
            return
        self._came.append(self._monotonic())
        place = self._queue_up()
        try:
            await place
        except asyncio.CancelledError:
            given = place.done() and not place.cancelled() and place.exception() is None
            if not self._forget(place) and given:
                self.leave()  # it was given a place in the same moment
            raise

    def leave(self) -> None:
        """Give a place back; the next in the queue gets it."""
        standing = self.standing
        if standing:
            self._refuse_stale()
        while self._waiting:
            place, (timer, _) = self._waiting.popitem(last=standing)
            timer.cancel()
            if not place.done():
                self._went.append(self._monotonic())
                place.set_result(None)
                return
        self.working -= 1

    def _queue_up(self) -> "asyncio.Future[None]":
        standing = self.standing
        if len(self._waiting) >= self.most_queued:
            if not standing:
                raise Shed("queue_full")
            self._refuse(next(iter(self._waiting)), "queue_full")
        loop = asyncio.get_running_loop()
        place: asyncio.Future[None] = loop.create_future()
        patience = self.patience_seconds * (STANDING_PATIENCE if standing else 1)
        self._waiting[place] = loop.call_later(patience, self._refuse, place, "waited_too_long"), self._monotonic()
        return place

    def _refuse_stale(self) -> None:
        """Turn those away who came before the queue was a standing one and have waited longer than it allows: all who
        come now are served before them."""
        longest = self._monotonic() - self.patience_seconds * STANDING_PATIENCE
        while self._waiting and self._first_came() < longest:
            self._refuse(next(iter(self._waiting)), "waited_too_long")

    def _refuse(self, place: "asyncio.Future[None]", reason: str) -> None:
        if self._forget(place) and not place.done():
            place.set_exception(Shed(reason))

    def _forget(self, place: "asyncio.Future[None]") -> bool:
        """Take it out of the queue; says whether it was there."""
        found = self._waiting.pop(place, None)
        if found is None:
            return False
        found[0].cancel()
        return True


def class_of(path: str) -> str | None:
    """The class a request belongs to by its path; None for those that are always let through.

    ``searches`` read the warehouse, ``reads`` the store or nothing, ``claims`` also ask a chain or name servers,
    ``uploads`` have large bodies.
    """
    if path.startswith(_CLAIM_PATHS) or path.endswith(_VERIFY):
        return CLAIMS
    if path.startswith(_SEARCH_PATHS) or path.endswith(_HISTORY):
        return SEARCHES
    if path in _UPLOAD_PATHS:
        return UPLOADS
    return None if path.startswith(_EXEMPT_PATHS) else READS


class AdmissionMiddleware:
    """Lets in as many requests as can be worked on, and turns the others away while that costs next to nothing."""

    def __init__(self, app: ASGIApp, *, groups: RouteGroups, settings: ApiSettings, metrics: Metrics) -> None:
        self.app = app
        self.groups = groups
        patience = settings.admission_queue_seconds
        self.gates = {
            SEARCHES: Gate(settings.admission_searches, patience_seconds=patience),
            READS: Gate(settings.admission_reads, patience_seconds=patience),
            # Who claims would rather wait a little than begin again.
            CLAIMS: Gate(settings.admission_claims, patience_seconds=4 * patience),
            UPLOADS: Gate(settings.admission_uploads, patience_seconds=4 * patience),
        }
        self._observed = _Observed(metrics, self.gates)
        self._refusals: dict[str, list[Response]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        name = class_of(scope["path"]) if scope["type"] == "http" else None
        if name is None:
            await self.app(scope, receive, send)
            return
        # Large bodies are read in their place, once the credential is known to hold: there are few such places, and
        # nobody makes the service keep megabytes by asking alone.
        if _has_body(scope) and name != UPLOADS:
            # A place is for work, not for waiting until a slow client has sent its body.
            body = await _whole_body(receive)
            if body is None:
                await self.groups.of(scope).render(InvalidInput("body", "broke off"))(scope, receive, send)
                return
            receive = _replayed(body, receive)
        gate = self.gates[name]
        began = time.perf_counter()
        try:
            await gate.enter()
        except Shed as shed:
            self._observed.count(name, shed.reason)
            await self._refusal(scope)(scope, receive, send)
            return
        self._observed.admit(name, time.perf_counter() - began)
        try:
            await self.app(scope, receive, send)
        finally:
            gate.leave()

    def _refusal(self, scope: Scope) -> Response:
        """503 in the shape of the path's group, rendered once; clients are spread over some seconds."""
        group = self.groups.of(scope)
        known = self._refusals.get(group.prefix)
        if known is None:
            known = [_rendered(group, 1 + seconds) for seconds in range(LONGEST_RETRY_SECONDS)]
            self._refusals[group.prefix] = known
        return random.choice(known)  # noqa: S311 - nothing is secret about it


class _Observed:
    """What admission says in /metrics."""

    def __init__(self, metrics: Metrics, gates: dict[str, Gate]) -> None:
        requests = Counter(
            "regalia_admission_requests",
            "Requests by class and outcome: admitted, or turned away because the queue was full or the wait too long.",
            ("class", "outcome"),
            registry=metrics.registry,
        )
        waits = Histogram(
            "regalia_admission_wait_seconds",
            "Seconds that admitted requests waited for a place.",
            ("class",),
            buckets=_WAIT_BUCKETS,
            registry=metrics.registry,
        )
        working = Gauge("regalia_admission_working", "Requests in work.", ("class",), registry=metrics.registry)
        waiting = Gauge("regalia_admission_waiting", "Requests in the queue.", ("class",), registry=metrics.registry)
        places = Gauge("regalia_admission_places", "Most requests in work.", ("class",), registry=metrics.registry)
        for name, gate in gates.items():
            working.labels(name).set_function(partial(getattr, gate, "working"))
            waiting.labels(name).set_function(partial(getattr, gate, "waiting"))
            places.labels(name).set(gate.places)
        outcomes = ("admitted", "queue_full", "waited_too_long")
        self._requests = {(name, outcome): requests.labels(name, outcome) for name in gates for outcome in outcomes}
        self._waits = {name: waits.labels(name) for name in gates}

    def count(self, name: str, outcome: str) -> None:
        """Count one outcome."""
        self._requests[name, outcome].inc()

    def admit(self, name: str, waited_seconds: float) -> None:
        """Count one that got a place."""
        self.count(name, "admitted")
        self._waits[name].observe(waited_seconds)


def _rendered(group: RouteGroup, seconds: int) -> Response:
    return group.render(Unavailable("too many requests are being answered, try again", retry_after_seconds=seconds))


def _has_body(scope: Scope) -> bool:
    if scope["method"] in ("GET", "HEAD"):
        return False
    headers = Headers(scope=scope)
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


async def _whole_body(receive: Receive) -> bytes | None:
    """The body in one piece, however many it came in (each would cost some hundred bytes); None when it broke off."""
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
