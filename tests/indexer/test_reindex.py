"""A range that was damaged is repaired from the chain: facts, sums, and what is derived from them."""

from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from indexer import reindex as reindexing
from indexer.checkpoint import read_checkpoint, writer_lock
from indexer.reindex import DifferentChain, reindex
from indexer.run import IndexContext, advance, settle
from tests.fixtures.indexing import SMALL_UNITS, all_rows, differences, indexing
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.domain.facts import FACT_TABLES
from warehouse.errors import WarehouseError
from warehouse.postgres import Connection, KeptConnection

BOGUS = "SELECT * REPLACE (repeat('Z', 20) AS token, log_index + 999999 AS log_index) FROM fact_transfer"


@pytest.fixture
def context(warehouse: Warehouse, store_url: str, archive_chain: Chain) -> Iterator[IndexContext]:
    with indexing(warehouse, store_url, SMALL_UNITS) as made:
        advance(made, archive_chain, to_block=75)
        yield made


def delete_blocks(warehouse: Warehouse, first: int, last: int) -> None:
    for table, facts in FACT_TABLES.items():
        warehouse.command(
            f"DELETE FROM {table} WHERE {facts.block_column} BETWEEN {first} AND {last}",
            settings={"lightweight_deletes_sync": 2},
        )


def add_to_a_sum(warehouse: Warehouse) -> None:
    warehouse.command(
        "INSERT INTO agg_balance_day SELECT chain_id, token, to_address, toDate(block_time), toInt256(77)"
        " FROM fact_transfer WHERE block_number = 50 LIMIT 1"
    )


def change_rows(warehouse: Warehouse) -> None:
    """One transfer twice, one with another amount, and one of a token that is not on the chain, with its sums."""
    one = "FROM fact_transfer WHERE block_number = 50 ORDER BY log_index LIMIT 1"
    warehouse.command(f"INSERT INTO fact_transfer SELECT * {one}")
    warehouse.command(f"INSERT INTO fact_transfer {BOGUS} WHERE block_number = 50 ORDER BY log_index LIMIT 1")
    warehouse.command(
        "INSERT INTO agg_balance_day SELECT chain_id, token, to_address, toDate(block_time), toInt256(amount_raw)"
        " FROM fact_transfer WHERE token = repeat('Z', 20)"
    )
    warehouse.command(
        "ALTER TABLE fact_transfer UPDATE amount_raw = amount_raw + 5 WHERE block_number = 51",
        settings={"mutations_sync": 2},
    )


DAMAGES: dict[str, Callable[[Warehouse], None]] = {
    "a hole": lambda warehouse: delete_blocks(warehouse, 50, 51),
    "changed rows": change_rows,
    "a wrong sum": add_to_a_sum,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_reported_and_repaired(
    damage: str, context: IndexContext, archive_chain: Chain, warehouse: Warehouse
) -> None:
    before = all_rows(warehouse)
    DAMAGES[damage](warehouse)
    damaged = all_rows(warehouse)
    assert differences(damaged, before)

    found = reindex(context, archive_chain, 50, 51, dry_run=True)
    assert found.differs
    assert differences(all_rows(warehouse), damaged) == {}
    done = reindex(context, archive_chain, 50, 51)

    assert (done.missing, done.surplus, done.sums) == (found.missing, found.surplus, found.sums)
    assert differences(all_rows(warehouse), before) == {}
    assert not reindex(context, archive_chain, 0, 75).differs
    left = "SELECT count() FROM system.tables WHERE database = currentDatabase() AND name LIKE 'work_fresh%'"
    assert warehouse.scalar(left) == 0


def test_a_hole_leaves_its_sums_standing_and_names_what_is_missing(
    context: IndexContext, archive_chain: Chain, warehouse: Warehouse
) -> None:
    lost = warehouse.scalar("SELECT count() FROM fact_transfer WHERE block_number BETWEEN 50 AND 51")
    delete_blocks(warehouse, 50, 51)
    done = reindex(context, archive_chain, 50, 51)
    assert done.missing["raw_block"] == 2
    assert done.missing["fact_transfer"] == lost > 0
    assert not done.surplus
    assert done.first in range(43, 51)  # whole units are compared
    assert done.last in range(51, 60)


def test_what_was_repaired_is_announced_from_its_block_on(
    context: IndexContext, archive_chain: Chain, warehouse: Warehouse
) -> None:
    newest = warehouse.scalar("SELECT max(change_id) FROM fact_change")
    tokens = "SELECT count(DISTINCT token) FROM fact_transfer WHERE block_number = 50"
    touched = warehouse.scalar(tokens)
    delete_blocks(warehouse, 50, 50)
    reindex(context, archive_chain, 50, 50)
    told = warehouse.rows(
        "SELECT key, min(from_block) AS block FROM fact_change WHERE change_id > {newest:UInt64} AND subject = 'token'"
        " GROUP BY key HAVING block <= 50",
        {"newest": newest},
    )
    assert len(told) >= touched > 0


def _try(insert: Callable[[], Any]) -> None:
    """Run an insert that may fail, because the fresh rows that it reads are gone."""
    with suppress(WarehouseError):
        insert()


@dataclass(slots=True)
class Dying:
    """A warehouse whose writes fail from a number on, as those of a process that is killed there."""

    real: Warehouse
    writes_left: int
    late: Callable[[], Any] = lambda: None
    """The insert that was under way, which may still arrive."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.real, name)
        if name not in ("insert_native", "insert_select", "command"):
            return found

        def write(*arguments: Any, **options: Any) -> Any:
            if not str(arguments[0]).startswith(("CREATE", "DROP", "work_")):
                if self.writes_left == 0:
                    if name != "command":
                        self.late = partial(_try, partial(found, *arguments, **options))
                    raise KeyboardInterrupt
                self.writes_left -= 1
            return found(*arguments, **options)

        return write


def test_a_repair_that_is_killed_at_any_write_is_completed_by_the_next(
    context: IndexContext, archive_chain: Chain, warehouse: Warehouse, store_url: str
) -> None:
    before = all_rows(warehouse)
    for writes in range(0, 100, 2):
        delete_blocks(warehouse, 50, 51)
        change_rows(warehouse)
        dying = Dying(warehouse, writes)
        context.warehouse = dying  # type: ignore[assignment]
        try:
            reindex(context, archive_chain, 50, 51)
            assert writes > 6
            break
        except KeyboardInterrupt:
            context.warehouse = warehouse
            with closing(KeptConnection(store_url)) as line, writer_lock(line, archive_chain.chain_id) as store:
                assert store is not None
                checkpoint = settle(store, warehouse, read_checkpoint(store, archive_chain.chain_id))
            assert checkpoint.pending is None
            if not writes % 4:
                dying.late()
            reindex(context, archive_chain, 50, 51)
            if writes % 4:
                dying.late()
            assert differences(all_rows(warehouse), before) == {}, writes
    context.warehouse = warehouse
    assert differences(all_rows(warehouse), before) == {}


@dataclass
class Restarting:
    """A warehouse that loses what is only in memory after every insert."""

    real: Warehouse

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def insert_native(self, table: str, *arguments: Any, **options: Any) -> None:
        self.real.insert_native(table, *arguments, **options)
        self.real.command(f"DETACH TABLE {table}")
        self.real.command(f"ATTACH TABLE {table}")


def test_a_restart_of_the_engine_makes_no_stored_row_surplus(
    context: IndexContext, archive_chain: Chain, warehouse: Warehouse
) -> None:
    context.warehouse = Restarting(warehouse)  # type: ignore[assignment]
    assert not reindex(context, archive_chain, 50, 51).differs


def test_another_chain_is_not_taken_for_damage(
    context: IndexContext, archive_chain: Chain, warehouse: Warehouse, store: Connection
) -> None:
    store.execute("UPDATE ingest_unit SET last_hash = '0x' || repeat('ab', 32)")
    store.commit()
    before = all_rows(warehouse)
    with pytest.raises(DifferentChain, match="--rewind"):
        reindex(context, archive_chain, 50, 51)
    assert differences(all_rows(warehouse), before) == {}


def test_a_chain_that_another_writer_keeps_is_left_alone(
    context: IndexContext, archive_chain: Chain, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reindexing, "_WRITER_WAIT_SECONDS", 0.2)
    with closing(KeptConnection(store_url)) as line, writer_lock(line, archive_chain.chain_id):
        assert reindex(context, archive_chain, 50, 51).busy
    assert not reindex(context, archive_chain, 50, 51).busy
