"""Parse an ``eth_getLogs`` answer into columns, all logs at once, if all logs have the same layout.

A node writes every log of an answer with the same keys in the same order. So the first log is split into values and the
texts between them. Then all logs are scanned in parallel: at each step the same text must follow, and the value after
it has a fixed length or ends at the next quote. Every byte between the brackets is checked as text or read as a value,
so nothing is skipped. Anything else (escapes, nesting, other keys, ``"removed": true``) raises SurprisingLayout, and
``objects`` reads the answer.
"""

from collections import deque
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from indexer.chains.evm.tuned.hexadecimal import Bytes, Positions, numbers, windows
from indexer.chains.evm.tuned.logs import MAX_TOPICS, Logs, as_uint32, no_logs, topic_heads

_QUOTE, _BRACE, _COMMA = ord('"'), ord("{"), ord(",")
_REQUIRED = ("address", "topics", "data", "blockNumber", "transactionHash", "blockHash", "logIndex")
_DIGITS = {"address": 40, "blockHash": 64, "transactionHash": 64}
_WORD_DIGITS = 64
# Longest value of a key that is not read, in characters; and the most words of data skipped at once.
_MAX_CHARACTERS, _MAX_WORDS = 80, 64
_STEP = 4096
# Scratch arrays kept for the next answer of usual size: one for each thread that computes.
_ROOM = 8 << 20
_ROOMS: "deque[NDArray[np.bool_]]" = deque(maxlen=2)


class SurprisingLayout(Exception):
    """The logs of the answer do not all have the layout of the first one."""


@dataclass(frozen=True, slots=True)
class _Field:
    """A key: the text before its value's digits (or before the first topic), and the value's length in the first."""

    key: str
    before: bytes
    length: int


@dataclass(frozen=True, slots=True)
class _Pattern:
    """The layout of the first log: its fields, the text after the last, and what separates topics."""

    fields: list[_Field]
    after: bytes
    separator: bytes


def parse_layout(answer: bytes) -> Logs:
    """Columns of the answer. Raises SurprisingLayout when the logs differ in layout."""
    opening = answer.find(b"[", answer.find(b'"result"'))
    closing = answer.rfind(b"]")
    if opening < 0 or b"\\" in answer:
        raise SurprisingLayout("envelope")
    try:
        # Without its list the answer must still be valid JSON, with nothing after it.
        msgspec.json.decode(answer[: opening + 1] + answer[closing:])
    except (ValueError, msgspec.DecodeError) as error:  # also text that is not UTF-8
        raise SurprisingLayout("envelope") from error
    text = np.frombuffer(answer, np.uint8, closing - opening + 1, opening)
    records = _places(text, _BRACE)
    if len(records) == 0:
        if answer[opening + 1 : closing].strip():
            raise SurprisingLayout("no objects in a list that is not empty")
        return no_logs()
    if answer[opening + 1 : opening + int(records[0])].strip():
        raise SurprisingLayout("something before the first log")
    try:
        pattern = _pattern(answer, opening + int(records[0]))
        return _walk(text, records, pattern)
    except (ValueError, LookupError, msgspec.DecodeError) as error:
        raise SurprisingLayout("a log that is cut off, or not written as a log") from error


def _places(text: Bytes, character: int) -> Positions:
    """Positions of a character that may occur once in eight bytes; SurprisingLayout when it occurs more often."""
    whole = len(text) // 8 * 8
    room = _room(len(text))
    found = np.equal(text, character, out=room[: len(text)])
    words = found[:whole].view(np.uint64)
    at = np.flatnonzero(words != 0)
    one = words[at]
    if bool((one & (one - np.uint64(1))).any()):
        raise SurprisingLayout("objects in one another")
    within = np.log2(one.astype(np.float64)).astype(np.int64) >> 3  # powers of two, so exact
    places = np.concatenate([8 * at + within, whole + np.flatnonzero(found[whole:])])
    if len(room) == _ROOM:
        _ROOMS.append(room)
    return places


def _room(size: int) -> NDArray[np.bool_]:
    """A scratch array of one boolean per character. Reused, because new memory pages cost more than the search."""
    if size > _ROOM:
        return np.empty(size, np.bool_)
    try:
        return _ROOMS.pop()
    except IndexError:  # all kept arrays are in use
        return np.empty(_ROOM, np.bool_)


def _pattern(answer: bytes, start: int) -> _Pattern:
    """The layout of the first log; ValueError when it cannot be read."""
    end = answer.index(b"}", start) + 1
    first: dict[str, object] = msgspec.json.decode(answer[start:end], type=dict)
    removed = first.get("removed")
    if not (removed is None or removed is False) or not all(key in first for key in _REQUIRED):
        raise ValueError("required keys, or removed")
    fields: list[_Field] = []
    separator = b","
    at = start
    for key, value in first.items():
        colon = answer.index(b":", answer.index(b'"' + key.encode() + b'"', at, end), end)
        if key == "topics":
            opens = answer.index(b"[", colon, end) + 1
            closes = answer.index(b"]", opens, end)
            if isinstance(value, list) and len(value) > 1:
                separator = answer[answer.index(b",", opens, closes) : answer.index(b'"', opens + 68, closes)]
        elif isinstance(value, str):
            opens = answer.index(b'"', colon, end) + 1
            closes = opens + len(value.encode())
            if answer[opens : closes + 1] != value.encode() + b'"':
                raise ValueError(f"the value of {key}")
            opens += 2 if value.startswith("0x") else 0
        elif value is None or isinstance(value, bool | int | float):
            continue  # written the same in every log, or the layout differs
        else:
            raise ValueError(f"the value of {key}")
        if key in _REQUIRED and key != "topics" and not answer.endswith(b'"0x', at, opens):
            raise ValueError(f"{key} without 0x")
        fields.append(_Field(key, answer[at:opens], closes - opens))
        at = closes
    return _Pattern(fields, answer[at:end], separator)


def _walk(text: Bytes, records: Positions, pattern: _Pattern) -> Logs:
    """Scan all logs in parallel."""
    at = records
    starts: dict[str, Positions] = {}
    ends: dict[str, Positions] = {}
    topic_at = np.zeros((len(records), MAX_TOPICS), np.int64)
    topic_count = np.zeros(len(records), np.uint8)
    following = [*(field.before for field in pattern.fields[1:]), pattern.after]
    for field, after in zip(pattern.fields, following, strict=True):
        _require(text, at, field.before)
        at = at + len(field.before)
        if field.key == "topics":
            at = _topics(text, at, pattern.separator, topic_at, topic_count)
            continue
        starts[field.key] = at
        if field.key in _DIGITS:
            at = at + _DIGITS[field.key]
        elif field.key == "data":
            at = _end_of_data(text, at, after)
        else:
            at = _end_of_value(text, at, field.length)
        ends[field.key] = at
    _require(text, at, pattern.after)
    _require_adjoining(text, records, at + len(pattern.after))
    digits = ends["data"] - starts["data"]
    if bool((digits % 2 != 0).any()):
        raise SurprisingLayout("length of data")
    return Logs(
        text,
        numbers(text, starts["blockNumber"], ends["blockNumber"]),
        as_uint32(numbers(text, starts["logIndex"], ends["logIndex"])),
        topic_count,
        starts["address"],
        topic_at,
        starts["data"],
        digits,
        starts["blockHash"],
        starts["transactionHash"],
        topic_heads(text, topic_at, topic_count),
    )


def _matches_at(text: Bytes, at: Positions, wanted: bytes) -> bool:
    return windows(text, at, len(wanted)).tobytes() == wanted * len(at)


def _require(text: Bytes, at: Positions, wanted: bytes) -> None:
    if not _matches_at(text, at, wanted):
        raise SurprisingLayout(f"not everywhere {wanted[:60]!r}")


def _require_adjoining(text: Bytes, records: Positions, ends: Positions) -> None:
    """Check for one comma between logs, and for the end of the list after the last one."""
    if text[ends[-1] :].tobytes().strip() != b"]":
        raise SurprisingLayout("something after the last log")
    if len(records) > 1:
        between = text[ends[0] : records[1]].tobytes()
        if between.strip() != b"," or bool((records[1:] - ends[:-1] != len(between)).any()):
            raise SurprisingLayout("something between logs")
        _require(text, ends[:-1], between)


def _topics(
    text: Bytes, at: Positions, separator: bytes, topic_at: Positions, topic_count: NDArray[np.uint8]
) -> Positions:
    """Fill in the positions and numbers of topics. Returns where each list ends."""
    at = at.copy()
    rows = np.flatnonzero(text[at] == _QUOTE)
    for index in range(MAX_TOPICS):
        opens = at[rows]
        if index:
            _require(text, opens, separator)
            opens = opens + len(separator)
        _require(text, opens, b'"0x')
        topic_at[rows, index] = opens + 3
        topic_count[rows] += 1
        at[rows] = opens + 3 + _WORD_DIGITS
        _require(text, at[rows], b'"')
        at[rows] += 1
        rows = rows[text[at[rows]] == _COMMA]
    return at


def _end_of_data(text: Bytes, start: Positions, after: bytes) -> Positions:
    """Data usually has whole words: look for its end after each word, and search the rest log by log."""
    last = len(text) - 1
    end = start.copy()
    rows = np.arange(len(start))
    for _ in range(_MAX_WORDS):
        rows = rows[text[np.minimum(end[rows], last)] != _QUOTE]
        if not len(rows):
            break
        end[rows] += _WORD_DIGITS
    if int(end.max()) + len(after) <= len(text) and _matches_at(text, end, after):
        return end
    shown = windows(text, np.minimum(end, len(text) - len(after)), len(after))
    odd = (shown != np.frombuffer(after, np.uint8)).any(axis=1)
    for row in np.flatnonzero(odd).tolist():
        end[row] = _next_quote(text, int(start[row]))
    return end


def _next_quote(text: Bytes, at: int) -> int:
    for begin in range(at, len(text), _STEP):
        found = np.flatnonzero(text[begin : begin + _STEP] == _QUOTE)
        if len(found):
            return begin + int(found[0])
    raise SurprisingLayout("data without an end")


def _end_of_value(text: Bytes, start: Positions, guess: int) -> Positions:
    """Positions of the next quote, most likely as far away as in the first log."""
    end = start + guess
    if guess < _MAX_CHARACTERS and int(end.max()) < len(text):
        quotes = windows(text, start, guess + 1) == _QUOTE
        if quotes[:, guess].all() and not quotes[:, :guess].any():
            return end
    end = start.copy()
    rows = np.arange(len(start))
    for _ in range(_MAX_CHARACTERS):
        rows = rows[text[end[rows]] != _QUOTE]
        if not len(rows):
            return end
        end[rows] += 1
    raise SurprisingLayout("a long value")
