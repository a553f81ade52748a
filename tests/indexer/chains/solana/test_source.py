"""A real local node is indexed: its blocks, in slots of which some are skipped."""

from contextlib import closing
from dataclasses import replace

import pytest
from solders.keypair import Keypair
from solders.system_program import TransferParams, transfer

from indexer.chains.errors import WrongChain
from indexer.chains.solana.source import SolanaSource, read_head
from indexer.devchain.solana.sender import Sender
from indexer.devchain.solana.surfpool import Surfpool
from indexer.run import advance
from tests.fixtures.data_checks import violations
from tests.fixtures.indexing import indexing
from warehouse.chains.facts import load
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.postgres import Connection


@pytest.fixture
def chain(surfpool: Surfpool) -> Chain:
    sender = Sender(surfpool)
    for lamports in (10**9, 2 * 10**9):
        payment = TransferParams(from_pubkey=sender.payer.pubkey(), to_pubkey=Keypair().pubkey(), lamports=lamports)
        sender.run([transfer(payment)])
    surfpool.skip(4)
    surfpool.mine(40)
    facts = load(None).by_key["solana"]
    return replace(facts, rpc_urls=(surfpool.url,), caip2=surfpool.caip2, start_block=31)


def test_a_local_node_is_indexed_up_to_its_confirmed_head(
    chain: Chain, surfpool: Surfpool, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    with indexing(warehouse, store_url) as context:
        done = advance(context, chain)
    slots = surfpool.rpc("getBlocks", 31, None, {"commitment": "confirmed"})
    assert len(slots) < slots[-1] - slots[0]  # some were skipped
    rows = warehouse.rows("SELECT block_number, transaction_count FROM raw_block ORDER BY block_number")
    assert [row["block_number"] for row in rows] == slots
    assert sum(row["transaction_count"] for row in rows) >= 2
    assert done.published == surfpool.slot("confirmed")
    checkpoint = store.execute("SELECT block_number, final_block FROM chain_checkpoint").fetchone()
    assert checkpoint == {"block_number": done.published, "final_block": surfpool.slot("finalized")}
    assert violations(warehouse, "contiguous_blocks") == []


def test_a_node_of_another_cluster_is_refused(chain: Chain) -> None:
    other = SolanaSource(replace(chain, caip2="solana:" + "1" * 32), patience_seconds=1)
    with closing(other), pytest.raises(WrongChain, match="says genesis"):
        other.head()


def test_the_head_has_a_number_and_a_time(chain: Chain, surfpool: Surfpool) -> None:
    slot, time = read_head(chain, 3.0)
    assert slot == surfpool.slot("confirmed")
    assert time > 1_700_000_000
