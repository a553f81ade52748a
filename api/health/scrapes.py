"""The metrics as Prometheus reads them, and the application that serves them on a port of their own.

The port is the operator's: it is not counted, asks for no credential and listens on the loopback interface unless a
setting says otherwise. Its text is made at most once a second, in a thread, for all who ask.
"""

import asyncio
import time
from typing import Final

from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from api.health.exposition import ServiceCollector
from api.health.observer import GOOD_FOR_SECONDS, Observer
from api.http.metrics import Metrics

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class Scrapes:
    """The text of all metrics: those of this process and, as far as the engines answer, of the whole service."""

    def __init__(self, metrics: Metrics, observer: Observer, collector: ServiceCollector) -> None:
        self.metrics = metrics
        self.observer = observer
        self.collector = collector
        self._text = b""
        self._made_at = float("-inf")
        self._making: asyncio.Task[None] | None = None

    async def text(self) -> bytes:
        """The exposition format, at most a second old."""
        if time.monotonic() - self._made_at >= GOOD_FOR_SECONDS:
            if self._making is None or self._making.done():
                self._making = asyncio.create_task(self._make())
            await asyncio.shield(self._making)
        return self._text

    async def _make(self) -> None:
        observer, collector = self.observer, self.collector
        collector.store, collector.warehouse = await asyncio.gather(observer.store.read(), observer.warehouse.read())
        self._text = await asyncio.to_thread(self.metrics.text)
        self._made_at = time.monotonic()


class ScrapeApp:
    """GET /metrics, and nothing else."""

    def __init__(self, scrapes: Scrapes) -> None:
        self.scrapes = scrapes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["path"] != "/metrics":
            response: Response = PlainTextResponse("the metrics are at /metrics\n", 404)
        elif scope["method"] not in ("GET", "HEAD"):
            response = PlainTextResponse("only GET\n", 405, {"Allow": "GET, HEAD"})
        else:
            response = Response(await self.scrapes.text(), media_type=CONTENT_TYPE)
        await response(scope, receive, send)
