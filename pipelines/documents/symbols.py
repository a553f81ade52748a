"""Symbols: what fuzzy search ranks its candidates by, and the forms it finds them by."""

from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from decimal import Decimal
from typing import Annotated, Any, NamedTuple

from pipelines import frames
from pipelines.documents.rows import Document
from pipelines.refresh_run import RefreshRun
from warehouse.domain.symbols import deletion_edits, deletion_forms, fold


class Symbol(NamedTuple):
    """A row of ``serve_symbol`` without its version."""

    symbol_key: Annotated[str, frames.TEXT]
    deleted: Annotated[int, frames.UINT8]
    symbol_folded: Annotated[str, frames.TEXT]
    token_count: Annotated[int, frames.UINT32]
    best_market_score: Annotated[Decimal, frames.decimal(18, 9)]


_COLUMNS = {**frames.kinds(Symbol), "version": frames.UINT64}
_FORM_COLUMNS = {"form": frames.TEXT, "symbol_key": frames.TEXT}
_SCORE_DIGITS = Decimal("1e-9")
_MAX_HEX_DIGITS = 100_000
_MAX_THINNED_LENGTH = 22
"""Search accepts 20 characters. A symbol longer than two edits beyond that is found by its complete fold only."""


def read_of(run: RefreshRun, name: str, parameter: str, texts: AbstractSet[str]) -> list[dict[str, Any]]:
    """Rows of a query for each of these texts. They are passed as one hexadecimal text with commas:
    an array of a thousand costs the planner more than reading the rows, and symbols would be escaped several times on
    the way. Very many texts are split between several statements, whose size is limited."""
    groups: list[list[str]] = []
    digits = 0
    for text in sorted(texts):
        written = text.encode().hex()
        digits += len(written)
        if not groups or digits > _MAX_HEX_DIGITS:
            groups.append([])
            digits = len(written)
        groups[-1].append(written)
    return [row for group in groups for row in run.read(name, {parameter: ",".join(group)})]


def refresh_symbols(run: RefreshRun, symbols: set[str], rows: Iterable[Document], newest: Iterable[Symbol]) -> None:
    """Write the rows of the symbols that changed, and the forms of new ones. ``rows`` holds every token of them,
    ``newest`` the newest row of each symbol that has one."""
    tokens: dict[str, list[Document]] = defaultdict(list)
    for row in rows:
        if row.symbol_key in symbols and not row.deleted:
            tokens[row.symbol_key].append(row)
    current = {symbol.symbol_key: symbol for symbol in newest}
    made = [_symbol(key, tokens[key]) for key in sorted(symbols)]
    written = [symbol for symbol in made if symbol != current.get(symbol.symbol_key)]
    # Write forms first: a symbol that is listed can then always be found.
    forms = [
        {"form": form, "symbol_key": symbol.symbol_key}
        for symbol in written
        if symbol.symbol_key not in current
        for form in symbol_forms(symbol.symbol_folded)
    ]
    if forms:
        run.warehouse.insert_arrow("serve_symbol_form", frames.table(_FORM_COLUMNS, forms))
    if written:
        run.warehouse.insert_arrow(
            "serve_symbol", frames.of_tuples(_COLUMNS, [(*symbol, run.version) for symbol in written])
        )


def symbol_forms(folded: str) -> list[str]:
    """The forms a symbol is stored under."""
    edits = deletion_edits(folded) if len(folded) <= _MAX_THINNED_LENGTH else 0
    return sorted(deletion_forms(folded, edits))


def _symbol(key: str, tokens: list[Document]) -> Symbol:
    best = max((row.market_score for row in tokens), default=Decimal(0))
    return Symbol(key, int(not tokens), fold(key), len(tokens), best.quantize(_SCORE_DIGITS))
