"""Counts reach the store, add up over processes, and never stop indexing."""

from collections import Counter

import pytest

from indexer.counting import ChainCounts
from indexer.devchain.world import World
from indexer.run import advance
from tests.fixtures.indexing import indexing
from warehouse import postgres
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.postgres import Connection


def counted(store: Connection) -> dict[str, int]:
    rows = store.execute("SELECT name, chain_id, value FROM service_counter").fetchall()
    assert {row["chain_id"] for row in rows} <= {8453}
    return {row["name"]: row["value"] for row in rows}


def test_counts_of_several_processes_add_up(store: Connection) -> None:
    for _ in range(2):
        node = Counter(requests=3, status_429=1)
        counts = ChainCounts(8453, node)
        counts.count_unit(blocks=10, rows=100, events=50)
        counts.write(store)
        counts.write(store)  # nothing new
        node["requests"] += 2
        counts.write(store)
    assert counted(store) == {"requests": 10, "status_429": 2, "units": 2, "blocks": 20, "rows": 200, "events": 100}


@pytest.mark.parametrize(("depth", "bound"), [(1, "1"), (2, "2"), (3, "4"), (64, "64"), (65, "inf")])
def test_reorganisations_are_counted_by_depth(depth: int, bound: str) -> None:
    counts = ChainCounts(8453, Counter())
    counts.count_reorganisation(depth)
    assert counts.own == {f"reorganisations_to_{bound}": 1, "reorganised_blocks": depth}


def test_counts_wait_for_a_connection(store: Connection, store_url: str) -> None:
    counts = ChainCounts(8453, Counter(requests=1))
    lost = postgres.connect(store_url, autocommit=True)
    store.execute("SELECT pg_terminate_backend(%s)", (lost.info.backend_pid,))
    counts.write(lost)
    counts.write(lost)
    assert counted(store) == {}
    counts.write(store)
    assert counted(store) == {"requests": 1}


def test_an_index_run_writes_its_counts(
    archive_chain: Chain, archive_world: World, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    with indexing(warehouse, store_url) as context:
        done = advance(context, archive_chain)
        requests = context.counters(archive_chain)["requests"]
    found = {row["name"]: row["value"] for row in store.execute("SELECT name, value FROM service_counter")}
    assert (found["blocks"], found["rows"], found["events"]) == (done.blocks, done.rows, done.events)
    assert found["requests"] == requests
    assert found["units"] == len(store.execute("SELECT 1 FROM ingest_unit").fetchall())
    assert found["bytes"] > 0
