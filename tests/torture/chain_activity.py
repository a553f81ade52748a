"""Blocks and reorganisations for the torture test: every block holds something an indexer has to get right.

Everything follows from the seed, whatever the indexer does meanwhile. The chain stays short enough for its node to keep
the state of every block, so a fresh index reads each token at the same block as the first index did.
"""

import random
from dataclasses import dataclass, field

from indexer.contracts import registry
from indexer.contracts.registry import Reason
from indexer.contracts.signer import KeySigner
from indexer.contracts.statements import EndAnnouncement, MintAuthorization, sign
from indexer.devchain import artifacts
from indexer.devchain.dexes import Pool
from indexer.devchain.world import World

FINALITY_BLOCKS = 96
KEPT_STATES = 256
MAX_DEPTH = 64
# The node keeps 256 states; the rest are for blocks mined during a deep reorganisation.
MAX_BLOCKS = 250
_SUPPLY = 10**24
_FEE_WEI = 10**15


@dataclass(frozen=True, slots=True)
class _Token:
    """A deployed token: its address, the block of its last change of owner, and its owner."""

    address: str
    block: int
    owner: str


@dataclass(slots=True)
class ChainActivity:
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
        """Mine one block: usually a few actions, each with its probability; one block in ten is empty."""
        number = self.head + 1
        kinds = (
            (0.22, self._deploy_token), (0.15, self._deploy_by_factory), (0.25, self._mint),
            (0.12, self._transfer_ownership),
            (0.10, self._open_pool), (0.25, self._trade), (0.14, self._register), (0.12, self._manage),
        )  # fmt: skip
        if self.rng.random() < 0.9:
            for chance, act in kinds:
                if self.rng.random() < chance:
                    act(number)
        self.world.step(self.rng.choice((0, 0, 2, 5, 12, 25)))
        self.world.sender.sent.clear()  # some calls fail after a reorganisation, as on a real chain
        self.highest = max(self.highest, self.head)

    def max_depth(self) -> int:
        """The most blocks to remove without reaching a block that an indexer may treat as final."""
        final = self.highest - FINALITY_BLOCKS
        return min(MAX_DEPTH, self.head - final - 4)

    def reorganise(self, depth: int) -> None:
        """Remove the last ``depth`` blocks; the caller mines others."""
        self.world.anvil.rpc("anvil_rollback", depth)
        self.world.sender.forget_nonces()
        head = self.head
        self.tokens = [item for item in self.tokens if item.block <= head]
        self.pools = [item for item in self.pools if item[0] <= head]
        self.registered = [block for block in self.registered if block <= head]
        self.depths.append(depth)

    # -- actions of a block ----------------------------------------------------------------------------------------

    def _wallet(self, number: int) -> str:
        return self.world.wallets[number].address.lower()

    def _symbol(self) -> str:
        self._count += 1
        return f"T{self._count}X{self.rng.randrange(10**4)}"

    def _deploy_token(self, block: int) -> None:
        """Deploy a token from a wallet."""
        symbol, owner = self._symbol(), self._wallet(0)
        data = artifacts.load("OwnedToken").deployment(f"Token {symbol}", symbol, 18, _SUPPLY, self._checksummed(0))
        self.tokens.append(_Token(self.world.sender.create(owner, data, purpose="create"), block, owner))

    def _deploy_by_factory(self, block: int) -> None:
        """Deploy a token inside a transaction, by a factory."""
        symbol = self._symbol()
        data = artifacts.load("TokenMaker").call("make", f"Made {symbol}", symbol, _SUPPLY)
        self.world.sender.send(self._wallet(2), self._maker, data, gas=4_000_000, purpose="make")

    def _mint(self, block: int) -> None:
        """Mint some of a token to one of the wallets."""
        if found := self._existing_token(block):
            to = self._checksummed(self.rng.randrange(len(self.world.wallets)))
            data = artifacts.load("OwnedToken").call("mint", to, self.rng.randrange(1, 10**21))
            self.world.sender.send(found.owner, found.address, data, purpose="mint")

    def _transfer_ownership(self, block: int) -> None:
        """Transfer the ownership of a token."""
        if found := self._existing_token(block):
            heir = self.rng.randrange(len(self.world.wallets))
            data = artifacts.load("OwnedToken").call("transferOwnership", self._checksummed(heir))
            self.world.sender.send(found.owner, found.address, data, purpose="hand over")
            # Mints by the former owner then fail on one fork and succeed on the other.
            self.tokens[self.tokens.index(found)] = _Token(found.address, found.block, self._wallet(heir))

    def _open_pool(self, block: int) -> None:
        """Open a pool of a token and the wrapped native coin."""
        traded = {pool.base for _, pool in self.pools}
        found = self._existing_token(block)
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
        """Swap in one of the pools."""
        open_pools = [pool for since, pool in self.pools if since < block]
        if open_pools:
            pool = self.rng.choice(open_pools)
            token, amount = self.rng.choice(
                ((pool.base, pool.base_amount // 50), (pool.quote, pool.quote_amount // 50))
            )
            self.world.dexes.swap(self.world.sender, self._wallet(0), pool, token, max(amount, 1))

    def _register(self, block: int) -> None:
        """Register a symbol with the signer's authorisation."""
        claimer = self.world.wallets[1].address
        token = self.tokens[-1].address if self.tokens else self.world.tokens[0].address
        deadline = self.world.head_time() + 900
        self._count += 1
        statement = MintAuthorization(claimer, token, self._symbol(), _FEE_WEI, deadline, 10**6 + self._count)
        signature = sign(KeySigner(self.world.signer), self.world.anvil.chain_id, self._registry(), statement)
        data = registry.mint_calldata(statement, signature)
        self.world.sender.send(self._wallet(1), self._registry(), data, value=_FEE_WEI, gas=600_000, purpose="register")
        self.registered.append(block)

    def _manage(self, block: int) -> None:
        """Set a manager or a peer on another chain, release a registration, or take a step towards its end."""
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
                contract.call("objectToEnd", number),
                contract.call("executeEnd", number),
                self._announcement(number),
                self._announcement(number),
            )
        )
        self.world.sender.send(self._wallet(1), self._registry(), data, gas=200_000, purpose="manage")

    def _announcement(self, number: int) -> str:
        self._count += 1
        deadline = self.world.head_time() + 900
        statement = EndAnnouncement(number, Reason.INACTIVE, deadline, 10**6 + self._count)
        chain_id = self.world.anvil.chain_id
        signature = sign(KeySigner(self.world.signer), chain_id, self._registry(), statement)
        return registry.announcement_calldata(statement, signature)

    def _existing_token(self, block: int) -> _Token | None:
        """A token deployed in an earlier block."""
        earlier = [item for item in self.tokens if item.block < block]
        return self.rng.choice(earlier) if earlier else None

    def _checksummed(self, number: int) -> str:
        return str(self.world.wallets[number].address)

    def _registry(self) -> str:
        assert self.world.registry is not None
        return self.world.registry
