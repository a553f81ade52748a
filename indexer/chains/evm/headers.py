"""Block headers by column, fetched in batches that each prove the chain."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from indexer.chains.errors import NodeLied, NodeLimited, NodeUnavailable
from indexer.chains.evm.classify import classify
from indexer.chains.evm.envelope import RpcFault, parse_batch, quantity
from indexer.chains.evm.rpc import EvmClient
from indexer.chains.evm.tuned.hexadecimal import BadHex, Bytes, unhex
from indexer.unit import Blocks


@dataclass(frozen=True, slots=True)
class Headers:
    """Headers of consecutive blocks from ``first`` on."""

    first: int
    hash: Bytes
    parent: Bytes
    time: NDArray[np.uint32]
    transaction_count: NDArray[np.uint32]
    bloom: Bytes

    def __len__(self) -> int:  # noqa: D105
        return len(self.time)

    @property
    def last(self) -> int:
        """Number of the last block."""
        return self.first + len(self) - 1

    def hash_of(self, block: int) -> bytes:
        """Hash of one block."""
        return bytes(self.hash[block - self.first])

    def blocks(self) -> Blocks:
        """What every kind of chain says of its blocks."""
        numbers = np.arange(self.first, self.last + 1, dtype=np.uint64)
        return Blocks(numbers, self.hash, self.parent, self.time, self.transaction_count)


def join_headers(parts: Sequence[Headers]) -> Headers:
    """Headers of consecutive parts as one."""
    return Headers(
        parts[0].first,
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("hash", "parent", "time", "transaction_count", "bloom")
        ),
    )


class _Numbered(msgspec.Struct, gc=False):
    number: str


class _Block(msgspec.Struct, gc=False):
    number: str
    hash: str
    parentHash: str
    timestamp: str
    logsBloom: str
    transactions: list[msgspec.Raw]


class _Answer(msgspec.Struct, gc=False):
    id: Any = None
    result: _Block | str | None = None
    error: RpcFault | None = None


_ANSWERS = msgspec.json.Decoder(list[_Answer])


def fetch_head(client: EvmClient) -> int:
    """Number of the newest block, which the node was able to show. The same request proves the chain id."""
    body = client.encode([("eth_getBlockByNumber", ("latest", False)), ("eth_blockNumber", ()), ("eth_chainId", ())])

    def read(answer: bytes) -> tuple[int, int]:
        latest, number, chain_id = parse_batch(answer, 3)
        for item in (latest, number, chain_id):
            if item.error is not None:
                raise classify(item.error.code, item.error.message)
        client.nodes.require_chain(_quantity_in(chain_id.result))
        try:
            shown = msgspec.json.decode(latest.result, type=_Numbered)
        except msgspec.DecodeError as error:
            raise NodeUnavailable(f"a latest block that cannot be read: {error}") from error
        return _quantity_in(number.result), quantity(shown.number)

    head, shown = client.request(body, read, proves_chain=True)
    if shown < head:
        fetch_headers(client, [head])
    return head


def _quantity_in(result: msgspec.Raw) -> int:
    try:
        return quantity(msgspec.json.decode(result))
    except msgspec.DecodeError as error:
        raise NodeUnavailable(f"an answer that is not JSON: {bytes(result)[:80]!r}") from error


def fetch_headers(client: EvmClient, numbers: Sequence[int]) -> list[Headers]:
    """Headers of these blocks, each by itself. Waits for a block that the node does not have yet."""
    return [_columns([block], number) for number, block in zip(numbers, _fetch(client, numbers), strict=True)]


def fetch_header_range(client: EvmClient, first: int, last: int) -> Headers:
    """Headers of the blocks ``first`` to ``last``, checked to be linked by parent hash."""
    headers = _columns(_fetch(client, range(first, last + 1)), first)
    if bool((headers.parent[1:] != headers.hash[:-1]).any()):
        raise NodeLied(f"blocks {first} to {last} are not linked by parent hash")
    return headers


def _fetch(client: EvmClient, numbers: Sequence[int]) -> list[_Block]:
    blocks: list[_Block] = []
    while len(blocks) < len(numbers):
        part = numbers[len(blocks) : len(blocks) + client.batch_size]
        calls = [("eth_getBlockByNumber", (hex(number), False)) for number in part]
        body = client.encode([*calls, ("eth_chainId", ())])

        def read(answer: bytes, wanted: Sequence[int] = part) -> list[_Block]:
            return _read(client, answer, wanted)

        try:
            blocks += client.request(body, read, proves_chain=True)
        except NodeLimited:
            client.shrink_batches(len(part))
    return blocks


def _read(client: EvmClient, answer: bytes, numbers: Sequence[int]) -> list[_Block]:
    text = answer.lstrip()
    try:
        items = _ANSWERS.decode(text if text[:1] == b"[" else b"[" + text + b"]")
    except msgspec.DecodeError as error:
        raise NodeUnavailable(f"headers that cannot be read: {error}: {answer[:120]!r}") from error
    by_id = {item.id: item for item in items}
    for item in items:
        if item.error is not None:
            raise classify(item.error.code, item.error.message)
    if set(by_id) != set(range(len(numbers) + 1)):
        raise NodeUnavailable(f"{len(by_id)} answers to {len(numbers) + 1} requests")
    client.nodes.require_chain(quantity(by_id[len(numbers)].result))
    blocks: list[_Block] = []
    for index, number in enumerate(numbers):
        block = by_id[index].result
        if not isinstance(block, _Block):
            raise NodeUnavailable(f"the node has no block {number}")
        if quantity(block.number) != number:
            raise NodeLied(f"asked for block {number}, got {block.number}")
        blocks.append(block)
    return blocks


def _columns(blocks: Sequence[_Block], first: int) -> Headers:
    try:
        return Headers(
            first,
            _fixed([block.hash for block in blocks], 32),
            _fixed([block.parentHash for block in blocks], 32),
            np.array([quantity(block.timestamp) for block in blocks], np.uint32),
            np.array([len(block.transactions) for block in blocks], np.uint32),
            _fixed([block.logsBloom for block in blocks], 256),
        )
    except (BadHex, OverflowError) as error:
        raise NodeLied(f"headers from block {first}: {error}") from error


def _fixed(texts: list[str], width: int) -> Bytes:
    if any(len(text) != 2 + 2 * width or text[:2] != "0x" for text in texts):
        raise BadHex(f"a field that is not {width} bytes")
    digits = np.frombuffer("".join([text[2:] for text in texts]).encode("utf-8"), np.uint8)
    return unhex(digits.reshape(len(texts), 2 * width))
