"""Export the marts as Parquet files, with a DuckDB file of views over them, to a folder or a bucket.

Files lie below ``<mart>/chain_id=<id>/month=<month>/`` and have names of their own for each run. They are written
first, then the DuckDB file and the manifest, which names them; then the files that it no longer names are deleted. So
whoever reads by the manifest or the DuckDB file always sees a whole export. Killed at any instant, an export leaves the
previous one and files that the next removes.

An export since a version keeps the partitions whose rows are the same. It reads those it cannot be sure of, and writes
those that differ.
"""

import hashlib
import io
import logging
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from warehouse import migrate, sql
from warehouse.clickhouse import Warehouse
from warehouse.engines import EngineUrls
from warehouse.export import parquet, statements
from warehouse.export.manifest import MANIFEST, Block, ExportedFile, ExportedMart, Manifest, Partition
from warehouse.export.readme import DATABASE, VIEWS, attach_command, readme
from warehouse.export.statements import Slice
from warehouse.kept_transfers import kept_transfers
from warehouse.marts import MARTS
from warehouse.marts.database import database_of
from warehouse.marts.mart import Mart
from warehouse.storage import FolderStorage, Storage

_OPEN_BUCKET = """\
INSTALL httpfs;
LOAD httpfs;
CREATE SECRET (TYPE s3, PROVIDER credential_chain);
"""
_ATTEMPTS = 3
# The limit on a statement's time is for questions; an export may take longer.
_SETTINGS = {"max_execution_time": 0, "output_format_arrow_string_as_string": 1}

__all__ = ["DATABASE", "ExportRefused", "Wanted", "attach_command", "export"]

log = logging.getLogger(__name__)


class ExportRefused(Exception):
    """The target holds something else, a mart or the version is not known, or reorganisations interrupted every
    attempt."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to export."""

    marts: Sequence[str] = ()
    """Names of marts; none for all."""
    since: int | None = None
    """Keep the partitions that are as in the target's export of this version."""


def export(
    urls: EngineUrls, storage: Storage, wanted: Wanted | None = None, *, show_progress: bool | None = None
) -> Manifest:
    """Write marts to ``storage``, replacing an earlier export there.

    Raises:
        ExportRefused: the target holds something else, a mart or the version is not known, or reorganisations
            interrupted every attempt.
    """
    wanted = wanted or Wanted()
    chosen = _chosen(wanted.marts)
    earlier = _read_earlier(storage, wanted.since)
    with (
        Warehouse.connect(urls.clickhouse_url) as warehouse,
        tempfile.TemporaryDirectory(prefix="regalia-export-") as staging,
        _progress(show_progress) as progress,
    ):
        marts_database = database_of(migrate.database_of(urls.clickhouse_url))
        run = _Run(warehouse, marts_database, storage, Path(staging), progress)
        manifest = run.consistently(chosen, earlier, wanted.since)
        for name, mart in (earlier.marts if earlier else {}).items():
            if name not in manifest.marts and any(name == declared.name for declared in MARTS):
                manifest.marts[name] = mart  # not asked for: as it was
        _write_views(storage, Path(staging), manifest)
    storage.write("README.md", io.BytesIO(readme(storage, manifest).encode()))
    storage.write(MANIFEST, io.BytesIO(manifest.encode()))
    named = {path for mart in manifest.marts.values() for path in mart.paths}
    for path in storage.sizes(""):
        if path.endswith(".parquet") and path not in named:
            storage.delete(path)
    return manifest


@dataclass(slots=True)
class _Run:
    """One export."""

    warehouse: Warehouse
    database: str
    storage: Storage
    staging: Path
    progress: "Callable[[str, int, int], None]"
    written: int = 0

    def consistently(self, chosen: Sequence[Mart], earlier: Manifest | None, since: int | None) -> Manifest:
        """Write all marts; again if a reorganisation removed a block of theirs meanwhile."""
        for _ in range(_ATTEMPTS):
            blocks = self._last_blocks()
            version = int(self.warehouse.scalar("SELECT max(version) FROM serve_publication") or 0)
            manifest = Manifest(datetime.now(UTC).isoformat(timespec="seconds"), version)
            kept = {chain: kept_transfers(self.warehouse, chain) for chain in blocks}
            manifest.transfers_from = {str(chain): one.first_block for chain, one in kept.items() if not one.whole}
            for position, mart in enumerate(chosen):
                known = earlier.marts.get(mart.name) if earlier and since is not None else None
                manifest.marts[mart.name] = self._write_mart(mart, blocks, version, known)
                self.progress(mart.name, position + 1, len(chosen))
                log.info("exported %s: %d rows", mart.name, manifest.marts[mart.name].rows)
            manifest.written = self.written
            if {chain: self._hash(chain, block.number) for chain, block in blocks.items()} == {
                chain: block.hash for chain, block in blocks.items()
            }:
                return manifest
            log.warning("a reorganisation removed exported blocks; exporting again")
        raise ExportRefused(f"reorganisations interrupted {_ATTEMPTS} attempts to export; try again later")

    def _write_mart(
        self, mart: Mart, blocks: Mapping[int, Block], version: int, known: ExportedMart | None
    ) -> ExportedMart:
        old = {(partition.chain_id, partition.month): partition for partition in known.partitions} if known else {}
        partitions = []
        by_chain = "chain_id" in mart.column_names
        # Without any chain, one empty file still holds the schema.
        for chain_id, block in (blocks if by_chain and blocks else {0: Block(0, "", "")}).items():
            settled = self._settled_before(mart, chain_id, known)
            for part in self._slices(mart, chain_id, block):
                partition = old.get((chain_id, part.month))
                if partition is None or part.month is None or part.month >= settled:
                    partition = self._write_partition(mart, part, version, partition)
                partitions.append(partition)
        rows = sum(file.rows for partition in partitions for file in partition.files)
        columns = tuple(asdict(column) for column in mart.columns)
        last_blocks = {str(chain): block for chain, block in blocks.items()}
        return ExportedMart(mart.comment, columns, version, last_blocks, rows, tuple(partitions))

    def _settled_before(self, mart: Mart, chain_id: int, known: ExportedMart | None) -> str:
        """The month before which no row can have changed since the earlier export; empty if any may have."""
        before = known.last_blocks.get(str(chain_id)) if known else None
        if before is None or not statements.has_events(mart) or self._hash(chain_id, before.number) != before.hash:
            return ""
        return before.month

    def _slices(self, mart: Mart, chain_id: int, block: Block) -> list[Slice]:
        whole = Slice(chain_id, block.number)
        if mart.month_of is None:
            return [whole]
        found = self.warehouse.rows(statements.months(mart, self.database, whole), whole.parameters(), _SETTINGS)
        return [Slice(chain_id, block.number, row["month"]) for row in found] or [whole]

    def _write_partition(self, mart: Mart, part: Slice, version: int, old: Partition | None) -> Partition:
        """Write the rows of a slice, unless ``old`` has the same."""
        parameters = part.parameters()
        counted = self.warehouse.rows(statements.fingerprint(mart, self.database, part), parameters, _SETTINGS)[0]
        fingerprint = f"{counted['n']}:{counted['hash']}"
        if old is not None and old.fingerprint == fingerprint:
            return old
        folder = f"{mart.name}/chain_id={part.chain_id}" + (f"/month={part.month}" if part.month else "")
        statement = statements.rows(mart, self.database, part)
        empty = self.warehouse.arrow(f"SELECT * FROM ({statement}) LIMIT 0", parameters, _SETTINGS)  # noqa: S608
        local = self.staging / "partition"
        with self.warehouse.arrow_batches(statement, parameters, _SETTINGS) as batches:
            made = parquet.write(local, empty.schema, (batch.cast(empty.schema) for batch in batches))
        run = f"{datetime.now(UTC):%Y%m%dT%H%M%S}"  # a name that no earlier export has
        files = []
        for number, (path, rows) in enumerate(made):
            name = f"{folder}/{version}-{run}-{number:05d}.parquet"
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                file.seek(0)
                size = self.storage.write(name, file)
            files.append(ExportedFile(name, rows, size, digest))
            self.written += 1
        shutil.rmtree(local)
        return Partition(part.chain_id, part.month, fingerprint, tuple(files))

    def _last_blocks(self) -> dict[int, Block]:
        """The last published block of each chain; later blocks may be incomplete."""
        rows = self.warehouse.rows(sql.load("queries/export/last_blocks"))
        return {row["chain_id"]: Block(row["block_number"], row["block_hash"], row["month"]) for row in rows}

    def _hash(self, chain_id: int, block: int) -> str:
        """The current hash of a block; empty if it is gone."""
        parameters = {"chain_id": chain_id, "block": block}
        return str(self.warehouse.scalar(sql.load("queries/export/block_hash"), parameters) or "")


def _chosen(names: Sequence[str]) -> list[Mart]:
    declared = {mart.name: mart for mart in MARTS}
    unknown = [name for name in names if name not in declared]
    if unknown:
        raise ExportRefused(f"there is no mart {unknown[0]}; there are {', '.join(declared)}")
    return [declared[name] for name in names] if names else list(MARTS)


def _read_earlier(storage: Storage, since: int | None) -> Manifest | None:
    """The manifest of the target's export, if it has one."""
    try:
        with storage.reader(MANIFEST) as stream:
            earlier = Manifest.decode(stream.read())
    except FileNotFoundError:
        # An export that was killed left only such files.
        if not all(path.endswith((".parquet", DATABASE, VIEWS, "README.md")) for path in storage.sizes("")):
            raise ExportRefused(f"{storage.shown} is not empty and holds no export: choose another target") from None
        earlier = None
    if since is not None and (earlier is None or earlier.version != since):
        there = f"its export has version {earlier.version}" if earlier else "it holds no export"
        raise ExportRefused(f"{storage.shown} cannot be brought up to date since version {since}: {there}")
    return earlier


def _write_views(storage: Storage, staging: Path, manifest: Manifest) -> None:
    """Write what opens the export in DuckDB: for a folder a file with views that name the Parquet files relative to it,
    so that it can be moved; for a bucket the statements that make the views, since DuckDB checks each as it is made and
    may not reach the bucket from here."""
    if not isinstance(storage, FolderStorage):
        statements = "".join(f"{_view(name, mart, f'{storage.shown}/')};\n" for name, mart in manifest.marts.items())
        storage.write(VIEWS, io.BytesIO((_OPEN_BUCKET + statements).encode()))
        return
    path = staging / DATABASE
    with duckdb.connect(str(path)) as database:
        # The views keep relative paths. This only lets DuckDB check them now.
        database.execute("SET file_search_path = ?", [str(storage.root)])
        for name, mart in manifest.marts.items():
            database.execute(_view(name, mart, ""))
    with path.open("rb") as file:
        storage.write(DATABASE, file)


def _view(name: str, mart: ExportedMart, root: str) -> str:
    files = ", ".join(f"'{parquet.quoted(root + path)}'" for path in mart.paths)
    return f'CREATE VIEW "{name}" AS SELECT * FROM read_parquet([{files}], hive_partitioning = false)'  # noqa: S608


@contextmanager
def _progress(show: bool | None) -> Iterator[Callable[[str, int, int], None]]:
    visible = sys.stderr.isatty() if show is None else show
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), "marts", TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not visible) as progress:
        task = progress.add_task("export", total=None)
        yield lambda name, done, total: progress.update(task, description=name, completed=done, total=total)
