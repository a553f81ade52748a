"""Run one statement as the analyst, who reads, and write its result in a format for people or programs."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from warehouse.clickhouse import Warehouse
from warehouse.embedded import record
from warehouse.embedded.clickhouse_server import analyst_url
from warehouse.embedded.layout import Layout
from warehouse.settings import EngineSettings


class Format(StrEnum):
    """How a result is written."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


# Settings would say the same, but a read-only user may not send them.
_COLOURED_TABLE = "PrettyCompactMonoBlock"
_CLICKHOUSE_FORMATS = {
    Format.TABLE: "PrettyCompactNoEscapesMonoBlock",
    Format.CSV: "CSVWithNames",
    Format.JSON: "JSONEachRow",
    Format.PARQUET: "Parquet",
}


class NoAnalyst(Exception):
    """No user is named for reading on a server of one's own."""


class BinaryOnTerminal(Exception):
    """Parquet would go to a terminal."""


def run(settings: EngineSettings, statement: str, form: Format, output: Path | None) -> None:
    """Run a statement and write its result to a file, or to standard output.

    Raises:
        NoAnalyst: the warehouse is a server of one's own, and ``analyst_url`` is not set.
        BinaryOnTerminal: the result is binary, and standard output is a terminal.
        WarehouseError: ClickHouse refuses the statement; the message is its own.
    """
    is_terminal = output is None and sys.stdout.isatty()
    if form is Format.PARQUET and is_terminal:
        raise BinaryOnTerminal("Parquet is binary: name a file with --output")
    written_as = _COLOURED_TABLE if form is Format.TABLE and is_terminal else _CLICKHOUSE_FORMATS[form]
    with Warehouse.connect(url_of_analyst(settings)) as warehouse:
        pieces = warehouse.stream(statement.strip().rstrip(";"), written_as)
        with pieces as received, _opened(output) as file:
            for piece in received:
                file.write(piece)


def url_of_analyst(settings: EngineSettings) -> str:
    """Where to connect as the analyst.

    Raises:
        NoAnalyst: see :func:`run`.
    """
    if settings.analyst_url is not None:
        return settings.analyst_url
    if settings.clickhouse_url is not None:
        raise NoAnalyst("set REGALIA_ANALYST_URL to the server's URL with the user and password of a reader")
    layout = Layout.of(settings.data_dir)
    return analyst_url(layout, record.read(layout)[record.CLICKHOUSE].port)


@contextmanager
def _opened(output: Path | None) -> Iterator[BinaryIO]:
    """The file to write to. It appears under its name when it is complete."""
    if output is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    draft = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        with draft.open("wb") as file:
            yield file
        draft.replace(output)
    finally:
        draft.unlink(missing_ok=True)
