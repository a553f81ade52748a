"""A long history for benchmarks: hundreds of tokens, hundreds of thousands of transfers, genuine pools traded.

Everything is real: tokens answer for their metadata, balances are the sums of the Transfer events, and swaps happen on
Uniswap's own V2 and V3 pools. What makes it fast is that one transaction holds many moves. The same arguments give the
same transactions in the same order.
"""

import random
import time
from dataclasses import dataclass

from indexer.devchain import artifacts
from indexer.devchain.anvil import Anvil
from indexer.devchain.chains_file import chains_file
from indexer.devchain.dexes import Dexes, Pool
from indexer.devchain.sender import Sender

_MOVES_PER_BLOCK = 100
_MOVES_PER_TRANSACTION = 16
_POOLED_PART = 5  # one token in so many has a pool
_HISTORY_SECONDS = 26 * 3600
_SUPPLY = 10**27
_ETHER = 10**18
_MICRO = 10**6
_USD_PER_COIN = 3000


@dataclass(frozen=True, slots=True)
class BulkChain:
    """What was built. ``transfers`` and ``swaps`` count the events of the tokens and of the pools."""

    anvil: Anvil
    dexes: Dexes
    stablecoin: str
    tokens: tuple[str, ...]
    pools: tuple[Pool, ...]
    transfers: int
    swaps: int
    blocks: int
    seconds: float

    def chain_toml(self, key: str = "base") -> str:
        """A chains file with this node and its contracts."""
        return chains_file(self.anvil, self.dexes, self.stablecoin, key=key)


def create(anvil: Anvil, seed: int = 1, transfers: int = 300_000, tokens: int = 300, swaps: int = 30_000) -> BulkChain:
    """Build the history on a fresh node, best one started without ``state_roots``.

    Every swap makes two transfers, which count among ``transfers``: at least this many Transfer events of the tokens
    come to be, spread over about one block per hundred.

    Raises:
        AnvilError: the node refused something.
    """
    started = time.perf_counter()
    builder = _Builder(anvil, seed, tokens)
    return builder.build(transfers, swaps, started)


class _Builder:
    def __init__(self, anvil: Anvil, seed: int, tokens: int) -> None:
        self.anvil = anvil
        self.random = random.Random(f"{seed} bulk")  # noqa: S311
        self.sender = Sender(anvil)
        self.owner: str = anvil.rpc("eth_accounts")[0].lower()
        self.count = tokens
        self.tokens: list[str] = []
        self.pools: list[Pool] = []

    def build(self, transfers: int, swaps: int, started: float) -> BulkChain:
        blocks = max(30, transfers // _MOVES_PER_BLOCK)
        interval = max(1, _HISTORY_SECONDS // blocks)
        now = int(time.time())
        automine = self.anvil.rpc("anvil_getAutomine")
        self.anvil.rpc("evm_setAutomine", False)
        self.anvil.rpc("anvil_setTime", now - interval * blocks)
        self.anvil.rpc("anvil_setBlockTimestampInterval", interval)
        self.anvil.rpc("anvil_setBalance", self.owner, hex(10**9 * _ETHER))
        with self.sender.impersonation():
            self._found()
            self.sender.check()
            self._write(blocks - self.anvil.block_number(), max(0, transfers - 2 * swaps), swaps)
            self.sender.check()
        self.anvil.rpc("anvil_removeBlockTimestampInterval")
        self.anvil.rpc("anvil_setTime", now)
        self.anvil.rpc("evm_setAutomine", automine)
        return BulkChain(
            self.anvil, self.dexes, self.stablecoin, tuple(self.tokens), tuple(self.pools), transfers, swaps,
            self.anvil.block_number(), time.perf_counter() - started,
        )  # fmt: skip

    def _found(self) -> None:
        spray = artifacts.load("SprayToken")
        self.dexes = Dexes.deploy(self.sender, self.owner)
        self.stablecoin = self._create(spray.deployment("USD Coin", "USDC", 6, 10**9 * _MICRO, self.owner))
        self.trader = self._create(artifacts.load("BulkTrader").deployment())
        wrap = artifacts.load("WETH9").call("deposit")
        self.sender.send(self.owner, self.dexes.weth, wrap, value=10**7 * _ETHER, purpose="wrap")
        self.sender.mine()
        for number in range(self.count):
            symbol = f"BULK{number}"
            self.tokens.append(self._create(spray.deployment(f"Bulk {number}", symbol, 18, _SUPPLY, self.owner)))
            if number % 30 == 29:
                self.sender.mine()
        self._give(self.dexes.weth, 10**6 * _ETHER)
        self._give(self.stablecoin, 10**8 * _MICRO)
        self.sender.mine()
        coin = (self.dexes.weth, 2_000 * _ETHER)
        for protocol, fee_ppm in (("uniswap_v2", 3000), ("uniswap_v3", 500)):
            self._open(protocol, coin, (self.stablecoin, 2_000 * _USD_PER_COIN * _MICRO), fee_ppm)
        for number, token in enumerate(self.tokens[::_POOLED_PART]):
            depth = self.random.randint(10, 400) * _ETHER
            amount = depth * self.random.choice((10, 500, 2_000, 90_000))
            self._give(token, amount)
            self._open("uniswap_v3" if number % 3 == 2 else "uniswap_v2", (token, amount), (coin[0], depth), 3000)
            if number % 10 == 9:
                self.sender.mine()
        self.sender.mine()

    def _write(self, blocks: int, moves: int, swaps: int) -> None:
        # Popularity falls with rank, as it does among real tokens; so do holders.
        weights = [1 / (rank + 2) for rank in range(self.count)]
        total = -(-moves // _MOVES_PER_TRANSACTION)
        chosen = self.random.choices(range(self.count), weights, k=total)
        pool_weights = [1 / (rank + 2) for rank in range(len(self.pools))]
        traded = self.random.choices(range(len(self.pools)), pool_weights, k=swaps)
        left = moves
        sent = done = 0
        spray, trade = artifacts.load("SprayToken").call("spray", 0, 0, 0)[:10], artifacts.load("BulkTrader")
        for block in range(1, blocks + 1):
            while sent < total * block // blocks:
                rank, sent = chosen[sent], sent + 1
                batch = min(_MOVES_PER_TRANSACTION, left)
                left -= batch
                holders = max(20, 20_000 // (rank + 2))
                data = f"{spray}{self.random.getrandbits(256):064x}{batch:064x}{holders:064x}"
                self.sender.send(self.owner, self.tokens[rank], data, gas=2_000_000, purpose="spray")
            upto = swaps * block // blocks
            if upto > done:
                orders = [self._order(self.pools[rank]) for rank in traded[done:upto]]
                done = upto
                gas = 200_000 + 250_000 * len(orders)
                self.sender.send(self.owner, self.trader, trade.call("trade", orders), gas=gas, purpose="trade")
            self.sender.mine()

    def _order(self, pool: Pool) -> int:
        third_version = int(pool.protocol == "uniswap_v3")
        spread = 400 if pool.quote == self.stablecoin else 8_000
        size = self.random.randint(20, spread)
        return size << 192 | self.random.getrandbits(1) << 161 | third_version << 160 | int(pool.address, 16)

    def _open(self, protocol: str, base: tuple[str, int], quote: tuple[str, int], fee_ppm: int) -> None:
        self.pools.append(self.dexes.open_pool(self.sender, self.owner, protocol, base, quote, fee_ppm))

    def _create(self, data: str) -> str:
        return self.sender.create(self.owner, data, gas=4_000_000, purpose="create")

    def _give(self, token: str, amount_raw: int) -> None:
        data = artifacts.load("PlainToken").call("transfer", self.trader, amount_raw)
        self.sender.send(self.owner, token, data, purpose="give")
