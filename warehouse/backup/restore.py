"""Restore a backup into an empty data directory, or into empty databases of servers of one's own.

Everything that can be wrong is found before anything is changed: the backup is read whole and compared with its
checksums, its schema is one that this version knows, the keys open, nothing runs. Then a note is written to the data
directory; while it is there, nothing else starts on it. Killed at any instant, the same command begins again.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from warehouse import engines, migrate
from warehouse.backup import clickhouse_copy, postgres_dump, sealed_keys
from warehouse.backup.manifest import DamagedBackup, Manifest
from warehouse.backup.progress import Steps, shown_steps
from warehouse.backup.repository import Repository, warehouse_folder
from warehouse.backup.sealed_keys import Secret, WrongSecret
from warehouse.clickhouse import Warehouse
from warehouse.embedded import restoring
from warehouse.embedded.clickhouse.ownership import own
from warehouse.embedded.layout import Layout
from warehouse.embedded.lifetime import is_in_use, is_supervised
from warehouse.embedded.restoring import Note
from warehouse.settings import EngineSettings


class ServiceRuns(Exception):
    """The data directory is in use."""


class NotEmpty(Exception):
    """There is data where the backup would go."""


class NewerBackup(Exception):
    """The backup's schema is of a later version of the program."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which backup to restore, and how."""

    at: str | None = None
    """Its name; None for the newest."""
    secret: Secret | None = None
    """What opens its keys."""
    without_keys: bool = False
    """Leave its keys out: new ones are made."""
    force: bool = False
    """Replace what is there. Folders of the data directory are moved aside, databases of servers are emptied."""


def restore(
    settings: EngineSettings, repository: Repository, choice: Choice, *, show_progress: bool | None = None
) -> Manifest:
    """Restore a backup; returns its manifest. The service may be started afterwards.

    Raises:
        NoSuchBackup: there is none of that name.
        DamagedBackup: a file of it is missing or not what was written; nothing was changed.
        WrongSecret: its keys do not open; nothing was changed.
        NewerBackup: this version does not know its schema; nothing was changed.
        ServiceRuns: the data directory is in use; nothing was changed.
        NotEmpty: there is data, and ``force`` is not set; nothing was changed.
        CopyFailed, DumpFailed: an engine could not take it; restore again.
    """
    layout = Layout.of(settings.data_dir)
    layout.prepare()
    with own(layout.run / "restore.lock"), shown_steps(show_progress) as steps:
        manifest = repository.read(choice.at)
        _check_version(manifest)
        if is_supervised(layout.run) or is_in_use(layout.run):
            raise ServiceRuns(f"{layout.root} is in use: stop the service and its commands first")
        begun = restoring.read(layout)
        if not (choice.force or begun):
            _check_empty(settings, layout)
        total = sum(file.size for _, file in repository.files(manifest))
        repository.verify(manifest, steps.counted("verifying", total))
        keys = _open_keys(repository, manifest, choice)

        _clear(settings, layout, begun, manifest, repository)
        sealed_keys.write(keys, layout.keys)
        for file in manifest.uploads:
            path = layout.metadata / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as target:
                repository.fetch(file, target)
        with engines.ensure(settings, migrated=False, for_restore=True) as urls:
            _restore_warehouse(urls.clickhouse_url, repository, manifest, steps)
            with _dump_folder(layout, repository, manifest) as folder:
                postgres_dump.restore(urls.database_url, folder, replace=settings.database_url is not None)
        os.sync()  # the note goes only when everything else is on the disk
        restoring.remove(layout)
        return manifest


def _check_version(manifest: Manifest) -> None:
    unknown = migrate.unknown_migrations(manifest.warehouse.migrations, manifest.store.revision)
    if unknown:
        raise NewerBackup(
            f"backup {manifest.name} was made by a later version ({manifest.version}): this one does not know the"
            f" migrations {', '.join(unknown)}"
        )


def _check_empty(settings: EngineSettings, layout: Layout) -> None:
    filled = [str(folder) for folder in _folders(settings, layout) if folder.is_dir() and any(folder.iterdir())]
    if settings.clickhouse_url is not None:
        database = migrate.database_of(settings.clickhouse_url)
        with Warehouse.connect(migrate.server_of(settings.clickhouse_url)) as warehouse:
            if clickhouse_copy.list_tables(warehouse, database):
                filled.append(f"the ClickHouse database {database}")
    if settings.database_url is not None and not postgres_dump.is_empty(settings.database_url):
        filled.append("the PostgreSQL database")
    if filled:
        raise NotEmpty(f"there is data in {', '.join(filled)}: restore elsewhere, or replace it with --force")


def _open_keys(repository: Repository, manifest: Manifest, choice: Choice) -> dict[str, bytes]:
    if manifest.keys is None or choice.without_keys:
        return {}
    if choice.secret is None:
        raise WrongSecret(
            f"backup {manifest.name} holds keys: set REGALIA_BACKUP_PASSPHRASE, or give --key-file or --without-keys"
        )
    return sealed_keys.unseal(repository.get(manifest.keys), choice.secret, manifest.name)


def _folders(settings: EngineSettings, layout: Layout) -> list[Path]:
    """What a restore replaces."""
    folders = [layout.keys, layout.metadata]
    if settings.clickhouse_url is None:
        folders.append(layout.clickhouse)
    if settings.database_url is None:
        folders.append(layout.postgres)
    return folders


def _clear(
    settings: EngineSettings, layout: Layout, begun: Note | None, manifest: Manifest, repository: Repository
) -> None:
    """Leave an empty place, with a note in it. What is there is moved aside once, and what an interrupted restore left
    is removed. The note says which of the two it is, so that nobody's data is ever taken for remains."""
    folders = _folders(settings, layout)
    if begun is None or not begun.cleared:
        filled = begun is not None or any(folder.is_dir() and any(folder.iterdir()) for folder in folders)
        aside = f"replaced-{datetime.now(UTC):%Y%m%dT%H%M%SZ}" if filled else None
        if begun is not None:
            aside = begun.set_aside
        note = Note(manifest.name, repository.storage.shown, aside)
        restoring.write(layout, note)
        if aside is not None:
            (layout.root / aside).mkdir(mode=0o700, exist_ok=True)
            for folder in folders:
                if folder.exists() and not (layout.root / aside / folder.name).exists():
                    folder.rename(layout.root / aside / folder.name)
        begun = note
    restoring.write(layout, replace(begun, backup=manifest.name, source=repository.storage.shown, cleared=True))
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    shutil.rmtree(layout.root / "postgres.new", ignore_errors=True)
    layout.prepare()
    if settings.clickhouse_url is not None:
        with Warehouse.connect(migrate.server_of(settings.clickhouse_url)) as warehouse:
            clickhouse_copy.drop_databases(warehouse, migrate.database_of(settings.clickhouse_url))


def _restore_warehouse(url: str, repository: Repository, manifest: Manifest, steps: Steps) -> None:
    copy = manifest.warehouse
    database = migrate.database_of(url)
    source = repository.storage.for_clickhouse(warehouse_folder(manifest.name))
    full = repository.storage.for_clickhouse(warehouse_folder(copy.full)) if copy.full != manifest.name else None
    with Warehouse.connect(migrate.server_of(url)) as warehouse:
        names = (*copy.rows, *copy.views)
        places = (copy.database, database)
        clickhouse_copy.restore(warehouse, names, places, source, full, steps.measured("warehouse"))
        tables = clickhouse_copy.list_tables(warehouse, database)
    wrong = [table.name for table in tables if table.keeps_rows and table.rows != copy.rows.get(table.name)]
    if wrong:
        raise DamagedBackup(f"backup {manifest.name} gave other rows than it recorded in {', '.join(wrong)}")


@contextmanager
def _dump_folder(layout: Layout, repository: Repository, manifest: Manifest) -> Iterator[Path]:
    """The store's dump as files of this machine."""
    folder = layout.root / "restore.partial"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        for file in manifest.store.files:
            with (folder / file.path).open("wb") as target:
                repository.fetch(file, target)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
