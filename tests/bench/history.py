"""A long chain made of a short recording: its blocks after the set-up again and again, each time as new blocks.

What identifies blocks and transactions is overwritten in the recorded bytes, at offsets that are found once: block
numbers, hashes, parents, times, transaction hashes. Everything else stays as the node wrote it, so every answer is as
real as a recorded one, and making it costs the replay server little more than copying it. The first lap bears its
recorded hashes. Numbers begin high, so that all of them have as many digits. The same wallets go on trading the same
tokens; none are deployed in later laps.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.bench.recording import Block, Recording

START = 0x100000
"""Number of the first block: six hexadecimal and seven decimal digits, as those of the next eight million blocks."""
HEADERS, TRACES = "eth_getBlockByNumber [null,false]", "trace_block [null]"
_MARK_DIGITS = 8  # of each hash, its first ones: 32 bits that differ from lap to lap
_SPREAD = 0x9E3779B1
_PAIRS = np.array([int.from_bytes(f"{byte:02x}".encode(), "little") for byte in range(256)], np.uint16)
_NUMBER, _BLOCK_HASH, _TIME = rb'"blockNumber":"0x', rb'"blockHash":"0x', rb'"blockTimestamp":"0x'
_TRANSACTION_HASH = rb'"transactionHash":"0x'

Positions = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Text:
    """Recorded bytes and the places in them that change; ``marks`` are the numbers at ``hashes`` as recorded."""

    raw: bytes
    numbers: Positions
    times: Positions
    hashes: Positions
    marks: NDArray[np.uint32]

    def written(self, number: bytes, seconds: bytes, lap: int) -> bytes:
        """The text of another block."""
        changed = bytearray(self.raw)
        characters = np.frombuffer(changed, np.uint8)
        for places, digits in ((self.numbers, number), (self.times, seconds)):
            if len(places):
                _windows(characters, len(digits))[places] = np.void(digits)
        if lap and len(self.hashes):
            _windows(characters, _MARK_DIGITS)[self.hashes] = _digits(self.marks ^ _mark(lap)).view("V8").reshape(-1)
        return bytes(changed)


def first_repeated(recording: Recording) -> int:
    """The block after the recording's set-up: the first that a later lap repeats."""
    return 1 + max(at for at, text in enumerate(recording.by_block[TRACES]) if b'"type":"create"' in text)


class LongHistory:
    """As many laps of a recording as are asked for, answering as ``Recording`` does."""

    def __init__(self, recording: Recording) -> None:
        headers, traces = recording.by_block[HEADERS], recording.by_block[TRACES]
        self.recording = recording
        self.size = len(recording.blocks)
        self.first_repeated = first_repeated(recording)
        self.lap_blocks = self.size - self.first_repeated
        times = [int(_found(rb'"timestamp":"0x([0-9a-f]+)"', text)[1], 16) for text in headers]
        self._times = times
        self._lap_seconds = times[-1] - times[self.first_repeated - 1]
        self._blocks = [_wide_block(block, START + at) for at, block in enumerate(recording.blocks)]
        self._logs = [_text(block.logs, (_NUMBER,), (_BLOCK_HASH, _TRANSACTION_HASH)) for block in self._blocks]
        self._headers = [_header(text, START + at) for at, text in enumerate(headers)]
        self._traces = [_trace(text, START + at) for at, text in enumerate(traces)]
        self._numbers = {block.hash: at for at, block in enumerate(recording.blocks)}

    def head_of(self, laps: int) -> int:
        """Number of the last block of so many laps."""
        return START + self.first_repeated + laps * self.lap_blocks - 1

    def place(self, number: int) -> tuple[int, int]:
        """Which recorded block a number repeats, and in which lap."""
        at = number - START
        if at < self.size:
            return at, 0
        lap, rest = divmod(at - self.first_repeated, self.lap_blocks)
        return self.first_repeated + rest, lap

    def block(self, number: int) -> Block:
        """The block's hash and logs."""
        at, lap = self.place(number)
        recorded = self._blocks[at]
        logs = self._logs[at].written(b"%06x" % number, self._seconds(at, lap), lap) if recorded.ends else b""
        return Block(self._hash(at, lap), logs, recorded.topics, recorded.ends)

    def header(self, number: int) -> bytes:
        """The header as an answer's tail."""
        at, lap = self.place(number)
        text = bytearray(self._headers[at].written(b"%06x" % number, self._seconds(at, lap), lap))
        if lap:
            before, its_lap = self.place(number - 1)
            opening = text.index(b'"parentHash":"0x') + 14
            text[opening : opening + 66] = self._hash(before, its_lap).encode()
        return bytes(text)

    def traces(self, number: int) -> bytes:
        """The traces as an answer's tail."""
        at, lap = self.place(number)
        return self._traces[at].written(b"%07d" % number, b"", lap)

    def number_of(self, digest: str) -> int | None:
        """The block with this hash; None when no lap has one."""
        for lap in range((8 << 20) // self.lap_blocks):
            mark = int(digest[2:10], 16) ^ int(_mark(lap))
            at = self._numbers.get(f"0x{mark:08x}{digest[10:]}")
            if at is not None and (not lap or at >= self.first_repeated):
                return START + at + lap * self.lap_blocks
        return None

    def _hash(self, at: int, lap: int) -> str:
        recorded = self.recording.blocks[at].hash
        return f"0x{int(recorded[2:10], 16) ^ int(_mark(lap)):08x}{recorded[10:]}"

    def _seconds(self, at: int, lap: int) -> bytes:
        return b"%08x" % (self._times[at] + lap * self._lap_seconds)


def _mark(lap: int) -> np.uint32:
    return np.uint32(lap * _SPREAD & 0xFFFFFFFF)


def _windows(characters: NDArray[np.uint8], width: int) -> NDArray[np.void]:
    count = len(characters) - width + 1
    return np.ndarray(shape=(count,), dtype=np.dtype(f"V{width}"), buffer=characters.data, strides=(1,))


def _digits(values: NDArray[np.uint32]) -> NDArray[np.uint16]:
    """Eight hexadecimal digits of each value, two in an item."""
    return _PAIRS[values.astype(">u4").view(np.uint8).reshape(-1, 4)]


def _found(pattern: bytes, text: bytes) -> "re.Match[bytes]":
    match = re.search(pattern, text)
    if match is None:
        raise ValueError(f"a recorded answer without {pattern!r}")
    return match


def _places(text: bytes, keys: Sequence[bytes]) -> Iterator[int]:
    for key in keys:
        yield from (match.end() for match in re.finditer(key, text))


def _text(raw: bytes, numbers: Sequence[bytes], hashes: Sequence[bytes], times: Sequence[bytes] = (_TIME,)) -> _Text:
    places = np.array(list(_places(raw, hashes)), np.int64)
    marks = np.array([int(raw[at : at + _MARK_DIGITS], 16) for at in places.tolist()], np.uint32)
    of_numbers, of_times = (np.array(list(_places(raw, keys)), np.int64) for keys in (numbers, times))
    return _Text(raw, of_numbers, of_times, places, marks)


def _wide_block(block: Block, number: int) -> Block:
    """The block with logs that name a number of six digits."""
    if not block.ends:
        return block
    end = block.ends[0]
    digits = len(_found(_NUMBER + rb"([0-9a-f]+)", block.logs[:end])[1])
    grown = 6 - digits
    logs = re.sub(_NUMBER + rb"[0-9a-f]+", _NUMBER + b"%06x" % number, block.logs)
    return Block(block.hash, logs, block.topics, [end + grown * (at + 1) for at, end in enumerate(block.ends)])


def _header(text: bytes, number: int) -> _Text:
    wide = re.sub(rb'"number":"0x[0-9a-f]+"', b'"number":"0x%06x"' % number, text, count=1)
    return _text(wide, (rb'"number":"0x',), (rb'"hash":"0x', rb'[\[,]"0x(?=[0-9a-f]{64}")'), (rb'"timestamp":"0x',))


def _trace(text: bytes, number: int) -> _Text:
    wide = re.sub(rb'"blockNumber":\d+', b'"blockNumber":%07d' % number, text)
    return _text(wide, (rb'"blockNumber":',), (_BLOCK_HASH, _TRANSACTION_HASH), ())
