"""Make a backup while the service runs.

Indexing and publishing pause only while the tables are cloned and the store's snapshot is taken: both then show the
same state, in which no unit of blocks is half written. Claims and requests go on; what they write to the store is in
the snapshot or not, as one transaction decides. Everything is copied afterwards from the clones and the snapshot.

The manifest is written last. Killed before that, the command leaves files that no manifest names; the next one removes
them.
"""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from warehouse import advisory_locks, migrate, postgres
from warehouse.backup import clickhouse_copy, postgres_dump, sealed_keys
from warehouse.backup.clickhouse_copy import Clones
from warehouse.backup.manifest import Manifest, StoreCopy, StoredFile, WarehouseCopy
from warehouse.backup.progress import Steps, shown_steps
from warehouse.backup.repository import Repository, warehouse_folder
from warehouse.backup.sealed_keys import Secret
from warehouse.clickhouse import Warehouse
from warehouse.embedded.layout import Layout
from warehouse.engines import EngineUrls
from warehouse.postgres import Connection

_FULL_AGAIN = 0.5
"""An increment larger than this part of its full backup is followed by a new full one."""

Pause = Callable[[Connection, Warehouse], AbstractContextManager[None]]
"""Keeps every writer of the warehouse away during the block, and leaves no unit half written before it begins."""


class BackupBusy(Exception):
    """Another backup runs."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a backup is to hold."""

    secret: Secret | None
    """What the keys are sealed with; None leaves them out."""
    full: bool = False
    """Write all parts of the warehouse even if an earlier backup holds most of them."""
    keep: int | None = None
    """How many backups to keep; None keeps all."""


@dataclass(frozen=True, slots=True)
class Made:
    """A backup that was made, and the names of those that were removed because it was."""

    manifest: Manifest
    removed: list[str]


@dataclass(frozen=True, slots=True)
class _Point:
    """The state that the backup holds."""

    snapshot: str
    revision: str
    blocks: dict[int, int]
    publication: int
    paused_seconds: float


def create(
    urls: EngineUrls,
    layout: Layout,
    repository: Repository,
    pause: Pause,
    wanted: Wanted,
    *,
    show_progress: bool | None = None,
) -> Made:
    """Make one backup.

    Raises:
        BackupBusy: another backup of this store runs.
        CopyFailed: ClickHouse could not write its part.
        DumpFailed: PostgreSQL could not.
    """
    with (
        postgres.connect(urls.database_url, autocommit=True) as store,
        _sole_backup(store),
        Warehouse.connect(urls.clickhouse_url) as warehouse,
        _staging(layout) as staging,
        shown_steps(show_progress) as steps,
    ):
        repository.remove_remains()
        created = datetime.now(UTC)
        name = f"{created:%Y%m%dT%H%M%S.%f}"[:-3] + "Z"
        database = migrate.database_of(urls.clickhouse_url)
        full = None if wanted.full else _full_to_build_on(repository, database)
        with clickhouse_copy.cloned(warehouse, database) as clones, ExitStack() as held:
            point = _take_point(urls, warehouse, store, clones, pause, held)
            migrations = migrate.applied_numbers(urls.clickhouse_url)
            known = repository.objects()
            postgres_dump.dump(urls.database_url, point.snapshot, staging / "store")
            dumped = _put_all(repository, staging / "store", known, steps, "store")
            held.close()  # the snapshot keeps PostgreSQL from removing old rows
            target = repository.storage.for_clickhouse(warehouse_folder(name))
            base = repository.storage.for_clickhouse(warehouse_folder(full)) if full else None
            clones.back_up(name, target, base, steps.measured("warehouse"))
            rows, views = clones.rows(), clones.views()
        # Read back from the target: the checksums are those of what is there.
        folder = warehouse_folder(name)
        total = sum(repository.storage.sizes(folder).values())
        copied = repository.hash_folder(folder, steps.counted("reading back", total))
        uploads = _put_all(repository, layout.metadata, known, steps, "uploads")
        manifest = Manifest(
            name=name,
            created_at=created.isoformat(timespec="seconds"),
            version=version("regalia"),
            paused_seconds=round(point.paused_seconds, 3),
            blocks={str(chain): block for chain, block in point.blocks.items()},
            publication=point.publication,
            store=StoreCopy(point.revision, dumped),
            warehouse=WarehouseCopy(database, migrations, full or name, copied, rows, views),
            uploads=uploads,
            keys=_seal_keys(repository, layout, wanted.secret, name, staging, known) if wanted.secret else None,
        )
        repository.write(manifest)
        return Made(manifest, repository.keep_newest(wanted.keep) if wanted.keep else [])


def _take_point(
    urls: EngineUrls,
    warehouse: Warehouse,
    store: Connection,
    clones: Clones,
    pause: Pause,
    held: ExitStack,
) -> _Point:
    """Clone the tables and open the store's snapshot while nobody writes to the warehouse."""
    with pause(store, warehouse):
        began = time.monotonic()
        clones.make()
        seen, snapshot = held.enter_context(postgres_dump.snapshot(urls.database_url))
        # The first read fixes what the transaction sees.
        blocks = {row["chain_id"]: row["block_number"] for row in postgres.run(seen, "ingestion/list_published")}
        publication = int(warehouse.scalar("SELECT max(version) FROM serve_publication") or 0)
        store.execute("SELECT 1")  # a connection that was lost has released its locks: then this fails
        paused = time.monotonic() - began
    revision = seen.execute("SELECT version_num FROM alembic_version").fetchone()
    return _Point(snapshot, revision["version_num"] if revision else "", blocks, publication, paused)


def _full_to_build_on(repository: Repository, database: str) -> str | None:
    """The newest full backup, unless it is time for another one."""
    names = repository.names()
    if not names:
        return None
    newest = repository.read(names[-1])
    full = newest if newest.warehouse.full == newest.name else repository.read(newest.warehouse.full)
    outgrown = full is not newest and newest.new_bytes > _FULL_AGAIN * full.new_bytes
    return None if outgrown or full.warehouse.database != database else full.name


def _put_all(
    repository: Repository, folder: Path, known: dict[str, int], steps: Steps, description: str
) -> tuple[StoredFile, ...]:
    """Store every file below ``folder`` that the target lacks."""
    found = sorted(path for path in folder.rglob("*") if path.is_file() and not _is_draft(path.relative_to(folder)))
    advance = steps.counted(description, sum(path.stat().st_size for path in found))
    stored = []
    for path in found:
        file = repository.put(path.relative_to(folder).as_posix(), path, known)
        stored.append(file)
        advance(file.size)
    return tuple(stored)


def _is_draft(path: Path) -> bool:
    """Whether it is being written, such as an upload on its way."""
    return path.parts[0] == "incoming"


def _seal_keys(
    repository: Repository, layout: Layout, secret: Secret, name: str, staging: Path, known: dict[str, int]
) -> StoredFile:
    sealed = staging / "keys"
    sealed.write_bytes(sealed_keys.seal(layout.keys, secret, name))
    return repository.put("keys", sealed, known)


@contextmanager
def _sole_backup(store: Connection) -> Iterator[None]:
    if not advisory_locks.try_acquire(store, advisory_locks.BACKUP):
        raise BackupBusy("another backup of this service runs")
    try:
        yield
    finally:
        advisory_locks.release(store, advisory_locks.BACKUP)


@contextmanager
def _staging(layout: Layout) -> Iterator[Path]:
    """A folder that only its owner may read, for what is on its way to the target."""
    folder = layout.root / "backup.partial"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
