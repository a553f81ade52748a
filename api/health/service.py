"""Readiness: the store, the warehouse and their migrations."""

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from api.http.errors import Unavailable
from api.http.rendering import Wire
from api.warehouse import WarehouseReader
from warehouse import migrate
from warehouse.breaker import Breaker
from warehouse.engines import EngineUrls
from warehouse.errors import MigrationError, StoreUnavailable, WarehouseError
from warehouse.store import Store

LOG = logging.getLogger(__name__)
_GOOD_FOR_SECONDS = 1.0
_BAD_FOR_SECONDS = 0.1
_PING_SECONDS = 3.0


CIRCUITS: Final[Mapping[str, Literal["closed", "open"]]] = {"store": "closed", "warehouse": "closed", "base": "closed"}
"""For examples."""


def circuits(breakers: Sequence[Breaker]) -> dict[str, Literal["closed", "open"]]:
    """The state of each circuit breaker by its dependency."""
    return {breaker.name: "open" if breaker.is_open else "closed" for breaker in breakers}


class Missing(Wire):
    """What requests need and is missing."""

    reasons: Mapping[str, str] = Field(description="What is wrong with each part, by its name.")
    circuits: Mapping[str, Literal["closed", "open"]] = Field(
        description="Whether requests to each dependency are refused at once (open), by its name."
    )


class NotReady(Unavailable):
    """A part that requests need is missing."""

    code = "NOT_READY"
    text = "store: does not answer"
    example_details: ClassVar[Mapping[str, Any]] = {
        "reasons": {"store": "does not answer"},
        "circuits": {**CIRCUITS, "store": "open"},
    }
    details_schema = Missing

    def __init__(self, problems: Mapping[str, str], circuits: Mapping[str, str]) -> None:
        message = "; ".join(f"{part}: {problem}" for part, problem in problems.items())
        super().__init__(
            message, retry_after_seconds=1, details={"reasons": dict(problems), "circuits": dict(circuits)}
        )


class Readiness:
    """Checks that the store and the warehouse answer and are migrated.

    A result is good for a moment and one check runs at a time, so polls cost the engines next to nothing.
    """

    def __init__(self, store: Store, warehouse: WarehouseReader, urls: EngineUrls) -> None:
        self.store = store
        self.warehouse = warehouse
        self.urls = urls
        self._problems: dict[str, str] = {}
        self._good_until = 0.0
        self._checking: asyncio.Task[None] | None = None
        self._migrated = False

    async def problems(self) -> dict[str, str]:
        """What is missing, by part; empty when all is well."""
        if time.monotonic() >= self._good_until:
            if self._checking is None or self._checking.done():
                self._checking = asyncio.create_task(self._check())
            await asyncio.shield(self._checking)
        return self._problems

    async def close(self) -> None:
        """Stop the check that is running."""
        if self._checking is not None:
            self._checking.cancel()
            await asyncio.wait([self._checking])

    async def _check(self) -> None:
        found = await asyncio.gather(self._store(), self._warehouse())
        problems = {part: text for part, text in zip(("store", "warehouse"), found, strict=True) if text is not None}
        if not problems and not self._migrated:
            problem = await self._migrations()
            if problem is not None:
                problems["migrations"] = problem
        if problems != self._problems:
            for part, text in problems.items():
                LOG.warning("not ready: %s: %s", part, text)
        self._problems = problems
        self._good_until = time.monotonic() + (_BAD_FOR_SECONDS if problems else _GOOD_FOR_SECONDS)

    async def _store(self) -> str | None:
        try:
            await self.store.row("SELECT 1 AS alive", timeout_seconds=_PING_SECONDS)
        except StoreUnavailable:
            return "does not answer"
        return None

    async def _warehouse(self) -> str | None:
        try:
            await self.warehouse.rows("SELECT 1 AS alive", timeout_seconds=_PING_SECONDS)
        except WarehouseError:
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
