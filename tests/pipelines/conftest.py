"""A chain of fixture rows and the facts of it."""

from pathlib import Path

import pytest

from indexer.chains import facts
from indexer.chains.facts import Chains
from tests.factories.ledger import CHAINS_TOML, Ledger
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection


@pytest.fixture
def chains(tmp_path: Path) -> Chains:
    """The built-in chains, with Base's assets and exchanges at the ledger's addresses."""
    path = tmp_path / "chains.toml"
    path.write_text(CHAINS_TOML)
    return facts.load(path)


@pytest.fixture
def ledger(warehouse: Warehouse, store: Connection) -> Ledger:
    """A chain without blocks."""
    return Ledger(warehouse, store)
