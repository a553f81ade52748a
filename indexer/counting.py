"""Counters of indexing that outlive the process: added up in the store, where the metrics read them.

Nothing scrapes the indexer, which may run for a single command. It adds its counts to the chain's counters about once a
second, over the connection that it holds anyway. A killed process loses the counts of its last second.
"""

import logging
import time
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field

from warehouse import postgres
from warehouse.postgres import Connection, Jsonb

LOG = logging.getLogger(__name__)

DEPTHS = (1, 2, 4, 8, 16, 32, 64)
"""Upper bounds of the classes by which reorganisations are counted: blocks reverted."""
_WRITE_SECONDS = 1.0


@dataclass(slots=True)
class ChainCounts:
    """What one chain's session has counted: ``node`` is the source's own counter, the rest is counted here."""

    chain_id: int
    node: Counter[str]
    own: Counter[str] = field(default_factory=Counter)
    _written: dict[str, int] = field(default_factory=dict)
    _due: float = field(default_factory=lambda: time.monotonic() + _WRITE_SECONDS)
    _call_due: float = 0.0

    def count_unit(self, blocks: int, rows: int, events: int) -> None:
        """One unit is published."""
        self.own.update(units=1, blocks=blocks, rows=rows, events=events)

    def count_reorganisation(self, depth: int) -> None:
        """``depth`` blocks were reverted at once."""
        at = bisect_left(DEPTHS, depth)
        bound = str(DEPTHS[at]) if at < len(DEPTHS) else "inf"
        self.own.update({"reorganised_blocks": depth, f"reorganisations_to_{bound}": 1})

    def write_when_due(self, store: Connection) -> None:
        """Between units: add new counts to the store, about once a second."""
        if time.monotonic() >= self._due:
            self.write(store)

    def finish_call(self, store: Connection) -> None:
        """At the end of a call: add new counts to the store, at most once a second."""
        if time.monotonic() >= self._call_due:
            self._call_due = time.monotonic() + _WRITE_SECONDS
            self.write(store)

    def write(self, store: Connection) -> None:
        """Add new counts. Never fails: without a connection the counts wait for the next one."""
        # Fetching threads keep counting: take a copy in one step.
        now = {**self.own, **dict(self.node)}
        fresh = {name: value - self._written.get(name, 0) for name, value in now.items()}
        fresh = {name: value for name, value in fresh.items() if value > 0}
        self._due = time.monotonic() + _WRITE_SECONDS
        if not fresh or store.closed or store.broken:
            return
        try:
            postgres.execute(store, "counters/add", {"chain_id": self.chain_id, "counts": Jsonb(fresh)})
        except postgres.ConnectionLost as error:
            LOG.debug("counts of chain %d are written later: %s", self.chain_id, error)
            return
        self._written.update(now)
