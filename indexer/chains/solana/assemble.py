"""From chunks to the rows of one unit, in the order of the chain."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from indexer.chains.errors import ChainMoved
from indexer.chains.solana.blocks import DecodedBlock
from indexer.chains.solana.decoders.frame import Columns, Tables, add_rows
from indexer.chains.solana.decoders.trades import POOL_EVENTS
from indexer.chains.solana.fetch import Chunk
from indexer.chains.solana.pools.settle import settle_pools
from indexer.known import Known
from indexer.unit import SUBJECTS, AssembledUnit, Blocks, Change, Rows
from indexer.write import TABLES
from warehouse.writer import ColumnData

_NUMBERS: Mapping[str, type[np.generic]] = {
    "UInt8": np.uint8, "UInt32": np.uint32, "UInt64": np.uint64, "Int32": np.int32, "DateTime": np.uint32,
}  # fmt: skip


def require_linked(chunks: Sequence[Chunk]) -> list[DecodedBlock]:
    """The blocks of consecutive chunks, checked to name the one before as their parent."""
    for before, after in itertools.pairwise(chunks):
        if after.first != before.last + 1:
            raise ChainMoved(f"slot {after.first} does not follow slot {before.last}")
    blocks = [block for chunk in chunks for block in chunk.blocks]
    for parent, block in itertools.pairwise(blocks):
        if block.parent_slot != parent.slot or block.parent_hash != parent.hash:
            raise ChainMoved(f"the block of slot {block.slot} does not follow that of slot {parent.slot}")
    return blocks


Complete: TypeAlias = Callable[[Known, Blocks, Tables], None]
"""Adds to the tables of a unit what depends on earlier blocks or on the state of the chain."""


def assemble_unit(chunks: Sequence[Chunk], known: Known, complete: Complete | None = None) -> AssembledUnit:
    """The unit that these consecutive chunks make."""
    blocks = block_columns(require_linked(chunks))
    tables: Tables = {}
    for chunk in chunks:
        add_rows(tables, chunk.tables)
    known.begin_unit()
    events = tables.pop(POOL_EVENTS, None)
    if events is not None:
        tables |= settle_pools(events["event"], known)
    if complete is not None:
        complete(known, blocks, tables)
    # What is no table of the warehouse was for ``complete``.
    tables = {name: columns for name, columns in tables.items() if name in TABLES and next(iter(columns.values()))}
    rows = {table: [column_data(table, columns)] for table, columns in tables.items()}
    return AssembledUnit(blocks, rows, changes(blocks, tables), sum(chunk.event_count for chunk in chunks))


def block_columns(blocks: Sequence[DecodedBlock]) -> Blocks:
    """Blocks by column."""

    def fixed(values: Iterable[bytes]) -> np.ndarray[Any, np.dtype[np.uint8]]:
        return np.frombuffer(b"".join(values), np.uint8).reshape(len(blocks), 32)

    return Blocks(
        np.array([block.slot for block in blocks], np.uint64),
        fixed(block.hash for block in blocks),
        fixed(block.parent_hash for block in blocks),
        np.array([block.time for block in blocks], np.uint32),
        np.array([block.transaction_count for block in blocks], np.uint32),
    )


def column_data(table: str, columns: Columns) -> Rows:
    """Lists of Python values as the writer takes them, by the types of the table's columns."""
    return {name: _column(kind, columns[name]) for name, kind in TABLES[table]}


def _column(kind: str, values: list[Any]) -> ColumnData:
    if kind in ("UInt256", "Int256"):
        signed = kind == "Int256"
        words = b"".join([value.to_bytes(32, "little", signed=signed) for value in values])
        return np.frombuffer(words, np.uint8).reshape(len(values), 32)
    if kind.startswith("Nullable("):
        inner = kind[len("Nullable(") : -1]
        missing = np.array([value is None for value in values], np.bool_)
        filled: Any = _column(inner, [0 if value is None else value for value in values])
        return missing, filled
    number = _NUMBERS.get(kind)
    return values if number is None else np.array(values, number)


def changes(blocks: Blocks, tables: Tables) -> list[Change]:
    """What the rows touched, each with its first block."""
    touched: dict[tuple[str, bytes], int] = {}
    for table, (subject, column) in SUBJECTS.items():
        columns = tables.get(table)
        if columns is None:
            continue
        numbers = columns["read_block" if table == "fact_token" else "block_number"]
        keys = columns[column] if column is not None else itertools.repeat(b"", len(numbers))
        for key, number in zip(keys, numbers, strict=True):
            at = subject, key
            if number < touched.get(at, number + 1):
                touched[at] = number
    times = blocks.times_of(np.array(list(touched.values()), np.uint64)).tolist() if touched else []
    rows = zip(touched.items(), times, strict=True)
    return [Change(subject, key, block, time) for ((subject, key), block), time in sorted(rows)]
