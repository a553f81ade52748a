"""Who controls mints, derived from blocks of a Solana ledger with forks."""

from indexer.run import advance
from pipelines.refresh import refresh
from tests.fixtures.data_checks import violations
from tests.fixtures.indexing import indexing
from tests.fixtures.solana_indexing import facts_of
from tests.fixtures.solana_ledger import SolanaLedger
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

CHECKS = ("supply_equals_balances", "holders_equal_balances", "days_equal_hours", "controls_without_authority",
          "orphaned_rows", "repeated_logs", "tokens_without_block", "served_without_identity")  # fmt: skip


def assert_authorities_are_those_of_the_chain(warehouse: Warehouse, ledger: SolanaLedger) -> None:
    rows = warehouse.rows(
        "SELECT lower(hex(token)) AS mint, lower(hex(wallet)) AS who, method FROM published_serve_provenance"
    )
    held = {row["mint"]: row["who"] for row in rows if row["method"] == "mint_authority"}
    assert held == {bytes(mint.key.pubkey()).hex(): bytes(mint.authority.pubkey()).hex() for mint in ledger.mints}
    deployers = {row["mint"]: row["who"] for row in rows if row["method"] == "deployer"}
    assert deployers.keys() == held.keys()
    assert set(deployers.values()) <= {bytes(wallet.pubkey()).hex() for wallet in ledger.wallets}
    for check in CHECKS:
        assert violations(warehouse, check) == [], check


def test_controls_follow_the_chain_through_a_reorganisation(
    ledger: SolanaLedger, node_url: str, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    chain = facts_of(ledger, node_url)
    chains = Chains({chain.key: chain})
    with indexing(warehouse, store_url) as context:
        advance(context, chain)
        refresh(warehouse, store, chains)
        assert_authorities_are_those_of_the_chain(warehouse, ledger)
        before = len(ledger.mints)
        ledger.fork(12)
        ledger.grow(10)
        assert advance(context, chain).reorganised > 0
    refresh(warehouse, store, chains, full=False)
    assert_authorities_are_those_of_the_chain(warehouse, ledger)
    assert len(ledger.mints) > 5 < before
