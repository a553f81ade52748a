"""One derive pass: what it may read, the version it writes, and the marks it leaves.

A pass runs alone (advisory lock 822, 0) and keeps the chain's writer out while it reads (a shared hold of the
writer's lock 821, chain id), so sums and facts belong to the same published block throughout. Everything it writes
carries the pass's version; what is served becomes visible when the version is published; each subject's checkpoint
moves after its rows are there. A pass that dies anywhere is repeated by the next.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from indexer.chains import majors
from indexer.chains.facts import Chain, Chains
from indexer.chains.majors import Majors
from warehouse import settings, sql
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection, Jsonb

log = logging.getLogger(__name__)

Store = Connection
Progress = Callable[["AssetRun"], None]

_DERIVE_LOCK = (822, 0)
_WRITER_LOCK = 821
_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class AssetRun:
    """One materialisation: the asset, the chain (None: all), how long it took, rows written, the range covered.

    ``note`` says why nothing was done, where that is not because nothing was new.
    """

    asset: str
    chain_id: int | None
    seconds: float
    rows: int
    range_from: str = ""
    range_to: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """The changes a subject has not seen yet, and the published block that bounds all reads."""

    chain: Chain
    after: int
    up_to: int
    through: int
    as_of: datetime
    final_block: int
    details: Mapping[str, Any]

    @property
    def has_changes(self) -> bool:
        """Whether any change is new to the subject."""
        return self.up_to > self.after

    def parameters(self, version: int) -> dict[str, Any]:
        """The parameters that every transform takes."""
        return {
            "chain_id": self.chain.chain_id,
            "after": self.after,
            "up_to": self.up_to,
            "through": self.through,
            "version": version,
        }


@dataclass(frozen=True, slots=True)
class _Published:
    """Where a chain's published state stands."""

    up_to: int
    through: int
    as_of: datetime
    final_block: int


@dataclass(slots=True)
class DerivePass:
    """An open pass. Made by :func:`derive_pass`."""

    warehouse: Warehouse
    store: Store
    chains: Chains
    version: int
    thorough: bool = True
    progress: Progress | None = None
    runs: list[AssetRun] = field(default_factory=list)
    serve_rows: int = 0
    _published: dict[int, _Published | None] = field(default_factory=dict)
    _majors: Majors | None = None

    @property
    def majors(self) -> Majors:
        """The coins that everyone knows."""
        if self._majors is None:
            self._majors = majors.load(self.chains, settings.load().majors)
        return self._majors

    def renumber(self) -> None:
        """Take the next version: a step that may write a key that the pass has written already needs one of its own."""
        self.version = int(self.exchange("next_version")[0]["version"])

    def exchange(self, name: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Run a statement of ``sql/exchange`` in the store and return its rows, if it has any."""
        cursor = self.store.execute(sql.load(f"exchange/{name}").encode(), parameters or {})
        return cursor.fetchall() if cursor.description else []

    def transform(self, name: str, parameters: Mapping[str, Any]) -> None:
        """Run a statement of ``sql/transforms`` in the warehouse."""
        self.warehouse.command(sql.load(f"transforms/{name}"), dict(parameters))

    def read(self, name: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Rows of a query of ``sql/transforms``."""
        return self.warehouse.rows(sql.load(f"transforms/{name}"), dict(parameters))

    def empty(self, *tables: str) -> None:
        """Empty working tables."""
        for table in tables:
            self.warehouse.command(f"TRUNCATE TABLE {table}")

    def window(self, subject: str, chain: Chain) -> Window | None:
        """What ``subject`` has yet to see of ``chain``; None when nothing of the chain is published."""
        if chain.chain_id not in self._published:
            self._published[chain.chain_id] = self._read_published(chain.chain_id)
        published = self._published[chain.chain_id]
        if published is None:
            return None
        rows = self.exchange("derive_checkpoint", {"subject": subject, "chain_id": chain.chain_id})
        after = int(rows[0]["change_id"]) if rows else 0
        details = rows[0]["details"] if rows else {}
        return Window(
            chain=chain,
            after=after,
            up_to=max(after, published.up_to),
            through=published.through,
            as_of=published.as_of,
            final_block=published.final_block,
            details=details,
        )

    def look_again(self, chain: Chain) -> None:
        """Forget what was read of the chain's published state."""
        self._published.pop(chain.chain_id, None)

    def advance(self, subject: str, window: Window, details: Mapping[str, Any] | None = None) -> None:
        """Mark the window as seen by ``subject``."""
        self.exchange(
            "advance_derive_checkpoint",
            {
                "subject": subject,
                "chain_id": window.chain.chain_id,
                "change_id": window.up_to,
                "details": Jsonb(dict(window.details if details is None else details)),
            },
        )

    def record(self, run: AssetRun) -> AssetRun:
        """Keep an account of a materialisation; passes that found nothing to do leave no trace in the store."""
        self.runs.append(run)
        if run.rows:
            self.exchange(
                "record_asset_run",
                {
                    "asset": run.asset,
                    "chain_id": run.chain_id,
                    "started_at": datetime.fromtimestamp(time.time() - run.seconds, UTC),
                    "seconds": round(run.seconds, 3),
                    "row_count": run.rows,
                    "range_from": run.range_from,
                    "range_to": run.range_to,
                },
            )
        if self.progress is not None:
            self.progress(run)
        return run

    def as_of_blocks(self) -> dict[int, int]:
        """The published block of every chain this pass has looked at."""
        return {chain_id: found.through for chain_id, found in self._published.items() if found is not None}

    def _read_published(self, chain_id: int) -> _Published | None:
        rows = self.exchange("chain_checkpoint", {"chain_id": chain_id})
        if not rows or rows[0]["block_number"] is None:
            return None
        row = rows[0]
        # A unit or a taking back that did not finish: its facts lie above the published block, but its sums may be
        # half there. The indexer finishes it; until then the chain is left as it is.
        pending = row["pending"]
        if pending is not None and pending.get("phase") != "facts":
            log.info("chain %s: an unfinished unit is in the way of the derived tables", chain_id)
            return None
        bound = min(
            (int(pending[name]) for name in ("unit_id", "change_id") if pending and name in pending), default=None
        )
        found = self.warehouse.scalar(
            "SELECT max(change_id) FROM fact_change WHERE chain_id = {chain_id:UInt32} AND change_id < {bound:UInt64}",
            {"chain_id": chain_id, "bound": bound if bound is not None else 2**63},
        )
        through = int(row["block_number"])
        as_of = row["block_time"] or self._block_time(chain_id, through)
        return _Published(int(found or 0), through, as_of.astimezone(UTC), int(row["final_block"] or 0))

    def _block_time(self, chain_id: int, block_number: int) -> datetime:
        seconds = self.warehouse.scalar(
            "SELECT toUInt32(max(block_time)) FROM raw_block "
            "WHERE chain_id = {chain_id:UInt32} AND block_number <= {block:UInt64}",
            {"chain_id": chain_id, "block": block_number},
        )
        return datetime.fromtimestamp(int(seconds or 0), UTC)


class PassBusy(Exception):
    """Another derive pass is running."""


@contextmanager
def derive_pass(
    warehouse: Warehouse,
    store: Store,
    chains: Chains,
    *,
    thorough: bool = True,
    progress: Progress | None = None,
    wait_seconds: float = 60.0,
) -> Iterator[DerivePass]:
    """Hold the derive lock and number a pass.

    Raises:
        PassBusy: another pass held the lock for ``wait_seconds``.
    """
    with _autocommit(store):
        if not _try_for(store, "SELECT pg_try_advisory_lock(%s, %s) AS held", _DERIVE_LOCK, wait_seconds):
            raise PassBusy(f"another derive pass has been running for {wait_seconds:.0f} seconds")
        try:
            run = DerivePass(warehouse, store, chains, 0, thorough=thorough, progress=progress)
            run.renumber()
            yield run
        finally:
            store.execute("SELECT pg_advisory_unlock(%s, %s)", _DERIVE_LOCK)


@contextmanager
def writer_kept_out(store: Store, chain: Chain, wait_seconds: float) -> Iterator[bool]:
    """Hold the chain's writer lock in shared mode, if it can be had within the time; says whether it is held."""
    key = (_WRITER_LOCK, chain.chain_id)
    held = _try_for(store, "SELECT pg_try_advisory_lock_shared(%s, %s) AS held", key, wait_seconds)
    try:
        yield held
    finally:
        if held:
            store.execute("SELECT pg_advisory_unlock_shared(%s, %s)", key)


def timed(work: Callable[[], int]) -> tuple[int, float]:
    """Rows that ``work`` wrote and the seconds it took."""
    started = time.perf_counter()
    rows = work()
    return rows, time.perf_counter() - started


@contextmanager
def _autocommit(store: Store) -> Iterator[None]:
    """Passes commit as they go: each statement on its own, or a block of them in ``store.transaction()``."""
    before = store.autocommit
    if not before:
        store.rollback()
        store.autocommit = True
    try:
        yield
    finally:
        if not before and not store.closed:
            store.autocommit = False


def _try_for(store: Store, statement: str, key: tuple[int, int], wait_seconds: float) -> bool:
    deadline = time.monotonic() + wait_seconds
    while True:
        row = store.execute(statement.encode(), key).fetchone()
        if row is not None and row["held"]:
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_SECONDS)
