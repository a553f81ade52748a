"""The store as the API reads and writes it: one pool of connections, errors as ours.

Single reads go through ``row`` and ``rows`` (plain SQL, no transaction); whatever writes opens one ``transaction``
and is done when the block ends: nothing else commits.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from sqlalchemy import Executable, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from api.core.rendering import dumps
from warehouse import sql
from warehouse.errors import StoreUnavailable

Row = dict[str, Any]
# The job queue's tables and functions are in a schema of their own; its statements name none.
JOBS_OPTIONS = "-c search_path=public,jobs"


class Store:
    """PostgreSQL behind a pool.

    Args:
        pool_size: most connections at a time.
        timeout_seconds: limit of one read, and of waiting for a connection.
    """

    def __init__(self, url: str, *, pool_size: int = 10, timeout_seconds: float = 10.0) -> None:
        self.timeout_seconds = timeout_seconds
        self._abandoned: set[asyncio.Task[list[Row]]] = set()
        self.engine: AsyncEngine = create_async_engine(
            make_url(url).set(drivername="postgresql+psycopg"),
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=timeout_seconds,
            connect_args={"connect_timeout": 5, "application_name": "regalia-api", "options": JOBS_OPTIONS},
            json_serializer=lambda value: dumps(value).decode(),
        )
        self._reads = self.engine.execution_options(isolation_level="AUTOCOMMIT")

    async def rows(self, statement: str | Executable, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """Rows of one statement outside a transaction; ``:name`` stands for a parameter in text."""
        with _translated():
            return await self._limited(self._read_again(statement, parameters))

    async def row(self, statement: str | Executable, parameters: Mapping[str, Any] | None = None) -> Row | None:
        """The first row, if there is one."""
        rows = await self.rows(statement, parameters)
        return rows[0] if rows else None

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator["Transaction"]:
        """One transaction: committed when the block ends, rolled back when it raises."""
        with _translated():
            async with self.engine.begin() as connection:
                yield Transaction(connection)

    async def _limited(self, reading: Coroutine[Any, Any, list[Row]]) -> list[Row]:
        """What the reading gives, within the time allowed. The driver takes many seconds to give up on a server that
        has fallen silent; it is left to that by itself, and nobody waits for it."""
        task = asyncio.create_task(reading)
        try:
            done, _ = await asyncio.wait({task}, timeout=self.timeout_seconds)
        finally:
            if not task.done():
                task.cancel()
                self._abandoned.add(task)
                task.add_done_callback(self._forget)
        if not done:
            raise StoreUnavailable(f"no answer in {self.timeout_seconds:g} seconds")
        return task.result()

    def _forget(self, task: "asyncio.Task[list[Row]]") -> None:
        self._abandoned.discard(task)
        if not task.cancelled():
            task.exception()  # looked at, so that it is not reported: the caller was answered long ago

    async def _read_again(self, statement: str | Executable, parameters: Mapping[str, Any] | None) -> list[Row]:
        try:
            return await self._read(statement, parameters)
        except OperationalError as error:
            if not error.connection_invalidated:
                raise
            return await self._read(statement, parameters)  # the server had closed an idle connection

    async def _read(self, statement: str | Executable, parameters: Mapping[str, Any] | None) -> list[Row]:
        async with self._reads.connect() as connection:
            result = await connection.execute(_executable(statement), dict(parameters or {}))
            return [dict(row) for row in result.mappings()]

    async def close(self) -> None:
        """Close the pool."""
        await self.engine.dispose()


class Transaction:
    """What may be done inside a transaction."""

    def __init__(self, connection: AsyncConnection) -> None:
        self.connection = connection

    async def rows(self, statement: str | Executable, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """Rows of one statement."""
        result = await self.connection.execute(_executable(statement), dict(parameters or {}))
        return [dict(row) for row in result.mappings()]

    async def row(self, statement: str | Executable, parameters: Mapping[str, Any] | None = None) -> Row | None:
        """The first row, if there is one."""
        rows = await self.rows(statement, parameters)
        return rows[0] if rows else None

    async def execute(
        self,
        statement: str | Executable,
        parameters: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    ) -> int:
        """Run a statement; the answer is how many rows it touched."""
        result = await self.connection.execute(_executable(statement), parameters or {})
        return int(result.rowcount)

    async def exchange(self, name: str, parameters: Mapping[str, Any]) -> int:
        """Run a statement of ``sql/exchange``, which the pipelines run too; the answer is how many rows it touched."""
        result = await self.connection.exec_driver_sql(sql.load(f"exchange/{name}"), dict(parameters))
        return int(result.rowcount)

    async def driver_connection(self) -> Any:
        """The driver's own connection, for a library that joins the transaction."""
        raw = await self.connection.get_raw_connection()
        return raw.driver_connection


def _executable(statement: str | Executable) -> Executable:
    return text(statement) if isinstance(statement, str) else statement


@contextmanager
def _translated() -> Iterator[None]:
    """Raise StoreUnavailable for what means that the store is not there, and nothing else."""
    try:
        yield
    except PoolTimeout as error:
        raise StoreUnavailable(f"no free connection: {error}") from error
    except (OperationalError, InterfaceError) as error:
        raise StoreUnavailable(str(error.orig)) from error
    except DBAPIError as error:
        if error.connection_invalidated:
            raise StoreUnavailable(str(error.orig)) from error
        raise
