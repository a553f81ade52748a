"""Fetch one range of slots as a chunk: checked and decoded. Several threads do this at once.

``getBlocks`` says which slots have a block, ``getBlock`` gives each block. A slot counts as skipped only if the next
block of the chain names an earlier parent, so an incomplete answer of either never hides a block.
"""

import dataclasses
import itertools
import logging
import threading
import time
from collections import ChainMap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from indexer.chains.errors import (
    BlockMissing,
    NodeLied,
    NodeLimited,
    NodeUnavailable,
    RpcError,
    StateMissing,
    UnknownFault,
)
from indexer.chains.jsonrpc import Call
from indexer.chains.solana import decoders
from indexer.chains.solana.accounts import CONFIRMED
from indexer.chains.solana.audit import FEW_BLOCKS, require_effects, require_linked, require_signatures
from indexer.chains.solana.blocks import Block, BlockHeader, DecodedBlock, block_hash, decode_block
from indexer.chains.solana.decoders.frame import Scope, Tables
from indexer.chains.solana.rpc import Answer, SolanaClient

LOG = logging.getLogger(__name__)
_ATTEMPTS = 6
_ATTEMPTS_AT_ONCE = 3
# So much at once keeps answers below some 16 MB.
_TRANSACTIONS_AT_ONCE = 4_000
_BLOCKS_AT_ONCE = 16
Value = TypeVar("Value")

# A batch also holds the genesis hash, which is a text.
_BLOCKS = msgspec.json.Decoder(list[Answer[Block | str]])
_HEADERS = msgspec.json.Decoder(list[Answer[BlockHeader | str]])
_Header = TypeVar("_Header", bound=BlockHeader)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A range of slots, decoded. ``blocks`` are without their transactions; ``tables`` hold the rows of all."""

    first: int
    last: int
    blocks: list[DecodedBlock]
    tables: Tables
    event_count: int
    seconds: float

    @property
    def block_count(self) -> int:
        """Slots that have a block."""
        return len(self.blocks)


@dataclass(slots=True)
class FetchContext:
    """What fetching needs: the node, the accounts that count on this chain, and how many blocks to ask for at once."""

    client: SolanaClient
    scope: Scope
    blocks_at_once: int = 2
    # Whole blocks take ten times as much memory as their rows, so few threads hold some at a time. Two
    # of these compute: more would only compete for caches and the interpreter lock.
    holding: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(4))
    computing: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(2))


@dataclass(frozen=True, slots=True)
class Listed:
    """The slots of a range that have a block, and the next slot after the range that has one, as a node says."""

    slots: list[int]
    following: int | None


def fetch_chunk(context: FetchContext, first: int, last: int) -> list[Chunk]:
    """Slots ``first`` to ``last``, as one chunk or, where the node allows only less at once, as several.

    Raises:
        NodeLied: the node's answers stayed contradictory over several attempts.
    """
    return _halving(context.client, first, last, lambda low, high: _fetch(context, low, high))


def fetch_hashes(client: SolanaClient, first: int, last: int) -> dict[int, bytes]:
    """Hashes of the blocks of a range of slots, proven to follow each other."""

    def fetch(low: int, high: int) -> dict[int, bytes]:
        listed = list_slots(client, low, high)
        headers, after = _headers(client, listed)
        require_linked(headers, low, after)
        return {slot: block_hash(header.blockhash) for slot, header in headers.items()}

    return dict(ChainMap(*_halving(client, first, last, fetch)))


def list_slots(client: SolanaClient, first: int, last: int) -> Listed:
    """Which slots have a block. ``last`` is at most the head, so a node that knows neither a block there nor a later
    one is behind, and another one is asked."""

    def read(results: list[Any]) -> Listed:
        inside, beyond = (_slots(result) for result in results)
        if inside != sorted(set(inside)) or any(not first <= slot <= last for slot in inside):
            raise NodeLied(f"getBlocks of slots {first} to {last} answered others, or out of order")
        if any(slot <= last for slot in beyond):
            raise NodeLied(f"getBlocksWithLimit from slot {last + 1} answered an earlier one")
        if not beyond and inside[-1:] != [last]:
            raise BlockMissing(f"the node does not know slot {last} yet")
        return Listed(inside, beyond[0] if beyond else None)

    commitment = {"commitment": CONFIRMED}
    calls: list[Call] = [("getBlocks", (first, last, commitment)), ("getBlocksWithLimit", (last + 1, 1, commitment))]
    return client.request(calls, read)


def get_block(slot: int, details: str) -> Call:
    """A request for a block: ``details`` are full, signatures or none."""
    wanted = {"encoding": "json", "transactionDetails": details, "rewards": False, "commitment": CONFIRMED}
    return "getBlock", (slot, {**wanted, "maxSupportedTransactionVersion": 0})


def fetch_headers(client: SolanaClient, slots: Sequence[int], details: str = "none") -> dict[int, BlockHeader]:
    """The blocks of these slots, all of which exist, without their transactions."""
    return _get_blocks(client, slots, details, _HEADERS, BlockHeader, client.batch_size)


def _fetch(context: FetchContext, first: int, last: int) -> Chunk:
    started, client = time.monotonic(), context.client
    listed = list_slots(client, first, last)
    after = None if listed.following is None else fetch_headers(client, [listed.following])[listed.following]
    tables: Tables = {}
    fetched: list[DecodedBlock] = []
    headers: dict[int, BlockHeader] = {}
    compared = listed.slots if len(listed.slots) <= FEW_BLOCKS else listed.slots[-1:]
    while len(headers) < len(listed.slots):
        part = listed.slots[len(headers) : len(headers) + context.blocks_at_once]
        with context.holding:
            blocks = _fetch_whole(client, part, [slot for slot in part if slot in compared])
            with context.computing:
                for slot, block in blocks.items():
                    fetched.append(_decode(context.scope, slot, block, tables))
                    headers[slot] = _header(block)
            most = max(len(block.transactions) for block in blocks.values())
            del blocks, block
        context.blocks_at_once = max(1, min(_TRANSACTIONS_AT_ONCE // max(most, 1), _BLOCKS_AT_ONCE))
    require_linked(headers, first, after)
    count = sum(len(next(iter(columns.values()))) for columns in tables.values())
    return Chunk(first, last, fetched, tables, count, time.monotonic() - started)


def _fetch_whole(client: SolanaClient, slots: Sequence[int], compared: Sequence[int]) -> dict[int, Block]:
    """Blocks with their transactions. Those of ``compared`` slots must have the transactions that a second answer
    names."""
    for attempt in itertools.count(1):
        blocks = _get_blocks(client, slots, "full", _BLOCKS, Block, len(slots))
        again = fetch_headers(client, compared, "signatures")
        try:
            for slot, header in again.items():
                require_signatures(slot, blocks[slot], header)
        except NodeLied:
            if attempt == _ATTEMPTS_AT_ONCE:
                raise
            client.counters["contradictions"] += 1
        else:
            return blocks
    raise AssertionError("unreachable")


def _headers(client: SolanaClient, listed: Listed) -> tuple[dict[int, BlockHeader], BlockHeader | None]:
    """The blocks of a range, and the next one after it."""
    following = [] if listed.following is None else [listed.following]
    headers = fetch_headers(client, [*listed.slots, *following])
    return headers, headers.pop(listed.following) if listed.following is not None else None


def _header(block: Block) -> BlockHeader:
    return BlockHeader(block.blockhash, block.previous_blockhash, block.parent_slot)


def _decode(scope: Scope, slot: int, block: Block, tables: Tables) -> DecodedBlock:
    """Add the rows of a block to ``tables``; the block without its transactions."""
    whole = decode_block(slot, block)
    try:
        require_effects(whole)
        decoders.decode(whole, scope, tables)
    except (IndexError, ValueError) as error:  # a place beyond the account list, a text that is no key
        raise NodeLied(f"the block of slot {slot} cannot be read: {error}") from error
    return dataclasses.replace(whole, transactions=[])


def _get_blocks(
    client: SolanaClient,
    slots: Sequence[int],
    details: str,
    decoder: "msgspec.json.Decoder[list[Answer[_Header | str]]]",
    kind: type[_Header],
    at_once: int,
) -> dict[int, _Header]:
    """The blocks of these slots, all of which exist. A node that lacks one is behind, forked, or keeps less."""
    blocks: dict[int, _Header] = {}
    while missing := [slot for slot in slots if slot not in blocks]:
        part = missing[: min(at_once, client.batch_size)]

        def read(results: list[Any], part: Sequence[int] = part) -> dict[int, _Header]:
            for result in results:
                if isinstance(result, RpcError) and not isinstance(result, UnknownFault | StateMissing):
                    raise result
            found = {slot: block for slot, block in zip(part, results, strict=True) if isinstance(block, kind)}
            if not found:  # if there are some, the others alone are asked for again
                raise BlockMissing(f"slot {part[0]}: {results[0] or 'null'}")
            return found

        try:
            blocks |= client.request([get_block(slot, details) for slot in part], read, decoder)
        except NodeLimited:
            if len(part) == 1:
                raise
            at_once = len(part) // 2
    return {slot: blocks[slot] for slot in slots}


def _halving(client: SolanaClient, first: int, last: int, fetch: Callable[[int, int], Value]) -> list[Value]:
    """What ``fetch`` returns for a range, or for each of its parts where the node allows only less at once."""
    try:
        return [consistently(client, lambda: fetch(first, last))]
    except NodeLimited as error:
        if first == last:
            raise
        LOG.debug("slots %d to %d are too much for the node: %s", first, last, error)
        client.counters["ranges_halved"] += 1
        middle = (first + last) // 2
        return _halving(client, first, middle, fetch) + _halving(client, middle + 1, last, fetch)


def consistently(client: SolanaClient, fetch: Callable[[], Value]) -> Value:
    """What ``fetch`` returns; it is repeated while answers contradict each other, or while a block is missing.

    Raises:
        NodeLied: they contradict each other again and again.
        BlockMissing: it is still missing when the client's patience ends.
    """
    give_up, contradictions = time.monotonic() + client.patience_seconds, 0
    for attempt in itertools.count(1):
        try:
            return fetch()
        except NodeLied as error:
            contradictions += 1
            client.counters["contradictions"] += 1
            client.doubt_node()
            if contradictions == _ATTEMPTS:
                raise NodeLied(str(error)) from error
            LOG.info("again: %s", error)
        except BlockMissing as error:
            if time.monotonic() >= give_up or client.stopped:
                raise
            LOG.info("again: %s", error)
        time.sleep(0.05 * 2 ** min(attempt, 4))  # a reorganisation while we read looks the same, and passes
    raise AssertionError("unreachable")


def _slots(result: Any) -> list[int]:
    if isinstance(result, RpcError):
        raise result
    if not isinstance(result, list) or not all(isinstance(slot, int) and slot >= 0 for slot in result):
        raise NodeUnavailable(f"no list of slots: {str(result)[:80]}")
    return result
