import threading
from pathlib import Path

import pytest

from indexer.devchain.world import World
from indexer.run import advance
from pipelines.locks import RefreshBusy, refresh_lock, serving_lock
from pipelines.pause import WritersBusy, all_writers_paused
from tests.fixtures.half_written import leave_half_written
from tests.fixtures.indexing import SMALL_UNITS, all_rows, differences, facts_of, index_history, indexing
from warehouse import advisory_locks, postgres
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.postgres import Connection


@pytest.fixture
def chain(world: World, tmp_path: Path) -> Chain:
    return facts_of(world, tmp_path)


def test_nobody_else_writes_during_the_pause(
    chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    with postgres.connect(store_url, autocommit=True) as other, indexing(warehouse, store_url) as context:
        with all_writers_paused(store, warehouse, [chain], 5):
            assert advance(context, chain).busy
            with pytest.raises(RefreshBusy), refresh_lock(other, 0.01):
                pass
            with pytest.raises(RefreshBusy), serving_lock(other, 0.01):
                pass
            assert advisory_locks.is_held(other, advisory_locks.PAUSE)
        assert not advisory_locks.is_held(other, advisory_locks.PAUSE)
        with refresh_lock(other, 0.01), serving_lock(other, 0.01):
            assert not advance(context, chain, to_block=3).busy


def test_a_writer_that_does_not_pause_is_named(
    chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    with postgres.connect(store_url, autocommit=True) as other:
        advisory_locks.acquire(other, advisory_locks.writer_of(chain.chain_id))
        with pytest.raises(WritersBusy, match=str(chain.chain_id)), all_writers_paused(store, warehouse, [chain], 0.1):
            pass
        assert advisory_locks.try_acquire(other, advisory_locks.REFRESH)


@pytest.mark.parametrize("stage", ["some tables", "sums begun", "sums done"])
def test_what_a_killed_writer_left_is_settled_first(
    stage: str, chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    index_history(warehouse, store_url, chain, to_block=20)
    before = all_rows(warehouse)
    with indexing(warehouse, store_url) as context:
        leave_half_written(context, chain, store, stage)
    with all_writers_paused(store, warehouse, [chain], 5):
        row = store.execute("SELECT pending, block_number FROM chain_checkpoint").fetchone()
        assert row is not None
        assert row["pending"] is None
        if stage == "some tables":
            assert differences(all_rows(warehouse), before) == {}
        last = warehouse.scalar("SELECT max(block_number) FROM raw_block")
        assert last == row["block_number"]


def test_a_writer_that_catches_up_gives_way_and_goes_on(
    chain: Chain, warehouse: Warehouse, store: Connection, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.run._LOOK_SECONDS", 0.0)
    paused_at: list[int] = []

    def pause(_progress: object) -> None:
        """At the first unit, another thread asks for a pause; the next units wait for it."""
        if not asking:
            asking.append(threading.Thread(target=hold))
            asking[0].start()
            while not advisory_locks.is_held(store, advisory_locks.PAUSE):
                pass

    def hold() -> None:
        with (
            postgres.connect(store_url, autocommit=True) as other,
            all_writers_paused(other, warehouse, [chain], 30),
        ):
            rows = other.execute("SELECT block_number FROM chain_checkpoint").fetchall()
            paused_at.append(rows[0]["block_number"])

    asking: list[threading.Thread] = []
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        done = advance(context, chain, progress=pause)
    asking[0].join()
    assert done.published == done.head
    assert paused_at[0] < (done.head or 0)
    assert done.blocks == warehouse.scalar("SELECT count() FROM raw_block")
