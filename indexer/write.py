"""Write a unit's rows: one insert per table in the Native format, each with a token that makes repeating it a no-op."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import numpy as np

from indexer.unit import Blocks, Change, Rows
from warehouse import sql
from warehouse.clickhouse import Warehouse
from warehouse.contexts import carry
from warehouse.domain.facts import BLOCK_TIME, FACT_TABLES
from warehouse.writer import Column, Parts, column_rows, native_block

# The columns that rows come with, by table. chain_id, unit_id and block_time are added here.
TABLES: Mapping[str, tuple[tuple[str, str], ...]] = {
    name: tuple((column, kind.written) for column, kind in table.columns.items() if column != BLOCK_TIME)
    for name, table in FACT_TABLES.items()
}


SUMS = "agg_balance_day"
"""The table of balance changes."""


def write_facts(
    warehouse: Warehouse,
    chain_id: int,
    unit_id: int,
    blocks: Blocks,
    tables: Mapping[str, Sequence[Rows]],
    changes: Sequence[Change] = (),
    before_insert: Callable[[], None] = lambda: None,
) -> dict[str, int]:
    """Insert every table's rows and what the unit touched, several tables at once. Returns row counts by table.

    ``before_insert`` is called just before each insert and prevents it by raising.
    """
    filled: dict[str, list[Rows]] = {"raw_block": [block_rows(blocks)]}
    for table, parts in tables.items():
        filled[table] = [part for part in parts if _row_count(part)]
    counts = {table: sum(map(_row_count, parts)) for table, parts in filled.items()}

    def insert(table: str) -> None:
        block = encode_rows(table, chain_id, unit_id, blocks, filled[table])
        before_insert()
        warehouse.insert_native(table, block, token=f"{unit_id}:{table}")

    def announce() -> None:
        before_insert()
        write_changes(warehouse, chain_id, unit_id, changes)

    # The largest first, so that it does not run alone at the end.
    tables_by_size = sorted((table for table in filled if counts[table]), key=lambda table: -counts[table])
    with ThreadPoolExecutor(4, "insert") as pool:
        announced = pool.submit(carry(announce))
        list(pool.map(carry(insert), tables_by_size))
        announced.result()
    return {table: counts[table] for table in tables_by_size}


def encode_rows(table: str, chain_id: int, unit_id: int, blocks: Blocks, parts: Sequence[Rows]) -> memoryview:
    """One Native block with the rows of all ``parts``."""
    rows = sum(map(_row_count, parts))
    columns: list[Column] = [
        ("chain_id", "UInt32", np.full(rows, chain_id, np.uint32)),
        ("unit_id", "UInt64", np.full(rows, unit_id, np.uint64)),
    ]
    columns += [(name, kind, Parts([part[name] for part in parts])) for name, kind in TABLES[table]]
    if FACT_TABLES[table].has_block_time:
        numbers = np.concatenate([np.asarray(part["block_number"]) for part in parts])
        columns.append(("block_time", "DateTime", blocks.times_of(numbers)))
    return native_block(columns)


def write_changes(warehouse: Warehouse, chain_id: int, change_id: int, changes: Sequence[Change]) -> None:
    """Insert what a unit touched."""
    rows = len(changes)
    if not rows:
        return
    block = native_block(
        [
            ("chain_id", "UInt32", np.full(rows, chain_id, np.uint32)),
            ("change_id", "UInt64", np.full(rows, change_id, np.uint64)),
            ("subject", "String", [change.subject.encode() for change in changes]),
            ("key", "String", [change.key for change in changes]),
            ("from_block", "UInt64", np.array([change.from_block for change in changes], np.uint64)),
            ("from_time", "DateTime", np.array([change.from_time for change in changes], np.uint32)),
        ]
    )
    warehouse.insert_native("fact_change", block, token=f"{change_id}:fact_change")


def add_balances(warehouse: Warehouse, chain_id: int, unit_id: int, *, sign: int, token: str) -> None:
    """Add the changes of a unit's transfers to the balances; ``sign`` -1 subtracts them again."""
    parameters = {"chain_id": chain_id, "unit_id": unit_id, "sign": sign}
    # One thread: more would cost half as much CPU again to merge their parts. The rows are grouped already, so summing
    # them once more on insert would waste a sixth of the statement.
    settings = {"max_threads": 1, "optimize_on_insert": 0}
    warehouse.insert_select(sql.load("transforms/ingest/add_balances"), parameters, settings, token=token)


def fence_unit(warehouse: Warehouse, chain_id: int, unit_id: int, first_time: int) -> None:
    """Make late inserts of an abandoned unit impossible, then delete its rows."""
    _fence_inserts(warehouse, chain_id, unit_id, first_time)
    delete_units(warehouse, chain_id, [unit_id])
    warehouse.command(
        sql.load("transforms/ingest/delete_change"),
        {"chain_id": chain_id, "unit_id": unit_id},
        {"lightweight_deletes_sync": 2},
    )


def fence_repair(warehouse: Warehouse, chain_id: int, number: int, first_time: int) -> None:
    """Make late inserts of an interrupted repair impossible. What it announced stays, and so does what it repaired."""
    _fence_inserts(warehouse, chain_id, number, first_time)
    delete_units(warehouse, chain_id, [number])
    # A row of an empty token is no balance. This one says of no unit that its sums are in (1) or not (0).
    block = native_block(
        [
            ("chain_id", "UInt32", np.array([chain_id], np.uint32)),
            ("wallet", "String", [number.to_bytes(8, "big")]),
            ("delta_raw", "Int256", np.frombuffer((2).to_bytes(32, "little"), np.uint8).reshape(1, 32)),
        ]
    )
    warehouse.insert_native(SUMS, block, token=f"{number}:{SUMS}")


def _fence_inserts(warehouse: Warehouse, chain_id: int, unit_id: int, first_time: int) -> None:
    """Take the tokens of inserts that may still be running.

    A killed indexer's last inserts may still be running inside the warehouse. So insert one row with the same token
    into each table: if ours comes first, the late insert is a no-op; if it comes second, ours is. Afterwards no row of
    the unit can appear any more, and a delete is final. The row's block number is beyond every block, so no reader
    sees it. A token holds within a partition, so the row's time is one of the unit's: ``first_time``, in seconds. It
    holds within a shard, too, and an insert into a cluster is one for each shard.
    """
    beyond = np.array([2**64 - 1], np.uint64)
    for name, table in FACT_TABLES.items():
        columns: list[Column] = [
            ("chain_id", "UInt32", np.array([chain_id], np.uint32)),
            (table.block_column, "UInt64", beyond),
            ("unit_id", "UInt64", np.array([unit_id], np.uint64)),
        ]
        if table.has_block_time:
            columns.append((BLOCK_TIME, "DateTime", np.array([first_time], np.uint32)))
        warehouse.insert_native(name, native_block(columns), token=f"{unit_id}:{name}", every_shard=True)
    write_changes(warehouse, chain_id, unit_id, [Change("", b"", 2**64 - 1, 0)])


def delete_units(warehouse: Warehouse, chain_id: int, units: Sequence[int]) -> None:
    """Delete every row of these units from all tables before returning. Several tables at once: each delete mostly
    waits for the warehouse to schedule it. Only partitions that hold such rows are touched: a delete visits every part
    of the partitions it is given.
    """
    wanted = {"chain_id": chain_id, "units": list(units)}
    condition = "chain_id = {chain_id:UInt32} AND unit_id IN {units:Array(UInt64)}"

    def delete(table: str) -> None:
        delete_rows(warehouse, table, condition, wanted)

    with ThreadPoolExecutor(4, "delete") as pool:
        list(pool.map(carry(delete), FACT_TABLES))


def delete_rows(warehouse: Warehouse, table: str, condition: str, parameters: Mapping[str, Any]) -> None:
    """Delete the rows of a table that fulfil a condition before returning."""
    found = warehouse.rows(f"SELECT DISTINCT _partition_id AS partition FROM {table} WHERE {condition}", parameters)  # noqa: S608
    for row in found:
        warehouse.command(
            f"DELETE FROM {table} IN PARTITION ID '{row['partition']}' WHERE {condition}",  # noqa: S608
            parameters,
            {"lightweight_deletes_sync": 2},
        )


def block_time(seconds: int) -> datetime:
    """Seconds since 1970 as a datetime."""
    return datetime.fromtimestamp(seconds, UTC)


def block_rows(blocks: Blocks) -> Rows:
    """The rows of ``raw_block``."""
    return {
        "block_number": blocks.number,
        "block_hash": blocks.hash,
        "parent_hash": blocks.parent,
        "transaction_count": blocks.transaction_count,
    }


def _row_count(part: Rows) -> int:
    first: Any = next(iter(part.values()))
    return column_rows(first)
