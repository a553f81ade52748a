"""Arrow columns as numpy arrays, and as keys to order by without losing a digit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class SortKey:
    """Values of one column as words to order by, the least significant first, and where there is no value."""

    words: tuple[Array, ...]
    missing: NDArray[np.bool_]

    def select(self, chosen: Array) -> "SortKey":
        """The rows at these positions."""
        return SortKey(tuple(word[chosen] for word in self.words), self.missing[chosen])

    def extend_missing(self, count: int) -> "SortKey":
        """The same with ``count`` rows more, all without a value."""
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
    found: NDArray[np.uint32] = places[encoded.indices.to_numpy(zero_copy_only=False)]
    return found


def fixed_records(column: Any, record: np.dtype[Any]) -> Array:
    """A column of byte strings of one width as records."""
    array = _one(column)
    if len(array) == 0:
        return np.zeros(0, record)
    return np.frombuffer(array.buffers()[1], record)[array.offset : array.offset + len(array)]


def sort_key(column: Any) -> SortKey:
    """Any column as exact words: decimals of up to 256 bits, integers, times; text without regard to case, and empty
    text as no value."""
    array = _one(column)
    missing = np.asarray(array.is_null().to_numpy(zero_copy_only=False), bool)
    kind = str(array.type)
    if kind.startswith("decimal"):
        if len(array) == 0:
            return SortKey((np.zeros(0, np.int64),), missing)
        words = np.frombuffer(array.buffers()[1], "<u8").reshape(-1, array.type.byte_width // 8)
        words = words[array.offset : array.offset + len(array)]
        lower = tuple(np.ascontiguousarray(words[:, index]) for index in range(words.shape[1] - 1))
        return SortKey((*lower, np.ascontiguousarray(words[:, -1]).view(np.int64)), missing)
    if kind in ("string", "large_string"):
        texts = [(text or "").casefold() for text in array.to_pylist()]
        places = {text: place for place, text in enumerate(sorted(set(texts)))}
        order = np.array([places[text] for text in texts], np.int64)
        return SortKey((order,), missing | np.array([not text for text in texts], bool))
    whole = array if kind == "uint64" else array.cast("int64")
    return SortKey((whole.fill_null(0).to_numpy(zero_copy_only=False),), missing)


def _one(column: Any) -> Any:
    """The chunks of a column as one array."""
    chunks = getattr(column, "num_chunks", None)
    if chunks is None:
        return column
    return column.chunk(0) if chunks == 1 else column.combine_chunks()
