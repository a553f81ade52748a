"""A service over a warehouse of the test's own, with Base and Gnosis enabled."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.api.conftest import Serve, Service

CHAINS = """
[chains.base]
rpc_urls = ["http://127.0.0.1:1"]
[chains.gnosis]
rpc_urls = ["http://127.0.0.1:1"]
[chains.robinhood]
rpc_urls = ["http://127.0.0.1:1"]
"""


@pytest.fixture
def chains_file(tmp_path: Path) -> Path:
    path = tmp_path / "chains.toml"
    path.write_text(CHAINS)
    return path


@pytest.fixture
async def finder(serve: Serve, warehouse_url: str, chains_file: Path) -> AsyncIterator[Service]:
    async with serve(clickhouse_url=warehouse_url, chains=chains_file, site_url="https://site.test") as running:
        yield running
