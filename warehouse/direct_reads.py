"""Single reads of the store over the driver itself: a fifth of what the same read costs through SQLAlchemy.

For the hottest reads by key, and for the limiter that all processes share; everything else goes through the API's
SQLAlchemy store. Statements are files below ``sql/store``, with parameters as ``%(name)s``.
"""

import asyncio
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import psycopg
from psycopg.rows import dict_row

from warehouse import sql
from warehouse.errors import StoreUnavailable
from warehouse.postgres import plain_url

CONNECTIONS = 4
_UNWIND_SECONDS = 0.5
Line = psycopg.AsyncConnection[dict[str, Any]]


class DirectReads:
    """A few connections, made when they are first needed.

    Args:
        options: of each connection, as libpq takes them.
        timeout_seconds: limit of one read: waiting for a connection, making it, and the answer.
    """

    def __init__(self, url: str, *, options: Mapping[str, Any], timeout_seconds: float) -> None:
        self._url = plain_url(url)
        self._options = dict(options)
        self.timeout_seconds = timeout_seconds
        self._idle: list[Line] = []
        self._closed = False
        self._turns = asyncio.Semaphore(CONNECTIONS)

    async def rows(self, name: str, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Rows of the statement ``sql/store/<name>.sql``; one whose connection ends under it may be run again.

        Raises:
            StoreUnavailable: the store is not there, or does not answer in time.
        """
        statement = sql.load(f"store/{name}").encode()
        limit = _Limit()
        timer = asyncio.get_running_loop().call_later(self.timeout_seconds, limit.end)
        try:
            async with limit.scope, self._turns:
                return await self._read(limit, statement, parameters)
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise StoreUnavailable(self._silent() if limit.over else str(error)) from error
        except TimeoutError as error:
            raise StoreUnavailable(self._silent()) from error
        finally:
            timer.cancel()

    async def row(self, name: str, parameters: Mapping[str, Any]) -> dict[str, Any] | None:
        """The first row, if there is one; see :meth:`rows`."""
        rows = await self.rows(name, parameters)
        return rows[0] if rows else None

    async def close(self) -> None:
        """Close the connections that are idle; the others close when their read ends."""
        self._closed = True
        await self._close_idle()

    async def _close_idle(self) -> None:
        idle, self._idle = self._idle, []
        for line in idle:
            await line.close()

    def _silent(self) -> str:
        return f"no answer in {self.timeout_seconds:g} seconds"

    async def _read(self, limit: "_Limit", statement: bytes, parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
        if self._idle:
            try:
                return await self._ask(limit, self._idle.pop(), statement, parameters)
            except psycopg.OperationalError:
                # The server had closed it while it was idle, and the others most likely with it.
                if limit.over:
                    raise
                await self._close_idle()
        line = await psycopg.AsyncConnection.connect(
            self._url, autocommit=True, row_factory=dict_row, prepare_threshold=2, **self._options
        )
        return await self._ask(limit, line, statement, parameters)

    async def _ask(
        self, limit: "_Limit", line: Line, statement: bytes, parameters: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        limit.line = line
        try:
            cursor = await line.execute(statement, parameters)
            rows = await cursor.fetchall()
        except BaseException:
            # Whatever state it is in, the next read is better off with another one.
            await line.close()
            raise
        self._idle.append(line)
        if self._closed:
            await self._close_idle()
        return rows


class _Limit:
    """Ends a read. The driver waits many seconds for a server that has fallen silent: its socket is shut down, and the
    read fails as on any lost connection. Where there is no connection yet, the wait for one is cancelled."""

    def __init__(self) -> None:
        self.scope = asyncio.timeout(None)
        self.line: Line | None = None
        self.over = False

    def end(self) -> None:
        """The time is over."""
        self.over = True
        asked = self.line is not None and not self.line.closed
        if self.line is not None and asked:
            with socket.socket(fileno=os.dup(self.line.fileno())) as line, suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
        self.scope.reschedule(asyncio.get_running_loop().time() + (_UNWIND_SECONDS if asked else 0))
