"""A chain of fixture rows and the facts of it."""

from pathlib import Path

import pytest

from tests.factories.events import listen
from tests.factories.ledger import CHAINS_TOML, Ledger
from warehouse.chains import facts
from warehouse.chains.facts import Chains
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


@pytest.fixture
def settling(ledger: Ledger) -> Ledger:
    """A chain whose blocks are final two blocks later."""
    ledger.finality_blocks = 2
    return ledger


@pytest.fixture
def listening(store: Connection) -> None:
    """Events of the fixture chain are told of from its beginning."""
    listen(store)


@pytest.fixture
def dagster_environment(monkeypatch: pytest.MonkeyPatch, warehouse_url: str, store_url: str, tmp_path: Path) -> None:
    """Dagster's runs find the test's engines the way they find any."""
    path = tmp_path / "chains.toml"
    path.write_text(CHAINS_TOML.replace('rpc_urls = ["http://127.0.0.1:1"]\n', ""))
    monkeypatch.setenv("REGALIA_CLICKHOUSE_URL", warehouse_url)
    monkeypatch.setenv("REGALIA_DATABASE_URL", store_url)
    monkeypatch.setenv("REGALIA_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("REGALIA_CHAINS", str(path))
