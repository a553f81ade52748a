"""Transactions of pools as the programs' published interfaces lay them out, from models that keep their own books.

The programs cannot run here. The models compute in decimals what the programs compute in integers, so that the index
is held against something that does not share its arithmetic.
"""

import hashlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from indexer.chains.solana.accounts import SYSTEM_PROGRAM, TOKEN_PROGRAM
from tests.factories.solana_blocks import Called, Held, Sent, raw

CLMM = "CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK"
CPMM = "CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C"
WHIRLPOOL = "whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc"
PUMP = "6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P"
SOL = "So11111111111111111111111111111111111111112"
USDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
WIDE = Context(prec=80)
names = (f"transaction {number}" for number in itertools.count())


def anchor(name: str, data: bytes = b"") -> bytes:
    """The data of an Anchor program's instruction."""
    return hashlib.sha256(f"global:{name}".encode()).digest()[:8] + data


def number(value: int, size: int) -> bytes:
    """A little-endian number, two's complement if negative."""
    return value.to_bytes(size, "little", signed=value < 0)


def transfer(source: str, destination: str, amount: int, *, mint: str = "", program: str = TOKEN_PROGRAM) -> Called:
    """A transfer of tokens; with a mint, the checked one."""
    if mint:
        data = bytes([12]) + number(amount, 8) + bytes([6])
        return Called(program, [source, mint, destination, "authority"], data)
    return Called(program, [source, destination, "authority"], bytes([3]) + number(amount, 8))


def lamports(source: str, destination: str, amount: int) -> Called:
    """A transfer of the native coin."""
    return Called(SYSTEM_PROGRAM, [source, destination], number(2, 4) + number(amount, 8))


def other_accounts(prefix: str, count: int) -> list[str]:
    """Accounts that no test looks at."""
    return [f"{prefix} {place}" for place in range(count)]


@dataclass
class Vaults:
    """Two token accounts and what they hold. ``program`` keeps the mint of the first; ``owner`` is the program's, or
    the pool."""

    mints: tuple[str, str]
    accounts: tuple[str, str]
    amounts: list[int] = field(default_factory=lambda: [0, 0])
    program: str = TOKEN_PROGRAM
    owner: str = "pool authority"

    def move(self, *gains: int) -> list[Held]:
        """Change the balances; how a transaction shows them."""
        before = list(self.amounts)
        self.amounts = [amount + gain for amount, gain in zip(before, gains, strict=True)]
        return [
            Held(account, mint, old, new, self.owner, program=self.program if place == 0 else TOKEN_PROGRAM)
            for place, (account, mint, old, new) in enumerate(
                zip(self.accounts, self.mints, before, self.amounts, strict=True)
            )
        ]


def sorted_mints(one: str, other: str) -> tuple[str, str]:
    """Two mints in the order of their bytes."""
    return (one, other) if raw(one) < raw(other) else (other, one)


@dataclass
class Cpmm:
    """A pool of Raydium's constant product program."""

    name: str
    mints: tuple[str, str]
    vaults: Vaults = field(init=False)

    def __post_init__(self) -> None:
        self.vaults = Vaults(self.mints, (f"{self.name} vault 0", f"{self.name} vault 1"))

    def create(self, amount0: int, amount1: int) -> Sent:
        """Initialize, with the first deposit."""
        accounts = ["creator", "config", "authority", self.name, *self.mints, "lp", "c0", "c1", "clp"]
        accounts += [*self.vaults.accounts, "fee", "observation"]
        data = anchor("initialize", number(amount0, 8) + number(amount1, 8) + number(0, 8))
        paid = [transfer("c0", self.vaults.accounts[0], amount0), transfer("c1", self.vaults.accounts[1], amount1)]
        held = self.vaults.move(amount0, amount1)
        return Sent("creator", [Called(CPMM, accounts, data, paid)], held, name=next(names))

    def swap_call(self, given: int, amount: int, out: int, *, program: str = CPMM) -> Called:
        """An instruction that takes ``amount`` of one token and pays ``out`` of the other."""
        into, from_ = self.vaults.accounts[given], self.vaults.accounts[1 - given]
        accounts = ["payer", "authority", "config", self.name, "payer in", "payer out", into, from_]
        accounts += [TOKEN_PROGRAM, TOKEN_PROGRAM, self.mints[given], self.mints[1 - given], "observation"]
        moves = [transfer("payer in", into, amount), transfer(from_, "payer out", out)]
        return Called(program, accounts, anchor("swap_base_input", number(amount, 8) + number(out, 8)), moves)

    def swap(self, given: int, amount: int, out: int, **values: str) -> Sent:
        """A transaction of one swap."""
        call = self.swap_call(given, amount, out, **values)
        held = self.vaults.move(*((amount, -out) if given == 0 else (-out, amount)))
        return Sent("payer", [call], held, name=next(names))

    def deposit(self, amount0: int, amount1: int) -> Sent:
        """Liquidity given."""
        accounts = ["owner", "authority", self.name, "olp", "o0", "o1", *self.vaults.accounts, TOKEN_PROGRAM]
        paid = [transfer("o0", self.vaults.accounts[0], amount0), transfer("o1", self.vaults.accounts[1], amount1)]
        call = Called(CPMM, accounts, anchor("deposit", bytes(24)), paid)
        return Sent("owner", [call], self.vaults.move(amount0, amount1), name=next(names))

    def withdraw(self, amount0: int, amount1: int) -> Sent:
        """Liquidity taken."""
        accounts = ["owner", "authority", self.name, "olp", "o0", "o1", *self.vaults.accounts, TOKEN_PROGRAM]
        paid = [transfer(self.vaults.accounts[0], "o0", amount0), transfer(self.vaults.accounts[1], "o1", amount1)]
        call = Called(CPMM, accounts, anchor("withdraw", bytes(24)), paid)
        return Sent("owner", [call], self.vaults.move(-amount0, -amount1), name=next(names))

    def donate(self, amount0: int, amount1: int) -> Sent:
        """Tokens sent to the vaults by hand."""
        calls = [transfer("o0", self.vaults.accounts[0], amount0), transfer("o1", self.vaults.accounts[1], amount1)]
        return Sent("owner", calls, self.vaults.move(amount0, amount1), name=next(names))


@dataclass
class Whirlpool:
    """A pool of Orca's program. ``root`` is the square root of its price; ``fee`` is kept of each payment."""

    name: str
    mints: tuple[str, str]
    root: Decimal = Decimal(1)
    fee: Decimal = Decimal("0.003")
    vaults: Vaults = field(init=False)
    positions: dict[str, tuple[int, int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.vaults = Vaults(self.mints, (f"{self.name} vault a", f"{self.name} vault b"), owner=self.name)

    @staticmethod
    def root_at(tick: int) -> Decimal:
        """The square root of the price at a tick."""
        return WIDE.power(Decimal("1.0001"), Decimal(tick) / 2)

    def create(self) -> Sent:
        """Initialize, at the present price."""
        accounts = ["whirlpools config", *self.mints, "funder", self.name, *self.vaults.accounts, "fee tier"]
        price = int((self.root * (1 << 64)).to_integral_value(ROUND_FLOOR))
        self.root = Decimal(price) / (1 << 64)
        data = anchor("initialize_pool", bytes([255]) + number(64, 2) + number(price, 16))
        return Sent("funder", [Called(WHIRLPOOL, accounts, data)], self.vaults.move(0, 0), name=next(names))

    def open(self, position: str, lower: int, upper: int) -> Called:
        """A position without liquidity."""
        self.positions[position] = (lower, upper, 0)
        accounts = ["funder", "owner", position, f"{position} mint", f"{position} account", self.name, TOKEN_PROGRAM]
        return Called(WHIRLPOOL, accounts, anchor("open_position", bytes([255]) + number(lower, 4) + number(upper, 4)))

    def amounts(self, lower: int, upper: int, liquidity: int, rounding: str) -> tuple[int, int]:
        """What liquidity in a range holds at the present price."""
        low, high = self.root_at(lower), self.root_at(upper)
        inside = min(max(self.root, low), high)
        whole = (liquidity * (1 / inside - 1 / high), liquidity * (inside - low))
        return int(whole[0].to_integral_value(rounding)), int(whole[1].to_integral_value(rounding))

    def change(self, position: str, delta: int, *, paid: Sequence[int] | None = None) -> Called:
        """Liquidity given or taken. ``paid`` is what goes through the vaults instead of what is due."""
        lower, upper, liquidity = self.positions[position]
        self.positions[position] = (lower, upper, liquidity + delta)
        given = delta > 0
        due = paid or self.amounts(lower, upper, abs(delta), ROUND_CEILING if given else ROUND_FLOOR)
        accounts = [self.name, TOKEN_PROGRAM, "owner", position, f"{position} account", "oa", "ob"]
        accounts += [*self.vaults.accounts, "lower array", "upper array"]
        name = "increase_liquidity" if given else "decrease_liquidity"
        sides = list(zip(("oa", "ob"), self.vaults.accounts, due, strict=True))
        moves = [transfer(*((own, vault) if given else (vault, own)), amount) for own, vault, amount in sides]
        self.moved = due if given else (-due[0], -due[1])
        return Called(WHIRLPOOL, accounts, anchor(name, number(abs(delta), 16) + bytes(16)), moves)

    def provide(self, position: str, delta: int, *, opened: Sequence[int] = ()) -> Sent:
        """A transaction that changes a position, and opens it first if ticks are given."""
        calls = [self.open(position, *opened)] if opened else []
        calls.append(self.change(position, delta))
        return Sent("owner", calls, self.vaults.move(*self.moved), name=next(names))

    def swap(self, a_to_b: bool, amount: int) -> Sent:
        """A swap of so much, fee included."""
        out = self.trade(a_to_b, amount)
        call = self.swap_call(a_to_b, amount, out)
        return Sent(
            "payer", [call], self.vaults.move(*((amount, -out) if a_to_b else (-out, amount))), name=next(names)
        )

    def swap_call(self, a_to_b: bool, amount: int, out: int) -> Called:
        """The instruction, with these amounts."""
        vault_a, vault_b = self.vaults.accounts
        moves = [transfer("pa", vault_a, amount), transfer(vault_b, "pb", out)]
        if not a_to_b:
            moves = [transfer("pb", vault_b, amount), transfer(vault_a, "pa", out)]
        accounts = [
            TOKEN_PROGRAM,
            "payer",
            self.name,
            "pa",
            vault_a,
            "pb",
            vault_b,
            *other_accounts("array", 3),
            "oracle",
        ]
        return Called(WHIRLPOOL, accounts, anchor("swap", number(amount, 8) + bytes(26)), moves)

    def trade(self, a_to_b: bool, amount: int) -> int:
        """Move the price by a payment; what the pool pays, rounded down. Liquidity that ends stops the price."""
        left, out = amount * (1 - self.fee), Decimal(0)
        ticks = sorted({tick for lower, upper, _ in self.positions.values() for tick in (lower, upper)})
        for tick in reversed(ticks) if a_to_b else ticks:
            edge = self.root_at(tick)
            if (edge >= self.root) if a_to_b else (edge <= self.root):
                continue
            inside = (edge + self.root) / 2
            liquidity = sum(
                amount
                for lower, upper, amount in self.positions.values()
                if self.root_at(lower) < inside < self.root_at(upper)
            )
            if not liquidity:
                self.root = edge
                continue
            if a_to_b:
                reached = max(edge, 1 / (1 / self.root + left / liquidity))
                left -= liquidity * (1 / reached - 1 / self.root)
                out += liquidity * (self.root - reached)
            else:
                reached = min(edge, self.root + left / liquidity)
                left -= liquidity * (reached - self.root)
                out += liquidity * (1 / self.root - 1 / reached)
            self.root = reached
            if left <= Decimal("1e-30"):
                break
        return int(out.to_integral_value(ROUND_FLOOR))


@dataclass
class Clmm(Whirlpool):
    """A pool of Raydium's concentrated program, which works as Orca's and is called otherwise."""

    def create(self) -> Sent:
        """Create the pool, at the present price."""
        accounts = ["creator", "amm config", self.name, *self.mints, *self.vaults.accounts, "observation"]
        price = int((self.root * (1 << 64)).to_integral_value(ROUND_FLOOR))
        self.root = Decimal(price) / (1 << 64)
        data = anchor("create_pool", number(price, 16) + number(0, 8))
        return Sent("creator", [Called(CLMM, accounts, data)], self.vaults.move(0, 0), name=next(names))

    def open_with(self, position: str, ticks: tuple[int, int], liquidity: int, *, said: bool = True) -> Sent:
        """A new position with liquidity, said or left to what is paid."""
        self.positions[position] = (*ticks, liquidity)
        due = self.amounts(*ticks, liquidity, ROUND_CEILING)
        accounts = ["payer", "owner", "nft", "nft account", "metadata", self.name, "protocol position", "low", "up"]
        accounts += [position, "o0", "o1", *self.vaults.accounts, "rent", SYSTEM_PROGRAM]
        data = b"".join(number(tick, 4) for tick in (*ticks, 0, 0)) + number(liquidity if said else 0, 16) + bytes(18)
        moves = [transfer(f"o{side}", self.vaults.accounts[side], due[side]) for side in (0, 1)]
        call = Called(CLMM, accounts, anchor("open_position_v2", data), moves)
        return Sent("owner", [call], self.vaults.move(*due), name=next(names))

    def decrease(self, position: str, liquidity: int) -> Sent:
        """Liquidity taken."""
        lower, upper, whole = self.positions[position]
        self.positions[position] = (lower, upper, whole - liquidity)
        due = self.amounts(lower, upper, liquidity, ROUND_FLOOR)
        accounts = [
            "owner",
            "nft account",
            position,
            self.name,
            "protocol position",
            *self.vaults.accounts,
            "low",
            "up",
        ]
        moves = [transfer(self.vaults.accounts[side], f"o{side}", due[side]) for side in (0, 1)]
        call = Called(CLMM, accounts, anchor("decrease_liquidity_v2", number(liquidity, 16) + bytes(16)), moves)
        return Sent("owner", [call], self.vaults.move(-due[0], -due[1]), name=next(names))

    def swap_call(self, a_to_b: bool, amount: int, out: int) -> Called:
        """The instruction, with these amounts."""
        into, from_ = self.vaults.accounts if a_to_b else self.vaults.accounts[::-1]
        accounts = ["payer", "amm config", self.name, "payer in", "payer out", into, from_, "observation"]
        moves = [transfer("payer in", into, amount), transfer(from_, "payer out", out)]
        return Called(CLMM, accounts, anchor("swap_v2", number(amount, 8) + bytes(25)), moves)


def clmm_route(amount: int, *hops: tuple[Clmm, bool]) -> Sent:
    """A route through several pools in one instruction; each pays for the next."""
    accounts = ["payer", "payer in", "mint in", TOKEN_PROGRAM, "token 2022", "memo"]
    moves, held = [], []
    for place, (pool, a_to_b) in enumerate(hops):
        out = pool.trade(a_to_b, amount)
        into, from_ = pool.vaults.accounts if a_to_b else pool.vaults.accounts[::-1]
        accounts += ["amm config", pool.name, f"payer {place}", into, from_, f"mint {place}", "observation", "array"]
        moves += [transfer("payer in", into, amount), transfer(from_, f"payer {place}", out)]
        held += pool.vaults.move(*((amount, -out) if a_to_b else (-out, amount)))
        amount = out
    call = Called(CLMM, accounts, anchor("swap_router_base_in", bytes(16)), moves)
    return Sent("payer", [call], held, name=next(names))


@dataclass
class PumpCurve:
    """A bonding curve of the Pump program."""

    mint: str
    virtual_tokens: int = 1_073_000_000_000_000
    virtual_quote: int = 30_000_000_000
    real_quote: int = 0
    vault: int = 1_000_000_000_000_000

    @property
    def account(self) -> str:
        """The curve's account."""
        return f"curve of {self.mint}"

    def create(self) -> Sent:
        """The curve with its whole supply."""
        accounts = [
            self.mint,
            "mint authority",
            self.account,
            f"{self.account} vault",
            "global",
            "metaplex",
            "metadata",
        ]
        accounts += ["user", SYSTEM_PROGRAM, TOKEN_PROGRAM, "ata", "rent", "event authority", PUMP]
        held = [Held(f"{self.account} vault", self.mint, None, self.vault, self.account)]
        return Sent("user", [Called(PUMP, accounts, anchor("create"))], held, name=next(names))

    def buy(self, tokens: int, *, cost: int | None = None, calls: Sequence[Called] = ()) -> Sent:
        """Sell tokens for lamports; the fee goes elsewhere."""
        due = self.virtual_quote * tokens // (self.virtual_tokens - tokens) + 1 if cost is None else cost
        moves = [
            lamports("user", self.account, due),
            lamports("user", "fee recipient", due // 100),
            transfer(f"{self.account} vault", "user account", tokens),
        ]
        self._trade(-tokens, due)
        return self._sent("buy", -tokens, moves, calls)

    def sell(self, tokens: int) -> Sent:
        """Buy tokens back; lamports leave without an instruction."""
        due = self.virtual_quote * tokens // (self.virtual_tokens + tokens)
        self._trade(tokens, -due)
        return self._sent("sell", tokens, [transfer("user account", f"{self.account} vault", tokens)], ())

    def _trade(self, tokens: int, quote: int) -> None:
        self.virtual_tokens += tokens
        self.virtual_quote += quote
        self.real_quote += quote

    def _sent(self, name: str, tokens: int, moves: Sequence[Called], calls: Sequence[Called]) -> Sent:
        accounts = ["global", "fee recipient", self.mint, self.account, f"{self.account} vault", "user account", "user"]
        accounts += [SYSTEM_PROGRAM, TOKEN_PROGRAM, "creator vault", "event authority", PUMP]
        event = Called(PUMP, ["event authority"], bytes.fromhex("e445a52e51cb9a1d") + bytes(16))
        held = [Held(f"{self.account} vault", self.mint, self.vault, self.vault + tokens, self.account)]
        self.vault += tokens
        call = Called(PUMP, accounts, anchor(name, number(abs(tokens), 8) + bytes(8)), [*moves, event])
        return Sent("user", [call, *calls], held, name=next(names))
