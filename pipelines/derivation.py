"""One derive pass: what it may read, the version it writes, and the marks it leaves.

Passes that make figures exclude each other (advisory lock 822, 0). Whoever writes served rows holds the serving lock
(822, 1) from taking the version's number until it is published, so versions are published in the order of their
numbers and never in part. Reads are bounded by the published block and go on while the indexer writes; only what reads
running sums keeps the chain's writer out (a shared hold of its lock 821, chain id). A reorganisation under a pass is
seen before its marks move, and the pass is given up. Each subject's checkpoint moves after its rows are there; a pass
that dies anywhere is repeated by the next.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar, overload

from warehouse import settings, sql
from warehouse.chains import majors
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.domain.majors import Majors
from warehouse.postgres import Connection, Jsonb, wait_for_lock
from warehouse.process_memory import give_back, share_heap, spare_collections

log = logging.getLogger(__name__)

Store = Connection
Progress = Callable[["AssetRun"], None]
Made = TypeVar("Made")
Other = TypeVar("Other")
Third = TypeVar("Third")

_DERIVE_LOCK = (822, 0)
_SERVING_LOCK = (822, 1)
_WRITER_LOCK = 821
# A pass so long had more before it than the next ones will have.
_LONG_SECONDS = 10.0


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
    unit_id: int | None = None
    """The unit that ends with ``through``, where the store knows it: while it stands, so does all below."""
    sums_settled: bool = True
    """No unit is half summed: the balances are those of ``through`` as long as the writer is kept out."""

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
    unit_id: int | None
    sums_settled: bool


class PassBusy(Exception):
    """Another pass holds what this one needs."""


class Overtaken(Exception):
    """The chain was reorganised under a pass: what it read is of no one state. The next pass makes it anew."""


@dataclass(slots=True)
class DerivePass:
    """An open pass. Made by :func:`derive_pass` or :func:`serving_pass`."""

    warehouse: Warehouse
    store: Store
    chains: Chains
    version: int
    thorough: bool = True
    progress: Progress | None = None
    runs: list[AssetRun] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)
    """What went wrong with sources of events: the pass makes its figures all the same."""
    serve_rows: int = 0
    token_inputs: Mapping[int, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    """What the documents made last were made of, by chain and token."""
    _published: dict[int, _Published | None] = field(default_factory=dict)
    _majors: Majors | None = None

    @property
    def majors(self) -> Majors:
        """The coins that everyone knows."""
        if self._majors is None:
            self._majors = majors.load(self.chains, settings.load().majors)
        return self._majors

    def renumber(self) -> None:
        """Take the next version: a step that may write a key that the pass has written already needs one of its own.
        Only while serving: then every lower version's requests and rows are there to be seen."""
        self.version = int(self.store_rows("derivation/next_version")[0]["version"])

    @contextmanager
    def serving(self, wait_seconds: float = 60.0) -> Iterator[None]:
        """Hold the serving lock under a new version. What is written under it is published before it ends.

        Raises:
            PassBusy: another pass went on serving for ``wait_seconds``.
        """
        if not wait_for_lock(self.store, _SERVING_LOCK, wait_seconds):
            raise PassBusy(f"another pass has been serving for {wait_seconds:.0f} seconds")
        try:
            self.renumber()
            yield
        finally:
            _release(self.store, "SELECT pg_advisory_unlock(%s, %s)", _SERVING_LOCK)

    def store_rows(self, name: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Run a statement of ``sql/store`` and return its rows, if it has any."""
        cursor = self.store.execute(sql.load(f"store/{name}").encode(), parameters or {})
        return cursor.fetchall() if cursor.description else []

    def transform(self, name: str, parameters: Mapping[str, Any]) -> int:
        """Run a statement of ``sql/transforms`` in the warehouse; how many rows it wrote."""
        return self.warehouse.command(sql.load(f"transforms/{name}"), dict(parameters))

    def read(self, name: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Rows of a query of ``sql/transforms``."""
        return self.warehouse.rows(sql.load(f"transforms/{name}"), dict(parameters))

    def empty(self, *tables: str) -> None:
        """Empty working tables."""
        beside(*(partial(self.warehouse.command, f"TRUNCATE TABLE {table}") for table in tables))

    def window(self, subject: str, chain: Chain) -> Window | None:
        """What ``subject`` has yet to see of ``chain``; None when nothing of the chain is published."""
        if chain.chain_id not in self._published:
            self._published[chain.chain_id] = self._read_published(chain.chain_id)
        published = self._published[chain.chain_id]
        if published is None:
            return None
        rows = self.store_rows("derivation/find_checkpoint", {"subject": subject, "chain_id": chain.chain_id})
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
            unit_id=published.unit_id,
            sums_settled=published.sums_settled,
        )

    def must_stand(self, window: Window) -> None:
        """Make sure that nothing of the window was taken back since it was opened.

        Raises:
            Overtaken: a reorganisation reached, or is reaching, below the window's last block.
        """
        standing = self.store_rows(
            "derivation/check_window",
            {"chain_id": window.chain.chain_id, "unit_id": window.unit_id, "through": window.through},
        )
        if not standing or not standing[0]["stands"]:
            raise Overtaken(f"chain {window.chain.key} was reorganised meanwhile")

    def look_again(self, chain: Chain) -> None:
        """Forget what was read of the chain's published state."""
        self._published.pop(chain.chain_id, None)
        self.token_inputs = {}

    def advance(self, subject: str, window: Window, details: Mapping[str, Any] | None = None) -> None:
        """Mark the window as seen by ``subject``.

        Raises:
            Overtaken: the chain was reorganised below the window.
        """
        self.must_stand(window)
        self.store_rows(
            "derivation/advance_checkpoint",
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
            self.store_rows(
                "asset_runs/record",
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
        """Of every chain this pass has looked at, the block through which its tokens are known."""
        known = {row["chain_id"]: row["through"] for row in self.store_rows("derivation/list_token_progress")}
        return {chain_id: known[chain_id] for chain_id, found in self._published.items() if found and chain_id in known}

    def _read_published(self, chain_id: int) -> _Published | None:
        if not self._is_indexed(chain_id):
            return None
        # The changes first: a unit that begins after this is above whatever the checkpoint then says.
        newest = self._newest_change(chain_id, 2**63)
        rows = self.store_rows("ingestion/find_published", {"chain_id": chain_id})
        if not rows or rows[0]["block_number"] is None:
            return None
        row = rows[0]
        pending = row["pending"] or {}
        if pending.get("phase") == "revert":
            log.info("chain %s: blocks are being taken back; its derived tables wait", chain_id)
            return None
        # An unfinished unit's facts lie above the published block, and its changes are for later.
        if pending and newest >= int(pending["unit_id"]):
            newest = self._newest_change(chain_id, int(pending["unit_id"]))
        through = int(row["block_number"])
        as_of = row["block_time"] or self._block_time(chain_id, through)
        return _Published(
            newest,
            through,
            as_of.astimezone(UTC),
            int(row["final_block"] or 0),
            row["unit_id"],
            pending.get("phase") != "sums",
        )

    def _is_indexed(self, chain_id: int) -> bool:
        rows = self.store_rows("ingestion/find_published", {"chain_id": chain_id})
        return bool(rows) and rows[0]["block_number"] is not None

    def _newest_change(self, chain_id: int, below: int) -> int:
        found = self.warehouse.scalar(
            "SELECT change_id FROM fact_change WHERE chain_id = {chain_id:UInt32} AND change_id < {below:UInt64} "
            "ORDER BY chain_id DESC, change_id DESC LIMIT 1",
            {"chain_id": chain_id, "below": below},
        )
        return int(found or 0)

    def _block_time(self, chain_id: int, block_number: int) -> datetime:
        seconds = self.warehouse.scalar(
            "SELECT toUInt32(max(block_time)) FROM raw_block "
            "WHERE chain_id = {chain_id:UInt32} AND block_number <= {block:UInt64}",
            {"chain_id": chain_id, "block": block_number},
        )
        return datetime.fromtimestamp(int(seconds or 0), UTC)


@overload
def beside(first: Callable[[], Made], second: Callable[[], Other], /) -> tuple[Made, Other]: ...


@overload
def beside(
    first: Callable[[], Made], second: Callable[[], Other], third: Callable[[], Third], /
) -> tuple[Made, Other, Third]: ...


@overload
def beside(*works: Callable[[], Made]) -> Sequence[Made]: ...


def beside(*works: Callable[[], Any]) -> Sequence[Any]:
    """What the works come to, done at the same time: of a short statement most of the time goes into its plan, which
    one thread makes. Of works that use the store there may be one. The first error is raised after all have ended."""
    if len(works) == 1:
        return (works[0](),)
    with ThreadPoolExecutor(len(works)) as threads:
        running = [threads.submit(work) for work in works]
    return tuple(one.result() for one in running)


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
        PassBusy: another pass held a lock for ``wait_seconds``.
    """
    share_heap()
    spare_collections()  # one of them, over all that is imported, takes as long as an asset
    with _autocommit(store):
        if not wait_for_lock(store, _DERIVE_LOCK, wait_seconds):
            raise PassBusy(f"another derive pass has been running for {wait_seconds:.0f} seconds")
        started = time.monotonic()
        try:
            run = DerivePass(warehouse, store, chains, 0, thorough=thorough, progress=progress)
            with run.serving(wait_seconds):
                pass  # numbered
            yield run
        finally:
            if time.monotonic() - started > _LONG_SECONDS:
                give_back()
            _release(store, "SELECT pg_advisory_unlock(%s, %s)", _DERIVE_LOCK)


@contextmanager
def serving_pass(
    warehouse: Warehouse, store: Store, chains: Chains, *, wait_seconds: float = 60.0
) -> Iterator[DerivePass]:
    """A pass that makes no figures, only serves: beside one that does.

    Raises:
        PassBusy: another pass went on serving for ``wait_seconds``.
    """
    with _autocommit(store):
        run = DerivePass(warehouse, store, chains, 0, thorough=False)
        with run.serving(wait_seconds):
            yield run


@contextmanager
def writer_kept_out(store: Store, chain: Chain, wait_seconds: float) -> Iterator[bool]:
    """Hold the chain's writer lock in shared mode, if it can be had within the time; says whether it is held."""
    key = (_WRITER_LOCK, chain.chain_id)
    held = wait_for_lock(store, key, wait_seconds, shared=True)
    try:
        yield held
    finally:
        if held:
            _release(store, "SELECT pg_advisory_unlock_shared(%s, %s)", key)


@contextmanager
def figures_kept_out(store: Store) -> Iterator[bool]:
    """Hold the derive lock if nobody else does, without waiting; says whether it is held. Whoever serves may ask for
    it in that order because of that: the others take the derive lock first, and wait."""
    row = store.execute("SELECT pg_try_advisory_lock(%s, %s) AS held", _DERIVE_LOCK).fetchone()
    held = bool(row and row["held"])
    try:
        yield held
    finally:
        if held:
            _release(store, "SELECT pg_advisory_unlock(%s, %s)", _DERIVE_LOCK)


def timed(work: Callable[[], Made]) -> tuple[Made, float]:
    """What ``work`` made, such as its count of rows, and the seconds it took."""
    started = time.perf_counter()
    made = work()
    return made, time.perf_counter() - started


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


def _release(store: Store, statement: str, key: tuple[int, int]) -> None:
    """Give a lock back; a lost connection has done so already."""
    if not store.closed and not store.broken:
        store.execute(statement.encode(), key)
