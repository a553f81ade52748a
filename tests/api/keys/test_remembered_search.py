"""A repeated search is answered from memory before its route runs: the key's rights hold there too."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from tests.factories.tokens import publish, token_row
from tests.fixtures.owners import Owner, ServeOwner
from warehouse.clickhouse import Warehouse

SEARCH = "/search?symbol=PEPE"
ALLOWED, ELSEWHERE = "198.51.100.7", "203.0.113.9"


@pytest.fixture
async def searcher(serve_owner: ServeOwner, warehouse_url: str, warehouse: Warehouse) -> AsyncIterator[Owner]:
    """A user of a service that has something to find, and that remembers keys for a minute."""
    publish(warehouse, [token_row("PEPE", address=1)])
    settings = {"clickhouse_url": warehouse_url, "api_key_cache_seconds": 60, "trusted_proxies": "127.0.0.0/8"}
    async with serve_owner(**settings) as owner:
        yield owner


async def test_a_remembered_search_needs_the_scope(searcher: Owner) -> None:
    reader, claimer = await searcher.made(scopes=["read"]), await searcher.made(scopes=["claim"])
    for _ in range(3):
        assert await searcher.use(reader["key"], SEARCH) == 200
        assert await searcher.use(claimer["key"], SEARCH) == 403


async def test_a_remembered_search_needs_an_allowed_address(searcher: Owner) -> None:
    key = (await searcher.made(allowedAddresses=[ALLOWED]))["key"]
    for _ in range(3):
        assert await searcher.use(key, SEARCH, X_Forwarded_For=ALLOWED) == 200
        assert await searcher.use(key, SEARCH, X_Forwarded_For=ELSEWHERE) == 403


async def test_a_remembered_search_ends_with_the_key(searcher: Owner) -> None:
    ends = (searcher.clock.now() + timedelta(seconds=3)).isoformat()
    key = (await searcher.made(expiresAt=ends))["key"]
    assert [await searcher.use(key, SEARCH) for _ in range(3)] == [200] * 3
    searcher.clock.advance(seconds=3)
    assert await searcher.use(key, SEARCH) == 403
