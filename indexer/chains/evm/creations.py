"""Contract creations of a range of blocks: by transactions, and by contracts where the node has traces.

Nodes with ``trace_block`` report every creation. Others report in receipts what transactions created; a token that a
factory created there is known from its first transfer (``indexer.chains.evm.tokens``), without a creation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np

from indexer.chains.errors import CallFailed, MethodMissing, NodeLied, NodeLimited, NodeUnavailable, RpcError
from indexer.chains.evm.classify import classify
from indexer.chains.evm.decoders.frame import Columns
from indexer.chains.evm.envelope import RpcFault, parse_batch, quantity
from indexer.chains.evm.headers import Headers
from indexer.chains.evm.rpc import EvmClient
from indexer.chains.evm.tuned.occurrence import find, occurs

Method = Literal["trace_block", "eth_getBlockReceipts", "eth_getTransactionReceipt"]


@dataclass(frozen=True, slots=True)
class Creation:
    """One contract creation. ``factory`` is the contract that made it, empty for a transaction without recipient."""

    address: bytes
    block_number: int
    creation_index: int
    transaction_hash: bytes
    creator: bytes
    factory: bytes
    transaction_to: bytes


class _Block(NamedTuple):
    """A block with transactions: its number, and its hash as answers write it."""

    number: int
    digest: str


class _Action(msgspec.Struct, gc=False):
    sender: str = msgspec.field(name="from", default="")
    to: str = ""


class _Created(msgspec.Struct, gc=False):
    address: str | None = None


class _Trace(msgspec.Struct, gc=False):
    type: str
    action: _Action
    traceAddress: list[int]
    transactionHash: str | None = None
    result: _Created | None = None
    error: str | None = None


class _Traces(msgspec.Struct, gc=False):
    id: Any = None
    result: list[_Trace] | None = None
    error: RpcFault | None = None


class _Receipt(msgspec.Struct, gc=False):
    sender: str = msgspec.field(name="from")
    transactionHash: str
    blockNumber: str
    blockHash: str
    contractAddress: str | None = None
    status: str | None = None


_TRACES = msgspec.json.Decoder(list[_Traces])
_RECEIPTS = msgspec.json.Decoder(list[_Receipt])


def probe_method(client: EvmClient) -> Method:
    """The best method for creations that this node offers."""
    for method in ("trace_block", "eth_getBlockReceipts"):
        try:
            client.raw(method, "latest")
        except (MethodMissing, CallFailed, NodeLimited, NodeLied):
            continue
        return method
    return "eth_getTransactionReceipt"


def fetch_creations(client: EvmClient, headers: Headers, method: Method) -> list[Creation]:
    """Creations of the blocks that have transactions, in order."""
    numbers = [headers.first + int(row) for row in np.flatnonzero(headers.transaction_count)]
    blocks = [_Block(number, "0x" + headers.hash_of(number).hex()) for number in numbers if number > 0]
    if method == "trace_block":
        return _by_parts(client, blocks, method, _from_traces)
    if method == "eth_getBlockReceipts":
        return _by_parts(client, blocks, method, _from_receipts)
    return _from_transactions(client, blocks)


def creation_columns(creations: Sequence[Creation]) -> Columns:
    """Rows of fact_contract_creation."""
    return {
        "block_number": np.array([row.block_number for row in creations], np.uint64),
        "creation_index": np.array([row.creation_index for row in creations], np.uint32),
        "transaction_hash": [row.transaction_hash for row in creations],
        "address": [row.address for row in creations],
        "creator": [row.creator for row in creations],
        "factory": [row.factory for row in creations],
        "transaction_to": [row.transaction_to for row in creations],
    }


def _by_parts(client: EvmClient, blocks: list[_Block], method: str, read: Any) -> list[Creation]:
    creations: list[Creation] = []
    at = 0
    while at < len(blocks):
        part = blocks[at : at + client.batch_size]
        body = client.encode([(method, (hex(block.number),)) for block in part])

        def answered(answer: bytes, wanted: list[_Block] = part) -> list[Creation]:
            found: list[Creation] = read(answer, wanted)
            return found

        try:
            creations += client.request(body, answered)
            at += len(part)
        except NodeLimited:
            client.shrink_batches(len(part))
    return creations


def _unnamed(answer: bytes, blocks: list[_Block]) -> _Block | None:
    """The first block whose hash the answer does not contain; None if it contains all."""
    at = 0
    for block in blocks:
        digest = block.digest.encode()
        found = find(digest, answer, at)  # answers come in order as a rule
        if found < 0 and (found := answer.find(digest, 0, at)) < 0:
            return block
        at = found
    return None


def _require_fork(answer: bytes, blocks: list[_Block]) -> None:
    """Check that the answer contains the hash of each header: a block of another fork has another hash."""
    if b'"blockHash"' in answer and (block := _unnamed(answer, blocks)) is not None:
        raise NodeLied(f"what happened in block {block.number} is of another fork than its header")


def _from_traces(answer: bytes, blocks: list[_Block]) -> list[Creation]:
    # Nearly all blocks create nothing, and searching for one word is far cheaper than parsing megabytes. The search is
    # only valid if the answer has no spaces (its first trace shows that) and traces of every block (their hashes do).
    if b'"type":"' in answer and not occurs(b'"type":"create"', answer) and _unnamed(answer, blocks) is None:
        return []
    text = answer.lstrip()
    try:
        items = _TRACES.decode(text if text[:1] == b"[" else b"[" + text + b"]")
    except msgspec.DecodeError as error:
        raise NodeUnavailable(f"traces that cannot be read: {error}") from error
    by_id: dict[int, list[_Trace]] = {}
    for item in items:
        if item.error is not None:
            raise classify(item.error.code, item.error.message)
        if item.result and isinstance(item.id, int):
            by_id[item.id] = item.result
    creations: list[Creation] = []
    for index, block in enumerate(blocks):
        if index not in by_id:
            raise NodeUnavailable(f"no traces of block {block.number}, which has transactions")
        creations += _created_in(by_id[index], block.number)
    _require_fork(answer, blocks)
    return creations


def _created_in(traces: list[_Trace], block: int) -> list[Creation]:
    """Creations that took effect: neither they nor a call around them failed."""
    creations: list[Creation] = []
    tops: dict[str, tuple[bytes, bytes]] = {}
    failed: dict[str, list[list[int]]] = {}
    for trace in traces:
        transaction = trace.transactionHash
        if transaction is None:
            continue
        if not trace.traceAddress:
            target = trace.action.to if trace.type == "call" else ""
            tops[transaction] = _address(trace.action.sender), _address(target) if target else b""
        if trace.error is not None:
            failed.setdefault(transaction, []).append(trace.traceAddress)
        elif trace.type == "create" and trace.result is not None and trace.result.address:
            around = failed.get(transaction, ())
            if any(trace.traceAddress[: len(path)] == path for path in around):
                continue
            sender, sent_to = tops.get(transaction, (b"", b""))
            creations.append(
                Creation(
                    address=_address(trace.result.address),
                    block_number=block,
                    creation_index=len(creations),
                    transaction_hash=bytes.fromhex(transaction[2:]),
                    creator=sender,
                    factory=_address(trace.action.sender) if trace.traceAddress else b"",
                    transaction_to=sent_to,
                )
            )
    return creations


def _from_receipts(answer: bytes, blocks: list[_Block]) -> list[Creation]:
    if answer.count(b'"result":[{') == len(blocks) and b'"contractAddress":"0x' not in answer:
        _require_fork(answer, blocks)
        return []
    creations: list[Creation] = []
    for item, block in zip(parse_batch(answer, len(blocks)), blocks, strict=True):
        if item.error is not None:
            raise classify(item.error.code, item.error.message)
        try:
            receipts = _RECEIPTS.decode(item.result)
        except msgspec.DecodeError as error:
            raise NodeUnavailable(f"receipts of block {block.number} that cannot be read: {error}") from error
        if not receipts:
            raise NodeUnavailable(f"no receipts of block {block.number}, which has transactions")
        creations += _received(receipts, block)
    return creations


def _received(receipts: list[_Receipt], block: _Block) -> list[Creation]:
    made = [item for item in receipts if item.contractAddress and item.status in (None, "0x1")]
    if any((quantity(item.blockNumber), item.blockHash) != block for item in receipts):
        raise NodeLied(f"receipts of another block than {block.number}, or of another fork than its header")
    return [
        Creation(
            address=_address(item.contractAddress or ""),
            block_number=block.number,
            creation_index=index,
            transaction_hash=bytes.fromhex(item.transactionHash[2:]),
            creator=_address(item.sender),
            factory=b"",
            transaction_to=b"",
        )
        for index, item in enumerate(made)
    ]


def _from_transactions(client: EvmClient, blocks: list[_Block]) -> list[Creation]:
    """Receipts of the transactions without a recipient."""
    creations: list[Creation] = []
    found = client.many([("eth_getBlockByNumber", (hex(block.number), True)) for block in blocks])
    for block, answer in zip(blocks, found, strict=True):
        if isinstance(answer, RpcError):
            raise answer
        whole = msgspec.json.decode(answer)
        if whole is None:
            raise NodeUnavailable(f"the node has no block {block.number}")
        if whole["hash"] != block.digest:
            raise NodeLied(f"transactions of block {block.number} are of another fork than its header")
        hashes = [item["hash"] for item in whole["transactions"] if item.get("to") is None]
        receipts = client.many([("eth_getTransactionReceipt", (item,)) for item in hashes])
        for receipt in receipts:
            if isinstance(receipt, RpcError):
                raise receipt
            if bytes(receipt) == b"null":
                raise NodeLied(f"the node has no receipt of a transaction that it puts into block {block.number}")
        creations += _received([msgspec.json.decode(item, type=_Receipt) for item in receipts], block)  # type: ignore[arg-type]
    return creations


def _address(text: str) -> bytes:
    try:
        raw = bytes.fromhex(text[2:])
    except ValueError as error:
        raise NodeLied(f"{text!r} is not an address") from error
    if len(raw) != 20:
        raise NodeLied(f"{text!r} is not an address")
    return raw
