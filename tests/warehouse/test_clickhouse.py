import asyncio
import select
import socket
import socketserver
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from urllib.parse import urlsplit

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from warehouse.clickhouse import AsyncWarehouse, Warehouse
from warehouse.errors import WarehouseError, WarehouseUnavailable
from warehouse.writer import native_block

CLOSED_PORT = "http://regalia:x@127.0.0.1:9/regalia"


def test_rows_come_as_dictionaries_with_exact_and_aware_values(warehouse: Warehouse) -> None:
    rows = warehouse.rows(
        "SELECT toUInt256(2) * 3 AS big, toDecimal64(1.5, 3) AS price, toDateTime(0, 'UTC') AS at, NULL AS nothing, "
        "{names:Array(String)} AS names, lower(hex(unhex({address:String}))) AS address",
        {"names": ["a", "it's"], "address": "00ff"},
    )

    assert rows == [
        {
            "big": 6,
            "price": Decimal("1.500"),
            "at": datetime(1970, 1, 1, tzinfo=UTC),
            "nothing": None,
            "names": ["a", "it's"],
            "address": "00ff",
        }
    ]


def test_no_rows_are_an_empty_list_and_no_scalar(warehouse: Warehouse) -> None:
    assert warehouse.rows("SELECT * FROM serve_token") == []
    assert warehouse.scalar("SELECT symbol FROM serve_token") is None
    assert warehouse.arrow("SELECT chain_id, symbol FROM serve_token").column_names == ["chain_id", "symbol"]
    assert warehouse.polars("SELECT chain_id FROM serve_token").shape == (0, 1)


def test_long_lists_travel_as_parameters(warehouse: Warehouse) -> None:
    addresses = [f"{number:040x}" for number in range(5000)]

    assert warehouse.scalar("SELECT length({addresses:Array(String)})", {"addresses": addresses}) == 5000


def test_frames_and_tables_hold_bytes_when_asked(warehouse: Warehouse) -> None:
    sql = "SELECT number AS n, unhex('ff') AS raw FROM numbers(3)"
    table = warehouse.arrow(sql, strings=False)
    frame = warehouse.polars("SELECT number AS n, hex(unhex('ff')) AS raw FROM numbers(3)")

    assert table["raw"].to_pylist() == [b"\xff"] * 3
    assert frame.equals(pl.DataFrame({"n": pl.Series([0, 1, 2], dtype=pl.UInt64), "raw": ["FF"] * 3}))


def test_batches_stream_a_large_result(warehouse: Warehouse) -> None:
    with warehouse.arrow_batches("SELECT number FROM numbers(500000)") as batches:
        sizes = [batch.num_rows for batch in batches]

    assert sum(sizes) == 500_000
    assert len(sizes) > 1


def test_an_arrow_insert_with_a_token_counts_once(warehouse: Warehouse) -> None:
    table = pa.table({"chain_id": pa.array([1, 1], pa.uint32()), "block_number": pa.array([5, 6], pa.uint64())})
    for _ in range(2):
        warehouse.insert_arrow("raw_block", table, token="a")
    warehouse.insert_arrow("raw_block", table)

    assert warehouse.scalar("SELECT count() FROM raw_block") == 4


def test_an_insert_whose_answer_is_lost_with_the_connection_is_sent_again_and_counts_once(warehouse_url: str) -> None:
    table = pa.table({"chain_id": pa.array([1], pa.uint32()), "block_number": pa.array([5], pa.uint64())})
    block = native_block([("chain_id", "UInt32", np.array([1])), ("block_number", "UInt64", np.array([6]))])
    with answers_lost(warehouse_url) as (url, lost), Warehouse.connect(url) as warehouse:
        lost.append("arrow")
        warehouse.insert_arrow("raw_block", table, token="a")
        lost.append("native")
        warehouse.insert_native("raw_block", block, token="b")

        assert lost == []
        assert warehouse.scalar("SELECT arraySort(groupArray(block_number)) FROM raw_block") == [5, 6]
        lost += ["the first", "the second"]
        with pytest.raises(WarehouseUnavailable):
            warehouse.insert_native("raw_block", block, token="b")


@contextmanager
def answers_lost(url: str) -> Iterator[tuple[str, list[str]]]:
    """A proxy that drops answers and their connections: one for each item of the list it yields."""
    target = urlsplit(url)
    lost: list[str] = []

    class Way(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with socket.create_connection((target.hostname, target.port)) as server:
                while ready := select.select([self.request, server], [], [])[0]:
                    for one in ready:
                        if not (data := one.recv(1 << 20)):
                            return
                        if one is server and lost:
                            lost.pop()
                            self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                            self.request.close()
                            return
                        (server if one is self.request else self.request).sendall(data)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Way) as way:
        way.daemon_threads = True
        way.block_on_close = False
        threading.Thread(target=way.serve_forever, args=(0.01,), daemon=True).start()
        yield (
            target._replace(netloc=f"{target.netloc.rpartition('@')[0]}@127.0.0.1:{way.server_address[1]}").geturl(),
            lost,
        )
        way.shutdown()


def test_a_large_insert_select_with_a_token_counts_once(warehouse: Warehouse) -> None:
    sql = (
        "INSERT INTO agg_balance_day SELECT 1, toString(number % 1500000), 'w', toDate(0), 1 "
        "FROM numbers({rows:UInt64}) SETTINGS max_threads = 2"
    )
    for _ in range(2):
        warehouse.insert_select(sql, {"rows": 2_000_000}, token="unit:agg_balance_day")

    assert warehouse.scalar("SELECT sum(delta_raw) FROM agg_balance_day") == 2_000_000


def test_command_returns_the_rows_written(warehouse: Warehouse) -> None:
    assert warehouse.command("INSERT INTO work_key SELECT 1, toString(number) FROM numbers(5)") == 5
    assert warehouse.command("INSERT INTO work_key SELECT 1, toString(number) FROM numbers(0)") == 0
    assert warehouse.command("TRUNCATE TABLE work_key") == 0


def test_errors_carry_their_code(warehouse: Warehouse) -> None:
    with pytest.raises(WarehouseError, match="nowhere") as caught:
        warehouse.rows("SELECT * FROM nowhere")

    assert caught.value.code == 60
    assert not isinstance(caught.value, WarehouseUnavailable)


def test_a_missing_server_is_unavailable() -> None:
    with pytest.raises(WarehouseUnavailable):
        Warehouse.connect(CLOSED_PORT)


def test_a_deadline_makes_it_unavailable(warehouse: Warehouse) -> None:
    with pytest.raises(WarehouseUnavailable):
        warehouse.scalar(
            "SELECT count() FROM numbers(1000000000000) WHERE sin(number) > 2", settings={"max_execution_time": 0.3}
        )


def test_an_error_midway_through_a_stream_is_raised(warehouse: Warehouse) -> None:
    with pytest.raises(WarehouseError) as caught:
        warehouse.rows("SELECT throwIf(number = 3000000) FROM numbers(4000000)", settings={"max_threads": 1})

    assert caught.value.code == 395


def test_threads_share_a_connection(warehouse: Warehouse) -> None:
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(warehouse.scalar("SELECT {n:UInt32}", {"n": n})))
        for n in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(found) == list(range(20))


async def test_the_asynchronous_connection_reads_the_same(warehouse_url: str) -> None:
    warehouse = await AsyncWarehouse.connect(warehouse_url)
    try:
        rows = await warehouse.rows("SELECT {x:UInt8} AS x", {"x": 3})
        values = await asyncio.gather(*(warehouse.scalar("SELECT {n:UInt32}", {"n": n}) for n in range(20)))
        table = await warehouse.arrow("SELECT number FROM numbers(3)")

        assert rows == [{"x": 3}]
        assert values == list(range(20))
        assert table.num_rows == 3
        with pytest.raises(WarehouseError, match="nowhere"):
            await warehouse.rows("SELECT * FROM nowhere")
    finally:
        await warehouse.close()


async def test_an_asynchronous_read_ends_at_its_timeout(warehouse_url: str) -> None:
    warehouse = await AsyncWarehouse.connect(warehouse_url)
    try:
        with pytest.raises(WarehouseUnavailable):
            await warehouse.rows(
                "SELECT count() FROM numbers(1000000000000) WHERE sin(number) > 2", timeout_seconds=0.3
            )
    finally:
        await warehouse.close()


async def test_a_missing_server_is_unavailable_asynchronously() -> None:
    with pytest.raises(WarehouseUnavailable):
        await AsyncWarehouse.connect(CLOSED_PORT)
