"""Input and output of every decoder: a block in, rows of tables by column out. No I/O, no state."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from indexer.chains.solana.base58 import key_bytes
from indexer.chains.solana.blocks import DecodedBlock
from indexer.chains.solana.pools.programs import PoolProgram, pool_programs
from warehouse.domain.chains import Chain

Columns: TypeAlias = dict[str, list[Any]]
"""Rows of one table by column. Integers are Python's, of any size; strings and addresses are bytes; flags are bool; a
nullable value is None; a list of strings is a list of bytes. Without the columns that the writer adds (chain, block
time, unit)."""

Tables: TypeAlias = dict[str, Columns]
"""Columns by table."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What one chain's facts say about its accounts."""

    chain: Chain
    registry: bytes | None = None
    pool_programs: Mapping[str, PoolProgram] = field(default_factory=dict)


Decoder: TypeAlias = Callable[[DecodedBlock, Scope], Mapping[str, Columns]]


def scope_of(chain: Chain) -> Scope:
    """The scope of ``chain``."""
    registry = chain.contracts.get("registry")
    return Scope(chain, registry=key_bytes(registry) if registry else None, pool_programs=pool_programs(chain))


def add_rows(tables: Tables, more: Mapping[str, Columns]) -> None:
    """Append rows to ``tables``; every part of a table has the same columns."""
    for table, columns in more.items():
        known = tables.get(table)
        if known is None:
            tables[table] = {name: list(column) for name, column in columns.items()}
        else:
            for name, column in columns.items():
                known[name] += column
