"""The local chain's exchange: pools of two tokens at a constant product, kept by the program ``program/market.c``."""

import struct
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from importlib.resources import files

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey
from solders.system_program import ID as SYSTEM_PROGRAM
from spl.token.instructions import create_associated_token_account, get_associated_token_address

FEE_PPM = 3_000


class _Call(IntEnum):
    CREATE = 0
    DEPOSIT = 1
    WITHDRAW = 2
    SWAP = 3


@dataclass(frozen=True, slots=True)
class Side:
    """One of a pool's two tokens."""

    mint: Pubkey
    program: Pubkey

    def account_of(self, owner: Pubkey) -> Pubkey:
        """The associated token account of a wallet or pool."""
        return get_associated_token_address(owner, self.mint, self.program)


@dataclass(frozen=True, slots=True)
class Market:
    """A pool of the exchange ``program``, and the instructions that concern it. Amounts are in base units."""

    program: Pubkey
    creator: Pubkey
    base: Side
    quote: Side

    @property
    def address(self) -> Pubkey:
        """The pool's account, which owns its vaults."""
        seeds = [b"pool", bytes(self.creator), bytes(self.base.mint), bytes(self.quote.mint)]
        return Pubkey.find_program_address(seeds, self.program)[0]

    def create(self, fee_ppm: int = FEE_PPM) -> list[Instruction]:
        """Open the pool and its two vaults. The creator signs and pays."""
        pool = self.address
        vaults = [
            create_associated_token_account(self.creator, pool, side.mint, side.program)
            for side in (self.base, self.quote)
        ]
        system = AccountMeta(SYSTEM_PROGRAM, False, False)
        return [*vaults, self._call(self.creator, struct.pack("<BI", _Call.CREATE, fee_ppm), system)]

    def deposit(self, base: int, quote: int) -> Instruction:
        """Add liquidity from the creator's associated token accounts."""
        return self._call(self.creator, struct.pack("<BQQ", _Call.DEPOSIT, base, quote))

    def withdraw(self, base: int, quote: int) -> Instruction:
        """Take liquidity out, to the creator's associated token accounts."""
        return self._call(self.creator, struct.pack("<BQQ", _Call.WITHDRAW, base, quote))

    def buy(self, trader: Pubkey, quote: int, least: int = 0) -> Instruction:
        """Pay an amount of the quote token; ``least`` is what must be received."""
        return self._call(trader, struct.pack("<BBQQ", _Call.SWAP, 1, quote, least))

    def sell(self, trader: Pubkey, base: int, least: int = 0) -> Instruction:
        """Pay an amount of the base token; ``least`` is what must be received."""
        return self._call(trader, struct.pack("<BBQQ", _Call.SWAP, 0, base, least))

    def _call(self, who: Pubkey, data: bytes, *more: AccountMeta) -> Instruction:
        pool, sides = self.address, (self.base, self.quote)
        accounts = [
            AccountMeta(who, True, True),
            AccountMeta(pool, False, True),
            *(AccountMeta(side.account_of(pool), False, True) for side in sides),
            *(AccountMeta(side.account_of(who), False, True) for side in sides),
            *(AccountMeta(side.mint, False, False) for side in sides),
            *(AccountMeta(side.program, False, False) for side in sides),
        ]
        return Instruction(self.program, data, [*accounts, *more])


@cache
def code() -> bytes:
    """The compiled program."""
    return files("indexer.devchain.solana").joinpath("program", "market.so").read_bytes()


def exchange_facts(chain_key: str, program: Pubkey) -> str:
    """TOML for a chains file: where the accounts stand in the program's instructions."""
    head = f"[[chains.{chain_key}.exchanges]]\n"
    places = "pool = 1, vaults = [2, 3]"
    calls = [
        f'create = {{ action = "create", data = "{_Call.CREATE:02x}", {places}, mints = [6, 7] }}',
        f'deposit = {{ action = "deposit", data = "{_Call.DEPOSIT:02x}", {places} }}',
        f'withdraw = {{ action = "withdraw", data = "{_Call.WITHDRAW:02x}", {places} }}',
        f'swap = {{ action = "swap", data = "{_Call.SWAP:02x}", {places} }}',
    ]
    table = f"[chains.{chain_key}.exchanges.instructions]\n"
    named = f'protocol = "constant_product"\nname = "market"\nfactory = "{program}"\n'
    return head + named + table + "\n".join(calls) + "\n"
