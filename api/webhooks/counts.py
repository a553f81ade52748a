"""What the engine counts, added up in the store about once a second: nobody scrapes a worker.

Counts are written in a transaction of their own: they must not be why a result is not written down. A killed worker
takes the last second of them with it.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping
from typing import Final

from api.outbound.answers import OutboundAnswer
from warehouse.errors import StoreUnavailable
from warehouse.postgres import Jsonb
from warehouse.store import Store

LOG = logging.getLogger(__name__)
INTERVAL_SECONDS: Final = 1.0
BUCKETS: Final = ("0.05", "0.1", "0.25", "0.5", "1.0", "2.0", "5.0", "15.0", "60.0", "inf")
"""Upper bounds of both histograms, in seconds."""
ATTEMPTS, WAIT, TOOK = "webhook_attempts", "webhook_wait", "webhook_took"


class Counts:
    """Attempts by outcome, how long events waited for their first, and how long attempts took."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pending: Counter[str] = Counter()

    def add(self, answer: OutboundAnswer, waited_seconds: float | None) -> None:
        """Count an attempt; ``waited_seconds`` for the first of an event."""
        self._pending[f"{ATTEMPTS}_{answer.failure or 'delivered'}"] += 1
        self._observe(TOOK, answer.timing.total_seconds)
        if waited_seconds is not None:
            self._observe(WAIT, waited_seconds)

    async def write(self) -> None:
        """Add what was counted to the store."""
        counted, self._pending = self._pending, Counter()
        if not counted:
            return
        try:
            async with self._store.transaction() as transaction:
                await transaction.execute("counters/add", {"chain_id": 0, "counts": Jsonb(counted)})
        except StoreUnavailable as error:
            LOG.warning("counts of webhooks are written later: %s", error)
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
