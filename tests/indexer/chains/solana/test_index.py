"""What Solana's blocks become in the warehouse: exactly once, through reorganisations and kills."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import closing

import pytest

from indexer.chains.solana.fetch import Chunk
from indexer.chains.solana.source import SolanaSource
from indexer.known import Known
from indexer.plan import Limits
from indexer.reorg import ChainHalted
from indexer.run import IndexContext, advance
from indexer.unit import AssembledUnit
from pipelines.holders.checks import compare_balances
from tests.fixtures.data_checks import violations
from tests.fixtures.indexing import AllRows, all_rows, differences, indexing
from tests.fixtures.solana_indexing import facts_of
from tests.fixtures.solana_ledger import SolanaLedger
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.postgres import Connection

SMALL_UNITS = Limits(unit_rows=40, idle_unit_rows=40, unit_blocks=20, range_logs=12, range_blocks=6, fetchers=3)
IndexAfresh = Callable[[Chain], AllRows]


class KilledSource(SolanaSource):
    """Kills its process when it assembles its n-th unit: the unit before is being written meanwhile."""

    def __init__(self, chain: Chain, killed_at: int) -> None:
        super().__init__(chain)
        self._left = killed_at

    def assemble(self, chunks: Sequence[Chunk], known: Known) -> AssembledUnit:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().assemble(chunks, known)


def index_until_killed(warehouse_url: str, store_url: str, chain: Chain, killed_at: int) -> None:
    """The body of an indexer process."""
    with Warehouse.connect(warehouse_url) as warehouse:
        context = IndexContext(
            warehouse, store_url, SMALL_UNITS, open_source=lambda facts, _: KilledSource(facts, killed_at)
        )
        with closing(context):
            advance(context, chain)


def balances_in(warehouse: Warehouse) -> dict[tuple[bytes, bytes], int]:
    """Sums of wallets; what a mint itself holds stands for withheld fees."""
    rows = warehouse.rows(
        "SELECT hex(token) AS token, hex(wallet) AS wallet, sum(delta_raw) AS balance FROM agg_balance_day"
        " WHERE token != '' AND wallet != token GROUP BY token, wallet HAVING balance != 0"
    )
    return {(bytes.fromhex(row["token"]), bytes.fromhex(row["wallet"])): row["balance"] for row in rows}


def assert_index_equals_chain(warehouse: Warehouse, store: Connection, ledger: SolanaLedger) -> None:
    rows = warehouse.rows("SELECT block_number, transaction_count FROM raw_block ORDER BY block_number")
    blocks = [(slot, len(block.transactions)) for slot, block in sorted(ledger.blocks.items())]
    assert [tuple(row.values()) for row in rows] == blocks
    assert violations(warehouse, "contiguous_blocks") == []
    assert balances_in(warehouse) == ledger.balances()
    checkpoint = store.execute("SELECT block_number, final_block, pending FROM chain_checkpoint").fetchone()
    assert checkpoint == {"block_number": ledger.head, "final_block": ledger.final, "pending": None}


def test_blocks_and_balances_of_the_whole_chain_are_indexed(
    ledger: SolanaLedger, node_url: str, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    chain = facts_of(ledger, node_url)
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        assert advance(context, chain).published == ledger.head
        assert_index_equals_chain(warehouse, store, ledger)
        found, compared = compare_balances(warehouse, context.session(chain).source, chain, ledger.head)
    assert found == []
    assert compared > 0


def test_rows_do_not_depend_on_how_blocks_are_cut_into_units(
    ledger: SolanaLedger, node_url: str, warehouse: Warehouse, store_url: str, index_afresh: IndexAfresh
) -> None:
    chain = facts_of(ledger, node_url)
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        advance(context, chain, to_block=ledger.head - 30)
        advance(context, chain)
    assert differences(all_rows(warehouse), index_afresh(chain)) == {}


def test_forks_beyond_the_final_block_are_reverted_and_indexed_anew(
    ledger: SolanaLedger, node_url: str, warehouse: Warehouse, store: Connection, store_url: str,
    index_afresh: IndexAfresh,
) -> None:  # fmt: skip
    chain = facts_of(ledger, node_url)
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        advance(context, chain)
        for depth in (1, 4, 12, 25):
            ledger.fork(depth)
            assert advance(context, chain).published == ledger.head
            assert_index_equals_chain(warehouse, store, ledger)
            ledger.grow(5)
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        advance(context, chain)
    assert differences(all_rows(warehouse), index_afresh(chain)) == {}


def test_a_fork_below_the_final_block_halts_the_chain(
    ledger: SolanaLedger, node_url: str, warehouse: Warehouse, store_url: str
) -> None:
    chain = facts_of(ledger, node_url)
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        published = advance(context, chain).published
        ledger.fork(ledger.finality_slots + 20)
        with pytest.raises(ChainHalted, match="was final"):
            advance(context, chain)
    assert warehouse.scalar("SELECT max(block_number) FROM raw_block") == published


def test_a_killed_indexer_leaves_nothing_lost_or_doubled(
    ledger: SolanaLedger, node_url: str, warehouse: Warehouse, warehouse_url: str, store: Connection, store_url: str,
    index_afresh: IndexAfresh,
) -> None:  # fmt: skip
    chain = facts_of(ledger, node_url)
    spawn = multiprocessing.get_context("spawn")
    for killed_at in (3, 2):
        process = spawn.Process(target=index_until_killed, args=(warehouse_url, store_url, chain, killed_at))
        process.start()
        process.join(60)
        assert process.exitcode == -signal.SIGKILL
    ledger.fork(9)
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        advance(context, chain)
    assert_index_equals_chain(warehouse, store, ledger)
    assert differences(all_rows(warehouse), index_afresh(chain)) == {}
