"""The embedded ClickHouse server on a data directory: its users and database, its record, when it ends by itself."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warehouse.marts.database import MAIN_DATABASE, MARTS_DATABASE, MARTS_PATTERN

from . import record
from .clickhouse.access import Users
from .clickhouse.server import serve as serve_directory
from .clickhouse.server import stop, url
from .layout import Layout
from .lifetime import when_parent_ends, when_unused

DATABASE = MAIN_DATABASE
OWNER, ANALYST = "regalia", "analyst"
_OWNER_PASSWORD = "clickhouse"  # noqa: S105 - the name of the file that holds it
_ANALYST_PASSWORD = "clickhouse-analyst"  # noqa: S105
_WAIT_SECONDS = 15.0


def owner_url(layout: Layout, port: int) -> str:
    """The URL the service itself connects with."""
    return url(OWNER, layout.password(_OWNER_PASSWORD), port, DATABASE)


def analyst_url(layout: Layout, port: int) -> str:
    """The URL that analysts connect with, to the marts."""
    return url(ANALYST, layout.password(_ANALYST_PASSWORD), port, MARTS_DATABASE)


def serve(
    data_dir: Path,
    port: int,
    *,
    analyst_internals: bool = False,
    exit_with_parent: bool = False,
    exit_when_unused: bool = False,
) -> None:
    """Run the server until SIGTERM or SIGINT. Port 0 takes a free one; it is recorded in the data directory.

    The analyst sees the marts, and with ``analyst_internals`` every database.

    Raises:
        DataDirectoryInUse: another process owns the engine's folder.
        OSError: the port is taken.
    """
    layout = Layout.of(data_dir)
    layout.prepare()
    if exit_with_parent:
        when_parent_ends(stop)

    @contextmanager
    def recorded(bound: int) -> Iterator[None]:
        record.write(layout, record.CLICKHOUSE, record.Entry.of_this_process(owner_url(layout, bound), bound))
        if exit_when_unused:
            when_unused(layout.run, lambda: record.remove(layout, record.CLICKHOUSE), stop)
        try:
            yield
        finally:
            record.remove(layout, record.CLICKHOUSE)

    serve_directory(
        layout.clickhouse,
        Users(
            layout.password(_OWNER_PASSWORD),
            layout.password(_ANALYST_PASSWORD),
            ("default", OWNER),
            ANALYST,
            analyst_database=MARTS_DATABASE,
            analyst_sees="" if analyst_internals else MARTS_PATTERN,
        ),
        port=port,
        database=DATABASE,
        name="regalia",
        # One that ended because nobody used it may still be closing when the next user comes.
        wait_seconds=_WAIT_SECONDS if exit_when_unused else 0.0,
        running=recorded,
    )
