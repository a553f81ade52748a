"""The warehouse's marts as Parquet files, with a DuckDB file of views over them: for work away from the service.

Each mart is one statement, ``sql/export/<mart>.sql``, read chain by chain as a stream. The folder is written under
another name and renamed when it is whole, so a folder that is there is complete.
"""

import json
import logging
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from warehouse import postgres, sql
from warehouse.clickhouse import Warehouse
from warehouse.engines import EngineUrls

# Mart, and the table whose size says how much is to come.
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

log = logging.getLogger(__name__)

_parquet: Any = pq
_arrow: Any = pa

README = """\
# Regalia's warehouse, exported

`{database}` holds one view for each folder of Parquet files beside it. The views name the files relative to this
folder, so open it from here:

    cd {folder}
    duckdb {database} "SELECT symbol, holders FROM tokens ORDER BY holders DESC LIMIT 10"

or, from elsewhere, say where the files are: `SET file_search_path = '/path/to/{folder}'`.

Addresses and hashes are text (0x and hexadecimal; base58 on Solana). Columns that end in `_raw` are whole base units
as text, because they can exceed what a Parquet number holds: divide by ten to the power of the token's decimals.
`{manifest}` says up to which block each chain is included.
"""


class ExportRefused(Exception):
    """The folder to write holds something that is not an export."""


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
        ExportRefused: ``out`` holds something else.
    """
    out = out.absolute()
    occupied = out.exists() and (not out.is_dir() or any(out.iterdir()))
    if occupied and not (out / MANIFEST).is_file():
        raise ExportRefused(f"{out} is no empty folder and holds no export: choose another folder")
    out.parent.mkdir(parents=True, exist_ok=True)
    draft = out.with_name(f".{out.name}.partial")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        with Warehouse.connect(urls.clickhouse_url) as warehouse:
            manifest = _write_marts(warehouse, _last_blocks(urls.database_url), draft, show_progress)
        _write_views(draft)
        (draft / "README.md").write_text(README.format(database=DATABASE, folder=out.name, manifest=MANIFEST))
        (draft / MANIFEST).write_text(json.dumps(asdict(manifest), indent=1) + "\n")
        _replace(out, draft)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return manifest


def _write_marts(
    warehouse: Warehouse, last_blocks: dict[int, int], folder: Path, show_progress: bool | None
) -> Manifest:
    version = warehouse.scalar("SELECT max(version) FROM serve_publication") or 0
    manifest = Manifest(datetime.now(UTC).isoformat(timespec="seconds"), version, last_blocks)
    with _progress(_expected_rows(warehouse), show_progress) as advance:
        for mart in MARTS:
            # Without any chain there still is a schema, for which one empty file stands.
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
    statement = sql.load(f"export/{mart}")
    used = {name: value for name, value in parameters.items() if f"{{{name}:" in statement}
    # One export is not worth a limit made for questions.
    settings = {"max_execution_time": 0, "output_format_arrow_string_as_string": 1}
    target.mkdir(parents=True)
    empty = warehouse.arrow(f"SELECT * FROM ({statement}) LIMIT 0", used)  # noqa: S608 - a file of our own
    writer = _Parts(target, empty.schema)
    try:
        with warehouse.arrow_batches(statement, used, settings) as batches:
            for batch in batches:
                writer.write(batch.cast(empty.schema))
                advance(mart, batch.num_rows)
    finally:
        writer.close()
    return writer.rows


class _Parts:
    """Parquet files of bounded size, written in row groups of bounded size."""

    def __init__(self, folder: Path, schema: Any) -> None:
        self.rows = 0
        self._folder = folder
        self._schema = schema
        self._waiting: list[Any] = []
        self._waiting_rows = 0
        self._files = 0
        self._file_rows = 0
        self._file: Any = None

    def write(self, batch: Any) -> None:
        self._waiting.append(batch)
        self._waiting_rows += batch.num_rows
        if self._waiting_rows >= ROW_GROUP_ROWS:
            self._flush()

    def close(self) -> None:
        if self._waiting or not self._files:
            self._flush()
        if self._file is not None:
            self._file.close()
            self._file = None

    def _flush(self) -> None:
        group = _arrow.Table.from_batches(self._waiting, self._schema)
        self._waiting, self._waiting_rows = [], 0
        if self._file is None:
            path = self._folder / f"part-{self._files:05d}.parquet"
            self._file = _parquet.ParquetWriter(path, self._schema, compression="zstd")
            self._files += 1
        self._file.write_table(group, row_group_size=max(group.num_rows, 1))
        self.rows += group.num_rows
        self._file_rows += group.num_rows
        if self._file_rows >= FILE_ROWS:
            self._file.close()
            self._file, self._file_rows = None, 0


def _write_views(folder: Path) -> None:
    with duckdb.connect(str(folder / DATABASE)) as database:
        # The views keep the relative paths; this only lets them be checked while they are made.
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


def _last_blocks(database_url: str) -> dict[int, int]:
    """The last published block of each chain: what follows it may be half written."""
    with postgres.connect(database_url) as connection:
        rows = connection.execute(sql.load("exchange/published_blocks")).fetchall()
    return {row["chain_id"]: row["block_number"] for row in rows}


def _expected_rows(warehouse: Warehouse) -> int:
    return int(
        warehouse.scalar(
            "SELECT sum(total_rows) FROM system.tables "
            "WHERE database = currentDatabase() AND name IN {tables:Array(String)}",
            {"tables": list(MARTS.values())},
        )
        or 0
    )


class Advance:
    """Called with a mart and how many of its rows were written."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar

    def __call__(self, mart: str, rows: int) -> None:
        """Move the bar on."""
        self._bar.set_description(mart, refresh=False)
        self._bar.update(rows)


@contextmanager
def _progress(expected: int, show: bool | None) -> Iterator[Advance]:
    visible = sys.stderr.isatty() if show is None else show
    with tqdm(total=expected, unit=" rows", unit_scale=True, disable=not visible) as bar:
        yield Advance(bar)
