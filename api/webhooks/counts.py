"""Counts of webhook attempts, added up in the store about once a second, because workers are not scraped.

Counts are written in a transaction of their own, so that they cannot keep a result from being written down. A killed
worker loses the last second of them.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping
from typing import Final

from api.webhooks.records import Claimed, HttpAttempt
from warehouse.errors import StoreUnavailable
from warehouse.postgres import Jsonb
from warehouse.store import Store

LOG = logging.getLogger(__name__)
INTERVAL_SECONDS: Final = 1.0
BUCKETS: Final = ("0.05", "0.1", "0.25", "0.5", "1.0", "2.0", "5.0", "15.0", "60.0", "inf")
"""Upper bounds of both histograms, in seconds."""
ATTEMPTS, WAIT, TOOK = "webhook_attempts", "webhook_wait", "webhook_took"


class WebhookCounts:
    """Attempts by outcome, how long events waited for the first one, and how long attempts took."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pending: Counter[str] = Counter()

    def add(self, delivery: Claimed, attempt: HttpAttempt) -> None:
        """Count an attempt."""
        self._pending[f"{ATTEMPTS}_{attempt.failure or 'delivered'}"] += 1
        self._observe(TOOK, attempt.total_seconds)
        # Only first attempts of events say how long events wait.
        if delivery.cause == "event" and delivery.attempts == 0 and delivery.recorded_at is not None:
            self._observe(WAIT, max((attempt.started_at - delivery.recorded_at).total_seconds(), 0.0))

    async def write(self) -> None:
        """Add what was counted to the store."""
        counted, self._pending = self._pending, Counter()
        if not counted:
            return
        try:
            async with self._store.transaction() as transaction:
                await transaction.execute("counters/add", {"chain_id": 0, "counts": Jsonb(counted)})
        except StoreUnavailable as error:
            LOG.warning("counts of webhooks are not written yet: %s", error)
            self._pending += counted

    async def write_forever(self) -> None:
        """Write until cancelled."""
        while True:
            await asyncio.sleep(INTERVAL_SECONDS)
            await self.write()

    def _observe(self, name: str, seconds: float) -> None:
        bucket = next(bound for bound in BUCKETS if seconds <= float(bound))
        self._pending[f"{name}_le_{bucket}"] += 1
        # Counters are whole numbers.
        self._pending[f"{name}_microseconds"] += round(seconds * 1e6)


def histogram(counts: Mapping[str, int], name: str) -> tuple[list[tuple[str, float]], float]:
    """Cumulated buckets and the sum in seconds, as Prometheus has them."""
    buckets, total = [], 0
    for bound in BUCKETS:
        total += counts.get(f"{name}_le_{bound}", 0)
        buckets.append(("+Inf" if bound == "inf" else bound, float(total)))
    return buckets, counts.get(f"{name}_microseconds", 0) / 1e6
