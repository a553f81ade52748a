"""The chain on which originals, attackers and honest tokens act: anvil with genuine exchanges and our registry."""

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from indexer.contracts import registry
from indexer.contracts.registry import LOCAL_TERMS
from indexer.devchain import artifacts
from indexer.devchain.anvil import Anvil
from indexer.devchain.chains_file import chains_file
from indexer.devchain.dexes import Dexes, Pool
from indexer.devchain.sender import Sender
from tests.attacks.plan import HOURS, ORIGINALS_AT, Attack, Kind, Original, Plan
from tests.factories.amounts import DOLLAR, ETHER

_STEPS_AN_HOUR = 2
_ACTS_A_BLOCK = 6
"""So that all transactions fit: those that do not would be mined before others they depend on."""
_STEP_SECONDS = 3_600 // _STEPS_AN_HOUR
_TOKENS = 10**9 * ETHER
_FOREVER = 2**40
NATIVE_USD = 2_000
GENESIS_SECONDS = HOURS * 3_600 + 2 * _STEP_SECONDS


@dataclass(frozen=True, slots=True)
class Deployed:
    """A token and the wallet that deployed it."""

    token: str
    symbol: str
    wallet: LocalAccount


@dataclass
class Field:
    """The chain while a plan is carried out. ``advance_to`` lets hours pass, with what is planned for them."""

    node: Anvil
    plan: Plan
    chains_path: Path
    originals: list[Deployed] = field(default_factory=list)
    clones: dict[int, Deployed] = field(default_factory=dict)
    namesakes: list[tuple[Deployed, Deployed]] = field(default_factory=list)
    registry: str = ""
    _acts: dict[int, list[Callable[[], None]]] = field(default_factory=lambda: defaultdict(list))
    _step: int = 0
    _began: int = 0
    _time: int = 0

    @classmethod
    def prepare(cls, node: Anvil, plan: Plan, chains_path: Path, signer: str) -> "Field":
        """Deploy exchanges, money and the registry on a fresh node, whose genesis is ``GENESIS_SECONDS`` ago."""
        made = cls(node, plan, chains_path)
        made._found(signer)
        made._schedule()
        return made

    def advance_to(self, hour: int) -> None:
        """Mine until the end of an hour."""
        while self._step < hour * _STEPS_AN_HOUR:
            for place, act in enumerate(self._acts.pop(self._step, ())):
                if place and place % _ACTS_A_BLOCK == 0:
                    self._mine()
                act()
            self._mine()
            self._step += 1
            self._time = max(self._time + 1, self._began + self._step * _STEP_SECONDS)
        self.sender.check(tolerate=("swap",))

    def go_live(self) -> None:
        """From now on every transaction is mined at once, at the machine's time."""
        head = int(self.node.rpc("eth_getBlockByNumber", "latest", False)["timestamp"], 16)
        self.node.rpc("anvil_setTime", max(int(time.time()), head + 1))
        self.node.rpc("evm_setAutomine", True)
        self.node.mine()

    def deploy_late(self, attack: Attack) -> None:
        """Deploy a clone that nobody indexes before its claim."""
        self._clone(attack)
        self.sender.mine()
        self.sender.check()

    def send(self, wallet: LocalAccount, to: str, data: str, value: int) -> bool:
        """Sign and send a transaction; whether it succeeded."""
        nonce = int(self.node.rpc("eth_getTransactionCount", wallet.address, "pending"), 16)
        signed = wallet.sign_transaction(
            {
                "to": to, "data": data, "value": value, "gas": 3_000_000, "gasPrice": 3 * 10**9,
                "chainId": self.node.chain_id, "nonce": nonce,
            }
        )  # fmt: skip
        receipt = self.node.receipt(self.node.rpc("eth_sendRawTransaction", signed.raw_transaction.to_0x_hex()))
        return bool(receipt["status"] == "0x1")

    def _found(self, signer: str) -> None:
        self.sender = Sender(self.node)
        self.bank: str = self.node.rpc("eth_accounts")[0].lower()
        self.node.rpc("evm_setAutomine", False)
        self._began = self._time = int(time.time()) - GENESIS_SECONDS
        self.node.rpc("anvil_setBalance", self.bank, hex(10**9 * ETHER))
        self.dexes = Dexes.deploy(self.sender, self.bank)
        self.dollar = self._create("OwnedToken", "USD Coin", "USDC", 6, 10**15 * DOLLAR, self.bank)
        factory = self._create("UniswapV2Factory", self.bank)
        self.copied = replace(
            self.dexes, v2_factory=factory, v2_router=self._create("UniswapV2Router02", factory, self.dexes.weth)
        )
        guardian = self._wallet("guardian").address
        data = registry.deployment_data(signer, self._wallet("treasury").address, guardian, LOCAL_TERMS)
        self.registry = self.sender.create(self.bank, data, gas=8_000_000, purpose="registry")
        wrap = artifacts.load("WETH9").call("deposit")
        self.sender.send(self.bank, self.dexes.weth, wrap, value=10_000 * ETHER, purpose="wrap")
        coin, dollars = (self.dexes.weth, 5_000 * ETHER), (self.dollar, 5_000 * NATIVE_USD * DOLLAR)
        self.dexes.open_pool(self.sender, self.bank, "uniswap_v2", coin, dollars, 3000)
        self._mine()
        self.sender.check()
        self.chains_path.write_text(chains_file(self.node, self.dexes, self.dollar, registry=self.registry))

    def _mine(self) -> None:
        """Mine what waits into a block of the present step, a second after the one before."""
        self.node.rpc("evm_setNextBlockTimestamp", self._time)
        self.sender.mine()
        self._time += 1

    def _create(self, contract: str, *arguments: object) -> str:
        data = artifacts.load(contract).deployment(*arguments)
        return self.sender.create(self.bank, data, gas=12_000_000, purpose=contract)

    def _at(self, step: int, act: Callable[[], None]) -> None:
        if step < HOURS * _STEPS_AN_HOUR:
            self._acts[step].append(act)

    def _schedule(self) -> None:
        for number, original in enumerate(self.plan.originals):
            self._at(
                ORIGINALS_AT * _STEPS_AN_HOUR, lambda number=number, original=original: self._original(number, original)
            )
        for place, symbol in enumerate(self.plan.namesakes):
            self._at((20 + place) * _STEPS_AN_HOUR, lambda symbol=symbol: self._namesakes(symbol))
        for attack in self.plan.attacks:
            if attack.kind is not Kind.LAG:
                self._at(attack.created_at * _STEPS_AN_HOUR, lambda attack=attack: self._clone(attack))
            for hour, dollars, half_hours in attack.deposits:
                step = hour * _STEPS_AN_HOUR
                self._at(step, lambda *, a=attack, d=dollars, s=step + half_hours: self._deposit(a, d, s))

    def _original(self, number: int, original: Original) -> None:
        deployed = self._deploy(f"original {number}", original.symbol)
        self.originals.append(deployed)
        self._open(
            self.dexes, original.protocol, deployed, self.dollar, original.depth_usd * DOLLAR, original.depth_usd
        )

    def _namesakes(self, symbol: str) -> None:
        first, second = (self._deploy(f"{which} {symbol}", symbol) for which in ("first", "second"))
        self.namesakes.append((first, second))

    def _clone(self, attack: Attack) -> None:
        deployed = self._deploy(f"clone {attack.number}", attack.symbol)
        self.clones[attack.number] = deployed
        call = artifacts.load("PlainToken").call
        for place in range(attack.wallets):
            fresh = f"0x{(attack.number + 1) << 32 | place + 1:040x}"
            self.sender.send(deployed.wallet.address.lower(), deployed.token, call("transfer", fresh, 1), gas=100_000)

    def _deposit(self, attack: Attack, dollars: int, until: int) -> None:
        """Put in as many of the clone as dollars, and take all of it out again when the time comes."""
        clone = self.clones[attack.number]
        wallet = clone.wallet.address.lower()
        if attack.quote == "dollar":
            pool = self._open(self.dexes, "uniswap_v2", clone, self.dollar, dollars * DOLLAR, dollars)
            self._at(until, lambda: self._withdraw(wallet, pool))
            if attack.swaps:
                self._wash(attack, clone, pool, dollars)
        elif attack.quote == "copied exchange":
            self._open(self.copied, "uniswap_v2", clone, self.dollar, dollars * DOLLAR, dollars)
        else:
            name = "USDC" if attack.quote == "fake dollar" else f"W{attack.number}"
            data = artifacts.load("OwnedToken").deployment(name, name, 18, _TOKENS, clone.wallet.address)
            worthless = self.sender.create(wallet, data, purpose="worthless")
            self._open(self.dexes, "uniswap_v2", clone, worthless, dollars * ETHER, dollars, granted=False)

    def _wash(self, attack: Attack, clone: Deployed, pool: Pool, dollars: int) -> None:
        wallet = clone.wallet.address.lower()
        amount = dollars * DOLLAR // 20
        grant = artifacts.load("PlainToken").call("transfer", wallet, amount * attack.swaps)
        self.sender.send(self.bank, self.dollar, grant, gas=100_000, purpose="grant")
        for token in (clone.token, self.dollar):
            self.dexes.approve(self.sender, wallet, token, "uniswap_v2")
        first = self._step + 2
        for turn in range(attack.swaps):
            buys = turn % 2 == 0
            token, size = (pool.quote, amount) if buys else (pool.base, dollars * ETHER // 25)
            self._at(
                first + turn,
                lambda token=token, size=size: self.dexes.swap(self.sender, wallet, pool, token, size),
            )

    def _withdraw(self, wallet: str, pool: Pool) -> None:
        pair = artifacts.load("PlainToken")
        held = int(
            self.node.rpc("eth_call", {"to": pool.address, "data": pair.call("balanceOf", wallet)}, "latest"), 16
        )
        self.sender.send(wallet, pool.address, pair.call("approve", self.dexes.v2_router, held), gas=100_000)
        data = artifacts.load("UniswapV2Router02").call(
            "removeLiquidity", pool.base, pool.quote, held, 0, 0, wallet, _FOREVER
        )
        self.sender.send(wallet, self.dexes.v2_router, data, gas=500_000, purpose="withdraw")

    def _open(
        self, dexes: Dexes, protocol: str, deployed: Deployed, quote: str, quote_amount: int, dollars: int,
        *, granted: bool = True,
    ) -> Pool:  # fmt: skip
        wallet = deployed.wallet.address.lower()
        if granted:
            grant = artifacts.load("PlainToken").call("transfer", wallet, quote_amount)
            self.sender.send(self.bank, quote, grant, gas=100_000, purpose="grant")
        return dexes.open_pool(
            self.sender, wallet, protocol, (deployed.token, dollars * ETHER), (quote, quote_amount), 3000
        )

    def _deploy(self, label: str, symbol: str) -> Deployed:
        wallet = self._wallet(label)
        self.node.rpc("anvil_setBalance", wallet.address, hex(10**4 * ETHER))
        data = artifacts.load("OwnedToken").deployment(symbol, symbol, 18, _TOKENS, wallet.address)
        token = self.sender.create(wallet.address.lower(), data, purpose=f"deploy {label}")
        return Deployed(token, symbol, wallet)

    def _wallet(self, label: str) -> LocalAccount:
        account: LocalAccount = Account.from_key(keccak(text=f"attack {self.plan.seed} {label}"))
        return account
