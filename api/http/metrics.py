"""Prometheus metrics of one application: each has its own registry, so that tests do not share counters.

Labels are bounded: by the routes and their methods, and otherwise by names in the code. No label holds what a client
sends, so no client can make the metrics grow.
"""

import platform
from collections.abc import Callable
from importlib.metadata import version

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.registry import Collector

# The creation time of each counter would be one more gauge: a third of the text, and unused.
disable_created_metrics()  # type: ignore[no-untyped-call]

_BUCKETS = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)


class Metrics:
    """The API's own metrics. Metrics of the rest of the service are added to the same registry."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry(auto_describe=True)
        ProcessCollector(registry=self.registry)
        build = Gauge("regalia_build_info", "Always 1.", ("version", "python"), registry=self.registry)
        build.labels(version("regalia"), platform.python_version()).set(1)
        self._latency = Histogram(
            "regalia_request_seconds",
            "Seconds from request to answer, by route template.",
            ("route", "method"),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        # Apart from the histogram: a status there would multiply its buckets.
        self._answers = Counter(
            "regalia_requests",
            "Answered requests, by route template and status.",
            ("route", "method", "status"),
            registry=self.registry,
        )
        self.in_flight = Gauge("regalia_requests_in_flight", "Requests not yet answered.", registry=self.registry)
        self._cache = Counter(
            "regalia_cache_reads", "Reads of in-process caches.", ("cache", "result"), registry=self.registry
        )
        self._caches = CacheSizes()
        self.registry.register(self._caches)
        self._connections = Gauge("regalia_connections", "Open connections of clients.", registry=self.registry)
        self._connections_limit = Gauge(
            "regalia_connections_limit", "Most open connections of this process.", registry=self.registry
        )
        self._connections_closed = Counter(
            "regalia_connections_closed",
            "Connections that the server closed before their client had finished, by reason.",
            ("reason",),
            registry=self.registry,
        )
        self._claims = Counter(
            "regalia_claim_outcomes", "Outcomes of claim steps.", ("step", "outcome"), registry=self.registry
        )

    def observe(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one answered request."""
        self._latency.labels(route, method).observe(seconds)
        self._answers.labels(route, method, str(status)).inc()

    def count_cache(self, cache: str, result: str) -> None:
        """Count one read of a cache: hit, miss or stale."""
        self._cache.labels(cache, result).inc()

    def watch_cache(self, cache: str, size: Callable[[], int]) -> None:
        """Report a cache's number of entries; caches with the same name are summed."""
        self._caches.sizes.append((cache, size))

    def watch_connections(self, count: Callable[[], int], *, limit: int) -> None:
        """Report the open connections of this process's server."""
        self._connections.set_function(count)
        self._connections_limit.set(limit)

    def count_closed(self, reason: str) -> None:
        """Count a connection that the server closed."""
        self._connections_closed.labels(reason).inc()

    def count_claim(self, step: str, outcome: str) -> None:
        """Count one step of a claim."""
        self._claims.labels(step, outcome).inc()

    def text(self) -> bytes:
        """The exposition format."""
        return generate_latest(self.registry)


class CacheSizes(Collector):
    """Entries of the in-process caches, counted at each scrape."""

    def __init__(self) -> None:
        self.sizes: list[tuple[str, Callable[[], int]]] = []

    def collect(self) -> list[GaugeMetricFamily]:
        """One gauge, a sample for each name."""
        family = GaugeMetricFamily("regalia_cache_entries", "Entries of in-process caches.", labels=["cache"])
        entries: dict[str, int] = {}
        for cache, size in self.sizes:
            entries[cache] = entries.get(cache, 0) + size()
        for cache, count in entries.items():
            family.add_metric([cache], count)
        return [family]
