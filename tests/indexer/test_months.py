"""A unit lies in one month, whatever the blocks it was made of."""

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.months import split_by_month
from indexer.unit import AssembledUnit, Blocks, Change
from indexer.write import fence_unit, write_facts
from warehouse.clickhouse import Warehouse

CHAIN = 8453
JANUARY, FEBRUARY, APRIL = (int(datetime(2026, month, 1, tzinfo=UTC).timestamp()) for month in (1, 2, 4))


def unit_of(times: list[int]) -> AssembledUnit:
    """Blocks from number 10 on, each with one transfer and one reading of a token."""
    count = len(times)
    numbers = np.arange(10, 10 + count, dtype=np.uint64)
    hashes = np.arange(32 * count, dtype=np.uint32).astype(np.uint8).reshape(count, 32)
    blocks = Blocks(numbers, hashes, hashes[::-1].copy(), np.array(times, np.uint32), np.zeros(count, np.uint32))
    address = np.full((count, 20), 7, np.uint8)
    transfers = {
        "token": address, "block_number": numbers, "log_index": np.zeros(count, np.uint32),
        "transaction_hash": hashes, "from_address": address, "to_address": [bytes([9]) * 20] * count,
        "amount_raw": np.zeros((count, 32), np.uint8),
    }  # fmt: skip
    supply = np.ones(count, np.bool_), np.zeros((count, 32), np.uint8)
    readings = {"read_block": numbers - 3, "total_supply_raw": supply}
    changes = [Change("token", bytes([7]) * 20, 10, times[0]), Change("metadata", b"late", 9 + count, times[-1])]
    return AssembledUnit(blocks, {"fact_transfer": [transfers], "fact_token": [readings]}, changes, 5 * count)


def months_of(unit: AssembledUnit) -> list[str]:
    return sorted({datetime.fromtimestamp(int(time), UTC).strftime("%Y-%m") for time in unit.blocks.time})


def test_a_unit_of_one_month_is_left_alone() -> None:
    unit = unit_of([JANUARY, JANUARY + 5, FEBRUARY - 1])
    assert [part is unit for part in split_by_month(unit)] == [True]


def test_what_was_touched_is_announced_with_every_part_from_its_first_block_on() -> None:
    first, second, third = split_by_month(unit_of([FEBRUARY - 2, FEBRUARY - 1, FEBRUARY, APRIL]))
    token = bytes([7]) * 20
    assert [part.event_count for part in (first, second, third)] == [0, 0, 20]
    assert first.changes == [Change("token", token, 10, FEBRUARY - 2)]
    assert second.changes == [Change("token", token, 12, FEBRUARY)]
    assert third.changes == [Change("token", token, 13, APRIL), Change("metadata", b"late", 13, APRIL)]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(JANUARY, APRIL + 86_400 * 20), min_size=1, max_size=12), st.booleans())
def test_parts_are_of_one_month_and_hold_every_row_once(times: list[int], ascending: bool) -> None:
    unit = unit_of(sorted(times) if ascending else times)
    parts = list(split_by_month(unit))

    assert all(len(months_of(part)) == 1 for part in parts)
    assert np.concatenate([part.blocks.number for part in parts]).tolist() == unit.blocks.number.tolist()
    for table, column in (("fact_transfer", "block_number"), ("fact_token", "read_block")):
        kept = [np.asarray(part.tables[table][0][column]) for part in parts]
        assert np.concatenate(kept).tolist() == np.asarray(unit.tables[table][0][column]).tolist()
    for part in parts:
        transfers = np.asarray(part.tables["fact_transfer"][0]["block_number"])
        assert transfers.tolist() == part.blocks.number.tolist()


@pytest.mark.parametrize("late", [True, False])
def test_the_fence_of_an_abandoned_unit_meets_its_inserts_in_their_month(warehouse: Warehouse, late: bool) -> None:
    unit = unit_of([JANUARY, JANUARY + 60])
    tables = {"fact_transfer": unit.tables["fact_transfer"]}
    if late:
        fence_unit(warehouse, CHAIN, 77, JANUARY)
    write_facts(warehouse, CHAIN, 77, unit.blocks, tables, unit.changes)
    fence_unit(warehouse, CHAIN, 77, JANUARY)
    for table in ("raw_block", "fact_transfer", "fact_change"):
        assert warehouse.scalar(f"SELECT count() FROM {table}") == 0, table


def test_a_transfer_lies_in_the_partition_of_its_chain_and_month(warehouse: Warehouse) -> None:
    for number, part in enumerate(split_by_month(unit_of([FEBRUARY - 1, FEBRUARY, APRIL]))):
        write_facts(warehouse, CHAIN, 80 + number, part.blocks, {"fact_transfer": part.tables["fact_transfer"]})
    found = warehouse.rows("SELECT DISTINCT _partition_id AS id, unit_id FROM fact_transfer ORDER BY id")
    assert [(row["id"], row["unit_id"]) for row in found] == [
        ("8453-202601", 80), ("8453-202602", 81), ("8453-202604", 82),
    ]  # fmt: skip
