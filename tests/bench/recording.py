"""A chain as the raw JSON a node answered, kept per block, so that any range of it can be put together again.

``Recording.of_node`` reads headers and logs of every block; what else a client asked for (traces, receipts, token
metadata) is added by the replay server while it records. The file is MessagePack and belongs to the cache of the
benchmark: nothing reads it across versions.
"""

import http.client
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

BATCH = 250
LOG_RANGE = 50


class Block(msgspec.Struct, array_like=True):
    """One block: its hash and its logs, as the text between the brackets of an ``eth_getLogs`` answer."""

    hash: str
    logs: bytes
    topics: list[str]
    ends: list[int]


class Recording(msgspec.Struct):
    """What a node answered. Answers are kept as they follow the id: ``"result":...`` or ``"error":...``."""

    chain_id: int
    blocks: list[Block]
    by_block: dict[str, list[bytes]]
    by_call: dict[str, bytes]

    @property
    def head(self) -> int:
        """Number of the last block."""
        return len(self.blocks) - 1

    @property
    def log_count(self) -> int:
        """Logs in all blocks."""
        return sum(len(block.ends) for block in self.blocks)

    @classmethod
    def of_node(cls, node: "Node") -> "Recording":
        """Headers and logs of every block the node has."""
        head = int(node.result("eth_blockNumber", []), 16)
        headers = node.answers([("eth_getBlockByNumber", [hex(number), False]) for number in range(head + 1)])
        blocks = [Block(_decode_header(answer).hash, b"", [], []) for answer in headers]
        for first in range(0, head + 1, LOG_RANGE):
            _take_logs(blocks, node, first, min(head, first + LOG_RANGE - 1))
        chain_id = int(node.result("eth_chainId", []), 16)
        return cls(chain_id, blocks, {"eth_getBlockByNumber [null,false]": headers}, {})

    @classmethod
    def load(cls, path: Path) -> "Recording":
        """Read a recording from its file."""
        return msgspec.msgpack.decode(path.read_bytes(), type=cls)

    def save(self, path: Path) -> None:
        """Write the file whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_bytes(msgspec.msgpack.encode(self))
        partial.replace(path)


class _HeaderFields(msgspec.Struct):
    hash: str


class _Header(msgspec.Struct):
    result: _HeaderFields


def _decode_header(tail: bytes) -> _HeaderFields:
    return msgspec.json.decode(b"{" + tail + b"}", type=_Header).result


class _LogFields(msgspec.Struct):
    blockNumber: str
    topics: list[str]


class _Logs(msgspec.Struct):
    result: list[msgspec.Raw]


class _Answer(msgspec.Struct):
    id: int
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET

    def tail(self) -> bytes:
        if self.result is not msgspec.UNSET:
            return b'"result":' + bytes(self.result)
        return b'"error":' + bytes(self.error)


class Node:
    """The JSON-RPC node that is recorded."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._connection = http.client.HTTPConnection(parts.hostname or "127.0.0.1", parts.port or 80, timeout=600)

    def post(self, body: bytes) -> bytes:
        """One request and its answer body."""
        self._connection.request("POST", "/", body, {"content-type": "application/json"})
        return self._connection.getresponse().read()

    def result(self, method: str, params: Sequence[Any]) -> Any:
        """The result of one call."""
        return json.loads(b"{" + self.answers([(method, params)])[0] + b"}")["result"]

    def answers(self, calls: Sequence[tuple[str, Sequence[Any]]]) -> list[bytes]:
        """The answers to many calls, in their order, as ``Recording`` keeps them."""
        return list(self._answers(calls))

    def _answers(self, calls: Sequence[tuple[str, Sequence[Any]]]) -> Iterator[bytes]:
        for first in range(0, len(calls), BATCH):
            part = calls[first : first + BATCH]
            body = msgspec.json.encode(
                [{"jsonrpc": "2.0", "id": at, "method": m, "params": p} for at, (m, p) in enumerate(part)]
            )
            answers = {one.id: one for one in msgspec.json.decode(self.post(body), type=list[_Answer])}
            yield from (answers[at].tail() for at in range(len(part)))


def _take_logs(blocks: list[Block], node: Node, first: int, last: int) -> None:
    params = [{"fromBlock": hex(first), "toBlock": hex(last)}]
    body = node.post(msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": "eth_getLogs", "params": params}))
    parts: dict[int, list[bytes]] = {}
    for raw in msgspec.json.decode(body, type=_Logs).result:
        log = msgspec.json.decode(raw, type=_LogFields)
        number = int(log.blockNumber, 16)
        block, text = blocks[number], bytes(raw)
        before = block.ends[-1] + 1 if block.ends else 0
        block.ends.append(before + len(text))
        block.topics.append(log.topics[0] if log.topics else "")
        parts.setdefault(number, []).append(text)
    for number, texts in parts.items():
        blocks[number].logs = b",".join(texts)
