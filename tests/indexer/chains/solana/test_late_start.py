"""An index that begins in the middle of a chain."""

from dataclasses import replace

from indexer.plan import Limits
from indexer.run import advance
from tests.fixtures.indexing import indexing
from tests.fixtures.solana_indexing import facts_of
from tests.fixtures.solana_ledger import SolanaLedger
from warehouse.clickhouse import Warehouse

SMALL_UNITS = Limits(unit_rows=40, idle_unit_rows=40, unit_blocks=20, range_logs=12, range_blocks=6, fetchers=3)
NEWEST = """
SELECT
    argMax(tuple(read_status, decimals, program, total_supply_raw, read_block), (read_block, unit_id)) AS row,
    lower(hex(address)) AS mint
FROM fact_token GROUP BY address
"""
AUTHORITIES = """
SELECT lower(hex(address)) AS mint, lower(hex(argMax(account, (block_number, log_index)))) AS authority
FROM fact_control WHERE kind = 'mint_authority' GROUP BY address
"""


def test_mints_from_before_the_first_block_are_read_when_the_index_is_near_the_head(
    ledger: SolanaLedger, node_url: str, warehouse: Warehouse, store_url: str
) -> None:
    earlier = {bytes(mint.key.pubkey()).hex() for mint in ledger.mints}
    first = ledger.head + 1
    chain = replace(facts_of(ledger, node_url), start_block=first)
    ledger.grow(60)
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        advance(context, chain)
        for _ in range(ledger.finality_slots + 2):  # nothing happens while the last slots become final
            ledger.close_block(ledger.head + 1)
        advance(context, chain)
        ledger.close_block(ledger.head + 1)
        advance(context, chain)
    rows = {row["mint"]: row["row"] for row in warehouse.rows(NEWEST)}
    authorities = {row["mint"]: row["authority"] for row in warehouse.rows(AUTHORITIES)}
    assert rows.keys() & earlier
    for mint in ledger.mints:
        key = bytes(mint.key.pubkey()).hex()
        if key not in rows:
            assert key in earlier  # and nothing happened to it since
            continue
        status, decimals, program, supply, read_block = rows[key]
        assert (status, decimals) == ("partial", 6)
        assert program == ("spl_token" if str(mint.program).startswith("Tokenkeg") else "token_2022")
        assert authorities[key] == bytes(mint.authority.pubkey()).hex()
        assert supply == (ledger.recorder.supply(mint.key.pubkey()) if key in earlier else None)
        assert read_block >= first
