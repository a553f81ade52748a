"""Tokens with the same symbol, or one that looks like it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pipelines.documents.rows import Document, from_warehouse
from pipelines.documents.symbols import Symbol, read_of
from pipelines.parallel import run_parallel
from pipelines.refresh_run import RefreshRun
from warehouse.domain.symbols import fold


@dataclass(slots=True)
class SameSymbolTokens:
    """Newest rows of the tokens whose symbol is, was, or looks like one of the given symbols, and newest rows of these
    symbols. Each is read once: nobody else writes them while the run holds the serving lock."""

    run: RefreshRun
    tokens: list[Document] = field(default_factory=list)
    symbols: list[Symbol] = field(default_factory=list)
    _folds: set[str] = field(default_factory=set)
    _keys: set[str] = field(default_factory=set)

    def find(self, keys: Iterable[str]) -> None:
        """Read the rows of these symbols and their look-alikes, except those read before."""
        asked = {key for key in keys if key} - self._keys
        folds = {fold(key) for key in asked} - self._folds
        alike = {row["symbol_key"] for row in read_of(self.run, "documents/symbols_of_forms", "forms", folds)}
        new = asked | {key for key in alike if fold(key) in folds} - self._keys
        if new:
            tokens, symbols = run_parallel(
                lambda: read_of(self.run, "documents/current_tokens", "symbols", new),
                lambda: read_of(self.run, "documents/current_symbols", "symbols", new),
            )
            self.tokens += map(from_warehouse, tokens)
            self.symbols += [Symbol(**row) for row in symbols]
        self._folds |= folds
        self._keys |= new
