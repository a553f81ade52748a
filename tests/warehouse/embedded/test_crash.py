"""A server killed during inserts loses nothing acknowledged, and a repeated insert counts once."""

import threading
from pathlib import Path

import numpy as np
import pytest

from tests.fixtures.engine_processes import Launch
from warehouse.clickhouse import Warehouse
from warehouse.errors import WarehouseError
from warehouse.writer import native_block

ROWS = 200_000
FACTS = """
CREATE TABLE facts (n UInt64, amount Int64) ENGINE = MergeTree ORDER BY n
SETTINGS non_replicated_deduplication_window = 100
"""
SUMS = """
CREATE TABLE sums (bucket UInt64, total Int64) ENGINE = SummingMergeTree ORDER BY bucket
SETTINGS non_replicated_deduplication_window = 100
"""
VIEW = "CREATE MATERIALIZED VIEW sums_of_facts TO sums AS SELECT n % 10 AS bucket, amount AS total FROM facts"


def block(unit: int) -> bytes:
    numbers = np.arange(unit * ROWS, (unit + 1) * ROWS, dtype=np.uint64)
    return native_block([("n", "UInt64", numbers), ("amount", "Int64", np.ones(ROWS, np.int64))])


@pytest.mark.slow
def test_a_repeated_insert_counts_once_after_every_kill(launch: Launch, data_dir: Path) -> None:
    server = launch("clickhouse", data_dir)
    with Warehouse.connect(server.url) as warehouse:
        for statement in (FACTS, SUMS, VIEW):
            warehouse.command(statement)
    acknowledged: list[int] = []
    unit = 0
    for delay in (0.05, 0.15, 0.3):
        stop = threading.Timer(delay, server.kill)
        with Warehouse.connect(server.url) as warehouse:
            stop.start()
            try:
                while True:
                    warehouse.insert_native("facts", block(unit), token=f"unit:{unit}")
                    acknowledged.append(unit)
                    unit += 1
            except WarehouseError:
                stop.join()
        server = launch("clickhouse", data_dir)
        with Warehouse.connect(server.url) as warehouse:
            survived = {row["unit"] for row in warehouse.rows(f"SELECT DISTINCT intDiv(n, {ROWS}) AS unit FROM facts")}
            assert survived >= set(acknowledged)
            # The unit in flight is repeated, and the one before it for good measure.
            for repeated in {max(unit - 1, 0), unit}:
                warehouse.insert_native("facts", block(repeated), token=f"unit:{repeated}")
                warehouse.insert_select(
                    f"INSERT INTO sums SELECT 100, count() FROM facts WHERE intDiv(n, {ROWS}) = {{unit:UInt64}}",
                    {"unit": repeated},
                    token=f"sum:{repeated}",
                )
            unit += 1
            written = unit * ROWS
            counts = warehouse.rows("SELECT count() AS total, uniqExact(n) AS different FROM facts")
            assert counts == [{"total": written, "different": written}]
            assert warehouse.scalar("SELECT sum(total) FROM sums WHERE bucket < 10") == written
    with Warehouse.connect(server.url) as warehouse:
        assert warehouse.scalar("SELECT sum(total) FROM sums WHERE bucket = 100") % ROWS == 0
