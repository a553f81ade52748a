"""The warehouse as the API reads it: connected on first use, so that the API starts, and says why it is not ready,
while the warehouse is still away."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from warehouse.breaker import Breaker, CircuitOpen, ended_by
from warehouse.clickhouse import UNKNOWN_CODE, ArrowTable, AsyncWarehouse, SentTable
from warehouse.errors import WarehouseUnavailable


class WarehouseReader:
    """Reads of the warehouse with a time limit each.

    Args:
        breaker: refuses reads while the warehouse is known not to answer.
    """

    def __init__(self, url: str, *, timeout_seconds: float, breaker: Breaker | None = None) -> None:
        self.url = url
        self.timeout_seconds = timeout_seconds
        self._breaker = breaker
        self._connecting: asyncio.Task[AsyncWarehouse] | None = None
        self._connected: AsyncWarehouse | None = None

    async def rows(
        self, sql: str, parameters: Mapping[str, Any] | None = None, *, timeout_seconds: float | None = None
    ) -> list[dict[str, Any]]:
        """Rows of one query; raises WarehouseUnavailable when they do not come in time."""
        async with self._guard():
            warehouse = await self._connection()
            return await warehouse.rows(sql, parameters, timeout_seconds=timeout_seconds or self.timeout_seconds)

    async def arrow(
        self, sql: str, parameters: Mapping[str, Any] | None = None, *, tables: Mapping[str, SentTable] | None = None
    ) -> ArrowTable:
        """The result as an Arrow table; ``tables`` are sent along with the query."""
        async with self._guard():
            warehouse = await self._connection()
            return await warehouse.arrow(sql, parameters, timeout_seconds=self.timeout_seconds, tables=tables)

    async def scalar(self, sql: str, parameters: Mapping[str, Any] | None = None) -> Any:
        """The first column of the first row, or None."""
        rows = await self.rows(sql, parameters)
        return next(iter(rows[0].values())) if rows else None

    async def close(self) -> None:
        """Close the connection, if one was made."""
        if self._connecting is not None:
            self._connecting.cancel()
        if self._connected is not None:
            await self._connected.close()
            self._connected = None

    @asynccontextmanager
    async def _guard(self) -> AsyncIterator[None]:
        """Refuse the read while the circuit is open, and end it when the circuit opens."""
        if self._breaker is None:
            yield
            return
        try:
            async with ended_by(self._breaker):
                yield
        except (CircuitOpen, TimeoutError) as error:
            raise WarehouseUnavailable(UNKNOWN_CODE, str(error) or "ClickHouse stopped answering") from error

    async def _connection(self) -> AsyncWarehouse:
        if self._connected is not None:
            return self._connected
        # All who come first share one attempt; each waits for it no longer than for an answer.
        if self._connecting is None:
            self._connecting = asyncio.create_task(self._connect())
            self._connecting.add_done_callback(self._attempted)
        return await asyncio.shield(self._connecting)

    async def _connect(self) -> AsyncWarehouse:
        try:
            async with asyncio.timeout(self.timeout_seconds):
                self._connected = await AsyncWarehouse.connect(self.url)
        except TimeoutError as error:
            raise WarehouseUnavailable(
                UNKNOWN_CODE, f"no connection to ClickHouse in {self.timeout_seconds:g} seconds"
            ) from error
        return self._connected

    def _attempted(self, attempt: "asyncio.Task[AsyncWarehouse]") -> None:
        self._connecting = None
        if not attempt.cancelled():
            attempt.exception()  # looked at, so that it is not reported when all who waited are gone
