"""Cut a unit where a month begins: the largest tables are partitioned by month.

An insert into one partition is one part with one deduplication token: it is there as a whole or not at all, and the row
that fences an abandoned unit meets every insert of that unit (``docs/decisions/0051-storage-by-month.md``).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.unit import AssembledUnit, Blocks, Change, Rows
from warehouse.domain.facts import FACT_TABLES
from warehouse.writer import ColumnData, take_rows


def split_by_month(unit: AssembledUnit) -> Iterator[AssembledUnit]:
    """The unit, or one unit for each of its months, in the order of the chain.

    What the unit touched is announced with each part from its first block on, also where it was touched before.
    Its events count with the last part.
    """
    blocks = unit.blocks
    months = blocks.time.astype("datetime64[s]").astype("datetime64[M]")
    starts = [0, *(np.flatnonzero(months[1:] != months[:-1]) + 1).tolist()]
    if len(starts) == 1:
        yield unit
        return
    # A token's reading may be of a block before the unit: it goes with the first part.
    lowest = 0
    for start, end in zip(starts, [*starts[1:], len(blocks)], strict=True):
        part = _slice(blocks, start, end)
        yield replace(
            unit,
            blocks=part,
            tables=_rows_between(unit.tables, lowest, part.last),
            changes=_announced(unit.changes, part),
            event_count=unit.event_count if end == len(blocks) else 0,
        )
        lowest = part.last + 1


def _slice(blocks: Blocks, start: int, end: int) -> Blocks:
    return Blocks(
        blocks.number[start:end],
        blocks.hash[start:end],
        blocks.parent[start:end],
        blocks.time[start:end],
        blocks.transaction_count[start:end],
    )


def _rows_between(tables: Mapping[str, Sequence[Rows]], lowest: int, highest: int) -> dict[str, list[Rows]]:
    return {
        table: [_take(rows, np.asarray(rows[FACT_TABLES[table].block_column]), lowest, highest) for rows in parts]
        for table, parts in tables.items()
    }


def _take(rows: Rows, numbers: NDArray[Any], lowest: int, highest: int) -> dict[str, ColumnData]:
    kept = np.flatnonzero((numbers >= lowest) & (numbers <= highest))
    return {name: take_rows(column, kept) for name, column in rows.items()}


def _announced(changes: Sequence[Change], part: Blocks) -> list[Change]:
    return [
        change if change.from_block >= part.first else Change(change.subject, change.key, part.first, int(part.time[0]))
        for change in changes
        if change.from_block <= part.last
    ]
