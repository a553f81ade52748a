"""One refresh run: its connections, the version it writes, its windows and its log.

A run may be killed at any instant. Each step moves its checkpoint after its rows are written, so the next run repeats
what is missing.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import InitVar, dataclass, field
from typing import Any, TypeVar

import polars

from pipelines.documents.inputs import TokenInputs
from pipelines.frames import Table, pa
from pipelines.locks import chain_lock, refresh_lock, serving_lock
from pipelines.parallel import run_parallel
from pipelines.run_log import OnStepRun, RunLog
from pipelines.windows import Windows
from warehouse import postgres, settings, sql
from warehouse.chains import majors
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.domain.copies import CopyRules
from warehouse.domain.majors import Majors
from warehouse.postgres import Connection
from warehouse.process_memory import collect_garbage_less, release_free_memory, share_heap

# A run this long had more to do than the next ones will have: give its memory back.
_LONG_RUN_SECONDS = 10.0

Record = TypeVar("Record")


@dataclass(slots=True)
class RefreshRun:
    """An open run. Made by :func:`open_run`, :func:`open_refresh_run` or :func:`open_serving_run`."""

    warehouse: Warehouse
    store: Connection
    chains: Chains
    full: bool = True
    """Whether the run also recomputes what only time or the native coin's price has changed."""
    version: int = 0
    """Rows are written under this number."""
    on_step_run: InitVar[OnStepRun | None] = None
    windows: Windows = field(init=False)
    log: RunLog = field(init=False)
    failures: list[Exception] = field(default_factory=list)
    """Errors of event sources, which do not stop the run."""
    serve_rows: int = 0
    """How many served rows the run has written."""
    token_inputs: Mapping[int, Mapping[str, TokenInputs]] = field(default_factory=dict)
    """Inputs of the last batch of documents, by chain and token; provenance reads the same."""
    _majors: Majors | None = None
    _copy_rules: CopyRules | None = None

    def __post_init__(self, on_step_run: OnStepRun | None) -> None:
        """Open the windows and the log on the same connections."""
        self.windows = Windows(self.warehouse, self.store)
        self.log = RunLog(self.store, on_step_run)

    @property
    def majors(self) -> Majors:
        """The major coins, loaded once."""
        if self._majors is None:
            self._majors = majors.load(self.chains, settings.load().majors)
        return self._majors

    @property
    def copy_rules(self) -> CopyRules:
        """The thresholds of the copy rule, read once."""
        if self._copy_rules is None:
            self._copy_rules = settings.load().copy_rules
        return self._copy_rules

    def allocate_version(self) -> None:
        """Take the next version. A step that may write a key the run has already written needs a version of its own.

        Call it under the serving lock: then all requests and rows of lower versions are visible. What has no requests
        and is not published, such as a mirror, needs only the lock of those who write it.
        """
        self.version = int(self.store_rows("derivation/next_version")[0]["version"])

    @contextmanager
    def serving(self, wait_seconds: float = 60.0) -> Iterator[None]:
        """Hold the serving lock under a new version. Publish what is written under it before the block ends.

        Raises:
            RefreshBusy: another run held the lock for ``wait_seconds``.
        """
        with serving_lock(self.store, wait_seconds):
            self.allocate_version()
            yield

    def reload(self, chain: Chain) -> None:
        """Forget what was read of the chain's published state."""
        self.windows.reload(chain)
        self.token_inputs = {}

    def store_rows(self, name: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Run a statement of ``sql/store`` and return its rows, if it has any."""
        return postgres.run(self.store, name, parameters)

    def store_records(
        self, record: type[Record], name: str, parameters: Mapping[str, Any] | None = None
    ) -> list[Record]:
        """Run a query of ``sql/store`` and return its rows as ``record``."""
        return postgres.records(self.store, record, name, parameters)

    def transform(self, name: str, parameters: Mapping[str, Any]) -> int:
        """Run a statement of ``sql/transforms`` in the warehouse; returns how many rows it wrote."""
        return self.warehouse.command(sql.load(f"transforms/{name}"), dict(parameters))

    def read(self, name: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Rows of a query of ``sql/transforms``."""
        return self.warehouse.rows(sql.load(f"transforms/{name}"), dict(parameters))

    def read_records(self, record: type[Record], name: str, parameters: Mapping[str, Any]) -> list[Record]:
        """Rows of a query of ``sql/transforms`` as ``record``, a class whose fields are named as the columns."""
        return [record(**row) for row in self.read(name, parameters)]

    def read_frame(self, name: str, parameters: Mapping[str, Any]) -> polars.DataFrame:
        """The result of a query of ``sql/transforms`` as a Polars frame."""
        return self.warehouse.polars(sql.load(f"transforms/{name}"), dict(parameters))

    def clear(self, chain: Chain, *tables: str) -> None:
        """Empty a chain's part of working tables."""
        clearing = (f"ALTER TABLE {table} DROP PARTITION {chain.chain_id}" for table in tables)
        run_parallel(*(lambda statement=statement: self.warehouse.command(statement) for statement in clearing))

    def fill(self, chain: Chain, table: str, rows: Table) -> None:
        """Add rows to a chain's part of a working table."""
        numbers = pa.repeat(pa.scalar(chain.chain_id, pa.uint32()), rows.num_rows)
        self.warehouse.insert_arrow(table, rows.add_column(0, "chain_id", numbers))


@contextmanager
def open_run(
    warehouse: Warehouse,
    store: Connection,
    chains: Chains,
    *,
    full: bool = True,
    on_step_run: OnStepRun | None = None,
) -> Iterator[RefreshRun]:
    """A run without a lock and a version; it takes them for each chain."""
    share_heap()
    collect_garbage_less()  # one garbage collection over all imported modules takes as long as a step
    with _autocommit(store):
        started = time.monotonic()
        try:
            yield RefreshRun(warehouse, store, chains, full=full, on_step_run=on_step_run)
        finally:
            if time.monotonic() - started > _LONG_RUN_SECONDS:
                release_free_memory()


@contextmanager
def open_refresh_run(
    warehouse: Warehouse,
    store: Connection,
    chains: Chains,
    *,
    chain_id: int | None = None,
    wait_seconds: float = 60.0,
) -> Iterator[RefreshRun]:
    """Hold the refresh lock of a chain, or keep the runs of all chains away, and allocate a version.

    Raises:
        RefreshBusy: another run held a lock for ``wait_seconds``.
    """
    with open_run(warehouse, store, chains) as run, _alone(store, chain_id, wait_seconds):
        with run.serving(wait_seconds):
            pass  # only to allocate the version
        yield run


def _alone(store: Connection, chain_id: int | None, wait_seconds: float) -> AbstractContextManager[object]:
    return refresh_lock(store, wait_seconds) if chain_id is None else chain_lock(store, chain_id, wait_seconds)


@contextmanager
def open_serving_run(
    warehouse: Warehouse, store: Connection, chains: Chains, *, wait_seconds: float = 60.0
) -> Iterator[RefreshRun]:
    """A run that only publishes and may do so while another recomputes metrics.

    Raises:
        RefreshBusy: another run held the serving lock for ``wait_seconds``.
    """
    with _autocommit(store):
        run = RefreshRun(warehouse, store, chains, full=False)
        with run.serving(wait_seconds):
            yield run


@contextmanager
def _autocommit(store: Connection) -> Iterator[None]:
    """Runs commit as they go: each statement on its own, or a block of them in ``store.transaction()``."""
    before = store.autocommit
    if not before:
        store.rollback()
        store.autocommit = True
    try:
        yield
    finally:
        if not before and not store.closed:
            store.autocommit = False
