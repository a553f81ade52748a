"""PostgreSQL for async code: one pool of psycopg connections, and errors as ours.

A single statement runs through ``Store.row`` or ``Store.rows`` and commits by itself; several that belong together run
inside ``Store.transaction``, which commits when its block ends. A statement is named by its file below ``sql/store``,
such as ``accounts/list_keys``; a few words of SQL may be given instead. Statements have ``%(name)s`` parameters and
write a literal percent sign as ``%%``. Rows are dictionaries, or the record class that the caller names, whose fields
must be the statement's columns.

psycopg_pool makes connections in the background, so callers wait for its whole timeout while the server is away. Here
the caller connects, and learns at once that nobody answers.
"""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from functools import lru_cache
from typing import Any, TypeVar, overload

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.rows import class_row, dict_row

from warehouse import sql, tracing
from warehouse.breaker import Breaker, CircuitOpen
from warehouse.errors import StoreUnavailable
from warehouse.postgres import SYSTEM, plain_url

Row = dict[str, Any]
Parameters = Mapping[str, Any]
Record = TypeVar("Record")
Connection = psycopg.AsyncConnection[Any]

CONNECT_SECONDS = 5
# The job queue's tables and functions are in a schema of their own; its statements name none.
SEARCH_PATH = "public,jobs"
# A statement is prepared when a connection runs it for the second time.
_PREPARE_AFTER = 1
_UNWIND_SECONDS = 0.5
OUTAGES = (psycopg.OperationalError, psycopg.InterfaceError, TimeoutError)
"""What a statement raises when the server is away, and now and then while it is not."""


class Store:
    """PostgreSQL behind a pool; a connection is made when none is idle.

    Args:
        pool_size: most connections at a time.
        timeout_seconds: limit of one statement, or of one transaction: waiting for a connection, making it, and
            everything that runs over it.
        application_name: as the server lists the connections.
        settings: further settings of the server's sessions.
        breaker: refuses statements while the server is known not to answer.
    """

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = 10,
        timeout_seconds: float = 10.0,
        application_name: str = "regalia-api",
        settings: Mapping[str, str] | None = None,
        breaker: Breaker | None = None,
    ) -> None:
        self.pool_size = pool_size
        self.timeout_seconds = timeout_seconds
        milliseconds = max(1, round(1000 * timeout_seconds))
        # A statement that nobody waits for any more must not go on in the server.
        session = {"search_path": SEARCH_PATH, "statement_timeout": str(milliseconds), **(settings or {})}
        self._url = plain_url(url)
        self._options: dict[str, Any] = {
            "connect_timeout": CONNECT_SECONDS,
            "application_name": application_name,
            "options": " ".join(f"-c {name}={value}" for name, value in session.items()),
            # A server that vanished from the network is noticed even when nobody is waiting.
            "tcp_user_timeout": milliseconds,
            "keepalives_idle": 10,
            "keepalives_interval": 5,
            "keepalives_count": 3,
        }
        self._idle: list[Connection] = []
        self._in_use = 0
        self._slots = asyncio.Semaphore(pool_size)
        self._closed = False
        self.breaker = breaker

    @property
    def connections_in_use(self) -> int:
        """Connections that a statement or a transaction has now."""
        return self._in_use

    @property
    def connections_idle(self) -> int:
        """Open connections that wait for work."""
        return len(self._idle)

    @overload
    async def rows(
        self,
        statement: str,
        parameters: Parameters | None = None,
        record: None = None,
        *,
        timeout_seconds: float | None = None,
    ) -> list[Row]: ...

    @overload
    async def rows(
        self,
        statement: str,
        parameters: Parameters | None,
        record: type[Record],
        *,
        timeout_seconds: float | None = None,
    ) -> list[Record]: ...

    async def rows(
        self,
        statement: str,
        parameters: Parameters | None = None,
        record: type[Any] | None = None,
        *,
        timeout_seconds: float | None = None,
    ) -> list[Any]:
        """Rows of one statement outside a transaction: a read, or what may run twice. A statement whose connection was
        closed while it was idle runs again over another one.

        Raises:
            StoreUnavailable: the store is away, or does not answer in time.
        """
        deadline = _Deadline(timeout_seconds or self.timeout_seconds)
        try:
            with self._guard(deadline):
                async with deadline.scope, self._slots:
                    connection, rows = await self._start(deadline, statement, parameters, record)
                    await self._release(connection)
                    return rows
        except (CircuitOpen, *OUTAGES) as error:
            raise deadline.unavailable(error) from error
        finally:
            deadline.cancel()

    @overload
    async def row(
        self,
        statement: str,
        parameters: Parameters | None = None,
        record: None = None,
        *,
        timeout_seconds: float | None = None,
    ) -> Row | None: ...

    @overload
    async def row(
        self,
        statement: str,
        parameters: Parameters | None,
        record: type[Record],
        *,
        timeout_seconds: float | None = None,
    ) -> Record | None: ...

    async def row(
        self,
        statement: str,
        parameters: Parameters | None = None,
        record: type[Any] | None = None,
        *,
        timeout_seconds: float | None = None,
    ) -> Any:
        """The first row, if there is one; see :meth:`rows`."""
        rows = await self.rows(statement, parameters, record, timeout_seconds=timeout_seconds)
        return rows[0] if rows else None

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator["Transaction"]:
        """One transaction: committed when the block ends, rolled back when it raises.

        Raises:
            StoreUnavailable: the store is away, or the block and its statements take too long.
        """
        deadline = _Deadline(self.timeout_seconds)
        try:
            with self._guard(deadline):
                async with deadline.scope, self._slots:
                    connection, _ = await self._start(deadline, "BEGIN TRANSACTION", None, None)
                    try:
                        yield Transaction(connection)
                        await connection.execute(b"COMMIT")
                    except Exception:  # whatever the block raised; when it is cancelled, its connection is closed
                        with suppress(psycopg.Error):
                            await connection.execute(b"ROLLBACK")
                        raise
                    finally:
                        await self._release(connection)
        except (CircuitOpen, psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise deadline.unavailable(error) from error
        except TimeoutError as error:
            if not deadline.over:
                raise
            raise deadline.unavailable(error) from error
        finally:
            deadline.cancel()

    async def close(self) -> None:
        """Close the idle connections; the others close when their work ends."""
        self._closed = True
        await self._close_idle()

    def _guard(self, deadline: "_Deadline") -> AbstractContextManager[None]:
        """Refuse the work while the circuit is open, and end it when the circuit opens."""
        return nullcontext() if self.breaker is None else self.breaker.call(deadline.end)

    async def _start(
        self, deadline: "_Deadline", statement: str, parameters: Parameters | None, record: type[Any] | None
    ) -> tuple[Connection, list[Any]]:
        """Take a connection and run its first statement, over a new connection where the idle one was dead."""
        if self._idle:
            connection = self._idle.pop()
            try:
                return connection, await self._run(deadline, connection, statement, parameters, record)
            except psycopg.OperationalError:
                if deadline.over or not connection.closed:
                    raise
                # The server closed it while it was idle, and most likely the others with it.
                await self._close_idle()
        connection = await self._connect()
        return connection, await self._run(deadline, connection, statement, parameters, record)

    async def _connect(self) -> Connection:
        """A new connection.

        It is made in a task of its own. If the caller is cancelled meanwhile, its exception may keep what it ran until
        garbage is collected. A socket in the middle of a login would stay open for as long, and hold up every DROP
        DATABASE in the server.
        """
        connecting = asyncio.create_task(
            psycopg.AsyncConnection.connect(
                self._url, autocommit=True, prepare_threshold=_PREPARE_AFTER, **self._options
            )
        )
        try:
            return await asyncio.shield(connecting)
        except asyncio.CancelledError:
            connecting.cancel()
            connecting.add_done_callback(_close_unused)
            raise
        finally:
            del connecting

    async def _run(
        self,
        deadline: "_Deadline",
        connection: Connection,
        statement: str,
        parameters: Parameters | None,
        record: type[Any] | None,
    ) -> list[Any]:
        deadline.connection = connection
        self._in_use += 1
        try:
            return await _fetch(connection, statement, parameters, record)
        except psycopg.Error:
            await self._release(connection)
            raise
        except BaseException:  # cancelled in the middle of a statement: nobody reads its answer
            self._in_use -= 1
            await connection.close()
            raise

    async def _release(self, connection: Connection) -> None:
        """Give a connection back, or close it where a statement or a transaction is still open over it."""
        self._in_use -= 1
        if connection.info.transaction_status != TransactionStatus.IDLE or self._closed:
            await connection.close()
        else:
            self._idle.append(connection)

    async def _close_idle(self) -> None:
        idle, self._idle = self._idle, []
        for connection in idle:
            await connection.close()


class Transaction:
    """Statements inside one transaction. ``connection`` is psycopg's own, for a library that joins it."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    @overload
    async def rows(self, statement: str, parameters: Parameters | None = None, record: None = None) -> list[Row]: ...

    @overload
    async def rows(self, statement: str, parameters: Parameters | None, record: type[Record]) -> list[Record]: ...

    async def rows(
        self, statement: str, parameters: Parameters | None = None, record: type[Any] | None = None
    ) -> list[Any]:
        """Rows of one statement."""
        return await _fetch(self.connection, statement, parameters, record)

    @overload
    async def row(self, statement: str, parameters: Parameters | None = None, record: None = None) -> Row | None: ...

    @overload
    async def row(self, statement: str, parameters: Parameters | None, record: type[Record]) -> Record | None: ...

    async def row(self, statement: str, parameters: Parameters | None = None, record: type[Any] | None = None) -> Any:
        """The first row, if there is one."""
        rows = await _fetch(self.connection, statement, parameters, record)
        return rows[0] if rows else None

    async def execute(self, statement: str, parameters: Parameters | None = None) -> int:
        """Run a statement; the answer is how many rows it touched."""
        text = _text(statement)
        with tracing.statement(SYSTEM, text):
            cursor = await self.connection.execute(text.encode(), parameters or {})
        return cursor.rowcount


def _close_unused(connecting: "asyncio.Task[Connection]") -> None:
    """Close a connection that was made in the moment in which its caller left."""
    if not connecting.cancelled() and connecting.exception() is None:
        connecting.result().pgconn.finish()


@lru_cache(maxsize=1000)
def _text(statement: str) -> str:
    """The SQL of a named statement, or what is SQL already: only that has a space."""
    return statement if " " in statement else sql.load(f"store/{statement}")


async def _fetch(
    connection: Connection, statement: str, parameters: Parameters | None, record: type[Any] | None
) -> list[Any]:
    cursor = connection.cursor(row_factory=dict_row if record is None else class_row(record))
    text = _text(statement)
    with tracing.statement(SYSTEM, text):
        await cursor.execute(text.encode(), parameters or {})
        return await cursor.fetchall() if cursor.description is not None else []


class _Deadline:
    """Ends what runs over a connection when its time is over.

    The driver takes many seconds to give up on a server that has fallen silent, and its slot in the pool is taken for
    as long. So the socket is shut down: the driver sees the connection end, and all unwinds in the usual way. Where
    there is no connection yet, the wait for one is cancelled.
    """

    __slots__ = ("_began", "_timer", "connection", "over", "scope", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.scope = asyncio.timeout(None)
        self.connection: Connection | None = None
        self.over = False
        self._began = asyncio.get_running_loop().time()
        self._timer = asyncio.get_running_loop().call_later(seconds, self.end)

    def cancel(self) -> None:
        """The work is done."""
        self._timer.cancel()

    def unavailable(self, error: Exception) -> StoreUnavailable:
        """The error to raise for one that means the store is away."""
        return StoreUnavailable(f"no answer in {self.seconds:.1f} seconds" if self.over else str(error))

    def end(self) -> None:
        """End the work, unless that was done."""
        if self.over:
            return
        self.over = True
        self.seconds = asyncio.get_running_loop().time() - self._began
        connected = self.connection is not None and not self.connection.closed
        if self.connection is not None and connected:
            # The driver keeps the descriptor; a copy of it is enough to end the connection that both stand for.
            with socket.socket(fileno=os.dup(self.connection.fileno())) as line, suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
        self.scope.reschedule(asyncio.get_running_loop().time() + (_UNWIND_SECONDS if connected else 0))
