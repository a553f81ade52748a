"""The general parser of ``eth_getLogs`` answers: any valid JSON, one Python object per log."""

from binascii import unhexlify

import msgspec
import numpy as np

from indexer.chains.errors import NodeLied
from indexer.chains.evm.tuned.hexadecimal import BadHex
from indexer.chains.evm.tuned.logs import MAX_TOPICS, Logs, as_uint32, no_logs, topic_heads


class _Log(msgspec.Struct):
    address: str
    topics: list[str]
    data: str
    blockNumber: str
    transactionHash: str
    blockHash: str
    logIndex: str
    removed: bool | None = None


class _Result(msgspec.Struct):
    result: list[_Log]


_ANYTHING = msgspec.json.Decoder(_Result)


def parse_objects(answer: bytes) -> Logs:
    """Columns of any valid answer, read log by log."""
    try:
        found = _ANYTHING.decode(answer).result
        return _from_objects(found)
    except (msgspec.DecodeError, BadHex, ValueError) as error:
        raise NodeLied(f"logs that cannot be read: {error}") from error


def _from_objects(found: list[_Log]) -> Logs:
    pieces: list[str] = []
    size = 0

    def put(digits: str, width: int | None) -> int:
        nonlocal size
        if digits[:2] != "0x" or (width is not None and len(digits) != width + 2):
            raise BadHex(f"{digits[:80]!r}")
        at = size
        unhexlify(digits[2:])
        pieces.append(digits[2:])
        size += len(digits) - 2
        return at

    rows = []
    for log in found:
        if log.removed:
            raise NodeLied("a log marked as removed in an answer about the canonical chain")
        if len(log.topics) > MAX_TOPICS:
            raise BadHex(f"{len(log.topics)} topics")
        topics = [put(topic, 64) for topic in log.topics]
        rows.append(
            (
                put(log.address, 40),
                topics + [0] * (MAX_TOPICS - len(topics)),
                put(log.data, None),
                len(log.data) - 2,
                put(log.blockHash, 64),
                put(log.transactionHash, 64),
                _quantity(log.blockNumber),
                _quantity(log.logIndex),
                len(topics),
            )
        )
    if not rows:
        return no_logs()
    address, topic_at, data_at, data_digits, block_hash, transaction_hash, block, index, topic_count = zip(
        *rows, strict=True
    )
    text = np.frombuffer("".join(pieces).encode("ascii"), np.uint8)
    counts, places = np.array(topic_count, np.uint8), np.array(topic_at, np.int64)
    return Logs(
        text,
        np.array(block, np.uint64),
        as_uint32(np.array(index, np.uint64)),
        counts,
        np.array(address, np.int64),
        places,
        np.array(data_at, np.int64),
        np.array(data_digits, np.int64),
        np.array(block_hash, np.int64),
        np.array(transaction_hash, np.int64),
        topic_heads(text, places, counts),
    )


def _quantity(text: str) -> int:
    if not text.startswith("0x") or not 3 <= len(text) <= 18 or not (text.isascii() and text.isalnum()):
        raise BadHex(f"{text[:40]!r}")
    return int(text, 16)
