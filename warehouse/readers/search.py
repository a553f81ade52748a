"""Readers of the search tables: the current publication, symbols near a query, and the rows of symbols.

The row of a token at a version is its newest one up to that version. The caller pins the version, so several
statements see the same data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from warehouse import sql
from warehouse.domain.symbols import deletion_forms, fold
from warehouse.readers.columns import SortKey, fixed_records, positions_in, sort_key
from warehouse.readers.source import Source
from warehouse.readers.symbols import NearSymbol

NEWEST = 2**64 - 1
# One row of the column ``ranking``, in the order the table puts it together (sql/warehouse/0002_serve.sql).
RANKING = np.dtype(
    [
        ("address", "u1", (32,)), ("copy_of_address", "u1", (32,)), ("factory_owner", "u1", (20,)), ("version", "<u8"),
        ("market_score", "<i8"), ("chain_id", "<u4"), ("copy_of_chain_id", "<u4"), ("registered_at", "<u4"),
        ("heartbeat_hundredths", "<i4"), ("deleted", "u1"), ("is_copy", "u1"), ("registered", "u1"),
        ("address_bytes", "u1"), ("unused", "V4"),
    ]
)  # fmt: skip
_COLUMNS = tuple(name for name in RANKING.names or () if name not in ("deleted", "unused"))
Document = Mapping[str, Any]
RowKey = tuple[int, str, int]
"""Chain id, address in hexadecimal and version: one row of a symbol."""


@dataclass(frozen=True, slots=True)
class Publication:
    """A version of the served tables, and the last block of each chain in it."""

    version: int
    published_at: datetime
    as_of_blocks: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class TokenRows:
    """Tokens of some symbols as columns. ``symbol`` is a position in ``symbols``; addresses are padded with zeros;
    ``heartbeat_hundredths`` is -1 where there is no score; ``registered`` is 1 for an active registration."""

    symbols: tuple[str, ...]
    symbol: NDArray[np.uint32]
    chain_id: NDArray[np.uint32]
    address: NDArray[np.uint8]
    address_bytes: NDArray[np.uint8]
    version: NDArray[np.uint64]
    is_copy: NDArray[np.uint8]
    copy_of_chain_id: NDArray[np.uint32]
    copy_of_address: NDArray[np.uint8]
    registered: NDArray[np.uint8]
    registered_at: NDArray[np.uint32]
    heartbeat_hundredths: NDArray[np.int32]
    factory_owner: NDArray[np.uint8]
    market_score: NDArray[np.int64]
    sort_value: SortKey
    documents: Any | None

    def __len__(self) -> int:
        """How many tokens."""
        return len(self.symbol)

    def key(self, position: int) -> RowKey:
        """The key of the row at a position."""
        address = self.address[position, : self.address_bytes[position]].tobytes().hex()
        return int(self.chain_id[position]), address, int(self.version[position])


async def read_publication(source: Source, version: int = NEWEST) -> Publication | None:
    """The newest publication, not above ``version``; None before the first."""
    found = await source.rows(sql.load("queries/search/publication"), {"version": version})
    return Publication(**found[0]) if found else None


async def read_near_symbols(source: Source, symbol: str, *, edits: int, limit: int, version: int) -> list[NearSymbol]:
    """Symbols that begin with ``symbol``, look like it, or are within ``edits`` edits; includes itself."""
    folded = fold(symbol)
    found = await source.arrow(
        sql.load("queries/search/expansions"),
        {
            "symbol": symbol,
            "folded": folded,
            "forms": sorted(deletion_forms(folded, edits)),
            "edits": edits,
            "limit": limit,
            "version": version,
        },
    )
    return [NearSymbol(row["symbol_key"], row["folded"], row["tokens"]) for row in found.to_pylist()]


async def read_token_rows(
    source: Source,
    symbols: Sequence[str],
    *,
    version: int,
    sort_column: str,
    with_documents: bool = False,
    if_newest: bool = False,
) -> TokenRows:
    """The tokens of these symbols at this version. ``sort_column`` is the column that ``sort_value`` holds. With
    ``if_newest`` there are none unless the version is the newest when they are read."""
    table = await source.arrow(
        sql.load("queries/search/rows_if_newest" if if_newest else "queries/search/rows"),
        {
            "symbols": list(symbols),
            "version": version,
            "sort_column": sort_column,
            "with_documents": int(with_documents),
        },
    )
    records = fixed_records(table.column("ranking"), RANKING)
    chosen = _newest_rows(records)
    columns = {name: np.ascontiguousarray(records[name][chosen]) for name in _COLUMNS}
    return TokenRows(
        symbols=tuple(symbols),
        symbol=positions_in(symbols, table.column("symbol_key"))[chosen],
        **columns,
        sort_value=sort_key(table.column("sort_value")).select(chosen),
        documents=table.column("document").take(chosen) if with_documents else None,
    )


async def read_documents(source: Source, rows: TokenRows, positions: Sequence[int]) -> dict[RowKey, Document]:
    """The documents of the rows at these positions, by key."""
    if not positions:
        return {}
    if rows.documents is not None:
        return {rows.key(position): orjson.loads(rows.documents[position].as_py()) for position in positions}
    keys = {rows.key(position) for position in positions}
    found = await source.arrow(
        sql.load("queries/search/documents"),
        {
            "symbols": sorted({rows.symbols[int(rows.symbol[position])] for position in positions}),
            "addresses": sorted({address for _, address, _ in keys}),
            "version": max(version for _, _, version in keys),
        },
    )
    names = ("chain_id", "address_hex", "version")
    read = dict(
        zip(
            zip(*(found.column(name).to_pylist() for name in names), strict=True),
            found.column("document").to_pylist(),
            strict=True,
        )
    )
    return {key: orjson.loads(read[key]) for key in keys if key in read}


def _newest_rows(records: Any) -> Any:
    """Positions of the newest row of each token, without deleted tokens."""
    words = np.ascontiguousarray(records["address"]).view("<u8")
    chains = records["chain_id"]
    # A token that changed its symbol has two rows of one version: the deleted one sorts first.
    order = np.lexsort((records["deleted"] == 0, records["version"], *words.T[::-1], chains))
    words, chains = words[order], chains[order]
    last = np.ones(len(order), bool)
    if len(order) > 1:
        last[:-1] = (chains[1:] != chains[:-1]) | (words[1:] != words[:-1]).any(axis=1)
    newest = order[last]
    return newest[records["deleted"][newest] == 0]
