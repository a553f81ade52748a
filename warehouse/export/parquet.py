"""Arrow batches to Parquet files of bounded size, through DuckDB."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

ROW_GROUP_ROWS = 256 * 1024
FILE_ROWS = 4 * 1024 * 1024
"""Both are upper bounds."""

_arrow: Any = pa


def write(folder: Path, schema: Any, batches: Iterable[Any]) -> list[tuple[Path, int]]:
    """Stream Arrow batches into ``folder``, which is made, as several files; each file and its rows, in order."""
    failures: list[Exception] = []
    stream = _arrow.RecordBatchReader.from_batches(schema, _keep_failure(batches, failures))
    options = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {ROW_GROUP_ROWS}"
    files = f"ROW_GROUPS_PER_FILE {-(-FILE_ROWS // ROW_GROUP_ROWS)}, FILENAME_PATTERN 'part-{{i}}'"
    with duckdb.connect(config={"threads": 1}) as database:
        database.execute("SET enable_progress_bar = false")  # it would go to standard output
        database.register("stream", stream)
        try:
            database.execute(f"COPY (FROM stream) TO '{quoted(folder)}' ({options}, {files})")
        except duckdb.Error as error:
            raise failures[0] if failures else error from None
        paths = sorted(folder.iterdir(), key=lambda path: int(path.stem.removeprefix("part-")))
        return [(path, _count(database, path)) for path in paths]


def quoted(path: Path | str) -> str:
    """A path within a literal of SQL."""
    return str(path).replace("'", "''")


def _count(database: Any, path: Path) -> int:
    found = database.execute("SELECT sum(num_rows) FROM parquet_file_metadata(?)", [str(path)]).fetchone()
    return int(found[0] or 0) if found else 0


def _keep_failure(batches: Iterable[Any], failures: list[Exception]) -> Iterator[Any]:
    """The batches; what ends them is kept, because DuckDB reports it as an error of its own."""
    try:
        yield from batches
    except Exception as error:  # a warehouse that is away, a batch that does not fit: raised again by the caller
        failures.append(error)
        raise
