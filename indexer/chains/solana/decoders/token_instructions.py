"""Instructions of SPL Token and Token-2022: which can be passed over unread, and those that a batch holds.

Numbers and layouts: https://github.com/solana-program/token-2022, ``interface/src/instruction.rs``. Programs ignore
bytes after the ones they need, so only the first byte tells what an instruction is, never its length.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from indexer.chains.solana.accounts import TOKEN_2022_PROGRAM, TOKEN_PROGRAM
from indexer.chains.solana.base58 import data_bytes
from indexer.chains.solana.blocks import DecodedTransaction, Instruction

INITIALIZE_MINT, SET_AUTHORITY, MINT_TO, BURN, CLOSE_ACCOUNT = 0, 6, 7, 8, 9
MINT_TO_CHECKED, BURN_CHECKED, INITIALIZE_MINT_2 = 14, 15, 20
PERMISSIONED_BURN, BATCH = 46, 255
_PERMISSIONED_BURNS = (b"\x01", b"\x02")
"""Burn and BurnChecked; their sibling is confidential."""
_DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction with its data decoded. ``caller`` is None and ``outermost`` the program itself where the
    transaction called it directly; otherwise ``outermost`` is the program that the transaction called."""

    program: str
    accounts: list[str]
    data: bytes
    caller: str | None
    outermost: str


def _base58(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 58)
        digits = _DIGITS[digit] + digits
    return digits


def _ranges(*shapes: tuple[bytes, bytes, int]) -> dict[int, list[tuple[str, str]]]:
    """Base58 texts of the data that begins with ``low`` to ``high`` and is ``size`` bytes long, by length of text.

    Digits of base58 are in the order of ASCII, so texts of one length compare as their numbers do; data that does not
    begin with a zero byte has a number of its own.
    """
    found: dict[int, list[tuple[str, str]]] = {}
    for low, high, size in shapes:
        first = int.from_bytes(low.ljust(size, b"\0"), "big")
        last = int.from_bytes(high.ljust(size, b"\xff"), "big")
        for length in range(len(_base58(first)), len(_base58(last)) + 1):
            shortest, longest = 58 ** (length - 1), 58**length - 1
            found.setdefault(length, []).append((_base58(max(first, shortest)), _base58(min(last, longest))))
    return found


_TRANSFERS = (
    (b"\x03", b"\x04", 9),  # Transfer, Approve
    (b"\x0c", b"\x0d", 10),  # TransferChecked, ApproveChecked
    (b"\x1a\x01", b"\x1a\x01", 19),  # TransferCheckedWithFee
)
_ISSUING = ((b"\x07", b"\x08", 9), (b"\x0e", b"\x0f", 10))  # MintTo, Burn, and both checked
_OF_ACCOUNTS = (
    (b"\x01", b"\x01", 1),  # InitializeAccount
    (b"\x05", b"\x05", 1),  # Revoke
    (b"\x0a", b"\x0b", 1),  # FreezeAccount, ThawAccount
    (b"\x10", b"\x10", 33),  # InitializeAccount2
    (b"\x11", b"\x11", 1),  # SyncNative
    (b"\x12", b"\x12", 33),  # InitializeAccount3
    (b"\x15", b"\x15", 1),  # GetAccountDataSize
    (b"\x15", b"\x15", 3),
    (b"\x16", b"\x16", 1),  # InitializeImmutableOwner
)
# What certainly changes no mint but its supply. Most instructions of most blocks are these.
_HARMLESS = _ranges(*_TRANSFERS, *_ISSUING, *_OF_ACCOUNTS)
_NOT_ISSUING = _ranges(*_TRANSFERS, *_OF_ACCOUNTS)
_CLOSE_ACCOUNT = _base58(CLOSE_ACCOUNT)


def touches_mints(transaction: DecodedTransaction) -> bool:
    """Whether any instruction of the token programs may do more than move, mint or burn tokens. Errs on the side of
    yes."""
    accounts = transaction.accounts
    plain = accounts.index(TOKEN_PROGRAM) if TOKEN_PROGRAM in accounts else -1
    newer = accounts.index(TOKEN_2022_PROGRAM) if TOKEN_2022_PROGRAM in accounts else -1
    if plain == newer:  # neither is there
        return False
    for instructions in _instructions(transaction):
        for instruction in instructions:
            place, text = instruction.program_id_index, instruction.data
            if place == plain:
                if not _within(_HARMLESS, text) and text != _CLOSE_ACCOUNT:  # only Token-2022 closes mints
                    return True
            elif place == newer and not _within(_HARMLESS, text):
                return True
    return False


def issued(transaction: DecodedTransaction) -> dict[str, int]:
    """What instructions of Token-2022 minted less what they burned, by mint."""
    accounts, amounts = transaction.accounts, dict[str, int]()
    place = accounts.index(TOKEN_2022_PROGRAM)
    for instruction in itertools.chain.from_iterable(_instructions(transaction)):
        if instruction.program_id_index != place or _within(_NOT_ISSUING, instruction.data):
            continue
        named = [accounts[number] for number in instruction.accounts]
        for keys, data in unbatched(named, data_bytes(instruction.data)):
            kind = data[0] if data else -1
            if kind in (MINT_TO, MINT_TO_CHECKED):
                mint, amount = keys[0], int.from_bytes(data[1:9], "little")
            elif kind in (BURN, BURN_CHECKED):
                mint, amount = keys[1], -int.from_bytes(data[1:9], "little")
            elif kind == PERMISSIONED_BURN and data[1:2] in _PERMISSIONED_BURNS:
                mint, amount = keys[1], -int.from_bytes(data[2:10], "little")
            else:
                continue
            amounts[mint] = amounts.get(mint, 0) + amount
    return amounts


def steps(transaction: DecodedTransaction, programs: frozenset[str]) -> Iterator[Step]:
    """Instructions of these programs in order of execution, those inside batches each by itself."""
    outermost = ""
    for call in transaction.calls:
        if call.caller is None:
            outermost = call.program
        if call.program not in programs:
            continue
        if call.program in (TOKEN_PROGRAM, TOKEN_2022_PROGRAM):
            for accounts, data in unbatched(call.accounts, call.data):
                yield Step(call.program, accounts, data, call.caller, outermost)
        else:
            yield Step(call.program, call.accounts, call.data, call.caller, outermost)


def unbatched(accounts: list[str], data: bytes) -> Iterator[tuple[list[str], bytes]]:
    """The instruction itself, or the ones in a batch: each has two bytes with its number of accounts and its size."""
    if data[:1] != bytes([BATCH]):
        yield accounts, data
        return
    at, taken = 1, 0
    while at + 2 <= len(data):
        count, size = data[at], data[at + 1]
        yield accounts[taken : taken + count], data[at + 2 : at + 2 + size]
        at, taken = at + 2 + size, taken + count


def _instructions(transaction: DecodedTransaction) -> list[list[Instruction]]:
    groups = transaction.meta.inner_instructions or ()
    return [transaction.transaction.message.instructions, *[group.instructions for group in groups]]


def _within(ranges: dict[int, list[tuple[str, str]]], text: str) -> bool:
    for low, high in ranges.get(len(text), ()):  # noqa: SIM110 - any() would take twice as long, for every instruction
        if low <= text <= high:
            return True
    return False
