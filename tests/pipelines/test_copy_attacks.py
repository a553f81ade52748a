"""Attempts to pass a clone off as the original, carried out with real transactions on real exchanges."""

from typing import Any

import pytest

from indexer.devchain import artifacts
from indexer.devchain.world import World
from indexer.run import IndexContext, advance
from pipelines.refresh import refresh
from tests.factories.amounts import DOLLAR, ETHER
from tests.fixtures.derived import served
from tests.fixtures.indexing import indexing
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.postgres import Connection

HOUR = 3_600


class Cloner:
    """A wallet with as much money as it likes, and the token it deploys under somebody else's symbol."""

    def __init__(self, world: World, symbol: str, name: str = "cloner") -> None:
        self.world, self.sender = world, world.sender
        self.wallet = world.wallet(f"{name} of {symbol}").address.lower()
        world.anvil.rpc("anvil_setBalance", self.wallet, hex(10**6 * ETHER))
        data = artifacts.load("OwnedToken").deployment(symbol, symbol, 18, 10**27, self.wallet)
        self.token = self.sender.create(self.wallet, data, purpose=f"create {symbol}")
        self.sender.mine()

    def airdrop(self, wallets: int) -> None:
        """Send one unit to each of so many fresh addresses."""
        plain = artifacts.load("PlainToken")
        for number in range(wallets):
            self.sender.send(self.wallet, self.token, plain.call("transfer", f"0x{0xF0000 + number:040x}", 1))
        self.sender.mine()

    def open_pool(self, dollars: int) -> None:
        """A pool of its token against so many dollars."""
        grant = artifacts.load("PlainToken").call("transfer", self.wallet, dollars * DOLLAR)
        self.sender.send(self.world.bank.address.lower(), self.world.stablecoin, grant, purpose="grant")
        self.sender.mine()
        base, quote = (self.token, dollars * ETHER), (self.world.stablecoin, dollars * DOLLAR)
        self.world.dexes.open_pool(self.sender, self.wallet, "uniswap_v2", base, quote, 3000)
        self.sender.mine()

    def wait(self, hours: int) -> None:
        """Let so many hours of chain time pass."""
        for _ in range(hours):
            self.world.anvil.rpc("evm_increaseTime", HOUR)
            self.world.anvil.mine()


@pytest.fixture
def held_world(archive_world: World) -> Any:
    """The world, mining only when told."""
    archive_world.anvil.rpc("evm_setAutomine", False)
    yield archive_world
    archive_world.anvil.rpc("evm_setAutomine", True)


def judged(context: IndexContext, chain: Chain, warehouse: Warehouse, store: Connection) -> dict[str, dict[str, Any]]:
    """What is served by address, after indexing to the head."""
    advance(context, chain)
    refresh(warehouse, store, Chains({chain.key: chain}))
    return served(warehouse, key="token")


def test_clones_stay_copies_whatever_they_are_given(
    held_world: World, archive_chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    world = held_world
    original = world.token("aurum").address[2:]
    symbols = ("AURUM", "\N{GREEK CAPITAL LETTER ALPHA}URUM", "AURU\N{CYRILLIC CAPITAL LETTER EM}")
    spread, flash, plain = (Cloner(world, symbol) for symbol in symbols)
    spread.airdrop(130)
    with indexing(warehouse, store_url) as context:
        shown = judged(context, archive_chain, warehouse, store)
        clones = [spread.token[2:], flash.token[2:], plain.token[2:]]
        assert [(shown[clone]["is_copy"], shown[clone]["copy_rule"]) for clone in clones] == [(1, "senior")] * 3
        assert shown[spread.token[2:]]["holders"] > shown[original]["holders"]
        # A hundred times the original's liquidity, for a day.
        flash.open_pool(400_000_000)
        flash.wait(24)
        shown = judged(context, archive_chain, warehouse, store)
        assert [shown[clone]["is_copy"] for clone in clones] == [1] * 3
        assert shown[flash.token[2:]]["liquidity_usd"] > 100 * shown[original]["liquidity_usd"]
    assert shown[original]["is_copy"] == 0
    copies = {token.address[2:] for token in world.tokens if token.copy_of and token.key != "fake_usdc"}
    assert {shown[copy]["is_copy"] for copy in copies} == {1}
    place = store.execute(
        "SELECT precedence FROM indexed_token WHERE address = %s AND symbol_key = 'AURUM'", [f"0x{original}"]
    ).fetchone()
    assert place is not None
    assert place["precedence"] == 0


def test_two_tokens_of_one_hour_are_ordered_by_block_and_position(
    held_world: World, archive_chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    # All of it happens after a full hour, not across one.
    held_world.anvil.rpc("evm_increaseTime", HOUR - held_world.head_time() % HOUR)
    first = Cloner(held_world, "TWIN")
    second = Cloner(held_world, "TWIN", "twin")
    # The later one has depth a moment earlier, in the same hour.
    second.open_pool(15_000)
    first.open_pool(60_000)
    # Six sevenths of a week.
    first.wait(146)
    with indexing(warehouse, store_url) as context:
        shown = judged(context, archive_chain, warehouse, store)
    assert [shown[one.token[2:]]["is_copy"] for one in (first, second)] == [0, 1]


def test_parked_liquidity_costs_half_the_original_for_days(
    held_world: World, archive_chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    original = Cloner(held_world, "PARKED")
    original.open_pool(101_000)
    original.wait(120)
    clone = Cloner(held_world, "PARKED", "parker")
    clone.open_pool(60_000)
    with indexing(warehouse, store_url) as context:
        clone.wait(140)
        assert judged(context, archive_chain, warehouse, store)[clone.token[2:]]["is_copy"] == 1
        # 144 hours reach the weight; the verdict follows 24 hours later.
        clone.wait(20)
        assert judged(context, archive_chain, warehouse, store)[clone.token[2:]]["is_copy"] == 1
        clone.wait(20)
        shown = judged(context, archive_chain, warehouse, store)
    assert [shown[one.token[2:]]["is_copy"] for one in (original, clone)] == [0, 0]
