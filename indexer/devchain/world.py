"""A small economy on a local chain: tokens of every kind, real DEXes, days of trade, and more on request.

The same seed gives the same wallets, tokens, amounts and order. Only times follow the clock, because a history ends
now.
"""

import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from indexer.contracts import registry
from indexer.contracts.registry import LOCAL_TERMS
from indexer.devchain import artifacts
from indexer.devchain.anvil import Anvil
from indexer.devchain.chains_file import chains_file
from indexer.devchain.dexes import NATIVE, Dexes, Pool, tick_at
from indexer.devchain.sender import Sender
from indexer.devchain.token_creation import DemoToken, Tools, create_token, holder_of
from indexer.devchain.token_plans import NATIVE_PRICE_USD, PoolPlan, TokenPlan, plans_of
from indexer.devchain.trade import Economy

_BEFORE_HISTORY_SECONDS = 3600
_SPARE_BLOCKS = 4  # creating a token near the end may take a few more blocks
_ETHER = 10**18
_MICRO = 10**6


@dataclass(frozen=True, slots=True)
class Scale:
    """How long and how busy a history is."""

    blocks: int
    actions: int
    wallets: int
    hours: int

    @property
    def interval_seconds(self) -> int:
        """Time between blocks. Beyond 15 minutes heartbeats take it for a gap in the data."""
        return self.hours * 3600 // self.blocks


SCALES = {
    "small": Scale(blocks=156, actions=500, wallets=12, hours=26),
    # Longer than the seven days over which copy verdicts weigh the depth of markets.
    "demo": Scale(blocks=1560, actions=6000, wallets=40, hours=9 * 24),
}


class World:
    """The chain and everything on it. ``create`` builds it, ``step`` continues it."""

    def __init__(self, anvil: Anvil, seed: int, scale: str) -> None:
        self.anvil = anvil
        self.seed = seed
        self.scale = scale
        self.tokens: list[DemoToken] = []
        self.pools: list[Pool] = []
        self.collectible = ""
        self.registry: str | None = None
        self.stablecoin = ""
        self.dexes: Dexes
        self.signer = self.wallet("registry signer")
        self.treasury = self.wallet("treasury")
        self.guardian = self.wallet("guardian")
        self.bank = self.wallet("bank")
        self.wallets = [self.wallet(f"trader {number}") for number in range(SCALES[scale].wallets)]
        self.sender = Sender(anvil)
        self.economy = Economy(self.sender, random.Random(f"{seed} trade"))  # noqa: S311

    @classmethod
    def create(
        cls, anvil: Anvil, seed: int = 1, scale: str = "small", *, registry_signer: str | None = None,
        with_registry: bool = True, now: int | None = None,
    ) -> "World":  # fmt: skip
        """Build the world of ``seed`` on a fresh node, and its history of hours or days up to ``now``. The genesis of
        the node lies before that (:meth:`genesis_time`).

        The registry accepts ``registry_signer``, by default ``World.signer``, whose key is known.

        Raises:
            AnvilError: the node refused something, or is not fresh.
        """
        world = cls(anvil, seed, scale)
        end = int(time.time()) if now is None else now
        interval = SCALES[scale].interval_seconds
        automine = anvil.rpc("anvil_getAutomine")
        anvil.rpc("evm_setAutomine", False)
        anvil.rpc("anvil_setTime", end - interval * (SCALES[scale].blocks + _SPARE_BLOCKS))
        anvil.rpc("anvil_setBlockTimestampInterval", interval)
        with world.sender.impersonation():
            world._found(registry_signer if with_registry else None, with_registry)
            world._write_history(SCALES[scale])
        anvil.rpc("anvil_removeBlockTimestampInterval")
        anvil.rpc("anvil_setTime", max(end, world.head_time() + 1))
        world.step(10)
        world.sender.check(tolerate=("swap",))
        anvil.rpc("evm_setAutomine", automine)
        return world

    @staticmethod
    def genesis_time(scale: str) -> int:
        """When the chain of a world that ends now begins, in unix seconds."""
        return int(time.time()) - SCALES[scale].hours * 3600 - _BEFORE_HISTORY_SECONDS

    def step(self, actions: int = 20, *, mine: bool = True) -> None:
        """Let the economy do ``actions`` more transfers and swaps; mined in one block unless the node mines itself."""
        automine = mine and self.anvil.rpc("anvil_getAutomine")
        if automine:
            self.anvil.rpc("evm_setAutomine", False)
        try:
            self.economy.act(actions)
            self.sender.flush()
            if mine:
                self.anvil.mine()
        finally:
            if automine:
                self.anvil.rpc("evm_setAutomine", True)

    def live(self, block_time: int = 2) -> None:
        """From now on the node mines by interval; call ``step(mine=False)`` to keep the trade going."""
        self.anvil.rpc("evm_setAutomine", False)
        self.anvil.rpc("evm_setIntervalMining", block_time)

    def wallet(self, label: str) -> LocalAccount:
        """The wallet of this label in this world; its key follows from the seed."""
        account: LocalAccount = Account.from_key(keccak(text=f"regalia dev wallet {self.seed} {label}"))
        return account

    def token(self, key: str) -> DemoToken:
        """The token of the cast with this key, such as ``aurum``."""
        return next(token for token in self.tokens if token.key == key)

    def pools_of(self, token: DemoToken) -> list[Pool]:
        """The pools that trade a token."""
        return [pool for pool in self.pools if token.address in (pool.base, pool.quote)]

    def balance_of(self, token: str, wallet: str, block: int | None = None) -> int:
        """What the token contract says a wallet has."""
        return self.balances(token, [wallet], block)[0]

    def balances(self, token: str, wallets: Sequence[str], block: int | None = None) -> list[int]:
        """What the token contract says these wallets have; history reaches back 64 blocks."""
        contract = artifacts.load("PlainToken")
        at = "latest" if block is None else hex(block)
        answers = self.anvil.batch(
            ("eth_call", ({"to": token, "data": contract.call("balanceOf", wallet)}, at)) for wallet in wallets
        )
        return [int(answer, 16) for answer in answers]

    def head_time(self) -> int:
        """Timestamp of the newest block."""
        return int(self.anvil.rpc("eth_getBlockByNumber", "latest", False)["timestamp"], 16)

    def chain_toml(self, key: str = "base", *, finality_blocks: int = 12) -> str:
        """A chains file with this node and its contracts."""
        return chains_file(
            self.anvil, self.dexes, self.stablecoin, key=key, registry=self.registry, finality_blocks=finality_blocks
        )

    def _found(self, registry_signer: str | None, with_registry: bool) -> None:
        self._fund([self.bank, self.treasury, self.signer, self.guardian, *self.wallets])
        bank = self.bank.address.lower()
        self.dexes = Dexes.deploy(self.sender, bank)
        usdc = artifacts.load("OwnedToken").deployment("USD Coin", "USDC", 6, 10**9 * _MICRO, self.bank.address)
        self.stablecoin = self.sender.create(bank, usdc, purpose="create USDC")
        maker = self.sender.create(bank, artifacts.load("TokenMaker").deployment(), purpose="create maker")
        logic = self.sender.create(bank, artifacts.load("UpgradeableToken").deployment(), purpose="create logic")
        if with_registry:
            data = registry.deployment_data(
                registry_signer or self.signer.address, self.treasury.address, self.guardian.address, LOCAL_TERMS
            )
            self.registry = self.sender.create(bank, data, purpose="create registry")
        self.sender.mine()
        wrap = artifacts.load("WETH9").call("deposit")
        self.sender.send(bank, self.dexes.weth, wrap, value=200_000 * _ETHER, purpose="wrap")
        for wallet in self.wallets:
            self.sender.send(wallet.address.lower(), self.dexes.weth, wrap, value=400 * _ETHER, purpose="wrap")
            grant = artifacts.load("PlainToken").call("transfer", wallet.address, 1_000_000 * _MICRO)
            self.sender.send(bank, self.stablecoin, grant, purpose="grant")
        self.sender.mine()
        self._tools = Tools(self.sender, maker, logic, self._new_wallet)
        self._open_native_pools(bank)
        collection = artifacts.load("Collectible")
        self.collectible = self.sender.create(
            bank, collection.deployment("Badges", "BADGE"), purpose="create collection"
        )
        self.sender.mine()
        for wallet in self.wallets:
            self.sender.send(bank, self.collectible, collection.call("mint", wallet.address), purpose="mint badge")
        self.sender.mine()

    def _open_native_pools(self, bank: str) -> None:
        """The pools that price the native coin: deep ones of V2 and V3, and one that holds little and is off."""
        weth = (self.dexes.weth, 2_000 * _ETHER)
        usdc = (self.stablecoin, 2_000 * NATIVE_PRICE_USD * _MICRO)
        for protocol, fee_ppm in (("uniswap_v2", 3000), ("uniswap_v3", 500)):
            pool = self.dexes.open_pool(self.sender, bank, protocol, weth, usdc, fee_ppm)
            self._admit(pool, weight=12, spread=4, holder=None)
            if protocol == "uniswap_v3":
                amounts = (weth[1], usdc[1]) if pool.token0 == weth[0] else (usdc[1], weth[1])
                middle = tick_at(*amounts) // 10 * 10
                self.dexes.add_v3_position(self.sender, bank, pool, amounts, (middle - 2000, middle + 2000))
        odd = self.dexes.open_pool(
            self.sender, bank, "uniswap_v3", (weth[0], _ETHER // 10), (usdc[0], 600 * _MICRO), 10_000
        )
        self.pools.append(odd)

    def _write_history(self, scale: Scale) -> None:
        plans = list(plans_of(self.scale))
        first = self.anvil.block_number()
        blocks = scale.blocks - first
        done = 0
        while (block := self.anvil.block_number() - first) < blocks:
            while plans and plans[0].starts_at * blocks <= block:
                self._create_planned(plans.pop(0))
            wanted = scale.actions * (block + 1) // blocks
            self.economy.act(wanted - done)
            done = wanted
            self.sender.mine()

    def _create_planned(self, plan: TokenPlan) -> None:
        deployer = self._new_wallet(f"deployer of {plan.key}")
        token = create_token(plan, deployer, self._tools)
        self.tokens.append(token)
        self.sender.mine()
        if plan.supply == 0:
            return
        holder = holder_of(token)
        self.economy.add_token(token.address, plan.weight, elastic_owner=holder if plan.kind == "elastic" else None)
        if token.majority_holder:
            self.economy.grant(token.address, holder, token.majority_holder, token.supply_raw * 6 // 10)
        share = token.supply_raw * (3 if token.majority_holder else 6) // 10 // 8
        for wallet in self.economy.random.sample(self.wallets, 8):
            if share:
                self.economy.grant(token.address, holder, wallet.address.lower(), share)
        for pool_plan in plan.pools:
            self._open_pool(plan, pool_plan, token, holder)

    def _open_pool(self, plan: TokenPlan, pool_plan: PoolPlan, token: DemoToken, holder: str) -> None:
        half = pool_plan.depth_usd // 2
        unit = 10 ** (token.decimals or 0)
        base_amount = half * _MICRO * unit // plan.price_micro_usd
        quote, quote_amount = self._quote(pool_plan.quote, half)
        if quote != NATIVE:
            source = self.bank.address.lower()
            if pool_plan.quote not in ("WETH", "USDC"):
                source = holder_of(self.token(pool_plan.quote))
            grant = artifacts.load("PlainToken").call("transfer", holder, quote_amount)
            self.sender.send(source, quote, grant, purpose="lend quote")
            self.sender.mine()
        pool = self.dexes.open_pool(
            self.sender, holder, pool_plan.protocol, (token.address, base_amount), (quote, quote_amount),
            pool_plan.fee_ppm, takes_fee=plan.kind == "fee_on_transfer",
        )  # fmt: skip
        funded = pool_plan.quote in ("WETH", "USDC", "NATIVE")
        self._admit(pool, weight=plan.weight if funded else 0, spread=100, holder=holder, drift=plan.drift)

    def _admit(self, pool: Pool, *, weight: int, spread: int, holder: str | None, drift: int = 0) -> None:
        """Let three wallets trade a pool, with some of the token to sell."""
        self.pools.append(pool)
        if not weight:
            return
        traders = [wallet.address.lower() for wallet in self.economy.random.sample(self.wallets, 3)]
        for trader in traders:
            for token in (pool.base, pool.quote):
                self.dexes.approve(self.sender, trader, token, pool.protocol)
            if holder is not None:
                self.economy.grant(pool.base, holder, trader, pool.base_amount // 4)
        self.economy.add_market(self.dexes, pool, traders, weight, spread, drift)

    def _quote(self, name: str, usd: int) -> tuple[str, int]:
        if name == "USDC":
            return self.stablecoin, usd * _MICRO
        if name in ("WETH", "NATIVE"):
            return (self.dexes.weth if name == "WETH" else NATIVE), usd * _ETHER // NATIVE_PRICE_USD
        return self.token(name).address, usd * _MICRO

    def _new_wallet(self, label: str) -> LocalAccount:
        wallet = self.wallet(label)
        self._fund([wallet])
        return wallet

    def _fund(self, wallets: Iterable[LocalAccount]) -> None:
        self.anvil.batch(("anvil_setBalance", (wallet.address, hex(10**6 * _ETHER))) for wallet in wallets)
