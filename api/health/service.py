"""What readiness means, and what is read for the metrics."""

import asyncio
import logging
import time
from typing import Any

from warehouse.errors import StoreUnavailable, WarehouseError

from api.core.store import Store
from api.core.warehouse import WarehouseReader
from indexer.chains.facts import Chains

LOG = logging.getLogger(__name__)
_GOOD_FOR_SECONDS = 1.0

_CHECKPOINTS = """
SELECT chain_id, head_block, block_number AS indexed_block, halted,
       extract(epoch FROM now() - block_time) AS lag_seconds
FROM chain_checkpoint
"""


class Readiness:
    """Asks the store and the warehouse whether they are there and migrated; a good answer counts for a second."""

    def __init__(self, store: Store, warehouse: WarehouseReader, *, store_revision: str, warehouse_migrations: int):
        self.store = store
        self.warehouse = warehouse
        self.store_revision = store_revision
        self.warehouse_migrations = warehouse_migrations
        self._good_until = 0.0

    async def problems(self) -> dict[str, str]:
        """What is missing, by part; empty when all is well."""
        if time.monotonic() < self._good_until:
            return {}
        found = await asyncio.gather(self._store(), self._warehouse())
        problems = {part: text for part, text in found if text is not None}
        if not problems:
            self._good_until = time.monotonic() + _GOOD_FOR_SECONDS
        return problems

    async def _store(self) -> tuple[str, str | None]:
        try:
            table = await self.store.row("SELECT to_regclass('alembic_version')::text AS name")
            row = None
            if table is not None and table["name"] is not None:
                row = await self.store.row("SELECT version_num FROM alembic_version")
        except StoreUnavailable as error:
            return "store", str(error)
        applied = row["version_num"] if row else None
        if applied != self.store_revision:
            return "migrations", f"store is at {applied or 'no revision'}, wanted {self.store_revision}"
        return "store", None

    async def _warehouse(self) -> tuple[str, str | None]:
        try:
            exists = await self.warehouse.scalar("EXISTS TABLE schema_migration")
            applied = await self.warehouse.scalar("SELECT count() FROM schema_migration") if exists else 0
        except WarehouseError as error:
            return "warehouse", str(error)
        if applied < self.warehouse_migrations:
            return "migrations", f"warehouse has {applied} of {self.warehouse_migrations} migrations"
        return "warehouse", None


async def chain_checkpoints(store: Store, chains: Chains) -> list[dict[str, Any]]:
    """Checkpoints with the key of their chain; none when the store does not answer, so that metrics always do."""
    try:
        rows = await store.rows(_CHECKPOINTS)
    except StoreUnavailable as error:
        LOG.warning("metrics without chains: %s", error)
        return []
    found = []
    for row in rows:
        chain = chains.by_id(row["chain_id"])
        found.append({**row, "chain": chain.key if chain else str(row["chain_id"])})
    return found
