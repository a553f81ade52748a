"""Finds the transaction that registered a symbol, and reads the registration from it.

The registry's own account says who owns a symbol now. Rows of registrations also say in which transaction it was
registered, exactly as the indexer writes them, so that whichever of both is first, the other changes nothing.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from indexer.chains.errors import BlockMissing, NodeLied, NodeUnavailable, RpcError
from indexer.chains.jsonrpc import Call
from indexer.chains.solana.accounts import CONFIRMED
from indexer.chains.solana.base58 import key_text
from indexer.chains.solana.blocks import (
    BlockTransaction,
    DecodedTransaction,
    full_accounts,
    log_index,
    read_transaction,
)
from indexer.chains.solana.decoders.registry import registry_events
from indexer.chains.solana.reader import SolanaReader
from indexer.contracts.solana.program import Crown
from warehouse.domain.registrations import Registration, RegistryEvent

_SIGNATURES, _PAGES = 1_000, 10
"""The most that a node lists at a time, and how often it is asked for older ones. Anybody can send transactions that
name the account."""
_CANDIDATES, _AT_ONCE = 200, 3
"""A transaction with all the calls that it can make is 1 MB, and the reader takes answers of 4 MB."""
_CLOCK_TOLERANCE_SECONDS = 60
"""The program's clock is its block's time on the network; other nodes round it otherwise."""


async def find_registration(reader: SolanaReader, address: str, crown: Crown) -> Registration | None:
    """The registration that the account of a symbol holds; None where the node does not know its transaction or does
    not yet show its block, or where hundreds of others named the account in the same second, or 10,000 did since. The
    indexer then writes it.

    Args:
        address: of the account, in base58.
        crown: what it holds.

    Raises:
        RpcError: the chain does not answer.
    """
    candidates = await _list_candidates(reader, address, crown.registered_at)
    for start in range(0, len(candidates), _AT_ONCE):
        for slot, transaction in await _read_transactions(reader, candidates[start : start + _AT_ONCE]):
            event = _registered(reader, transaction, crown.token_id)
            if event is not None:
                return await _registration(reader, slot, transaction, *event)
    return None


async def _list_candidates(reader: SolanaReader, address: str, registered_at: int) -> Sequence[str]:
    """Signatures of transactions that succeeded at about this time, the nearest first, then the oldest: whoever answers
    a registration with a flood comes after it. Those without a time count as near."""
    near: list[tuple[int, str]] = []
    older: dict[str, str] = {}
    for _ in range(_PAGES):
        options = {"limit": _SIGNATURES, "commitment": CONFIRMED, **older}
        page = _read_page(await reader.request("getSignaturesForAddress", address, options), registered_at)
        near += [
            (abs(seconds), signature)
            for seconds, signature, succeeded in page
            if succeeded and abs(seconds) <= _CLOCK_TOLERANCE_SECONDS
        ]
        if len(page) < _SIGNATURES or page[-1][0] < -_CLOCK_TOLERANCE_SECONDS:
            break
        older = {"before": page[-1][1]}
    near.reverse()
    nearest = sorted(near, key=lambda one: one[0])
    return [signature for _, signature in nearest[:_CANDIDATES]]


def _read_page(listed: Any, registered_at: int) -> list[tuple[int, str, bool]]:
    """(seconds after the registration, signature, whether it succeeded) of each transaction, the newest first."""
    try:
        return [
            (int(one.get("blockTime") or registered_at) - registered_at, str(one["signature"]), one["err"] is None)
            for one in listed
        ]
    except (AttributeError, TypeError, KeyError, ValueError) as error:
        raise NodeLied(f"not signatures: {str(listed)[:80]}") from error


async def _read_transactions(reader: SolanaReader, signatures: Sequence[str]) -> list[tuple[int, BlockTransaction]]:
    """Those of the transactions that the node knows, with their slots."""
    options = {"encoding": "json", "commitment": CONFIRMED, "maxSupportedTransactionVersion": 0}
    answers = await reader.settle([("getTransaction", (signature, options)) for signature in signatures])
    for answer in answers:
        if isinstance(answer, RpcError):
            raise answer
    return [read_transaction(answer) for answer in answers if answer is not None]


async def read_events(reader: SolanaReader, signature: str) -> list[tuple[str, RegistryEvent]]:
    """The kind and fields of each event that the registry recorded in a confirmed transaction; none where the node does
    not know it, or it failed.

    Raises:
        RpcError: the chain does not answer.
    """
    found = await _read_transactions(reader, [signature])
    return _events(reader, found[0][1]) if found else []


def _registered(reader: SolanaReader, transaction: BlockTransaction, token_id: int) -> tuple[int, RegistryEvent] | None:
    """The event of the registration, and its place among the transaction's events of the registry."""
    for place, (kind, event) in enumerate(_events(reader, transaction)):
        if kind == "registered" and event.token_id == token_id:
            return place, event
    return None


def _events(reader: SolanaReader, transaction: BlockTransaction) -> list[tuple[str, RegistryEvent]]:
    """The registry's events; none of a transaction that failed."""
    meta = transaction.meta
    if meta is None or meta.err is not None:
        return []
    decoded = DecodedTransaction(0, full_accounts(transaction.transaction, meta), transaction.transaction, meta)
    try:
        return list(registry_events(decoded, reader.chain.contracts["registry"]))
    except (IndexError, ValueError) as error:
        raise NodeLied(f"a transaction that cannot be read: {error}") from error


async def _registration(
    reader: SolanaReader, slot: int, transaction: BlockTransaction, place: int, event: RegistryEvent
) -> Registration | None:
    """The registration with its place in the block; None while the node does not show the block."""
    signature = transaction.transaction.signatures[0]
    options = {
        "transactionDetails": "signatures",
        "rewards": False,
        "commitment": CONFIRMED,
        "maxSupportedTransactionVersion": 0,
    }
    call: Call = ("getBlock", (slot, options))
    block = (await reader.settle([call]))[0]
    if isinstance(block, BlockMissing):
        return None  # accounts and transactions of a block are shown before the block is complete
    if isinstance(block, RpcError):
        raise block
    try:
        index = block["signatures"].index(signature)
        block_hash, minted_at = str(block["blockhash"]), datetime.fromtimestamp(block["blockTime"], UTC)
    except (TypeError, KeyError, ValueError, AttributeError, OverflowError, OSError) as error:
        raise NodeUnavailable(f"the block of slot {slot} is not there, or lacks the transaction") from error
    return Registration(
        chain_id=reader.chain.chain_id,
        token_id=event.token_id,
        block_hash=block_hash,
        log_index=log_index(index, place),
        block_number=slot,
        transaction_hash=signature,
        registry=reader.chain.contracts["registry"],
        symbol=event.symbol.decode(),
        owner=key_text(event.owner),
        token_address=key_text(event.token_address),
        fee_wei=event.fee_wei,
        with_receipt=event.with_receipt,
        minted_at=minted_at,
    )
