"""A filter by a wallet's text address reads the granules that hold the wallet, not every token's."""

import json
from urllib.parse import urlsplit

import clickhouse_connect
import pytest

from warehouse.clickhouse import Warehouse
from warehouse.marts.database import database_of

UNITS, TRANSFERS, TOKENS = 4, 60_000, 1_000
WALLET = "0x" + "7b".rjust(40, "0")
"""Sends three transfers of each unit, of three tokens, and receives three."""
_ADDRESS = "unhex(leftPad(hex({}), 40, '0'))"
_TRANSFERS = f"""
INSERT INTO fact_transfer
    (chain_id, token, block_number, log_index, block_time, from_address, to_address, amount_raw, unit_id)
SELECT 8453, {_ADDRESS.format(f"1000000 + number % {TOKENS}")}, {{unit:UInt64}}, number, 1700000000,
       {_ADDRESS.format("intDiv(number, 3)")}, {_ADDRESS.format("intDiv(number, 3) + 1")}, 5, {{unit:UInt64}}
FROM numbers({TRANSFERS})
"""
_SUMS = """
INSERT INTO agg_balance_day (chain_id, token, wallet, day, delta_raw)
SELECT chain_id, token, to_address, toDate(block_time), toInt256(amount_raw) FROM fact_transfer
WHERE unit_id = {unit:UInt64}
"""


@pytest.fixture
def published(warehouse: Warehouse) -> None:
    """Four units, each inserted as the indexer does, and merged as the engine does in its own time."""
    warehouse.command("INSERT INTO chain_config (chain_id, chain, caip2) SELECT 8453, 'base', 'eip155:8453'")
    warehouse.command(
        "INSERT INTO chain_publication (chain_id, generation, next_block, next_unit) SELECT 8453, 1, 100, 100"
    )
    for unit in range(UNITS):
        warehouse.insert_select(_TRANSFERS, {"unit": unit}, token=f"{unit}:transfers")
        warehouse.insert_select(_SUMS, {"unit": unit}, token=f"{unit}:sums")
    for table in ("fact_transfer", "agg_balance_day"):
        warehouse.command(f"OPTIMIZE TABLE {table} FINAL")


def ask(warehouse_url: str, statement: str) -> tuple[int, int]:
    """How many rows a statement over the marts returns, and how many the engine read for them."""
    marts = database_of(urlsplit(warehouse_url).path.strip("/"))
    with clickhouse_connect.get_client(dsn=warehouse_url, database=marts) as client:
        answer = json.loads(client.raw_query(statement, fmt="JSON"))
        return answer["rows"], answer["statistics"]["rows_read"]


@pytest.mark.usefixtures("published")
@pytest.mark.parametrize(
    ("statement", "found"),
    [
        (f"SELECT token, balance_raw FROM balances WHERE wallet = '{WALLET}'", 3),
        (f"SELECT token FROM balances WHERE chain = 'base' AND wallet IN ('{WALLET}', '0x00')", 3),
        (f"SELECT amount_raw FROM transfers WHERE from_address = '{WALLET}'", 12),
        (f"SELECT amount_raw FROM transfers WHERE to_address = '{WALLET}'", 12),
        (f"SELECT amount_raw FROM transfers WHERE from_address = '{WALLET}' OR to_address = '{WALLET}'", 24),
    ],
)
def test_a_wallet_is_found_without_reading_every_token(warehouse_url: str, statement: str, found: int) -> None:
    rows, read = ask(warehouse_url, statement)
    assert rows == found
    assert read <= UNITS * TRANSFERS / 10
