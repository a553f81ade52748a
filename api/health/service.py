"""Readiness: the store, the warehouse and their migrations."""

import asyncio
import logging
import time
from collections.abc import Mapping
from typing import Any, ClassVar

from api.http.errors import Unavailable
from api.warehouse import WarehouseReader
from warehouse import migrate
from warehouse.engines import EngineUrls
from warehouse.errors import MigrationError, StoreUnavailable, WarehouseError
from warehouse.store import Store

LOG = logging.getLogger(__name__)
_GOOD_FOR_SECONDS = 1.0
_PING_SECONDS = 3.0


class NotReady(Unavailable):
    """A part that requests need is missing."""

    code = "NOT_READY"
    text = "store: does not answer"
    example_details: ClassVar[Mapping[str, Any]] = {"reasons": {"store": "does not answer"}}

    def __init__(self, problems: Mapping[str, str]) -> None:
        message = "; ".join(f"{part}: {problem}" for part, problem in problems.items())
        super().__init__(message, retry_after_seconds=1, details={"reasons": dict(problems)})


class Readiness:
    """Checks that the store and the warehouse answer and are migrated; success is cached for a second."""

    def __init__(self, store: Store, warehouse: WarehouseReader, urls: EngineUrls) -> None:
        self.store = store
        self.warehouse = warehouse
        self.urls = urls
        self._good_until = 0.0
        self._migrated = False

    async def problems(self) -> dict[str, str]:
        """What is missing, by part; empty when all is well."""
        if time.monotonic() < self._good_until:
            return {}
        found = await asyncio.gather(self._store(), self._warehouse())
        problems = {part: text for part, text in zip(("store", "warehouse"), found, strict=True) if text is not None}
        if not problems and not self._migrated:
            problem = await self._migrations()
            if problem is not None:
                problems["migrations"] = problem
        if not problems:
            self._good_until = time.monotonic() + _GOOD_FOR_SECONDS
        return problems

    async def _store(self) -> str | None:
        try:
            await self.store.row("SELECT 1 AS alive", timeout_seconds=_PING_SECONDS)
        except StoreUnavailable:
            LOG.warning("the store does not answer", exc_info=True)
            return "does not answer"
        return None

    async def _warehouse(self) -> str | None:
        try:
            await self.warehouse.rows("SELECT 1 AS alive", timeout_seconds=_PING_SECONDS)
        except WarehouseError:
            LOG.warning("the warehouse does not answer", exc_info=True)
            return "does not answer"
        return None

    async def _migrations(self) -> str | None:
        """Checked until it succeeds: applied migrations stay applied."""
        try:
            status = await asyncio.to_thread(migrate.status, self.urls.clickhouse_url, self.urls.database_url)
        except (MigrationError, WarehouseError, StoreUnavailable) as error:
            return str(error)
        pending = [*status.warehouse_pending, *status.store_pending]
        self._migrated = not pending
        return f"not applied: {', '.join(pending)}" if pending else None
