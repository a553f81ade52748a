"""Every served price against an independent computation of decision 2 from the node's own logs, to 0.1 %."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from indexer.devchain import artifacts, bulk
from indexer.devchain.anvil import Anvil
from indexer.devchain.dexes import Dexes, Pool
from indexer.devchain.sender import Sender
from indexer.devchain.world import World
from indexer.run import advance
from pipelines.refresh import refresh
from tests.factories.amounts import DOLLAR, ETHER
from tests.fixtures.derived import served
from tests.fixtures.indexing import indexing
from tests.fixtures.prices_from_logs import LoggedPrices, prices_from_logs
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.postgres import Connection

pytestmark = pytest.mark.slow
TOLERANCE = 0.001
BLOCKS, BLOCK_SECONDS = 3_000, 12
SHALLOW_USD, DEEP_USD = 1_000_000, 40_000_000
COIN_USD = 2_000


@dataclass(slots=True)
class LoggedHistory:
    """Prices from a node's logs at any block, computed once for each."""

    node: Anvil
    chain: Chain
    found: dict[int, LoggedPrices] = field(default_factory=dict)

    def at(self, block: int) -> Mapping[str, float]:
        """Prices in USD by token."""
        if block not in self.found:
            self.found[block] = prices_from_logs(self.node, self.chain, block)
        return {token: usd for token, usd in self.found[block].usd.items() if int(token, 16)}


def assert_prices_equal(history: LoggedHistory, warehouse: Warehouse, head: int) -> None:
    """Compare the price in every served row with the one from the logs up to the row's block."""
    priced = set()
    for address, row in served(warehouse, key="token").items():
        usd = history.at(row["as_of_block"]).get(f"0x{address}")
        if row["price_usd"] is None:
            assert usd is None, row["symbol"]
            continue
        assert float(row["price_usd"]) == pytest.approx(usd, rel=TOLERANCE), row["symbol"]
        priced.add(f"0x{address}")
    assert priced == history.at(head).keys()


def refresh_in_steps(
    node: Anvil, chain: Chain, warehouse: Warehouse, store: Connection, store_url: str, steps: int
) -> Mapping[str, float]:
    """Index and refresh the chain part by part, comparing all prices after each. All runs but the last are as the
    follower's: they price the tokens whose pools or holders changed, and those traded of late."""
    head = node.block_number()
    history = LoggedHistory(node, chain)
    with indexing(warehouse, store_url) as context:
        for step in range(1, steps + 1):
            block = head * step // steps
            advance(context, chain, to_block=block)
            refresh(warehouse, store, Chains({chain.key: chain}), full=step == steps)
            assert_prices_equal(history, warehouse, block)
    return history.at(head)


def test_prices_of_a_small_economy_equal_those_of_its_logs(
    archive_world: World, archive_chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    expected = refresh_in_steps(archive_world.anvil, archive_chain, warehouse, store, store_url, steps=3)
    assert len(expected) >= 12


def test_prices_of_a_bulk_chain_equal_those_of_its_logs(
    tmp_path: Path, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    with Anvil.start(state_roots=False, kept_states=2) as node:
        built = bulk.create(node, seed=3, transfers=30_000, tokens=60, swaps=6_000)
        path = tmp_path / "chains.toml"
        path.write_text(built.chain_toml())
        expected = refresh_in_steps(node, facts.load(path).by_key["base"], warehouse, store, store_url, steps=2)
    assert len(expected) >= 14


@dataclass(frozen=True, slots=True)
class QuotedCoin:
    """A chain whose native coin trades in four shallow V2 pools and in two deep V3 pools."""

    node: Anvil
    chain: Chain
    weth: str


@pytest.fixture
def quoted_coin(tmp_path: Path) -> Iterator[QuotedCoin]:
    """Two V2 exchanges and one of V3, two stablecoins, 3,000 blocks. The V2 pools drift away from the deep ones."""
    with Anvil.start(state_roots=False, kept_states=2) as node:
        yield _build(node, tmp_path)


def _build(node: Anvil, folder: Path) -> QuotedCoin:
    rng = random.Random(14)
    sender = Sender(node)
    bank: str = node.rpc("eth_accounts")[0].lower()
    node.rpc("evm_setAutomine", False)
    node.rpc("anvil_setBalance", bank, hex(10**8 * ETHER))
    node.rpc("anvil_setBlockTimestampInterval", BLOCK_SECONDS)
    first = Dexes.deploy(sender, bank)
    factory = sender.create(bank, artifacts.load("UniswapV2Factory").deployment(bank), gas=12_000_000)
    router = artifacts.load("UniswapV2Router02").deployment(factory, first.weth)
    second = replace(first, v2_factory=factory, v2_router=sender.create(bank, router, gas=12_000_000))
    dollars = [
        sender.create(bank, artifacts.load("OwnedToken").deployment(name, name, 6, 10**12 * DOLLAR, bank))
        for name in ("USDC", "USDT")
    ]
    sender.send(bank, first.weth, artifacts.load("WETH9").call("deposit"), value=10**7 * ETHER, purpose="wrap")
    sender.mine()
    markets: list[tuple[Dexes, Pool]] = []
    for dexes, protocol, usd, fee in (
        (first, "uniswap_v2", SHALLOW_USD, 3000),
        (second, "uniswap_v2", SHALLOW_USD, 3000),
        (first, "uniswap_v3", DEEP_USD, 500),
    ):
        for dollar in dollars:
            coin = (first.weth, usd * ETHER // COIN_USD)
            markets.append((dexes, dexes.open_pool(sender, bank, protocol, coin, (dollar, usd * DOLLAR), fee)))
            for token in (first.weth, dollar):
                dexes.approve(sender, bank, token, protocol)
    sender.mine()
    while (block := node.block_number()) < BLOCKS:
        for dexes, pool in rng.sample(markets, 2):
            # Purchases of coins a little more often than sales: the shallow pools rise by a few per cent.
            buys = rng.random() < 0.52
            usd = rng.randrange(50, 1_000)
            amount = usd * DOLLAR if buys else usd * ETHER // COIN_USD
            dexes.swap(sender, bank, pool, pool.quote if buys else pool.base, amount)
        sender.mine(min(4, BLOCKS - block))
    sender.check()
    path = folder / "chains.toml"
    path.write_text(_chains_file(node, first, second, dollars))
    return QuotedCoin(node, facts.load(path).by_key["base"], first.weth)


def _chains_file(node: Anvil, first: Dexes, second: Dexes, dollars: list[str]) -> str:
    exchanges = (
        ("uniswap_v2", "north", first.v2_factory),
        ("uniswap_v2", "south", second.v2_factory),
        ("uniswap_v3", "deep", first.v3_factory),
    )
    coins = ", ".join(
        f'{{ address = "{dollar}", symbol = "USD{at}", decimals = 6 }}' for at, dollar in enumerate(dollars)
    )
    return (
        f'[chains.base]\nchain_id = {node.chain_id}\nrpc_urls = ["{node.url}"]\nstart_block = 0\n'
        f'[chains.base.assets]\nwrapped_native = "{first.weth}"\nstablecoins = [{coins}]\n'
    ) + "".join(
        f'[[chains.base.exchanges]]\nprotocol = "{protocol}"\nname = "{name}"\nfactory = "{factory}"\n'
        for protocol, name, factory in exchanges
    )


def test_the_coins_price_is_that_of_its_deep_pools(
    quoted_coin: QuotedCoin, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    chain, node = quoted_coin.chain, quoted_coin.node
    expected = refresh_in_steps(node, chain, warehouse, store, store_url, steps=4)
    coin = served(warehouse, key="token")[quoted_coin.weth[2:]]
    assert float(coin["price_usd"]) == pytest.approx(expected[quoted_coin.weth], rel=TOLERANCE)
    assert coin["price_source"] == "deep: 6 pools"
    assert float(coin["price_usd"]) == pytest.approx(COIN_USD, rel=0.005)
