"""Export the warehouse's marts as Parquet files, with a DuckDB file of views over them.

Each mart is one statement, ``sql/export/<mart>.sql``, over the ``published_`` views. It is streamed chain by chain, up
to the block that was published when the export began. The folder is written under another name and renamed when it is
complete, so a folder under its own name is always complete.
"""

import json
import logging
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from warehouse import sql
from warehouse.clickhouse import Warehouse
from warehouse.engines import EngineUrls

# Each mart, and the table whose size estimates its rows.
MARTS: Mapping[str, str] = {
    "tokens": "serve_token",
    "heartbeats": "agg_heartbeat",
    "holders": "agg_balance_day",
    "pools": "fact_pool",
    "blocks": "raw_block",
    "swaps": "fact_swap",
    "transfers": "fact_transfer",
}
MANIFEST = "export.json"
DATABASE = "regalia.duckdb"
ROW_GROUP_ROWS = 256 * 1024
FILE_ROWS = 4 * 1024 * 1024
"""Both are upper bounds."""
_ATTEMPTS = 3

log = logging.getLogger(__name__)

_arrow: Any = pa

README = """\
# Regalia's warehouse, exported

`{database}` holds one view for each folder of Parquet files beside it. The views name the files relative to this
folder, so open it from here:

    cd {folder}
    duckdb {database} "SELECT symbol, holders FROM tokens ORDER BY holders DESC LIMIT 10"

or, from elsewhere, name the folder of the files: `SET file_search_path = '/path/to/{folder}'`.

Addresses and hashes are text (0x and hexadecimal; base58 on Solana). Columns that end in `_raw` are whole base units
as text, because they can exceed what a Parquet number holds: divide by ten to the power of the token's decimals.
`{manifest}` says up to which block each chain is included.
"""


class ExportRefused(Exception):
    """The folder holds something else, or reorganisations interrupted every attempt."""


@dataclass(slots=True)
class Manifest:
    """What an export contains."""

    created_at: str
    version: int
    last_blocks: dict[int, int]
    rows: dict[str, int] = field(default_factory=dict)


def export(urls: EngineUrls, out: Path, *, show_progress: bool | None = None) -> Manifest:
    """Write all marts to the folder ``out``, replacing an earlier export there.

    Raises:
        ExportRefused: ``out`` holds something else, or reorganisations interrupted every attempt.
    """
    out = out.absolute()
    occupied = out.exists() and (not out.is_dir() or any(out.iterdir()))
    if occupied and not (out / MANIFEST).is_file():
        raise ExportRefused(f"{out} is not empty and holds no export: choose another folder")
    out.parent.mkdir(parents=True, exist_ok=True)
    draft = out.with_name(f".{out.name}.partial")
    try:
        with Warehouse.connect(urls.clickhouse_url) as warehouse:
            manifest = _write_consistently(warehouse, draft, show_progress)
        _write_views(draft)
        (draft / "README.md").write_text(README.format(database=DATABASE, folder=out.name, manifest=MANIFEST))
        (draft / MANIFEST).write_text(json.dumps(asdict(manifest), indent=1) + "\n")
        _replace(out, draft)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return manifest


def _write_consistently(warehouse: Warehouse, draft: Path, show_progress: bool | None) -> Manifest:
    """Write all marts; again if a reorg removed a block of theirs meanwhile."""
    for _ in range(_ATTEMPTS):
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        last = _last_blocks(warehouse)
        manifest = _write_marts(
            warehouse, {chain_id: block for chain_id, (block, _) in last.items()}, draft, show_progress
        )
        if _hashes(warehouse, last) == last:
            return manifest
        log.warning("a reorganisation removed exported blocks; exporting again")
    raise ExportRefused(f"reorganisations interrupted {_ATTEMPTS} attempts to export; try again later")


def _write_marts(
    warehouse: Warehouse, last_blocks: dict[int, int], folder: Path, show_progress: bool | None
) -> Manifest:
    version = warehouse.scalar("SELECT max(version) FROM serve_publication") or 0
    manifest = Manifest(datetime.now(UTC).isoformat(timespec="seconds"), version, last_blocks)
    with _progress(_expected_rows(warehouse), show_progress) as advance:
        for mart in MARTS:
            # Without any chain, one empty file still holds the schema.
            for chain_id, last_block in (last_blocks or {0: 0}).items():
                parameters = {"chain_id": chain_id, "last_block": last_block, "version": version}
                target = folder / mart / f"chain_id={chain_id}"
                rows = _write_mart(warehouse, mart, parameters, target, advance)
                manifest.rows[mart] = manifest.rows.get(mart, 0) + rows
            log.info("exported %s: %d rows", mart, manifest.rows[mart])
    return manifest


def _write_mart(
    warehouse: Warehouse, mart: str, parameters: Mapping[str, int], target: Path, advance: "Advance"
) -> int:
    """Write one chain's rows of a mart as Parquet files of at most ``FILE_ROWS``; how many rows there are."""
    statement = sql.load(f"export/{mart}")
    used = {name: value for name, value in parameters.items() if f"{{{name}:" in statement}
    # The limit on a statement's time is for questions; an export may take longer.
    settings = {"max_execution_time": 0, "output_format_arrow_string_as_string": 1}
    schema = warehouse.arrow(f"SELECT * FROM ({statement}) LIMIT 0", used).schema  # noqa: S608 - a file of our own
    with warehouse.arrow_batches(statement, used, settings) as batches:
        rows = _write_parquet(target, schema, _counted(batches, schema, lambda count: advance(mart, count)))
    for path in target.iterdir():
        path.rename(target / f"part-{int(path.stem.removeprefix('part-')):05d}.parquet")
    return rows


def _counted(batches: Iterable[Any], schema: Any, advance: Callable[[int], None]) -> Iterator[Any]:
    for batch in batches:
        yield batch.cast(schema)
        advance(batch.num_rows)


def _write_parquet(folder: Path, schema: Any, batches: Iterator[Any]) -> int:
    """Stream Arrow batches into ``folder`` as ``part-0.parquet`` and so on, in order; how many rows they hold."""
    folder.parent.mkdir(parents=True, exist_ok=True)  # DuckDB makes the folder itself
    failures: list[Exception] = []
    stream = _arrow.RecordBatchReader.from_batches(schema, _keep_failure(batches, failures))
    options = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP_ROWS}"
    files = f"ROW_GROUPS_PER_FILE {-(-FILE_ROWS // ROW_GROUP_ROWS)}, FILENAME_PATTERN 'part-{{i}}'"
    with duckdb.connect(config={"threads": 1}) as database:
        database.register("stream", stream)
        try:
            copied = database.execute(f"COPY (FROM stream) TO '{_quoted(folder)}' ({options}, {files})").fetchone()
        except duckdb.Error as error:
            raise failures[0] if failures else error from None
    return copied[0] if copied else 0


def _keep_failure(batches: Iterator[Any], failures: list[Exception]) -> Iterator[Any]:
    """The batches; what ends them is kept, because DuckDB reports it as an error of its own."""
    try:
        yield from batches
    except Exception as error:  # a warehouse that is away, a batch that does not fit: raised again by the caller
        failures.append(error)
        raise


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def _write_views(folder: Path) -> None:
    with duckdb.connect(str(folder / DATABASE)) as database:
        # The views keep relative paths. This only lets DuckDB check them now.
        database.execute("SET file_search_path = ?", [str(folder)])
        for mart in MARTS:
            files = f"read_parquet('{mart}/*/*.parquet', hive_partitioning = true, hive_types = {{'chain_id': BIGINT}})"
            database.execute(f"CREATE VIEW {mart} AS SELECT * FROM {files}")  # noqa: S608 - names of our own


def _replace(out: Path, draft: Path) -> None:
    old = out.with_name(f".{out.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if out.exists():
        out.rename(old)
    draft.rename(out)
    shutil.rmtree(old, ignore_errors=True)


def _last_blocks(warehouse: Warehouse) -> dict[int, tuple[int, str]]:
    """The last published block of each chain and its hash; later blocks may be incomplete."""
    rows = warehouse.rows(sql.load("queries/export/last_blocks"))
    return _hashes(warehouse, {row["chain_id"]: (row["block_number"], "") for row in rows})


def _hashes(warehouse: Warehouse, blocks: Mapping[int, tuple[int, str]]) -> dict[int, tuple[int, str]]:
    """The same blocks with their current hashes; empty where a block is gone."""
    found = {}
    for chain_id, (block, _) in blocks.items():
        digest = warehouse.scalar(sql.load("queries/export/block_hash"), {"chain_id": chain_id, "block": block})
        found[chain_id] = (block, str(digest or ""))
    return found


def _expected_rows(warehouse: Warehouse) -> int:
    return int(warehouse.scalar(sql.load("queries/export/expected_rows"), {"tables": list(MARTS.values())}) or 0)


class Advance:
    """Called with a mart and how many of its rows were written."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def __call__(self, mart: str, rows: int) -> None:
        """Advance the progress bar."""
        self._progress.update(self._task, description=mart, advance=rows)


@contextmanager
def _progress(expected: int, show: bool | None) -> Iterator[Advance]:
    visible = sys.stderr.isatty() if show is None else show
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), "rows", TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not visible) as progress:
        yield Advance(progress, progress.add_task("export", total=expected))
