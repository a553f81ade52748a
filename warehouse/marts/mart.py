"""What a mart declares about itself."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its ClickHouse type, and what it holds in one sentence."""

    name: str
    type: str
    comment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mart:
    """A view of the ``marts`` database. Its statement is ``sql/marts/<name>.sql``."""

    name: str
    comment: str
    """What it shows, in one sentence."""
    grain: str
    """What one row is."""
    key: tuple[str, ...]
    """Columns that name a row."""
    month_of: str | None = None
    """The column of time by whose month an export is partitioned; None: by chain only."""
    internals: tuple[str, ...]
    """Tables that it is made of."""
    columns: Sequence[Column]

    @property
    def column_names(self) -> list[str]:
        """Names of its columns, in order."""
        return [column.name for column in self.columns]


TIME = "DateTime64(0, 'UTC')"
"""Whole seconds. Arrow has no timestamp for DateTime, which frames would show as a number."""
TEXT = "String"
FLOAT = "Float64"

CHAIN = (
    Column("chain", TEXT, "Key of the chain, such as base."),
    Column("chain_id", "UInt32", "Number of the chain: that of EIP-155, 900900 for Solana."),
    Column("caip2", TEXT, "CAIP-2 identifier of the chain, such as eip155:8453."),
)
TOKEN = (
    Column("token", TEXT, "Address of the token: lowercase hexadecimal with 0x, base58 on Solana."),
    Column("symbol", TEXT, "Symbol of the token as it is now; empty when it has none."),
    Column("name", TEXT, "Name of the token as it is now; empty when it has none."),
)
AS_OF_BLOCK = Column("as_of_block", "UInt64", "The last published block of the chain: rows are complete up to it.")


def nullable(type_name: str) -> str:
    """The type with null for what is unknown."""
    return f"Nullable({type_name})"


def amount_of(what: str, name: str = "amount") -> tuple[Column, Column]:
    """A column with an approximate amount, and the one with the exact amount as text."""
    return (
        Column(name, nullable(FLOAT), f"{what}, in whole units. Approximate (15 digits); null without known decimals."),
        Column(f"{name}_raw", TEXT, f"{what}, exact, in base units as decimal text."),
    )
