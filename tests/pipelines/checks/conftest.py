"""Fixtures of the tests of checks."""

import pytest

from pipelines.resources import Connections
from tests.fixtures.derivation import chains, ledger
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.engines import EngineUrls
from warehouse.postgres import Connection

__all__ = ["chains", "connections", "ledger"]


@pytest.fixture
def connections(
    warehouse: Warehouse, store: Connection, chains: Chains, warehouse_url: str, store_url: str
) -> Connections:
    """What a run of a check works with."""
    return Connections(EngineUrls(warehouse_url, store_url), warehouse, store, chains)
