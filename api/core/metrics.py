"""Prometheus metrics of one application: each has its own registry, so that tests do not share counters."""

from collections.abc import Iterable, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """What the API counts about itself, and what it reads about the chains when it is asked."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry(auto_describe=True)
        self._latency = Histogram(
            "regalia_request_seconds",
            "Seconds from request to answer, by route template.",
            ("route", "method", "status"),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self._cache = Counter(
            "regalia_cache_reads", "Reads of in-process caches.", ("cache", "result"), registry=self.registry
        )
        self._claims = Counter(
            "regalia_claim_outcomes", "Outcomes of claim steps.", ("step", "outcome"), registry=self.registry
        )
        self._blocks = {
            name: Gauge(f"regalia_chain_{name}", text, ("chain",), registry=self.registry)
            for name, text in (
                ("head_block", "The node's head when last seen."),
                ("indexed_block", "The last block published to the warehouse."),
                ("lag_blocks", "Blocks between the head and the last published one."),
                ("lag_seconds", "Age of the last published block."),
                ("halted", "1 when ingestion has stopped for good and needs attention."),
            )
        }

    def observe(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one answered request."""
        self._latency.labels(route, method, str(status)).observe(seconds)

    def count_cache(self, cache: str, result: str) -> None:
        """Count one read of a cache: hit, miss or stale."""
        self._cache.labels(cache, result).inc()

    def count_claim(self, step: str, outcome: str) -> None:
        """Count one step of a claim."""
        self._claims.labels(step, outcome).inc()

    def set_chains(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take over the checkpoints: chain, head_block, indexed_block, lag_seconds, halted."""
        for row in rows:
            head, indexed = row["head_block"], row["indexed_block"]
            values = {
                "head_block": head,
                "indexed_block": indexed,
                "lag_blocks": None if head is None or indexed is None else max(head - indexed, 0),
                "lag_seconds": row["lag_seconds"],
                "halted": int(row["halted"] is not None),
            }
            for name, value in values.items():
                if value is not None:
                    self._blocks[name].labels(row["chain"]).set(float(value))

    def text(self) -> bytes:
        """The exposition format."""
        return generate_latest(self.registry)
