"""How long the list is served from memory while the store is down."""

import asyncio
from typing import Any

import pytest

from api.http.metrics import Metrics
from api.tokenlists.service import FRESH_SECONDS, STALE_SECONDS, TokenListService
from tests.factories.token_lists import publish_list
from warehouse.errors import StoreUnavailable
from warehouse.postgres import Connection
from warehouse.store import Store


class Severed:
    """A store that can be cut off."""

    def __init__(self, store: Store) -> None:
        self.store, self.down = store, False

    async def rows(self, *arguments: Any) -> Any:
        return await self._ask(self.store.rows, arguments)

    async def row(self, *arguments: Any) -> Any:
        return await self._ask(self.store.row, arguments)

    async def _ask(self, question: Any, arguments: Any) -> Any:
        if self.down:
            raise StoreUnavailable("cut off")
        return await question(*arguments)


async def test_a_list_is_served_stale_for_ten_minutes_and_no_longer(store: Connection, store_url: str) -> None:
    publish_list(store)
    seconds = 0.0
    severed = Severed(Store(store_url))
    service = TokenListService(severed, "Tokens", Metrics(), monotonic=lambda: seconds)  # type: ignore[arg-type]
    try:
        await service.published()
        severed.down = True
        for later in (FRESH_SECONDS + 1, STALE_SECONDS / 2, FRESH_SECONDS + STALE_SECONDS - 1):
            seconds = later
            await service.published()
            await asyncio.sleep(0)
        seconds = FRESH_SECONDS + STALE_SECONDS + 1
        with pytest.raises(StoreUnavailable):
            await service.published()
    finally:
        await severed.store.close()
