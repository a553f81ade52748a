"""``regalia follow`` as processes of their own: one for each chain, and a second one that takes over."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from indexer.devchain.anvil import Anvil
from indexer.devchain.world import World
from tests.fixtures.indexing import AllRows, all_rows, differences, mine_activity
from tests.fixtures.processes import regalia, stop
from tests.fixtures.waiting import wait_until
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.postgres import Connection

pytestmark = pytest.mark.slow

GNOSIS = 100
SECONDS = 240.0
SERVED = "SELECT as_of_blocks FROM serve_publication ORDER BY version DESC LIMIT 1"
UNITS = """
SELECT chain_id, first_block, last_block, status FROM ingest_unit WHERE status != 'abandoned' ORDER BY 1, 2
"""


@pytest.fixture
def second_node() -> Iterator[Anvil]:
    """A node of another chain, with some empty blocks."""
    with Anvil.start(chain_id=GNOSIS) as node:
        node.mine(20)
        yield node


@pytest.fixture
def settings(
    archive_world: World, second_node: Anvil, store_url: str, warehouse_url: str, tmp_path: Path
) -> dict[str, str]:
    """Settings of followers of Base and Gnosis."""
    chains = tmp_path / "followed.toml"
    second = f'[chains.gnosis]\nrpc_urls = ["{second_node.url}"]\nstart_block = 0\n'
    chains.write_text(archive_world.chain_toml() + second)
    return {
        **{"DATA_DIR": str(tmp_path), "CHAINS": str(chains)},
        **{"DATABASE_URL": store_url, "CLICKHOUSE_URL": warehouse_url},
    }


def of_chain(rows: AllRows, chain_id: int) -> AllRows:
    """The rows of one chain."""
    return {
        table: [row for row in found if str(row.get("chain_id_text", row.get("chain_id"))) == str(chain_id)]
        for table, found in rows.items()
    }


def test_two_chains_are_followed_at_once_and_a_second_follower_takes_over(
    archive_world: World, archive_chain: Chain, second_node: Anvil, settings: dict[str, str], warehouse: Warehouse,
    store: Connection, index_afresh: Callable[[Chain], AllRows],
) -> None:  # fmt: skip
    rng = random.Random(4)

    def heads() -> dict[int, int]:
        return {archive_chain.chain_id: archive_world.anvil.block_number(), GNOSIS: second_node.block_number()}

    def indexed() -> dict[int, int]:
        rows = store.execute("SELECT chain_id, block_number FROM chain_checkpoint").fetchall()
        return {row["chain_id"]: row["block_number"] for row in rows}

    def served() -> dict[int, int]:
        rows = warehouse.rows(SERVED)
        return dict(rows[0]["as_of_blocks"]) if rows else {}

    with (
        regalia("follow", "--chain", "base", **settings) as first,
        regalia("follow", "--chain", "base", **settings) as second,
        regalia("follow", "--chain", "gnosis", **settings) as other,
    ):
        wait_until(lambda: indexed() == heads(), "both chains", SECONDS)
        mine_activity(archive_world, rng, 4)
        first.kill()
        mine_activity(archive_world, rng, 4)
        second_node.mine(3)
        wait_until(lambda: served() == heads(), "both, without the first follower", SECONDS)
        assert [stop(follower) for follower in (second, other)] == [0, 0]

    base = of_chain(all_rows(warehouse), archive_chain.chain_id)
    assert differences(base, index_afresh(archive_chain)) == {}
    units = store.execute(UNITS).fetchall()
    for chain_id, head in heads().items():
        of = [unit for unit in units if unit["chain_id"] == chain_id]
        assert {unit["status"] for unit in of} == {"published"}
        assert [unit["first_block"] for unit in of] == [0, *(unit["last_block"] + 1 for unit in of[:-1])]
        assert of[-1]["last_block"] == head
