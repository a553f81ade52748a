"""Statements that read a mart for an export, one chain and month at a time, in types that Parquet has."""

from dataclasses import dataclass
from typing import Any

from warehouse.marts.mart import Column, Mart

_CHAIN = "chain_id"
_BLOCK = "block_number"
_MOVING = "as_of_block"
"""Grows with every block, though the rows stay the same."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Rows of one chain up to a block, of one month where the mart is partitioned by time."""

    chain_id: int
    last_block: int
    month: str | None = None

    def parameters(self) -> dict[str, Any]:
        """The values of the statements' parameters."""
        given = {"chain_id": self.chain_id, "last_block": self.last_block}
        if self.month is None:
            return given
        year, month = map(int, self.month.split("-"))
        following = f"{year + month // 12:04d}-{month % 12 + 1:02d}-01"
        return {**given, "first_day": f"{self.month}-01", "next_month": following}


def has_events(mart: Mart) -> bool:
    """Whether its rows are events of blocks, which stay as they are."""
    return _BLOCK in mart.column_names and mart.month_of is not None


def rows(mart: Mart, database: str, part: Slice) -> str:
    """All columns of the slice."""
    columns = ", ".join(f"{_stored(column)} AS {column.name}" for column in mart.columns)
    return f"SELECT {columns} FROM {_source(mart, database, part)}"  # noqa: S608 - names of our own


def fingerprint(mart: Mart, database: str, part: Slice) -> str:
    """How many rows the slice has, and a hash that any change of one changes."""
    hashed = ", ".join(_hashable(column) for column in mart.columns if column.name != _MOVING)
    # A sum is the same in any order, and two equal rows do not cancel out.
    return f"SELECT count() AS n, hex(sum(sipHash64({hashed}))) AS hash FROM {_source(mart, database, part)}"  # noqa: S608


def months(mart: Mart, database: str, part: Slice) -> str:
    """The months of the chain that have rows."""
    month = f"formatDateTime({mart.month_of}, '%Y-%m')"
    return f"SELECT DISTINCT {month} AS month FROM {_source(mart, database, part)} ORDER BY month"  # noqa: S608


def _source(mart: Mart, database: str, part: Slice) -> str:
    conditions = []
    if _CHAIN in mart.column_names:
        conditions.append(f"{_CHAIN} = {{chain_id:UInt32}}")
    if has_events(mart):
        conditions.append(f"{_BLOCK} <= {{last_block:UInt64}}")
    if part.month is not None:
        conditions.append(f"{mart.month_of} >= {{first_day:Date}} AND {mart.month_of} < {{next_month:Date}}")
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    # Under a name of its own: a column of the list above must not stand for the one of the mart.
    return f"(SELECT * FROM `{database}`.`{mart.name}`{where}) AS source"  # noqa: S608


def _hashable(column: Column) -> str:
    """The hash of several values is null as soon as one of them is."""
    if column.type.startswith("Nullable"):
        return f"isNull({column.name}), ifNull(toString({column.name}), '')"
    return column.name


def _stored(column: Column) -> str:
    """In a type that Arrow has: ClickHouse writes its shorter times as numbers."""
    if "DateTime64" not in column.type and "DateTime" in column.type:
        return f"toDateTime64(source.{column.name}, 0, 'UTC')"
    if "Date32" not in column.type and "Date" in column.type and "DateTime" not in column.type:
        return f"toDate32(source.{column.name})"
    return f"source.{column.name}"
