"""Events from chains, recorded in the store as their blocks become final.

There are two steps. Events about holders are derived while the chain's writer is paused, right after the holders were
counted; all others are derived while it runs. Each source has its own position (:mod:`pipelines.events.recording`).
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pipelines.events import copies, heartbeats, holdings, registry, trades
from pipelines.refresh_run import RefreshRun
from pipelines.run_log import StepRun, timed
from pipelines.step import ChainStep, Phase
from pipelines.windows import ReorgDuringRefresh, Window
from warehouse.domain.chains import Chain
from warehouse.errors import StoreUnavailable, WarehouseUnavailable
from warehouse.postgres import ConnectionLost

log = logging.getLogger(__name__)

SUBJECT = "events"
_HOLDER_SUBJECT = "holder_events"
_OF_BLOCKS = (registry.SOURCE, holdings.SOURCE, trades.SOURCE)
_MARKETS = ("trades", "liquidity", "prices")


class EventsFailed(Exception):
    """Some sources of events failed in a refresh run. Its metrics were published."""


@dataclass(frozen=True, slots=True)
class Marks:
    """How far the tables that events are made from have been derived, by subject."""

    of_subject: Mapping[str, Mapping[str, Any]]

    @property
    def registered(self) -> bool:
        """Whether the chain has any registration."""
        return any(row["registered"] for row in self.of_subject.values())

    def through(self, subject: str) -> int:
        """The last block that a subject contains; -1 if none."""
        return int(self.of_subject.get(subject, {}).get("details", {}).get("through", -1))

    def change(self, subject: str) -> int:
        """The last change that a subject contains; 0 if none."""
        return int(self.of_subject.get(subject, {}).get("change_id", 0))

    @property
    def closed_to(self) -> int:
        """The Unix time up to which hours are scored; 0 if none are."""
        return int(self.of_subject.get("heartbeats", {}).get("details", {}).get("closed_to", 0))


def derive(run: RefreshRun, chain: Chain) -> StepRun | None:
    """Record new final events of the registry, trades, heartbeats and copies. None if the chain has nothing to read."""
    opened = _open(run, chain)
    if opened is None:
        return None
    window, marks, final = opened
    if not marks.registered:
        passed = {"chain_id": chain.chain_id, "position": final, "sources": list(_OF_BLOCKS)}
        run.store_rows("events/skip_blocks", passed)
        return None

    def record() -> int:
        traded = min(final, _priced_through(run, window, marks))
        return (
            _isolated(run, chain, registry.SOURCE, lambda: registry.derive(run, window, final))
            + _isolated(run, chain, trades.SOURCE, lambda: trades.derive(run, window, traded))
            + _isolated(run, chain, heartbeats.SOURCE, lambda: heartbeats.derive(run, window, final, marks.closed_to))
            + _isolated(run, chain, copies.SOURCE, lambda: copies.derive(run, window, final))
        )

    rows, seconds = timed(record)
    return run.log.record(StepRun(SUBJECT, chain.chain_id, seconds, rows, "", str(final)))


def derive_holdings(run: RefreshRun, chain: Chain) -> StepRun | None:
    """Record new final events about holders of registered tokens. None if the chain has nothing to read. Call it only
    while the chain's writer is paused, after the holders were counted."""
    opened = _open(run, chain)
    if opened is None:
        return None
    window, marks, final = opened
    if not marks.registered:
        return None
    rows, seconds = timed(lambda: _isolated(run, chain, holdings.SOURCE, lambda: holdings.derive(run, window, final)))
    return run.log.record(StepRun(_HOLDER_SUBJECT, chain.chain_id, seconds, rows, "", str(final)))


STEP = ChainStep(
    name=SUBJECT,
    description="Events of registered tokens, for webhooks. Events about holders are recorded by holder_events.",
    after=("registrations", "trades", "prices", "heartbeats"),
    store_tables=("event_log",),
    phase=Phase.METRICS,
    derive=derive,
)
HOLDER_EVENTS_STEP = ChainStep(
    name=_HOLDER_SUBJECT,
    description="Events about the holders of registered tokens.",
    after=("registrations", "holders"),
    store_tables=("event_log",),
    phase=Phase.METRICS,
    pauses_writer=True,
    derive=derive_holdings,
)


def _isolated(run: RefreshRun, chain: Chain, source: str, record: Callable[[], int]) -> int:
    """Record the events of one source. A source that fails delays neither the others nor the metrics: its position
    stays, so nothing is lost, and the refresh run reports the failure at its end."""
    try:
        return record()
    except (ReorgDuringRefresh, StoreUnavailable, WarehouseUnavailable, ConnectionLost):
        raise
    except Exception as error:  # any row may break a rule
        log.exception("%s events of chain %s could not be recorded", source, chain.key)
        error.add_note(f"{source} events of chain {chain.key}")
        run.failures.append(error)
        return 0


def _open(run: RefreshRun, chain: Chain) -> tuple[Window, Marks, int] | None:
    """The window, the marks, and the last final block whose registrations are derived. None if there is no such block
    or the chain has no registry."""
    if "registry" not in chain.contracts:
        return None
    window = run.windows.open(SUBJECT, chain)
    if window is None:
        return None
    marks = Marks({row["subject"]: row for row in run.store_rows("events/list_marks", {"chain_id": chain.chain_id})})
    final = min(window.final_block, window.through, marks.through("registrations"))
    return (window, marks, final) if final >= 0 else None


def _priced_through(run: RefreshRun, window: Window, marks: Marks) -> int:
    """The block through which candles contain all swaps and pools are evaluated; -1 if none."""
    seen = min(marks.change(subject) for subject in _MARKETS)
    if seen >= window.up_to:
        return window.through
    found = run.store_rows("ingestion/last_block_of_units", {"chain_id": window.chain.chain_id, "unit_id": seen})
    return -1 if found[0]["block_number"] is None else int(found[0]["block_number"])
