"""A service with a market on Base whose trades are final after two blocks."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from indexer.configuring import store_configuration
from pipelines.refresh import refresh
from tests.factories.amounts import ETHER
from tests.factories.ledger import Ledger
from tests.factories.markets import build_market
from tests.fixtures.messages import VendorServer
from tests.fixtures.owners import Owner, ServeOwner
from warehouse.clickhouse import Warehouse
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

BASE = "eip155:8453"


@dataclass
class Trades:
    """Swaps of PEPE for WETH at 2,000 dollars, a service over them, and a signed-in user."""

    ledger: Ledger
    chains: Chains
    owner: Owner
    pepe: str
    pool: str

    def buy(self, *weth: int, final: bool = True) -> None:
        """Buys for so many WETH, each in a block of its own."""
        for amount in weth:
            self.ledger.mine(12)
            self.ledger.swap(self.pool, -1_000 * amount * ETHER, amount * ETHER)
            self.ledger.sync(self.pool, 100_000 * ETHER, 100 * ETHER)
        if final:
            for _ in range(2):
                self.ledger.mine(12)
        self.publish()

    def sell(self) -> None:
        """A sale for 50 WETH."""
        self.ledger.mine(12)
        self.ledger.swap(self.pool, 50_000 * ETHER, -50 * ETHER)
        self.ledger.sync(self.pool, 100_000 * ETHER, 100 * ETHER)

    def publish(self) -> None:
        """Publish the blocks, and derive what follows."""
        self.ledger.publish()
        refresh(self.ledger.warehouse, self.ledger.store, self.chains)

    async def ask(self, method: str, path: str = "", **request: Any) -> httpx.Response:
        """A request to the routes of feeds."""
        return await self.owner.service.anonymous.request(
            method, f"/api/v2/alerts/feeds{path}", headers=self.owner.headers, **request
        )

    async def create(self, **changes: Any) -> httpx.Response:
        """Create a feed, by default of buys of PEPE for 3,000 dollars or more. None leaves a member out."""
        body = {"chainId": BASE, "tokenAddress": checksum_address(f"0x{self.pepe}"), "minUsd": 3_000, **changes}
        return await self.ask("POST", json={name: value for name, value in body.items() if value is not None})

    async def made(self, **changes: Any) -> dict[str, Any]:
        """A feed just created."""
        answer = await self.create(**changes)
        assert answer.status_code == 201, answer.text
        feed: dict[str, Any] = answer.json()["data"]["feed"]
        return feed


@pytest.fixture
async def trades(
    serve_owner: ServeOwner,
    settling: Ledger,
    warehouse: Warehouse,
    warehouse_url: str,
    store: Connection,
    chains: Chains,
    vendor_server: VendorServer,
    tmp_path: Path,
) -> AsyncIterator[Trades]:
    """The market, and a user on a plan with several feeds."""
    pepe, pool = build_market(settling)
    for _ in range(3):
        settling.mine(3_600)  # prices begin when pools have had depth for an hour
    settling.publish()
    warehouse.command("INSERT INTO chain_publication (chain_id, generation, next_block) SELECT 8453, 1, 1000")
    store_configuration(warehouse, chains.by_key["base"])
    settings = {"chains": tmp_path / "chains.toml", "clickhouse_url": warehouse_url, **vendor_server.settings()}
    async with serve_owner(**settings) as owner:
        made = Trades(settling, chains, owner, pepe, pool)
        store.execute("UPDATE account SET plan = 'pro' WHERE wallet = %s", (owner.wallet.address.lower(),))
        refresh(warehouse, store, chains)
        yield made
