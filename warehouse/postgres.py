"""PostgreSQL for code that is not async: connections over psycopg, statements by name, and URLs for SQLAlchemy.

The async pool is ``warehouse.store``.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, TypeVar

import psycopg
from psycopg.errors import ProgrammingError, UniqueViolation
from psycopg.rows import DictRow, dict_row
from psycopg.types.json import Jsonb

from warehouse import sql, tracing
from warehouse.errors import StoreUnavailable

Connection = psycopg.Connection[DictRow]
Record = TypeVar("Record")

CONNECT_SECONDS = 10
SYSTEM = "postgresql"
"""What traces call the engine."""

# What a lost connection raises in the middle of a statement.
ConnectionLost = psycopg.OperationalError

__all__ = [
    "CONNECT_SECONDS",
    "Connection",
    "ConnectionLost",
    "Jsonb",
    "KeptConnection",
    "ProgrammingError",
    "UniqueViolation",
    "connect",
    "execute",
    "plain_url",
    "records",
    "run",
    "sqlalchemy_url",
    "transaction",
    "with_database",
]


def connect(url: str, autocommit: bool = False) -> Connection:
    """Connect; rows are dictionaries.

    Raises:
        StoreUnavailable: nobody answers, or the credentials are wrong.
    """
    try:
        return psycopg.connect(
            plain_url(url), autocommit=autocommit, connect_timeout=CONNECT_SECONDS, row_factory=dict_row
        )
    except psycopg.OperationalError as error:
        raise StoreUnavailable(f"PostgreSQL does not answer: {error}") from error


class KeptConnection:
    """A connection that commits by itself, kept between uses by one thread at a time. Making one costs the server a
    process and both sides a check of the password: ten milliseconds of CPU."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._kept: Connection | None = None

    @contextmanager
    def lent(self) -> Iterator[Connection]:
        """The connection, a new one if the server closed it meanwhile. It is closed if the block raises.

        Raises:
            StoreUnavailable: nobody answers, or the credentials are wrong.
        """
        connection = self._take() or connect(self._url, autocommit=True)
        try:
            yield connection
        except BaseException:  # whatever was under way over it ends with it
            connection.close()
            raise
        self._kept = connection

    def close(self) -> None:
        """Close it."""
        if self._kept is not None:
            self._kept.close()

    def _take(self) -> Connection | None:
        kept, self._kept = self._kept, None
        if kept is None:
            return None
        try:
            kept.execute("SELECT 1")
        except psycopg.OperationalError:
            kept.close()
            return None
        return kept


@contextmanager
def transaction(url: str) -> Iterator[Connection]:
    """One transaction over a connection of its own.

    Raises:
        StoreUnavailable: nobody answers, or the connection is lost on the way.
    """
    try:
        with connect(url) as connection:
            yield connection
    except psycopg.OperationalError as error:
        raise StoreUnavailable(f"PostgreSQL does not answer: {error}") from error


def run(connection: Connection, statement: str, parameters: Mapping[str, Any] | None = None) -> list[DictRow]:
    """Run a statement named by its file below ``sql/store``; its rows, if it returns any."""
    text = sql.load(f"store/{statement}")
    with tracing.statement(SYSTEM, text):
        cursor = connection.execute(text.encode(), parameters or {})
        return cursor.fetchall() if cursor.description else []


def execute(connection: Connection, statement: str, parameters: Mapping[str, Any] | None = None) -> int:
    """Run a statement named by its file below ``sql/store``; returns the number of rows it changed."""
    text = sql.load(f"store/{statement}")
    with tracing.statement(SYSTEM, text):
        return connection.execute(text.encode(), parameters or {}).rowcount


def records(
    connection: Connection, record: type[Record], statement: str, parameters: Mapping[str, Any] | None = None
) -> list[Record]:
    """Run a query and return its rows as ``record``, a class whose fields are named as the query's columns."""
    return [record(**row) for row in run(connection, statement, parameters)]


def plain_url(url: str) -> str:
    """The URL as libpq knows it, without SQLAlchemy's name of a driver."""
    scheme, separator, rest = url.partition("://")
    return f"{scheme.partition('+')[0]}{separator}{rest}"


def sqlalchemy_url(url: str, driver: Literal["psycopg", "psycopg2"] = "psycopg") -> str:
    """The URL for SQLAlchemy with the driver named: what a bare ``postgresql://`` means depends on the version."""
    from sqlalchemy.engine import make_url

    parsed: Any = make_url(plain_url(url)).set(drivername=f"postgresql+{driver}")
    text: str = parsed.render_as_string(hide_password=False)
    return text


def with_database(url: str, database: str) -> str:
    """The same server, another database."""
    from sqlalchemy.engine import make_url

    text: str = make_url(plain_url(url)).set(database=database).render_as_string(hide_password=False)
    return text
