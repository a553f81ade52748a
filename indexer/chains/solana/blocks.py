"""Blocks as ``getBlock`` answers them, and what decoders see of them.

The request has encoding ``json``, full transaction details, versions up to 0 and no rewards. Members that no decoder
uses are skipped by the parser. Among them are the log lines: every program may print any line, so they prove nothing.

Decoders get a :class:`DecodedBlock`, which holds only transactions that succeeded: a failed one changes no token. It
still paid a fee, but no table counts fees.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

import msgspec

from indexer.chains.errors import BlockMissing, NodeLied
from indexer.chains.solana.base58 import data_bytes, key_bytes, signature_bytes

Place: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
"""A place in a list; Python would take a negative one from the end."""


class Answered(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Base of what a node answers. Members that are absent or unknown do no harm."""


class TokenAmount(Answered, frozen=True, gc=False):
    """An amount in base units, in decimal digits."""

    amount: str
    decimals: int


class TokenBalance(Answered, frozen=True, gc=False):
    """What a token account held before or after a transaction. ``account_index`` is its place in the full list."""

    account_index: Place
    mint: str
    ui_token_amount: TokenAmount
    owner: str | None = None
    program_id: str | None = None


class Instruction(Answered, frozen=True, gc=False):
    """A call of a program. Numbers are places in the full account list; ``data`` is base58."""

    program_id_index: Place
    accounts: list[Place]
    data: str
    stack_height: int | None = None


class InnerInstructions(Answered, frozen=True, gc=False):
    """The calls made while the outer instruction at ``index`` ran, in order of execution."""

    index: Place
    instructions: list[Instruction]


class LoadedAddresses(Answered, frozen=True, gc=False):
    """Accounts taken from address lookup tables."""

    writable: list[str] = []
    readonly: list[str] = []


class Meta(Answered, frozen=True, gc=False):
    """The effects of a transaction. ``err`` is None if it succeeded; balances are lamports, by account."""

    err: Any = None
    fee: int = 0
    pre_balances: list[int] = []
    post_balances: list[int] = []
    pre_token_balances: list[TokenBalance] | None = None
    post_token_balances: list[TokenBalance] | None = None
    inner_instructions: list[InnerInstructions] | None = None
    loaded_addresses: LoadedAddresses | None = None


class Header(Answered, frozen=True, gc=False):
    """How many of the static accounts signed: the first ones. The first of all pays the fee."""

    num_required_signatures: int
    num_readonly_signed_accounts: int = 0
    num_readonly_unsigned_accounts: int = 0


class Message(Answered, frozen=True, gc=False):
    """What was signed. ``account_keys`` are the static accounts, without those from lookup tables."""

    account_keys: list[str]
    header: Header
    instructions: list[Instruction]


class Transaction(Answered, frozen=True, gc=False):
    """A signed message; the first signature names the transaction."""

    signatures: list[str]
    message: Message


class BlockTransaction(Answered, frozen=True, gc=False):
    """A transaction and its effects. ``version`` is 0 or ``"legacy"``."""

    transaction: Transaction
    meta: Meta | None = None
    version: int | str | None = None


class BlockHeader(Answered, frozen=True, gc=False):
    """The block of a slot without its transactions. ``parent_slot`` is the slot of the block before; slots in between
    were skipped. ``signatures`` name the transactions, if they were asked for."""

    blockhash: str
    previous_blockhash: str
    parent_slot: int
    block_time: int | None = None
    block_height: int | None = None
    signatures: list[str] | None = None


class Block(BlockHeader, frozen=True, gc=False, kw_only=True):
    """The block of a slot with its transactions."""

    transactions: list[BlockTransaction]


@dataclass(frozen=True, slots=True)
class Call:
    """One instruction as it ran.

    ``caller`` is the program that called it, None for an instruction of the transaction itself, whose ``depth`` is 1.
    ``outer`` is the place of that outermost instruction in the transaction.
    """

    program: str
    accounts: list[str]
    encoded: str
    outer: int
    depth: int
    caller: str | None

    @property
    def data(self) -> bytes:
        """The instruction's data."""
        return data_bytes(self.encoded)


@dataclass(frozen=True, slots=True)
class DecodedTransaction:
    """A transaction that succeeded.

    Attributes:
        index: its place among all transactions of the block, failed ones included.
        accounts: the full account list that balances and instructions point into.
    """

    index: int
    accounts: list[str]
    transaction: Transaction
    meta: Meta

    @property
    def signature(self) -> bytes:
        """The first signature: 64 bytes."""
        return signature_bytes(self.transaction.signatures[0])

    @property
    def fee_payer(self) -> str:
        """Who paid the fee: the first signer."""
        return self.accounts[0]

    @property
    def signers(self) -> list[str]:
        """Who signed, the fee payer first."""
        return self.accounts[: self.transaction.message.header.num_required_signatures]

    @property
    def calls(self) -> Iterator[Call]:
        """Every instruction in order of execution: each of the message, followed by the calls it led to."""
        return executed(self)


@dataclass(frozen=True, slots=True)
class DecodedBlock:
    """A block with its transactions that succeeded, in order. ``transaction_count`` counts failed ones too.

    ``time`` is in seconds since 1970.
    """

    slot: int
    hash: bytes
    parent_slot: int
    parent_hash: bytes
    time: int
    height: int | None
    transaction_count: int
    transactions: list[DecodedTransaction]


def read_transaction(answer: Any) -> tuple[int, BlockTransaction]:
    """The slot and the transaction that ``getTransaction`` answers, with encoding ``json``.

    Raises:
        NodeLied: it is no transaction.
    """
    try:
        return int(answer["slot"]), msgspec.convert(answer, BlockTransaction)
    except (TypeError, KeyError, ValueError, msgspec.ValidationError) as error:
        raise NodeLied(f"not a transaction: {str(answer)[:80]}") from error


ROWS_OF_A_TRANSACTION = 4096
"""Most rows that a transaction has in a table. The runtime runs at most 64 instructions in a transaction, which name at
most 128 accounts. A batch of a token program holds 127 instructions more, so what counts instructions of batches must
not make a row of each: see ``decoders/control_rows.py``."""


def log_index(transaction_index: int, row: int) -> int:
    """The ``log_index`` of a transaction's n-th row in a table, which orders a block's rows by execution.

    Raises:
        OverflowError: more rows than ``ROWS_OF_A_TRANSACTION``. That is a decoder's fault, and no lie of a node.
    """
    if not 0 <= row < ROWS_OF_A_TRANSACTION:
        raise OverflowError(f"row {row} of a transaction: at most {ROWS_OF_A_TRANSACTION} fit")
    return transaction_index * ROWS_OF_A_TRANSACTION + row


def full_accounts(transaction: Transaction, meta: Meta) -> list[str]:
    """Static accounts, then those that lookup tables gave: writable ones first."""
    loaded = meta.loaded_addresses
    static = transaction.message.account_keys
    return static + loaded.writable + loaded.readonly if loaded and (loaded.writable or loaded.readonly) else static


def executed(transaction: DecodedTransaction) -> Iterator[Call]:
    """See :attr:`DecodedTransaction.calls`. Where a node does not tell depths, inner calls count as the outer one's."""
    accounts = transaction.accounts
    inner = {group.index: group.instructions for group in transaction.meta.inner_instructions or ()}
    for place, outer in enumerate(transaction.transaction.message.instructions):
        programs = [accounts[outer.program_id_index]]
        yield _call(accounts, outer, place, 1, None)
        for instruction in inner.get(place, ()):
            depth = instruction.stack_height or 2
            del programs[depth - 1 :]
            yield _call(accounts, instruction, place, depth, programs[-1])
            programs.append(accounts[instruction.program_id_index])


def _call(accounts: list[str], instruction: Instruction, outer: int, depth: int, caller: str | None) -> Call:
    return Call(
        accounts[instruction.program_id_index],
        [accounts[place] for place in instruction.accounts],
        instruction.data,
        outer,
        depth,
        caller,
    )


def decode_block(slot: int, block: Block) -> DecodedBlock:
    """What decoders see of the block of a slot.

    Raises:
        BlockMissing: the block has no time, which nodes learn a moment after the block.
        NodeLied: a transaction has no effects or no signature, or a hash is not 32 bytes.
    """
    if block.block_time is None:
        raise BlockMissing(f"the block of slot {slot} has no time yet")
    transactions = []
    for index, item in enumerate(block.transactions):
        meta = item.meta
        if meta is None or not item.transaction.signatures:
            raise NodeLied(f"transaction {index} of slot {slot} has no {'effects' if meta is None else 'signature'}")
        if meta.err is None:
            accounts = full_accounts(item.transaction, meta)
            transactions.append(DecodedTransaction(index, accounts, item.transaction, meta))
    return DecodedBlock(
        slot,
        block_hash(block.blockhash),
        block.parent_slot,
        block_hash(block.previous_blockhash),
        block.block_time,
        block.block_height,
        len(block.transactions),
        transactions,
    )


def block_hash(text: str) -> bytes:
    """The 32 bytes of a block's hash.

    Raises:
        NodeLied: it is not 32 bytes in base58.
    """
    try:
        return key_bytes(text)
    except ValueError as error:
        raise NodeLied(f"{text!r} is no hash of a block") from error
