"""All symbols of one published version in memory, to find similar ones without a query to the warehouse.

A million tokens have some 300,000 symbols. They take 25 MB here, and a search takes about a millisecond; the statement
that does the same (``sql/queries/search/expansions.sql``) costs ten times as much. An index never changes: a later
version is a new index, which shares the large part and holds changes in a small one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow.lib
from numpy.typing import NDArray

from warehouse import sql
from warehouse.clickhouse import ArrowTable
from warehouse.domain.symbols import MAX_SEARCHABLE_LENGTH, fold
from warehouse.readers.columns import Array
from warehouse.readers.source import Source

MAX_QUERY_LENGTH = MAX_SEARCHABLE_LENGTH
_WIDTH = MAX_QUERY_LENGTH + 4  # bytes kept of each symbol: the longest query and two edits, and more
_REBUILD_AT = 8_192  # changed symbols in the small part
_joined: Callable[[Sequence[ArrowTable]], ArrowTable] = pyarrow.lib.concat_tables  # carries no types
# A bit for the first of each letter and digit, one for the second of each letter, two for any others.
_FIRST_BIT = np.full(256, 62, np.uint64)
_SECOND_BIT = np.full(256, 63, np.uint64)
for _place, _letter in enumerate(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"):
    _FIRST_BIT[_letter], _SECOND_BIT[_letter] = _place, 36 + _place
for _place, _digit in enumerate(b"0123456789"):
    _FIRST_BIT[_digit] = _SECOND_BIT[_digit] = 26 + _place


@dataclass(frozen=True, slots=True)
class NearSymbol:
    """A symbol near another one."""

    symbol: str
    folded: str
    tokens: int


_Ranked = tuple[tuple[bool, int, bytes], NearSymbol]


class SymbolIndex:
    """The symbols of one version."""

    def __init__(self, large: "_Part", alive: NDArray[np.bool_], small: "_Part", version: int) -> None:
        self._large, self._alive, self._small = large, alive, small
        self.version = version

    @classmethod
    def build(cls, table: ArrowTable, version: int) -> "SymbolIndex":
        """An index of rows as :func:`read_symbols` gives them, one for each symbol."""
        large = _Part(table)
        return cls(large, ~large.deleted, _Part(table.slice(0, 0)), version)

    def __len__(self) -> int:
        """The number of symbols."""
        return int(self._alive.sum()) + int((~self._small.deleted).sum())

    def advanced(self, changes: ArrowTable, version: int) -> "SymbolIndex":
        """The index of a later version: this one with the new rows of changed symbols."""
        if changes.num_rows == 0:
            return SymbolIndex(self._large, self._alive, self._small, version)
        changed = _Part(changes)
        kept = self._small.rows(~self._small.contained_in(changed))
        alive = self._alive & ~self._large.contained_in(changed)
        if kept.num_rows + len(changed) <= _REBUILD_AT:
            return SymbolIndex(self._large, alive, _Part(_joined([kept, changed.table])), version)
        standing = changed.rows(~changed.deleted)
        return SymbolIndex.build(_joined([self._large.rows(alive), kept, standing]), version)

    def near(self, symbol: str, *, edits: int, limit: int) -> list[NearSymbol]:
        """Symbols that begin with ``symbol`` (at most 20 of A-Z and 0-9), look like it, or are within ``edits`` edits;
        includes itself. Look-alikes first, then the best market score."""
        query, folded = symbol.encode(), fold(symbol).encode()
        found: list[_Ranked] = []
        for part, alive in ((self._large, self._alive), (self._small, ~self._small.deleted)):
            if len(part):
                found += part.near(query, folded, edits=edits, limit=limit, alive=alive)
        found.sort(key=lambda ranked: ranked[0])
        return [near for _, near in found[:limit]]


class _Part:
    """Symbols as columns in the order of their keys."""

    def __init__(self, table: ArrowTable) -> None:
        keys = _padded(table.column("symbol_key"))
        order = _ordered(keys, table.column("symbol_key"))
        self.table = table.take(order).combine_chunks()
        self.words, self.key_lengths = keys.words[order], keys.lengths[order]
        folds = _padded(self.table.column("symbol_folded"))
        self.letters, self.lengths = folds.letters, folds.lengths
        self.tokens = _numbers(self.table, "token_count", np.int64)
        self.scores = _numbers(self.table, "score", np.int64)
        self.deleted = _numbers(self.table, "deleted", np.bool_)
        # By length, so that only symbols of similar length are compared.
        self.by_length = np.argsort(self.lengths, kind="stable")
        self.starts = np.searchsorted(self.lengths[self.by_length], np.arange(_WIDTH + 1))
        self.signatures = _signatures(self.letters[self.by_length])

    def __len__(self) -> int:
        """The number of symbols, including deleted ones."""
        return len(self.words)

    def rows(self, kept: NDArray[np.bool_]) -> ArrowTable:
        """The rows of these symbols."""
        return self.table.take(np.flatnonzero(kept))

    def contained_in(self, other: "_Part") -> NDArray[np.bool_]:
        """A mask of the symbols that ``other`` also has."""
        found = np.zeros(len(self), bool)
        lows = np.searchsorted(self.words, other.words, "left")
        highs = np.searchsorted(self.words, other.words, "right")
        short = (highs - lows == 1) & (other.key_lengths <= _WIDTH)
        short[short] = self.key_lengths[lows[short]] == other.key_lengths[short]
        found[lows[short]] = True
        mine, theirs = self.table.column("symbol_key"), other.table.column("symbol_key")
        for place in np.flatnonzero((highs > lows) & ~short).tolist():
            wanted = theirs[place].as_py()
            for at in range(int(lows[place]), int(highs[place])):
                found[at] |= mine[at].as_py() == wanted
        return found

    def near(self, query: bytes, folded: bytes, *, edits: int, limit: int, alive: NDArray[np.bool_]) -> list[_Ranked]:
        """The best symbols near the query, each with its rank."""
        # The query is letters and digits: with its last one incremented it sorts after everything that begins with it.
        low, high = np.searchsorted(self.words, np.array([query, query[:-1] + bytes([query[-1] + 1])], f"S{_WIDTH}"))
        places = np.union1d(np.arange(low, high), self._within(folded, edits))
        places = places[alive[places]]
        unlike = ~self._spelled_alike(places, folded)
        scores = self.scores[places]
        if len(places) > 4 * limit:
            least = np.partition(scores, -limit)[-limit]
            kept = (scores >= least) | ~unlike
            places, unlike, scores = places[kept], unlike[kept], scores[kept]
        # Places are in the order of the keys, which settles what is left.
        chosen = np.lexsort((places, -scores, unlike))[:limit]
        rows = self.table.take(places[chosen])
        return [
            ((different, -score, key.encode()), NearSymbol(key, fold_of_key, tokens))
            for different, score, key, fold_of_key, tokens in zip(
                unlike[chosen].tolist(),
                scores[chosen].tolist(),
                rows.column("symbol_key").to_pylist(),
                rows.column("symbol_folded").to_pylist(),
                self.tokens[places[chosen]].tolist(),
                strict=True,
            )
        ]

    def _spelled_alike(self, places: Array, folded: bytes) -> NDArray[np.bool_]:
        wanted = np.frombuffer(folded.ljust(_WIDTH, b"\0"), np.uint8)
        alike: NDArray[np.bool_] = self.lengths[places] == len(folded)
        alike[alike] = (self.letters[places[alike]] == wanted).all(axis=1)
        return alike

    def _within(self, folded: bytes, edits: int) -> Array:
        """Places of the symbols whose fold is within ``edits`` edits of this one."""
        first = self.starts[max(0, len(folded) - edits)]
        last = self.starts[len(folded) + edits + 1]
        wanted = np.uint64(_signature(folded))
        # One edit takes away at most one letter's bit and brings at most one.
        alike = np.bitwise_count(self.signatures[first:last] ^ wanted) <= 2 * edits
        candidates = self.by_length[first:last][alike]
        if edits == 0:
            close = self._spelled_alike(candidates, folded)
        else:
            close = _distances(self.letters[candidates], self.lengths[candidates], folded, edits) <= edits
        found: Array = candidates[close]
        return found


async def read_symbols(source: Source, *, after: int, version: int, limit: int) -> ArrowTable:
    """The newest rows of the symbols written after one version and not after another, deleted ones among them:
    ``symbol_key``, ``symbol_folded``, ``token_count``, ``score`` (billionths), ``deleted``; at most ``limit``."""
    return await source.arrow(sql.load("queries/search/symbols"), {"after": after, "version": version, "limit": limit})


@dataclass(frozen=True, slots=True)
class _Texts:
    """Texts cut off at a width and padded with zeros: as bytes, as words to order by, and their full lengths."""

    letters: NDArray[np.uint8]
    words: Array
    lengths: NDArray[np.int64]


def _padded(column: ArrowTable) -> _Texts:
    texts = column.combine_chunks().cast("large_binary")
    count = len(texts)
    letters = np.zeros((count, _WIDTH), np.uint8)
    lengths = np.zeros(count, np.int64)
    if count:
        _, offsets, content = texts.buffers()
        ends = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + count + 1]
        lengths = np.diff(ends)
        for place in range(min(_WIDTH, int(lengths.max()))):
            longer = np.flatnonzero(lengths > place)
            letters[longer, place] = np.frombuffer(content, np.uint8)[ends[longer] + place]
    return _Texts(letters, letters.view(f"S{_WIDTH}").ravel(), lengths)


def _ordered(keys: _Texts, column: ArrowTable) -> Array:
    """Positions in the order of the keys. Keys that are equal when cut off are ordered by their full texts."""
    order = np.argsort(keys.words, kind="stable")
    words = keys.words[order]
    alike = np.flatnonzero(words[1:] == words[:-1])
    for run in np.split(alike, np.flatnonzero(np.diff(alike) > 1) + 1) if len(alike) else ():
        places = order[run[0] : run[-1] + 2].tolist()
        order[run[0] : run[-1] + 2] = sorted(places, key=lambda place: column[place].as_py().encode())
    return order


def _numbers(table: ArrowTable, name: str, kind: Any) -> Array:
    values: Array = table.column(name).combine_chunks().to_numpy(zero_copy_only=False).astype(kind)
    return values


def _signatures(letters: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Bits of the letters that occur in each text once and twice."""
    made = np.zeros(len(letters), np.uint64)
    for column in letters.T:
        first = np.uint64(1) << _FIRST_BIT[column]
        bits = np.where((made & first) != 0, np.uint64(1) << _SECOND_BIT[column], first)
        made |= np.where(column == 0, np.uint64(0), bits)
    return made


def _signature(text: bytes) -> int:
    made = 0
    for letter in text:
        first = 1 << int(_FIRST_BIT[letter])
        made |= 1 << int(_SECOND_BIT[letter]) if made & first else first
    return made


def _distances(letters: NDArray[np.uint8], lengths: NDArray[np.int64], text: bytes, most: int) -> NDArray[np.int8]:
    """The edit distance of each text where it is at most ``most``, else any larger number. Edits add, remove or change
    a letter, or swap neighbours. Lengths differ by no more than ``most``."""
    count = len(letters)
    columns = np.ascontiguousarray(letters.T)
    far = np.int8(100)
    earlier = before = np.full((_WIDTH + 1, count), far)
    row = np.full((_WIDTH + 1, count), far)
    row[: most + 1] = np.arange(most + 1, dtype=np.int8)[:, None]
    for at, letter in enumerate(text, start=1):
        earlier, before, row = before, row, np.full((_WIDTH + 1, count), far)
        row[0] = at
        # Cells further from the diagonal than ``most`` cannot matter.
        for place in range(max(1, at - most), min(_WIDTH, at + most) + 1):
            best = np.minimum(before[place], row[place - 1]) + np.int8(1)
            np.minimum(best, before[place - 1] + (columns[place - 1] != letter), out=best)
            if at > 1 and place > 1:
                swapped = (columns[place - 2] == letter) & (columns[place - 1] == text[at - 2])
                best[swapped] = np.minimum(best[swapped], earlier[place - 2][swapped] + np.int8(1))
            row[place] = best
    found: NDArray[np.int8] = row[lengths, np.arange(count)]
    return found
