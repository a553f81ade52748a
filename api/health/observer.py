"""The part of /metrics about the rest of the service, read at each scrape with one query per engine.

A scrape has connections of its own, so it neither waits for the requests that it reports on nor takes a connection from
them. An engine that does not answer in time is reported as down; its late answer is used by the next scrape. Readings
are cached for a second.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from api.health.state import QueueState, StoreState
from api.health.storage import WarehouseState
from api.warehouse import WarehouseReader
from warehouse import sql
from warehouse.engines import EngineUrls
from warehouse.errors import StoreUnavailable, WarehouseError, WarehouseUnavailable
from warehouse.postgres import ProgrammingError
from warehouse.store import Store

LOG = logging.getLogger(__name__)
GOOD_FOR_SECONDS = 1.0
PATIENCE_SECONDS = 0.5
"""The longest a scrape waits for an engine."""
_LIMIT_SECONDS = 5.0


Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Reading(Generic[Answer]):
    """The last reading of an engine. ``answer`` is None when it is down or not migrated."""

    up: bool
    seconds: float
    answer: Answer | None = None


class Watched(Generic[Answer]):
    """One engine, with at most one query at a time."""

    def __init__(self, name: str, ask: Callable[[], Awaitable[Answer | None]]) -> None:
        self.name = name
        self._ask = ask
        self._reading: Reading[Answer] = Reading(up=False, seconds=0.0)
        self._asked_at = float("-inf")
        self._question: asyncio.Task[None] | None = None

    async def read(self) -> Reading[Answer]:
        """The current reading, at most a second old, or that the engine does not answer in time."""
        if self._question is None or self._question.done():
            if time.monotonic() - self._asked_at < GOOD_FOR_SECONDS:
                return self._reading
            self._asked_at = time.monotonic()
            self._question = asyncio.create_task(self._look())
        began = time.monotonic()
        done, _ = await asyncio.wait({self._question}, timeout=PATIENCE_SECONDS)
        return self._reading if done else Reading(up=False, seconds=time.monotonic() - began)

    async def close(self) -> None:
        """Stop the query that is running."""
        if self._question is not None:
            self._question.cancel()
            await asyncio.wait({self._question})

    async def _look(self) -> None:
        began = time.monotonic()
        up, answer = True, None
        try:
            async with asyncio.timeout(_LIMIT_SECONDS):
                answer = await self._ask()
        except (StoreUnavailable, WarehouseUnavailable, TimeoutError) as error:
            LOG.debug("metrics without the %s: %s", self.name, error)
            up = False
        except (ProgrammingError, WarehouseError) as error:
            LOG.debug("the %s answers, but is not migrated: %s", self.name, error)
        self._reading = Reading(up, time.monotonic() - began, answer)


class Observer:
    """The readings of the store and the warehouse."""

    def __init__(self, urls: EngineUrls) -> None:
        self._store = Store(urls.database_url, pool_size=1, timeout_seconds=_LIMIT_SECONDS)
        self._warehouse = WarehouseReader(urls.clickhouse_url, timeout_seconds=_LIMIT_SECONDS)
        self.store: Watched[StoreState] = Watched("store", self._state)
        self.warehouse: Watched[WarehouseState] = Watched("warehouse", self._storage)

    async def close(self) -> None:
        """Close the connections."""
        await self.store.close()
        await self.warehouse.close()
        await self._store.close()
        await self._warehouse.close()

    async def _state(self) -> StoreState | None:
        row = await self._store.row("health/read_state")
        if row is None:
            return None
        state = StoreState.of(row["state"])
        if not state.has_dagster:
            return state
        runs = await self._store.rows("health/count_dagster_runs")
        return replace(state, queues=[*state.queues, *(QueueState(**row) for row in runs)])

    async def _storage(self) -> WarehouseState | None:
        rows = await self._warehouse.rows(sql.load("queries/health/read_state"))
        return WarehouseState.of(rows[0]) if rows else None
