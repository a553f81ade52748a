"""Recording events of a chain, each once: the events and the position of their source are one transaction.

A source looks at final blocks only, from its position on. The position moves by compare-and-set in the transaction that
records the events: a run that dies is repeated, and of two runs one records nothing. In addition every event has a key
made of facts, under which it is recorded once, even after a rewind.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pipelines.refresh_run import RefreshRun
from pipelines.windows import ReorgDuringRefresh, Window
from warehouse import event_log
from warehouse.domain.chains import Chain
from warehouse.domain.events.event import Occurrence
from warehouse.domain.events.registrations import Registration

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SourceProgress:
    """How far a source has looked, and from when on its events are delivered. ``stored`` is the position in the store;
    ``position`` may be before it, after a rewind, or beyond it, where blocks in between are skipped."""

    source: str
    chain: Chain
    stored: int | None
    position: int | None
    in_time: bool
    told_from: datetime
    looking_at: datetime
    rested_seconds: float
    """Since it looked last."""

    @property
    def first(self) -> int:
        """The first block that is new to the source."""
        return 0 if self.position is None else self.position + 1


def read_progress(run: RefreshRun, chain: Chain, source: str) -> SourceProgress:
    """How far the source has looked on the chain."""
    row = run.store_rows("events/start_progress", {"chain_id": chain.chain_id, "source": source})[0]
    position = row["position"]
    if row["rewound_to"] is not None and row["rewound_to"] < position:
        log.warning("chain %s was rewound below what %s events were made of; looking again", chain.key, source)
        position = row["rewound_to"]
    return SourceProgress(
        source,
        chain,
        row["position"],
        position,
        row["in_time"],
        row["told_from"],
        row["looking_at"],
        row["rested_seconds"],
    )


def skip_history(run: RefreshRun, progress: SourceProgress, final: int) -> SourceProgress:
    """Move the position beyond the blocks that are too old to be recorded."""
    if progress.in_time or progress.first > final:
        return progress
    found = run.read(
        "events/last_block_before",
        {
            "chain_id": progress.chain.chain_id,
            "first": progress.first,
            "final": final,
            "moment": int(progress.told_from.timestamp()),
        },
    )[0]
    if found["found"]:
        return replace(progress, position=int(found["last_block"]))
    return replace(progress, in_time=True)


@contextmanager
def recording(
    run: RefreshRun, window: Window, progress: SourceProgress, position: int | None, events: Sequence[Occurrence]
) -> Iterator[None]:
    """Record the events and move the source on to ``position``, in one transaction with what is done inside.

    Raises:
        ReorgDuringRefresh: another refresh run advanced the source, or the chain was reorganised below what was read.
    """
    with run.store.transaction():
        moved = run.store_rows(
            "events/advance_progress",
            {
                "chain_id": progress.chain.chain_id,
                "source": progress.source,
                "before": progress.stored,
                "position": position,
                "in_time": progress.in_time,
                "looking_at": progress.looking_at,
            },
        )
        if not moved:
            raise ReorgDuringRefresh(
                f"{progress.source} events of chain {progress.chain.key} were recorded by another run"
            )
        run.windows.ensure_not_reorged(window)
        if events:
            run.store_rows(event_log.STATEMENT, event_log.parameters(events, progress.told_from))
        yield


def registration(chain: Chain, token_id: int, symbol: str) -> Registration:
    """The registration that an event on a chain is about."""
    return Registration(chain.chain_id, chain.caip2, token_id, symbol)


def iso(seconds: int) -> str:
    """A moment as clients see it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
