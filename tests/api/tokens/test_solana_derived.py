"""What the pipelines derive of a token and a registration on Solana is what reads show."""

from pathlib import Path
from typing import Any

import pytest
from solders.pubkey import Pubkey

from pipelines.refresh import refresh
from tests.factories.mints import CHAINS_TOML, MintLedger, wallet
from tests.fixtures.service import Serve
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection, Jsonb


def text(digits: str) -> str:
    """An address in base58."""
    return str(Pubkey(bytes.fromhex(digits)))


ALICE, BOB, REGISTRY = map(wallet, ("alice", "bob", "registry"))


@pytest.fixture
def chains_with_solana(tmp_path: Path) -> Path:
    path = tmp_path / "solana.toml"
    path.write_text(CHAINS_TOML)
    return path


async def test_reads_show_what_was_derived(
    serve: Serve, store: Connection, warehouse: Warehouse, warehouse_url: str, chains_with_solana: Path
) -> None:
    mints = MintLedger(warehouse, store)
    mints.mine()
    mint = mints.mint(
        "bonk", "BONK", creator=ALICE, supply=100, mint_authority=ALICE, update_authority=BOB, program="token_2022",
        traits=["permanent_delegate"],
    )  # fmt: skip
    mints.transfer(mint, ALICE, BOB, 40)
    mints.mine()
    mints.registry("registered", 7, symbol="BONK", owner=ALICE, token_address=mint, fee_wei=5, registry=REGISTRY)
    mints.mine()
    mints.publish()
    refresh(warehouse, store, facts.load(chains_with_solana))

    async with serve(chains=chains_with_solana, clickhouse_url=warehouse_url) as service:
        token = (await service.get("/token/BONK/sol", tokenAddress=text(mint))).json()
        found = (await service.get("/search", symbol="bonk", chain="solana", explain="true")).json()["results"]
        status = (await service.get("/registration/BONK/solana", tokenAddress=text(mint))).json()
        roles = (await service.client.get("/registration/BONK/roles?chain=900900")).json()
        coin = (await service.anonymous.get("/api/v2/public/coins/solana/BONK")).json()
    assert token["token"]["address"] == text(mint)
    assert (token["token"]["program"], token["token"]["holders"]) == ("token_2022", 2)
    assert token["token"]["authorities"] == {"mint": text(ALICE), "freeze": None, "update": text(BOB)}
    assert token["token"]["trustFlags"] == ["mintable", "mutable_metadata", "permanent_delegate"]
    assert token["token"]["heartbeatScore"] is None
    registration = token["registration"]
    assert (registration["tokenId"], registration["owner"]) == (7, text(ALICE))
    assert (registration["tokenAddress"], registration["crownContractAddress"]) == (text(mint), text(REGISTRY))
    assert [one["token"] for one in found] == [token["token"]]
    assert list(found[0]["explain"]["trustFlags"]) == token["token"]["trustFlags"]
    assert (status["tokenId"], status["owner"], status["heartbeat"]) == (7, text(ALICE), None)
    assert (roles["owner"], roles["managers"]) == (text(ALICE), [])
    assert (coin["tokenAddress"], coin["holders"]) == (text(mint), 2)


async def test_search_follows_the_page_and_the_ledger(
    serve: Serve, store: Connection, warehouse: Warehouse, warehouse_url: str, chains_with_solana: Path
) -> None:
    chains, mints = facts.load(chains_with_solana), MintLedger(warehouse, store)
    mints.mine()
    mint = mints.mint("bonk", "BONK", creator=ALICE, supply=100, freeze_authority=ALICE)
    mints.registry("registered", 7, symbol="BONK", owner=ALICE, token_address=mint, registry=REGISTRY)
    mints.mine()
    mints.publish()
    refresh(warehouse, store, chains)

    async def token() -> dict[str, Any]:
        async with serve(chains=chains_with_solana, clickhouse_url=warehouse_url) as service:
            found: dict[str, Any] = (await service.get("/token/BONK/solana")).json()
        return found

    assert (await token())["token"]["trustFlags"] == ["freezable"]
    store.execute("UPDATE registration SET profile = %s", (Jsonb({"website": "https://bonk.example"}),))
    mints.mine()
    mints.hand_over(mint, "freeze_authority", "")
    mints.registry("manager", 7, account=BOB, enabled=1, registry=REGISTRY)
    mints.mine()
    mints.publish()
    refresh(warehouse, store, chains)
    changed = await token()
    assert (changed["token"]["trustFlags"], changed["token"]["website"]) == ([], "https://bonk.example")
    assert changed["token"]["authorities"] == {"mint": None, "freeze": None, "update": None}
    assert changed["registration"]["manager"] == text(BOB)
