"""Attacks on prices carried out with real transactions on real exchanges: one block of everything at once."""

from dataclasses import replace
from decimal import Decimal
from math import log10
from typing import Any

from indexer.devchain import artifacts
from indexer.devchain.dexes import NATIVE, Dexes
from indexer.devchain.token_creation import holder_of
from indexer.devchain.world import World
from indexer.run import IndexContext, advance
from pipelines.ranking import market_score
from pipelines.refresh import refresh
from tests.factories.amounts import DOLLAR, ETHER
from tests.fixtures.derived import served
from tests.fixtures.indexing import indexing
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.postgres import Connection

UNMOVED = ("price_usd", "market_cap_usd", "fdv_usd", "liquidity_usd")


class Attacker:
    """A wallet with more of everything than there is in the pools, and what it does with it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.sender = world.sender
        self.dexes = world.dexes
        self.wallet = world.wallet("attacker").address.lower()
        self.aurum = world.token("aurum")
        world.anvil.rpc("anvil_setBalance", self.wallet, hex(10**8 * ETHER))

    def prepare(self) -> None:
        """Money, tokens, leave to move them, and copies of everything that can be copied: nothing is traded yet."""
        send, world = self.sender.send, self.world
        plain = artifacts.load("PlainToken")
        send(self.wallet, self.dexes.weth, artifacts.load("WETH9").call("deposit"), value=10**7 * ETHER)
        grant = plain.call("transfer", self.wallet, 200_000_000 * DOLLAR)
        send(world.bank.address.lower(), world.stablecoin, grant, purpose="grant")
        grant = plain.call("transfer", self.wallet, self.aurum.supply_raw // 10)
        send(holder_of(self.aurum), self.aurum.address, grant, purpose="grant")
        self.fake_dollar = self._make("USDC", 6, 10**18)
        self.vast = self._make("VASTNESS", 18, 10**33)
        self.wash = self._make("WASH", 18, 10**27)
        factory = self._create("UniswapV2Factory", self.wallet)
        router = self._create("UniswapV2Router02", factory, self.dexes.weth)
        self.copied = replace(self.dexes, v2_factory=factory, v2_router=router)
        for pool in world.pools:
            for token in (pool.base, pool.quote):
                self.dexes.approve(self.sender, self.wallet, token, pool.protocol)
        for token in (self.dexes.weth, self.wash):
            self.dexes.approve(self.sender, self.wallet, token, "uniswap_v2")
        for token in (self.dexes.weth, world.stablecoin):
            self.dexes.approve(self.sender, self.wallet, token, "uniswap_v3", liquidity=True)
        self.sender.mine()
        self.sender.check()

    def swap_everything(self) -> int:
        """Twenty times what each pool was opened with, into every pool against money; how many pools that is."""
        money = (self.dexes.weth, self.world.stablecoin, NATIVE)
        # The third pool is off the price already and becomes deep for a moment (``deepen_a_lie``).
        pools = [pool for at, pool in enumerate(self.world.pools) if pool.quote in money and at != 2]
        for pool in pools:
            self.dexes.swap(self.sender, self.wallet, pool, pool.quote, 20 * pool.quote_amount)
        return len(pools)

    def deepen_a_lie(self) -> None:
        """The native pool that is off the price gets more liquidity than all the others."""
        pool = self.world.pools[2]
        amounts = {self.dexes.weth: 20_000 * ETHER, self.world.stablecoin: 120_000_000 * DOLLAR}
        wide = 887_200
        self.dexes.add_v3_position(
            self.sender, self.wallet, pool, (amounts[pool.token0], amounts[pool.token1]), (-wide, wide)
        )

    def open_pools(self) -> None:
        """Deep pools at 100 times the price, on genuine and copied DEXes, against genuine and fake quote tokens."""
        aurum, weth = (self.aurum.address, 1_000 * ETHER), self.dexes.weth
        self._open(self.dexes, "uniswap_v3", aurum, (weth, 100_000 * ETHER), 10_000)
        self._open(self.dexes, "uniswap_v2", aurum, (self.fake_dollar, 10**9 * DOLLAR))
        self._open(self.copied, "uniswap_v2", aurum, (weth, 100_000 * ETHER))
        self._open(self.copied, "uniswap_v2", (self.fake_dollar, DOLLAR), (weth, 100 * ETHER))
        self._open(self.dexes, "uniswap_v2", (self.vast, ETHER), (weth, ETHER))
        self.washed = self._open(self.dexes, "uniswap_v2", (self.wash, 10**6 * ETHER), (weth, 2 * ETHER))

    def trade_with_itself(self) -> None:
        """Fifty purchases, each of a thousand times the pool's liquidity, of a token that only the attacker holds."""
        for _ in range(50):
            self.dexes.swap(self.sender, self.wallet, self.washed, self.dexes.weth, 2_000 * ETHER)

    def _open(self, dexes: Dexes, protocol: str, base: tuple[str, int], quote: tuple[str, int], fee: int = 3000) -> Any:
        return dexes.open_pool(self.sender, self.wallet, protocol, base, quote, fee)

    def _make(self, symbol: str, decimals: int, supply: int) -> str:
        data = artifacts.load("OwnedToken").deployment(symbol, symbol, decimals, supply, self.wallet)
        return self.sender.create(self.wallet, data, purpose=f"create {symbol}")

    def _create(self, name: str, *arguments: str) -> str:
        return self.sender.create(
            self.wallet, artifacts.load(name).deployment(*arguments), gas=12_000_000, purpose=name
        )


def market_metrics(
    context: IndexContext, chain: Chain, warehouse: Warehouse, store: Connection
) -> dict[str, dict[str, Any]]:
    """What is served by address, after indexing to the head."""
    advance(context, chain)
    refresh(warehouse, store, Chains({chain.key: chain}))
    return served(warehouse, key="token")


def test_a_block_of_every_attack_moves_no_price_and_no_rank_beyond_the_bound(
    archive_world: World, archive_chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    world = archive_world
    world.anvil.rpc("evm_setAutomine", False)
    try:
        attacker = Attacker(world)
        attacker.prepare()
        with indexing(warehouse, store_url) as context:
            before = market_metrics(context, archive_chain, warehouse, store)
            priced = {token for token, row in before.items() if row["price_usd"] is not None}
            assert len(priced) >= 10
            attacker.deepen_a_lie()
            attacker.open_pools()
            assert attacker.swap_everything() >= 10
            attacker.trade_with_itself()
            world.sender.mine()
            world.sender.check(tolerate=("swap",))
            spiked = market_metrics(context, archive_chain, warehouse, store)
            world.anvil.rpc("evm_increaseTime", 120)
            world.anvil.mine()
            later = market_metrics(context, archive_chain, warehouse, store)
    finally:
        world.anvil.rpc("evm_setAutomine", True)
    moved = warehouse.scalar(
        "SELECT uniqExact(pool) FROM fact_swap WHERE block_number = {block:UInt64}",
        {"block": world.anvil.block_number() - 1},
    )
    assert moved >= 8, "the attack did not happen"
    for after in (spiked, later):
        for token in before.keys() - {attacker.vast[2:], attacker.wash[2:]}:
            row = before[token]
            assert {name: after[token][name] for name in UNMOVED} == {name: row[name] for name in UNMOVED}, row[
                "symbol"
            ]
            assert float(after[token]["market_score"] - row["market_score"]) <= volume_bound(row), row["symbol"]
        fake, vast = after[attacker.fake_dollar[2:]], after[attacker.vast[2:]]
        assert (fake["price_usd"], fake["market_cap_usd"], fake["token_rank"]) == (None, None, None)
        assert (vast["market_cap_usd"], vast["fdv_usd"]) == (None, None)
        washed = after[attacker.wash[2:]]
        liquidity = washed["liquidity_usd"]
        assert washed["market_score"] <= market_score(10_000 * liquidity, 10 * liquidity, liquidity)


def volume_bound(row: dict[str, Any]) -> float:
    """By how much volume alone may raise a score: from what was traded to ten times the liquidity."""
    if not row["liquidity_usd"]:
        return 0.0
    counted = max(Decimal(100), min(10 * row["liquidity_usd"], row["volume_24h_usd"] or Decimal(0)))
    most = max(float(10 * row["liquidity_usd"]), float(counted))
    return 0.30 * log10(most / float(counted)) / 7 + 1e-6
