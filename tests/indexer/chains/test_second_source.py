"""A chain of another kind is indexed through ``ChainSource`` alone: skipped slots, 32-byte addresses, own finality."""

import multiprocessing
import signal
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from indexer.chains.kinds import open_source
from indexer.plan import Limits
from indexer.reorg import ChainHalted
from indexer.run import Advance, IndexContext, advance, rewind
from pipelines.holders.checks import compare_balances
from pipelines.ingestion.windows import audit_window
from pipelines.refresh import refresh
from tests.fixtures.data_checks import violations
from tests.fixtures.slot_chain import SlotChain, SlotSource
from warehouse.clickhouse import Warehouse
from warehouse.domain.addresses import Address
from warehouse.domain.chains import Chain, Chains
from warehouse.postgres import Connection

SMALL_UNITS = Limits(unit_rows=30, idle_unit_rows=30, unit_blocks=20, range_logs=12, range_blocks=6, fetchers=3)


@pytest.fixture
def slots(tmp_path: Path) -> SlotChain:
    chain = SlotChain(tmp_path / "slots.node", seed=1)
    chain.grow(200)
    return chain


def opened(warehouse: Warehouse, store_url: str, killed_at: int | None = None) -> AbstractContextManager[IndexContext]:
    def factory(chain: Chain, _patience_seconds: float) -> SlotSource:
        return SlotSource(chain, killed_at=killed_at)

    return closing(IndexContext(warehouse, store_url, SMALL_UNITS, open_source=factory))


def indexed(warehouse: Warehouse, store_url: str, slots: SlotChain) -> Advance:
    with opened(warehouse, store_url) as context:
        return advance(context, slots.facts())


def index_until_killed(warehouse_url: str, store_url: str, chain: Chain, killed_at: int) -> None:
    """The body of an indexer process."""
    with Warehouse.connect(warehouse_url) as warehouse, opened(warehouse, store_url, killed_at) as context:
        advance(context, chain)


def blocks_in(warehouse: Warehouse) -> dict[int, str]:
    rows = warehouse.rows("SELECT block_number, lower(hex(block_hash)) AS hash FROM raw_block ORDER BY block_number")
    assert len({row["block_number"] for row in rows}) == len(rows)
    return {row["block_number"]: row["hash"] for row in rows}


def balances_in(warehouse: Warehouse) -> dict[tuple[bytes, bytes], int]:
    rows = warehouse.rows(
        "SELECT hex(token) AS token, hex(wallet) AS wallet, sum(delta_raw) AS balance FROM agg_balance_day"
        " WHERE token != '' GROUP BY token, wallet HAVING balance != 0"
    )
    return {(bytes.fromhex(row["token"]), bytes.fromhex(row["wallet"])): row["balance"] for row in rows}


def assert_index_equals_chain(warehouse: Warehouse, store: Connection, slots: SlotChain) -> None:
    assert blocks_in(warehouse) == {slot: block.hash.hex() for slot, block in sorted(slots.blocks.items())}
    transfers = [
        (slot, index, move.token.hex().upper(), str(move.amount))
        for slot, block in sorted(slots.blocks.items())
        for index, move in enumerate(block.transfers)
    ]
    rows = warehouse.rows(
        "SELECT block_number, log_index, hex(token) AS token, toString(amount_raw) AS amount FROM fact_transfer"
        " ORDER BY block_number, log_index"
    )
    assert [tuple(row.values()) for row in rows] == transfers
    assert balances_in(warehouse) == slots.balances()
    checkpoint = store.execute("SELECT block_number, final_block, pending FROM chain_checkpoint").fetchone()
    assert checkpoint == {"block_number": slots.head, "final_block": slots.final, "pending": None}


def test_a_chain_without_a_source_is_refused(slots: SlotChain) -> None:
    with pytest.raises(ValueError, match="no source for chains of kind 'slots'"):
        open_source(slots.facts())


@pytest.mark.slow
def test_an_index_in_units_equals_the_chain(
    slots: SlotChain, warehouse: Warehouse, store_url: str, store: Connection
) -> None:
    done = indexed(warehouse, store_url, slots)
    assert done.published == done.head == slots.head
    assert done.blocks == len(slots.blocks) < slots.head
    assert_index_equals_chain(warehouse, store, slots)
    units = store.execute("SELECT count(*) AS units FROM ingest_unit WHERE status = 'published'").fetchone()
    assert units is not None
    assert units["units"] > 10


def test_a_skipped_slot_at_the_target_waits_for_the_next_block(
    slots: SlotChain, warehouse: Warehouse, store_url: str, store: Connection
) -> None:
    skipped = next(slot for slot in range(60, 200) if slot not in slots.blocks)
    with opened(warehouse, store_url) as context:
        done = advance(context, slots.facts(), to_block=skipped)
        assert done.published == max(slot for slot in slots.blocks if slot < skipped)
        assert advance(context, slots.facts(), to_block=skipped).blocks == 0
        advance(context, slots.facts())
    assert_index_equals_chain(warehouse, store, slots)


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 30])
def test_a_reorganisation_is_followed(
    depth: int, slots: SlotChain, warehouse: Warehouse, store_url: str, store: Connection
) -> None:
    with opened(warehouse, store_url) as context:
        advance(context, slots.facts())
        for _ in range(5):
            slots.grow(6)
            advance(context, slots.facts())
        slots.fork(depth)
        assert advance(context, slots.facts()).reorganised > 0
    assert_index_equals_chain(warehouse, store, slots)


@pytest.mark.slow
def test_a_fork_below_the_final_block_halts_until_it_is_rewound(
    slots: SlotChain, warehouse: Warehouse, store_url: str, store: Connection
) -> None:
    with opened(warehouse, store_url) as context:
        advance(context, slots.facts())
        common = max(slot for slot in slots.blocks if slot <= slots.head - 80)
        slots.fork(slots.head - common)
        with pytest.raises(ChainHalted, match="--chain slots --rewind"):
            advance(context, slots.facts())
        assert rewind(context, slots.facts(), common).published is not None
        advance(context, slots.facts())
    assert_index_equals_chain(warehouse, store, slots)


@pytest.mark.slow
def test_after_kills_in_the_middle_of_units_the_index_equals_the_chain(
    slots: SlotChain, warehouse: Warehouse, warehouse_url: str, store_url: str, store: Connection
) -> None:
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["tests.indexer.chains.test_second_source"])
    for kill in range(4):
        arguments = (warehouse_url, store_url, slots.facts(), 2 + kill)
        process = processes.Process(target=index_until_killed, args=arguments)
        process.start()
        process.join(60)
        assert process.exitcode == -signal.SIGKILL
        if kill % 2:
            slots.fork(9)
        else:
            slots.grow(5)
    indexed(warehouse, store_url, slots)
    assert_index_equals_chain(warehouse, store, slots)


@pytest.mark.slow
def test_refresh_and_audits_work_on_it(
    slots: SlotChain, warehouse: Warehouse, store_url: str, store: Connection
) -> None:
    chain = replace(slots.facts(), start_block=0)
    indexed(warehouse, store_url, slots)
    refresh(warehouse, store, Chains({chain.key: chain}))
    holders: dict[bytes, int] = {}
    for token, _ in slots.balances():
        holders[token] = holders.get(token, 0) + 1
    rows: list[dict[str, Any]] = warehouse.rows(
        "SELECT hex(token) AS token, holders_net AS holders FROM agg_token_hour FINAL WHERE hour = toDateTime(0, 'UTC')"
    )
    assert {bytes.fromhex(row["token"]): row["holders"] for row in rows} == holders
    source = SlotSource(chain)
    assert source.head().number == slots.head
    assert audit_window(warehouse, source, chain, 0, slots.head).holds
    assert compare_balances(warehouse, source, chain, slots.head)[0] == []
    served = warehouse.rows("SELECT lower(hex(address)) AS address FROM published_serve_token")
    texts = {str(Address(bytes.fromhex(row["address"]))) for row in served}
    assert texts == {str(Address(token)) for token in holders}
    assert {row["address"] for row in store.execute("SELECT address FROM indexed_token")} == texts
    assert violations(warehouse, "supply_equals_balances") == []
