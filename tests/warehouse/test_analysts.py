"""Every statement of the analysts' guide, run as the analyst."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from warehouse.clickhouse import Warehouse
from warehouse.marts.database import database_of
from warehouse.settings import EngineSettings

GUIDE = Path(__file__).parents[2] / "docs" / "warehouse.md"
STATEMENTS = re.findall(r"```sql\n(.*?)```", GUIDE.read_text().partition("## For analysts")[2], re.DOTALL)
# The machinery's own, which the guide names as such.
INTERNAL = re.compile(
    r"work_|schema_|chain_|(fact_change|agg_document_request|agg_wallet_transfer|serve_symbol_form|serve_publication)$"
    r"|(dropped_month|publication_bounds|known_chains|token_name|pool_quote)$"
)


@pytest.fixture
def analyst(warehouse_url: str, engine_settings: EngineSettings) -> httpx.Client:
    parts = urlsplit(warehouse_url)
    password = (engine_settings.data_dir / "keys" / "clickhouse-analyst.password").read_text().strip()
    return httpx.Client(
        base_url=f"http://{parts.hostname}:{parts.port}",
        auth=("analyst", password),
        params={"database": database_of(parts.path.strip("/"))},
    )


@pytest.fixture
def published(warehouse: Warehouse) -> None:
    """A chain of twelve blocks, ten of them published, with a transfer in each."""
    warehouse.command(
        "INSERT INTO raw_block (chain_id, block_number, block_time) SELECT 8453, number, now() FROM numbers(12)"
    )
    warehouse.command(
        "INSERT INTO fact_transfer (chain_id, token, block_number, block_time, from_address, to_address, amount_raw)"
        " SELECT 8453, repeat('t', 20), number, now(), repeat('\\0', 20), repeat('w', 20), 5 FROM numbers(12)"
    )
    warehouse.command(
        "INSERT INTO chain_publication (chain_id, generation, next_block, next_unit) SELECT 8453, 1, 10, 1"
    )


def test_the_guide_has_examples() -> None:
    assert len(STATEMENTS) >= 6


@pytest.mark.usefixtures("published")
@pytest.mark.parametrize("statement", STATEMENTS)
def test_each_example_runs_as_the_analyst(analyst: httpx.Client, statement: str) -> None:
    with analyst:
        answer = analyst.post("/", content=f"{statement} FORMAT JSON")
    assert answer.status_code == 200, answer.text


@pytest.mark.usefixtures("published")
def test_analysts_see_published_rows_and_write_none(analyst: httpx.Client) -> None:
    with analyst:
        seen = analyst.post("/", content="SELECT count(), max(block_number) FROM transfers")
        refused = analyst.post("/", content="INSERT INTO transfers (chain) VALUES ('base')")
    assert seen.text == "10\t9\n"
    assert refused.status_code != 200


def test_every_table_has_a_view_or_is_listed_as_internal(warehouse: Warehouse) -> None:
    names = {row["name"] for row in warehouse.rows("SELECT name FROM system.tables WHERE database = currentDatabase()")}
    views = {name for name in names if name.startswith("published_")}
    tables = names - views
    assert {name for name in tables if f"published_{name}" not in views and not INTERNAL.match(name)} == set()
    guide = GUIDE.read_text()
    for view in views:
        suffix = re.sub(r"^published_(raw|fact|agg|serve|mirror)", "", view)
        assert f"`{view}`" in guide or f"`{suffix}`" in guide, view
