"""Commands start quickly: they import no heavy library that they do not use. Counted, not timed."""

from pathlib import Path

import pytest

from indexer.devchain.anvil import Anvil
from tests.fixtures.imports import heavy_imports

pytestmark = pytest.mark.slow
USED_BY_CHAINS = {"numpy", "solders"}
"""What reading a chain's blocks and the addresses of the chains file takes."""


@pytest.fixture
def environment(tmp_path: Path, warehouse_url: str, store_url: str) -> dict[str, str]:
    data = {"REGALIA_DATA_DIR": str(tmp_path / "data"), "REGALIA_CHAINS": ""}
    return {**data, "REGALIA_CLICKHOUSE_URL": warehouse_url, "REGALIA_DATABASE_URL": store_url}


@pytest.mark.parametrize("arguments", [["--help"], ["plans", "list"], ["keys", "list"], ["status"]], ids=" ".join)
def test_a_command_starts_without_heavy_libraries(arguments: list[str], environment: dict[str, str]) -> None:
    status, heavy = heavy_imports("api.cli", *arguments, environment=environment)
    assert status == 0
    assert heavy <= (USED_BY_CHAINS if arguments == ["status"] else set())


def test_indexing_nothing_needs_no_other_library(anvil: Anvil, environment: dict[str, str], tmp_path: Path) -> None:
    chains = tmp_path / "chains.toml"
    chains.write_text(f'[chains.base]\nchain_id = {anvil.chain_id}\nrpc_urls = ["{anvil.url}"]\nfinality_blocks = 1\n')
    command = ("api.cli", "index", "--chain", "base")
    settings = {**environment, "REGALIA_CHAINS": str(chains)}
    assert heavy_imports(*command, environment=settings)[0] == 0
    status, heavy = heavy_imports(*command, environment=settings)
    assert status == 0
    assert heavy <= USED_BY_CHAINS
