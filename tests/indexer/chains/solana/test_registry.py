"""The registration program on a real node, indexed and folded: the store says what the program's accounts say."""

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from solders.keypair import Keypair

from indexer.contracts.solana import idl
from indexer.contracts.solana.program import MAINTAINER, MANAGER
from indexer.run import advance
from pipelines.refresh import refresh
from tests.fixtures.indexing import indexing
from tests.fixtures.solana_node_registry import END_DELAY, SIGNER_DELAY, NodeRegistry
from tests.fixtures.solana_registry import SOL
from warehouse.chains.facts import load
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.postgres import Connection

pytestmark = pytest.mark.slow

FIRST_SLOT = 31
"""The first block of a new local node."""
CID = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"


@pytest.fixture
def chain(node_registry: NodeRegistry, tmp_path: Path) -> Chain:
    """The registry's chain, from the slot of its deployment on."""
    facts = load(node_registry.chains_file(tmp_path / "chains.toml")).by_key["solana"]
    return replace(facts, start_block=max(node_registry.node.slot() - 5, FIRST_SLOT))


def index(node: NodeRegistry, chain: Chain, warehouse: Warehouse, store: Connection, store_url: str) -> None:
    head = node.node.slot()
    with indexing(warehouse, store_url) as context:
        while (advance(context, chain).published or 0) < head:
            time.sleep(0.2)
    refresh(warehouse, store, Chains({chain.key: chain}))


def rows(store: Connection) -> dict[int, Mapping[str, Any]]:
    found = store.execute("SELECT * FROM registration WHERE chain_id = 900900").fetchall()
    return {row["token_id"]: row for row in found}


def test_the_store_says_what_the_program_says(
    node_registry: NodeRegistry, chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    registry, owner = node_registry, node_registry.owner
    transaction = registry.claim("LUMEN", fee=7_000)
    manager, maintainer = Keypair().pubkey(), Keypair().pubkey()
    for kind, account in ((MANAGER, manager), (MAINTAINER, maintainer)):
        registry.of_crown("set_role", "LUMEN", owner, kind=kind, enabled=True, account=account)
    registry.of_crown("set_profile", "LUMEN", owner, uri=f"ipfs://{CID}")
    registry.of_crown("set_peer", "LUMEN", owner, peer_chain_id=8453, peer_token_id=12)
    registry.claim("GONE")
    registry.of_crown("release", "GONE", owner)
    registry.claim("GONE", registry.stranger)
    registry.claim("LAPSE")
    registry.announce_end("LAPSE")
    registry.wait_until(registry.time + END_DELAY)
    registry.execute_end("LAPSE")
    registry.claim("LATE")
    registry.announce_end("LATE", 2)
    index(registry, chain, warehouse, store, store_url)
    found, crown = rows(store), registry.registered("LUMEN")
    assert sorted(found) == [1, 2, 3, 4, 5]
    lumen = found[1]
    assert (lumen["owner"], lumen["token_address"]) == (str(crown.owner), str(crown.mint))
    assert (lumen["transaction_hash"], lumen["fee_wei"], lumen["symbol"]) == (transaction, 7_000, "LUMEN")
    assert int(lumen["minted_at"].timestamp()) == pytest.approx(crown.registered_at, abs=2)
    assert (lumen["managers"], lumen["maintainers"]) == ([str(manager)], [str(maintainer)])
    assert (lumen["metadata_cid"], (lumen["peer_chain_id"], lumen["peer_token_id"])) == (CID, crown.peer)
    assert (lumen["registry"], lumen["released_at"], lumen["expired_at"]) == (str(registry.program), None, None)
    assert (found[2]["end_reason"], found[3]["owner"]) == ("released", str(registry.stranger.pubkey()))
    assert registry.registered("GONE").token_id == 3
    assert (found[4]["end_reason"], found[4]["expired_at"] is not None) == ("inactive", True)
    pending = registry.registered("LATE").end
    assert pending is not None
    due_at = int(found[5]["pending_end_due_at"].timestamp())
    assert (found[5]["pending_end"], due_at) == ("challenge_upheld", pending.due_at)


def test_a_settlement_and_a_new_signer(
    node_registry: NodeRegistry, chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    registry, buyer = node_registry, Keypair()
    registry.node.fund(buyer.pubkey(), SOL)
    registry.claim("LUMEN")
    registry.settle("LUMEN", buyer)
    registry.announce_end("LUMEN")
    index(registry, chain, warehouse, store, store_url)
    found = rows(store)
    assert (found[1]["end_reason"], found[1]["settled_token_id"]) == ("settled", 2)
    assert (found[2]["owner"], found[2]["pending_end"]) == (str(buyer.pubkey()), "inactive")
    assert registry.registered("LUMEN").owner == buyer.pubkey()
    key = Keypair()
    registry.govern("announce_signer", signer=key.pubkey())
    active_from = registry.time + SIGNER_DELAY + 1
    registry.wait_until(active_from)
    announced = registry.state().next_signer_at
    acceptance = registry.sign(registry.domain.acceptance(key.pubkey(), announced), key)
    registry.send([acceptance, idl.instruction(registry.program, "activate_signer", {"config": registry.config})])
    index(registry, chain, warehouse, store, store_url)
    assert rows(store)[2]["pending_end"] is None, "what a signer announced does not outlive it"
