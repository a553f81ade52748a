"""The attacks planted in the chain of the demo: each clone is judged a copy of its original, and no other is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.devchain.anvil import Anvil
from indexer.devchain.world import World
from indexer.run import advance
from pipelines.refresh import refresh
from tests.fixtures.derived import served
from tests.fixtures.indexing import facts_of, indexing
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

PLANTED = {
    "fake_aurum": "aurum",
    "zero_harbor": "harbor",
    "zero_quill": "quill",
    "cyrillic_tern": "tern",
    "traded_fjord": "fjord",
}

pytestmark = pytest.mark.slow


@pytest.fixture
def demo_world() -> Iterator[World]:
    with Anvil.start(state_roots=False, genesis_time=World.genesis_time("demo")) as node:
        yield World.create(node, seed=1, scale="demo")


def test_planted_clones_are_copies_and_their_originals_are_not(
    demo_world: World, tmp_path: Path, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    chain = facts_of(demo_world, tmp_path)
    with indexing(warehouse, store_url) as context:
        advance(context, chain)
    refresh(warehouse, store, Chains({chain.key: chain}))
    shown = served(warehouse, key="token")
    for clone, original in PLANTED.items():
        row = shown[demo_world.token(clone).address[2:]]
        of = warehouse.scalar(
            "SELECT lower(hex(copy_of_address)) FROM serve_token WHERE address = unhex({token:String})"
            " ORDER BY version DESC LIMIT 1",
            {"token": row["token"]},
        )
        assert (row["is_copy"], row["copy_rule"], of) == (1, "senior", demo_world.token(original).address[2:]), clone
    honest = {token.address[2:] for token in demo_world.tokens if token.copy_of is None} & shown.keys()
    assert {shown[token]["symbol"] for token in honest if shown[token]["is_copy"]} == set()
