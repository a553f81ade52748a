"""Arrow columns as numpy arrays, and as exact sort keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class SortKey:
    """Sort keys of a column: words, the least significant first, and a mask of missing values."""

    words: tuple[Array, ...]
    missing: NDArray[np.bool_]

    def select(self, chosen: Array) -> "SortKey":
        """The rows at these positions."""
        return SortKey(tuple(word[chosen] for word in self.words), self.missing[chosen])

    def extend_missing(self, count: int) -> "SortKey":
        """The same with ``count`` more rows, all without a value."""
        return SortKey(
            tuple(np.concatenate([word, np.zeros(count, word.dtype)]) for word in self.words),
            np.concatenate([self.missing, np.ones(count, bool)]),
        )

    def ordered(self, *, descending: bool) -> tuple[Array, ...]:
        """Keys for ``numpy.lexsort``, missing values last either way."""
        # The complement reverses the order of signed and unsigned words alike.
        words = tuple(~word if descending else word for word in self.words)
        return (*(np.where(self.missing, word.dtype.type(0), word) for word in words), self.missing)


def positions_in(values: Sequence[str], column: Any) -> NDArray[np.uint32]:
    """For each text of a column its position in ``values``, where all of them are."""
    encoded = _one(column).dictionary_encode()
    places = np.array([values.index(text) for text in encoded.dictionary.to_pylist()], np.uint32)
    found: NDArray[np.uint32] = places[_values(encoded.indices, "<i4")]
    return found


def fixed_records(column: Any, record: np.dtype[Any]) -> Array:
    """A column of byte strings of one width as records."""
    return _values(_one(column), record)


def sort_key(column: Any) -> SortKey:
    """The sort key of any column: decimals of up to 256 bits, integers, times, and text regardless of case. Empty text
    counts as no value."""
    array = _one(column)
    missing = _missing(array)
    kind = str(array.type)
    if kind.startswith("decimal"):
        width = array.type.byte_width // 8
        words = _values(array, np.dtype(("<u8", (width,))))
        lower = tuple(np.ascontiguousarray(words[:, index]) for index in range(width - 1))
        return SortKey((*lower, np.ascontiguousarray(words[:, -1]).view(np.int64)), missing)
    if kind in ("string", "large_string"):
        texts = [(text or "").casefold() for text in array.to_pylist()]
        places = {text: place for place, text in enumerate(sorted(set(texts)))}
        order = np.array([places[text] for text in texts], np.int64)
        return SortKey((order,), missing | np.array([not text for text in texts], bool))
    if kind != "uint64":
        array = array.cast("int64")
    return SortKey((_values(array, "<u8" if kind == "uint64" else "<i8"),), missing)


# Not to_numpy(): its first call imports pandas, which takes longer than a hundred searches.
def _values(array: Any, record: Any) -> Array:
    """The values of a fixed-width array; undefined where a value is missing."""
    if len(array) == 0:
        return np.zeros(0, record)
    return np.frombuffer(array.buffers()[1], record)[array.offset : array.offset + len(array)]


def _missing(array: Any) -> NDArray[np.bool_]:
    """Where an array has no value."""
    bits = array.buffers()[0]
    if bits is None:
        return np.zeros(len(array), bool)
    given = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")[array.offset : array.offset + len(array)]
    missing: NDArray[np.bool_] = given == 0
    return missing


def _one(column: Any) -> Any:
    """The chunks of a column as one array."""
    chunks = getattr(column, "num_chunks", None)
    if chunks is None:
        return column
    return column.chunk(0) if chunks == 1 else column.combine_chunks()
