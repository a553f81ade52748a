"""The store as the API reads and writes it: one pool of connections, errors as ours.

Single reads go through ``row`` and ``rows`` (plain SQL, no transaction), the hottest through ``direct``; whatever
writes opens one ``transaction`` and is done when the block ends: nothing else commits.
"""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

from sqlalchemy import Executable, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from api.http.rendering import dumps
from warehouse import sql
from warehouse.direct_reads import DirectReads
from warehouse.errors import StoreUnavailable

Row = dict[str, Any]
# The job queue's tables and functions are in a schema of their own; its statements name none.
JOBS_OPTIONS = "-c search_path=public,jobs"
CONNECT_SECONDS = 5
_UNWIND_SECONDS = 0.5
_PING = text("SELECT")


class Store:
    """PostgreSQL behind a pool.

    Args:
        pool_size: most connections at a time.
        timeout_seconds: limit of one read, or of one transaction: waiting for a connection, making it, and all that is
            asked over it.
    """

    def __init__(self, url: str, *, pool_size: int = 10, timeout_seconds: float = 10.0) -> None:
        self.timeout_seconds = timeout_seconds
        milliseconds = max(1, round(1000 * timeout_seconds))
        options = {
            "connect_timeout": CONNECT_SECONDS,
            "application_name": "regalia-api",
            # A statement that nobody waits for any more is not to go on in the server.
            "options": f"{JOBS_OPTIONS} -c statement_timeout={milliseconds}",
            # A server that vanished from the network is noticed also where nobody is waiting.
            "tcp_user_timeout": milliseconds,
            "keepalives_idle": 10,
            "keepalives_interval": 5,
            "keepalives_count": 3,
        }
        self.engine: AsyncEngine = create_async_engine(
            make_url(url).set(drivername="postgresql+psycopg"),
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=timeout_seconds,
            connect_args=options,
            json_serializer=lambda value: dumps(value).decode(),
        )
        self.direct = DirectReads(url, options=options, timeout_seconds=timeout_seconds)
        self._reads = self.engine.execution_options(isolation_level="AUTOCOMMIT")

    async def rows(
        self,
        statement: str | Executable,
        parameters: Mapping[str, Any] | None = None,
        *,
        timeout_seconds: float | None = None,
    ) -> list[Row]:
        """Rows of one statement outside a transaction; ``:name`` stands for a parameter in text."""
        with _translated():
            async with self._connected(self._reads, timeout_seconds or self.timeout_seconds) as connection:
                result = await _execute_surely(connection, _executable(statement), dict(parameters or {}))
                return [dict(row) for row in result.mappings()]

    async def row(
        self,
        statement: str | Executable,
        parameters: Mapping[str, Any] | None = None,
        *,
        timeout_seconds: float | None = None,
    ) -> Row | None:
        """The first row, if there is one."""
        rows = await self.rows(statement, parameters, timeout_seconds=timeout_seconds)
        return rows[0] if rows else None

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator["Transaction"]:
        """One transaction: committed when the block ends, rolled back when it raises."""
        with _translated():
            async with self._connected(self.engine, self.timeout_seconds) as connection:
                await _execute_surely(connection, _PING, {})
                yield Transaction(connection)
                await connection.commit()

    @asynccontextmanager
    async def _connected(self, engine: AsyncEngine, seconds: float) -> AsyncIterator[AsyncConnection]:
        """A connection for so long."""
        limit = _Limit()
        timer = asyncio.get_running_loop().call_later(seconds, limit.end)
        try:
            async with limit.scope, engine.connect() as connection:
                limit.connection = connection
                yield connection
        except (OperationalError, InterfaceError, TimeoutError) as error:
            if not limit.over:
                raise
            raise StoreUnavailable(f"no answer in {seconds:g} seconds") from error
        finally:
            timer.cancel()

    async def close(self) -> None:
        """Close the pool."""
        await self.direct.close()
        await self.engine.dispose()


class _Limit:
    """Ends what is asked over a connection.

    The driver takes many seconds to give up on a server that has fallen silent, and its place in the pool is taken for
    as long. So the socket is shut down: the driver sees the connection end, and all unwinds in the usual way. Where
    there is no connection yet, the wait for one is cancelled.
    """

    def __init__(self) -> None:
        self.scope = asyncio.timeout(None)
        self.connection: AsyncConnection | None = None
        self.over = False

    def end(self) -> None:
        """The time is over."""
        self.over = True
        waits_for_server = self._shut_down()
        self.scope.reschedule(asyncio.get_running_loop().time() + (_UNWIND_SECONDS if waits_for_server else 0))

    def _shut_down(self) -> bool:
        connected = self.connection.sync_connection if self.connection is not None else None
        if connected is None or connected.closed or connected.invalidated:
            return False
        raw: Any = connected.connection.driver_connection
        if raw.closed:
            return False
        # The driver keeps the descriptor; a copy of it is enough to end the connection that both stand for.
        with socket.socket(fileno=os.dup(raw.fileno())) as line, suppress(OSError):
            line.shutdown(socket.SHUT_RDWR)
        return True


async def _execute_surely(connection: AsyncConnection, statement: Executable, parameters: Row) -> Any:
    """Run the first statement over a connection; once more over a new one where the server had closed this one while
    it was idle."""
    try:
        return await connection.execute(statement, parameters)
    except OperationalError as error:
        if not error.connection_invalidated:
            raise
        await connection.rollback()
        return await connection.execute(statement, parameters)


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
        """Run a statement of ``sql/store``, which the pipelines run too; the answer is how many rows it touched."""
        result = await self.connection.exec_driver_sql(sql.load(f"store/{name}"), dict(parameters))
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
