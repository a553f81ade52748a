"""The store's copy: a dump at an exported snapshot, made and restored by PostgreSQL's own programs.

The dump is a folder with one file for each table, compressed. A table that did not change gives the same file again,
which a target then stores once.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict

from warehouse import postgres
from warehouse.embedded.postgres import binaries
from warehouse.postgres import Connection

_ENVIRONMENT_NAMES = {
    "host": "PGHOST",
    "hostaddr": "PGHOSTADDR",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
    "options": "PGOPTIONS",
    "connect_timeout": "PGCONNECT_TIMEOUT",
}


class DumpFailed(Exception):
    """``pg_dump`` or ``pg_restore`` failed; the message holds what it printed."""


@contextmanager
def snapshot(url: str) -> Iterator[tuple[Connection, str]]:
    """A connection whose transaction sees the store as it is now, and the snapshot's name for other connections."""
    with postgres.connect(url) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        row = connection.execute("SELECT pg_export_snapshot() AS name").fetchone()
        if row is None:
            raise DumpFailed("PostgreSQL exports no snapshot")
        yield connection, row["name"]
        connection.rollback()


def dump(url: str, snapshot_name: str, folder: Path) -> None:
    """Write the store as of a snapshot to ``folder``, which must not exist.

    Raises:
        DumpFailed: such as a server that is newer than our ``pg_dump``.
    """
    # Light compression: the dump runs beside the service.
    options = ("--format=directory", "--compress=gzip:3", "--no-owner", "--no-privileges", "--no-sync")
    _run(url, "pg_dump", f"--snapshot={snapshot_name}", *options, f"--file={folder}")


def restore(url: str, folder: Path, *, replace: bool) -> None:
    """Restore a dump in one transaction. ``replace`` first removes what the dump has, in the same transaction.

    Raises:
        DumpFailed: nothing was changed.
    """
    options = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"]
    if replace:
        options += ["--clean", "--if-exists"]
    _run(url, "pg_restore", *options, f"--dbname={conninfo_to_dict(postgres.plain_url(url)).get('dbname', '')}", folder)


def is_empty(url: str) -> bool:
    """Whether the database holds no table of anybody."""
    with postgres.connect(url, autocommit=True) as connection:
        return not postgres.run(connection, "schema/list_any_table")


def _run(url: str, program: str, *arguments: str | Path) -> None:
    given = conninfo_to_dict(postgres.plain_url(url))
    # Not as arguments, which every user of the machine can read.
    access = {_ENVIRONMENT_NAMES[name]: str(value) for name, value in given.items() if name in _ENVIRONMENT_NAMES}
    run = subprocess.run(
        [binaries() / program, *arguments], env=os.environ | access, stdin=subprocess.DEVNULL, capture_output=True
    )
    if run.returncode != 0:
        raise DumpFailed(f"{program}: {' '.join(run.stderr.decode(errors='replace').split())[-1000:]}")
