"""Indexers and refresh runs of two chains in any order, some of them killed: every row is that of a single run."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from indexer.devchain.world import World
from indexer.run import advance
from pipelines.locks import RefreshBusy
from pipelines.refresh import publish_new_tokens, refresh
from pipelines.windows import ReorgDuringRefresh
from tests.fixtures.derived import contents
from tests.fixtures.engines import EmptyDatabases, EmptyStores
from tests.fixtures.faulty_node import faulty_node
from tests.fixtures.indexing import SMALL_UNITS, AllRows, all_rows, differences, indexing
from tests.fixtures.stepped_processes import SteppedProcess
from warehouse import postgres
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains

pytestmark = pytest.mark.slow

GNOSIS = 100
LAST_BLOCK = 30
PROCESSES = 6
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
"""Without shrinking, which would take an hour."""
Everything = tuple[AllRows, dict[str, list[str]]]


@dataclass(frozen=True)
class Databases:
    """Fresh databases of both engines, and the chains."""

    warehouse_url: str
    store_url: str
    chains: Chains

    def index(self, chain: Chain, warehouse: Warehouse) -> None:
        with indexing(warehouse, self.store_url, SMALL_UNITS) as context:
            advance(context, chain, to_block=LAST_BLOCK)

    def derive(self, chain: Chain, warehouse: Warehouse) -> None:
        with postgres.connect(self.store_url, autocommit=True) as store:
            try:
                publish_new_tokens(warehouse, store, self.chains, chain, wait_seconds=1.0)
                refresh(warehouse, store, self.chains, chain_ids=[chain.chain_id], full=False, wait_seconds=1.0)
            except (RefreshBusy, ReorgDuringRefresh):
                pass  # another process does it, or the next run

    def finish(self) -> Everything:
        """Everything that is there once each chain is indexed and derived to its end."""
        with (
            Warehouse.connect(self.warehouse_url) as warehouse,
            postgres.connect(self.store_url, autocommit=True) as store,
        ):
            for chain in self.chains.by_key.values():
                self.index(chain, warehouse)
            refresh(warehouse, store, self.chains)
            left = store.execute("SELECT unit_id FROM ingest_unit WHERE status = 'pending'").fetchall()
            assert left == []
            return all_rows(warehouse), contents(warehouse)


@pytest.fixture
def two_chains(archive_world: World, archive_chain: Chain) -> Iterator[Chains]:
    """Base, and Gnosis with the same blocks."""

    def of_gnosis(request: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
        return {**answer, "result": hex(GNOSIS)} if request["method"] == "eth_chainId" else answer

    with faulty_node(archive_world.anvil.url) as node:
        node.item = of_gnosis
        other = replace(archive_chain, key="gnosis", chain_id=GNOSIS, caip2="eip155:100", rpc_urls=(node.url,))
        yield Chains({"base": archive_chain, "gnosis": other})


@contextmanager
def fresh_databases(stores: EmptyStores, warehouses: EmptyDatabases, chains: Chains) -> Iterator[Databases]:
    """Databases without rows, given back at the end of the block."""
    with ExitStack() as held:
        store, warehouse = stores.take(), warehouses.take()
        held.callback(stores.give_back, store)
        held.callback(warehouses.give_back, warehouse)
        yield Databases(warehouses.url_of(warehouse), stores.url_of(store), chains)


def test_interleaved_and_killed_processes_leave_what_one_run_does(
    two_chains: Chains, empty_stores: EmptyStores, empty_databases: EmptyDatabases
) -> None:
    with fresh_databases(empty_stores, empty_databases, two_chains) as databases:
        expected = databases.finish()
    assert len(expected[0]["raw_block"]) == 2 * (LAST_BLOCK + 1)
    assert expected[1]["serve_token"]

    # Who goes on, for how many stops before and after its writes, and whether it then dies.
    turns = st.tuples(st.integers(0, PROCESSES - 1), st.integers(1, 80), st.sampled_from((False, False, True)))

    @settings(max_examples=5, phases=PHASES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(schedule=st.lists(turns, min_size=6, max_size=18))
    def run(schedule: list[tuple[int, int, bool]]) -> None:
        with fresh_databases(empty_stores, empty_databases, two_chains) as databases:
            chains = [*two_chains.by_key.values()]
            processes = [
                SteppedProcess(databases.warehouse_url, partial(work, chain))
                for chain in chains
                for work in (databases.index, databases.index, databases.derive)
            ]
            for number, steps, dies in schedule:
                processes[number].step(steps)
                if dies:
                    processes[number].kill()
            finishing = [threading.Thread(target=process.finish) for process in processes]
            for thread in finishing:
                thread.start()
            for thread in finishing:
                thread.join()
            assert [process.failures for process in processes] == [[]] * PROCESSES
            event(f"deaths: {sum(process.deaths for process in processes)}")
            rows, derived = databases.finish()
        assert differences(rows, expected[0]) == {}
        assert differences(derived, expected[1]) == {}

    run()
