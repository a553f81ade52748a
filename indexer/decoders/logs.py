"""One ``eth_getLogs`` answer, as bytes, to columns: no Python object per log on the usual path.

The places of every quote and opening brace are found by numpy. The order of keys is learned from the first log
and verified in every other, so any node's order will do. What does not fit (escapes, extra nesting, reordered
keys, ``"removed": true``) goes through a parser that makes no assumptions and gives the same columns.
"""

from binascii import unhexlify
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from indexer.chains.evm.errors import NodeLied
from indexer.decoders.hexadecimal import BadHex, Bytes, Positions, numbers, unhex, windows

_QUOTE, _BRACE = ord('"'), ord("{")
_REQUIRED = ("address", "topics", "data", "blockNumber", "transactionHash", "blockHash", "logIndex")
MOST_TOPICS = 4


class SurprisingLayout(Exception):
    """The answer is not laid out as its first log promised."""


@dataclass(frozen=True, slots=True)
class Logs:
    """Logs by column. ``*_at`` are positions of hexadecimal digits in ``text``, decoded when asked for."""

    text: Bytes
    block_number: NDArray[np.uint64]
    log_index: NDArray[np.uint32]
    topic_count: NDArray[np.uint8]
    address_at: Positions
    topic_at: Positions
    data_at: Positions
    data_digits: Positions
    block_hash_at: Positions
    transaction_hash_at: Positions

    def __len__(self) -> int:  # noqa: D105
        return len(self.block_number)

    def select(self, rows: NDArray[Any]) -> "Logs":
        """The logs at ``rows`` (indices or a mask)."""
        return Logs(
            self.text,
            self.block_number[rows],
            self.log_index[rows],
            self.topic_count[rows],
            self.address_at[rows],
            self.topic_at[rows],
            self.data_at[rows],
            self.data_digits[rows],
            self.block_hash_at[rows],
            self.transaction_hash_at[rows],
        )

    def address(self) -> Bytes:
        """Emitting contracts, 20 bytes a row."""
        return unhex(windows(self.text, self.address_at, 40))

    def transaction_hash(self) -> Bytes:
        """Transaction hashes, 32 bytes a row."""
        return unhex(windows(self.text, self.transaction_hash_at, 64))

    def block_hash(self) -> Bytes:
        """Block hashes, 32 bytes a row."""
        return unhex(windows(self.text, self.block_hash_at, 64))

    def topic(self, index: int) -> Bytes:
        """Topic ``index``, 32 bytes a row; every selected log must have it."""
        return unhex(windows(self.text, self.topic_at[:, index], 64))

    def words(self, count: int) -> Bytes:
        """The first ``count`` words of the data, (rows, count, 32), most significant byte first."""
        return unhex(windows(self.text, self.data_at, 64 * count)).reshape(len(self), count, 32)

    def data(self) -> list[bytes]:
        """The whole data of each log."""
        return [
            bytes.fromhex(self.text[start : start + digits].tobytes().decode("ascii"))
            for start, digits in zip(self.data_at.tolist(), self.data_digits.tolist(), strict=True)
        ]

    def topics(self) -> list[list[bytes]]:
        """All topics of each log."""
        return [
            [bytes.fromhex(self.text[at : at + 64].tobytes().decode("ascii")) for at in row[:count]]
            for row, count in zip(self.topic_at.tolist(), self.topic_count.tolist(), strict=True)
        ]

    def with_topic(self, topic: bytes) -> NDArray[np.int64]:
        """Indices of the logs whose first topic is ``topic``."""
        has = np.flatnonzero(self.topic_count > 0)
        wanted = np.frombuffer(topic.hex().encode(), np.uint64)
        at = self.topic_at[has, 0]
        for word in range(8):  # almost every log is decided by its first eight digits
            digits = windows(self.text, at + 8 * word, 8).view(np.uint64).reshape(-1)
            same = digits == wanted[word]
            if not same.all():
                has, at = has[same], at[same]
        return has


def parse_logs(answer: bytes) -> Logs:
    """Columns of an ``eth_getLogs`` answer.

    Raises:
        NodeLied: a field is missing, not hexadecimal or of the wrong length, or a log is marked as removed.
    """
    try:
        return parse_columns(answer)
    except (SurprisingLayout, BadHex):
        return parse_anything(answer)


def no_logs() -> Logs:
    """No logs at all."""
    none = np.empty(0, np.int64)
    return Logs(
        np.empty(0, np.uint8),
        none.astype(np.uint64),
        none.astype(np.uint32),
        none.astype(np.uint8),
        none,
        np.empty((0, MOST_TOPICS), np.int64),
        none,
        none,
        none,
        none,
    )


def parse_columns(answer: bytes) -> Logs:
    """The fast path; raises SurprisingLayout when the answer is not as regular as it needs."""
    opening = answer.find(b"[", answer.find(b'"result"'))
    closing = answer.rfind(b"]")
    if opening < 0 or b"\\" in answer:
        raise SurprisingLayout("envelope")
    text = np.frombuffer(answer, np.uint8, closing - opening, opening)
    quotes = np.flatnonzero(text == _QUOTE)
    braces = np.flatnonzero(text == _BRACE)
    if len(braces) == 0:
        if answer[opening + 1 : closing].strip():
            raise SurprisingLayout("no objects in a list that is not empty")
        return no_logs()
    try:
        end = answer.index(b"}", opening + int(braces[0]))
        example = answer[opening + int(braces[0]) : end + 1]
        first: dict[str, object] = msgspec.json.decode(example, type=dict)
    except (ValueError, msgspec.DecodeError) as error:
        raise SurprisingLayout("first log") from error
    if not isinstance(first.get("topics"), list) or first.get("removed"):
        raise SurprisingLayout("topics or removed")
    if not all(str(first.get(key)).startswith("0x") for key in _REQUIRED if key != "topics"):
        raise SurprisingLayout("required keys")
    record = np.searchsorted(quotes, braces)
    counts = np.diff(np.append(record, len(quotes)))
    fixed = sum(2 + (2 if isinstance(value, str) else 0) for value in first.values())
    topics2 = counts - fixed
    if bool(((topics2 < 0) | (topics2 > 2 * MOST_TOPICS) | (topics2 % 2 != 0)).any()):
        raise SurprisingLayout("quotes")
    starts, ends = _locate(text, quotes, record, topics2, first)
    return _columns(text, quotes, starts, ends, topics2 // 2)


Fields = dict[str, Positions]


def _locate(
    text: Bytes, quotes: Positions, record: Positions, topics2: Positions, first: dict[str, object]
) -> tuple[Fields, Fields]:
    """Ordinals of the quotes that open and close each value.

    In every record each key must be written as in the first one, with all that stands between it and its value: for
    texts up to and with ``0x``, for other values with their beginning, so that a ``true`` among ``false`` is seen.
    """
    starts: Fields = {}
    ends: Fields = {}
    at = record.copy()
    for key, value in first.items():
        key_at = quotes[at] + 1
        at = at + 2
        if key == "topics" or not isinstance(value, str):
            written = int(quotes[at[0] - 1] - key_at[0]) + (2 if key == "topics" else 4)
        else:
            written = int(quotes[at[0]] - key_at[0]) + 3
            if bool((quotes[at] - key_at != written - 3).any()):
                raise SurprisingLayout(f"place of {key}")
        shown = windows(text, key_at, written)
        if bool((shown != shown[0]).any()):
            raise SurprisingLayout(f"key {key}")
        starts[key] = at
        if key == "topics":
            at = at + topics2
        elif isinstance(value, str):
            ends[key] = at + 1
            at = at + 2
    return starts, ends


def _columns(text: Bytes, quotes: Positions, starts: Fields, ends: Fields, topic_count: Positions) -> Logs:
    def digits(key: str, width: int | None) -> tuple[Positions, Positions]:
        start, end = quotes[starts[key]] + 3, quotes[ends[key]]
        if width is not None and bool((end - start != width).any()):
            raise SurprisingLayout(f"length of {key}")
        return start, end

    count = len(topic_count)
    topic_at = np.zeros((count, MOST_TOPICS), np.int64)
    for index in range(int(topic_count.max())):
        rows = np.flatnonzero(topic_count > index)
        ordinal = starts["topics"][rows] + 2 * index
        at = quotes[ordinal] + 3
        if bool((quotes[ordinal + 1] - at != 64).any()):
            raise SurprisingLayout("length of a topic")
        _require_prefix(text, at)
        topic_at[rows, index] = at
    data_at, data_end = digits("data", None)
    data_digits = data_end - data_at
    if bool(((data_digits < 0) | (data_digits % 2 != 0)).any()):
        raise SurprisingLayout("length of data")
    return Logs(
        text,
        numbers(text, *digits("blockNumber", None)),
        _small(numbers(text, *digits("logIndex", None))),
        topic_count.astype(np.uint8),
        digits("address", 40)[0],
        topic_at,
        data_at,
        data_digits,
        digits("blockHash", 64)[0],
        digits("transactionHash", 64)[0],
    )


def _require_prefix(text: Bytes, at: Positions) -> None:
    if bool((windows(text, at - 2, 2) != np.frombuffer(b"0x", np.uint8)).any()):
        raise SurprisingLayout("0x")


def _small(values: NDArray[np.uint64]) -> NDArray[np.uint32]:
    if len(values) and int(values.max()) > 0xFFFFFFFF:
        raise NodeLied("a log index beyond 32 bits")
    return values.astype(np.uint32)


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


def parse_anything(answer: bytes) -> Logs:
    """The same columns from any valid JSON, a log at a time."""
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
        if len(log.topics) > MOST_TOPICS:
            raise BadHex(f"{len(log.topics)} topics")
        topics = [put(topic, 64) for topic in log.topics]
        rows.append(
            (
                put(log.address, 40),
                topics + [0] * (MOST_TOPICS - len(topics)),
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
    return Logs(
        np.frombuffer("".join(pieces).encode("ascii"), np.uint8),
        np.array(block, np.uint64),
        _small(np.array(index, np.uint64)),
        np.array(topic_count, np.uint8),
        np.array(address, np.int64),
        np.array(topic_at, np.int64),
        np.array(data_at, np.int64),
        np.array(data_digits, np.int64),
        np.array(block_hash, np.int64),
        np.array(transaction_hash, np.int64),
    )


def _quantity(text: str) -> int:
    if not text.startswith("0x") or not 3 <= len(text) <= 18:
        raise BadHex(f"{text[:40]!r}")
    return int(text, 16)
