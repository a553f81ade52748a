"""A chain that lives on and is reorganised: every block holds something an indexer has to get right.

What happens follows from the seed alone, whatever the indexer does meanwhile. The chain stays short enough for its
node to keep the state of every block, so that a fresh index reads every token at the very block the first one did.
"""

import random
from dataclasses import dataclass, field

from indexer.contracts import registry
from indexer.contracts.registry import MintAuthorization
from indexer.devchain import artifacts
from indexer.devchain.dexes import Pool
from indexer.devchain.world import World

FINALITY_BLOCKS = 96
KEPT_STATES = 256
DEEPEST = 64
# The chain may grow to this; a few states are left for the blocks of a deep reorganisation's last moments.
LONGEST_CHAIN = 250
_SUPPLY = 10**24
_FEE_WEI = 10**15


@dataclass(frozen=True, slots=True)
class _Token:
    """A token of this life: who owns it at which block, and its pool once there is one."""

    address: str
    block: int
    owner: str


@dataclass(slots=True)
class Life:
    """Blocks and reorganisations of one chain; call from one thread."""

    world: World
    rng: random.Random
    tokens: list[_Token] = field(default_factory=list)
    pools: list[tuple[int, Pool]] = field(default_factory=list)
    registered: list[int] = field(default_factory=list)
    highest: int = 0
    depths: list[int] = field(default_factory=list)
    _count: int = 0
    _maker: str = ""

    def __post_init__(self) -> None:
        self.world.anvil.rpc("evm_setAutomine", False)
        owner = self._wallet(0)
        self._maker = self.world.sender.create(owner, artifacts.load("TokenMaker").deployment(), purpose="create")
        self.block()

    @property
    def head(self) -> int:
        """Number of the newest block."""
        return self.world.anvil.block_number()

    def block(self) -> None:
        """One more block: transfers and swaps, and now and then one of everything else. Some blocks are empty."""
        number = self.head + 1
        kinds = (
            (0.22, self._bear), (0.15, self._make), (0.25, self._mint), (0.12, self._hand_over),
            (0.10, self._open_pool), (0.25, self._trade), (0.14, self._register), (0.12, self._manage),
        )  # fmt: skip
        if self.rng.random() < 0.9:
            for chance, happen in kinds:
                if self.rng.random() < chance:
                    happen(number)
        self.world.step(self.rng.choice((0, 0, 2, 5, 12, 25)))
        self.world.sender.sent.clear()  # some calls fail after the chain went back, as they do in life
        self.highest = max(self.highest, self.head)

    def deepest(self) -> int:
        """How many blocks may be taken back now without touching what an indexer could think final."""
        final = self.highest - FINALITY_BLOCKS
        return min(DEEPEST, self.head - final - 4)

    def go_back(self, depth: int) -> None:
        """Take the last ``depth`` blocks away; others have to follow."""
        self.world.anvil.rpc("anvil_rollback", depth)
        self.world.sender.forget_nonces()
        head = self.head
        self.tokens = [item for item in self.tokens if item.block <= head]
        self.pools = [item for item in self.pools if item[0] <= head]
        self.registered = [block for block in self.registered if block <= head]
        self.depths.append(depth)

    # -- what may happen in a block --------------------------------------------------------------------------------

    def _wallet(self, number: int) -> str:
        return self.world.wallets[number].address.lower()

    def _symbol(self) -> str:
        self._count += 1
        return f"T{self._count}X{self.rng.randrange(10**4)}"

    def _bear(self, block: int) -> None:
        """A token made by a wallet."""
        symbol, owner = self._symbol(), self._wallet(0)
        data = artifacts.load("OwnedToken").deployment(f"Token {symbol}", symbol, 18, _SUPPLY, self._checksummed(0))
        self.tokens.append(_Token(self.world.sender.create(owner, data, purpose="create"), block, owner))

    def _make(self, block: int) -> None:
        """A token made inside a transaction, by a factory."""
        symbol = self._symbol()
        data = artifacts.load("TokenMaker").call("make", f"Made {symbol}", symbol, _SUPPLY)
        self.world.sender.send(self._wallet(2), self._maker, data, gas=4_000_000, purpose="make")

    def _mint(self, block: int) -> None:
        """More of a token, for a wallet of ours or for somebody new."""
        if found := self._standing(block):
            to = self._checksummed(self.rng.randrange(len(self.world.wallets)))
            data = artifacts.load("OwnedToken").call("mint", to, self.rng.randrange(1, 10**21))
            self.world.sender.send(found.owner, found.address, data, purpose="mint")

    def _hand_over(self, block: int) -> None:
        """A token with another owner."""
        if found := self._standing(block):
            heir = self.rng.randrange(len(self.world.wallets))
            data = artifacts.load("OwnedToken").call("transferOwnership", self._checksummed(heir))
            self.world.sender.send(found.owner, found.address, data, purpose="hand over")
            # Mints by the former owner fail on one fork and work on the other: as good a difference as any.
            self.tokens[self.tokens.index(found)] = _Token(found.address, found.block, self._wallet(heir))

    def _open_pool(self, block: int) -> None:
        """A market for a token against wrapped native coin."""
        traded = {pool.base for _, pool in self.pools}
        found = self._standing(block)
        if found is None or found.address in traded:
            return
        protocol, fee = self.rng.choice((("uniswap_v2", 3000), ("uniswap_v3", 3000), ("uniswap_v4", 3000)))
        dexes, sender, provider = self.world.dexes, self.world.sender, self._wallet(0)
        weth = (dexes.weth, self.rng.randrange(1, 20) * 10**17)
        base = (found.address, self.rng.randrange(1, 100) * 10**20)
        pool = dexes.open_pool(sender, provider, protocol, base, weth, fee)
        for token in (pool.base, pool.quote):
            dexes.approve(sender, provider, token, protocol)
        self.pools.append((block, pool))

    def _trade(self, block: int) -> None:
        """A swap in one of these markets."""
        open_pools = [pool for since, pool in self.pools if since < block]
        if open_pools:
            pool = self.rng.choice(open_pools)
            token, amount = self.rng.choice(
                ((pool.base, pool.base_amount // 50), (pool.quote, pool.quote_amount // 50))
            )
            self.world.dexes.swap(self.world.sender, self._wallet(0), pool, token, max(amount, 1))

    def _register(self, block: int) -> None:
        """A symbol registered against the signer's statement."""
        claimer = self.world.wallets[1].address
        token = self.tokens[-1].address if self.tokens else self.world.tokens[0].address
        deadline = self.world.head_time() + 900
        self._count += 1
        statement = MintAuthorization(claimer, token, self._symbol(), _FEE_WEI, deadline, 10**6 + self._count)
        signature = registry.sign(self.world.signer, self.world.anvil.chain_id, self._registry(), statement)
        data = registry.mint_calldata(statement, signature)
        self.world.sender.send(self._wallet(1), self._registry(), data, value=_FEE_WEI, gas=600_000, purpose="register")
        self.registered.append(block)

    def _manage(self, block: int) -> None:
        """A manager, a peer on another chain, or the end of a registration."""
        if not self.registered:
            return
        number = self.rng.randrange(1, len(self.registered) + 1)
        contract = registry.contract()
        manager = self._checksummed(self.rng.randrange(len(self.world.wallets)))
        data = self.rng.choice(
            (
                contract.call("setManager", number, manager, self.rng.random() < 0.7),
                contract.call("setCanonicalPeer", number, 1, self.rng.randrange(1, 99)),
                contract.call("release", number),
            )
        )
        self.world.sender.send(self._wallet(1), self._registry(), data, gas=200_000, purpose="manage")

    def _standing(self, block: int) -> _Token | None:
        """A token of an earlier block."""
        earlier = [item for item in self.tokens if item.block < block]
        return self.rng.choice(earlier) if earlier else None

    def _checksummed(self, number: int) -> str:
        return str(self.world.wallets[number].address)

    def _registry(self) -> str:
        assert self.world.registry is not None
        return self.world.registry
