"""The README of an export, made of the marts' declarations."""

from collections.abc import Iterator

from warehouse.export.manifest import MANIFEST, Manifest
from warehouse.storage import FolderStorage, Storage

DATABASE = "regalia.duckdb"
"""Of an export to a folder."""
VIEWS = "views.sql"
"""Of an export to a bucket."""


def attach_command(storage: Storage) -> str:
    """The command that opens an export with DuckDB, from anywhere."""
    if isinstance(storage, FolderStorage):
        return f"duckdb -cmd \"SET file_search_path = '{storage.root}'\" '{storage.root}/{DATABASE}'"
    return f"aws s3 cp {storage.shown}/{VIEWS} . && duckdb -init {VIEWS}"


def readme(storage: Storage, manifest: Manifest) -> str:
    """The text of ``README.md``."""
    return "\n".join(_lines(storage, manifest)) + "\n"


def _lines(storage: Storage, manifest: Manifest) -> Iterator[str]:
    yield "# Regalia's marts, exported"
    yield ""
    yield f"Publication {manifest.version}, written at {manifest.created_at}. `{MANIFEST}` names every file with its"
    yield "rows and SHA-256, the columns of each mart, and the last block of each chain."
    yield ""
    for chain, block in manifest.transfers_from.items():
        yield f"Transfers of chain {chain} are complete from block {block} on: older ones were dropped."
        yield ""
    yield "Open it with DuckDB:"
    yield ""
    yield f"    {attach_command(storage)}"
    yield ""
    if isinstance(storage, FolderStorage):
        yield f"`{DATABASE}` holds a view for each mart, which names the files relative to this folder: if you move it,"
        yield "name the new place in `file_search_path`."
    yield "Polars, pandas and Spark read the files themselves. Names and symbols are those of the time when a file was"
    yield "written."
    for name, mart in sorted(manifest.marts.items()):
        yield ""
        yield f"## {name}"
        yield ""
        yield f"{mart.comment} {mart.rows:,} rows."
        yield ""
        yield "| column | type | holds |"
        yield "|---|---|---|"
        for column in mart.columns:
            yield f"| `{column['name']}` | {column['type']} | {column['comment']} |"
