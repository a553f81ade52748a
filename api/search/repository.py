"""What a search reads from the warehouse, with short-lived caches.

The newest publication is read at most a few times a second. A search with `refresh` reads the rows of the known version
on the condition that no newer one is published. Near symbols are looked up in memory. A version never changes, so its
rows serve every page, order and filter of the same search, and a row's document serves every search that shows it.
"""

from collections import OrderedDict
from collections.abc import Sequence

from api.http.cache import Cache
from api.http.metrics import Metrics
from api.search.errors import NothingPublished
from api.search.symbols import SymbolKeeper
from warehouse.readers.search import (
    NEWEST,
    Document,
    Publication,
    RowKey,
    TokenRows,
    read_documents,
    read_near_symbols,
    read_publication,
    read_token_rows,
)
from warehouse.readers.source import Source
from warehouse.readers.symbols import NearSymbol

PUBLICATION_SECONDS = 0.25
VERSION_SECONDS = 600.0
MAX_EXPANSIONS = 50
MAX_EXPANSION_TOKENS = 5_000
# Up to this many documents are cheaper to read with the rows than separately.
INLINE_DOCUMENTS = 1_000
MAX_DOCUMENTS = 5_000
"""Documents of shown rows that are cached, some 4 KB each."""


class SearchRepository:
    """Reads of one application."""

    def __init__(self, source: Source, metrics: Metrics) -> None:
        self.source = source
        self._publications: Cache[Publication | None] = Cache(
            "search_publication", ttl_seconds=PUBLICATION_SECONDS, metrics=metrics, limit=1
        )
        self._index = SymbolKeeper(source, metrics)
        self._symbols: Cache[list[NearSymbol]] = Cache(
            "search_symbols", ttl_seconds=VERSION_SECONDS, metrics=metrics, limit=1_000
        )
        # A popular symbol's rows take some megabytes, so few are cached: they serve further pages of a search.
        self._rows: Cache[TokenRows] = Cache("search_rows", ttl_seconds=VERSION_SECONDS, metrics=metrics, limit=16)
        self._documents: OrderedDict[RowKey, Document] = OrderedDict()
        metrics.watch_cache("search_documents", self._documents.__len__)

    async def publication(self, *, refresh: bool = False) -> Publication:
        """The newest published state.

        Raises:
            NothingPublished: nothing was published yet.
        """
        found = await self._publications.get(NEWEST, self._read_newest, refresh=refresh)
        if found is None:
            raise NothingPublished
        return found

    async def newest(self, *, refresh: bool = False) -> Publication:
        """The newest published state, with the symbol index brought up to date; see :meth:`publication`."""
        publication, _ = await self._index.at(await self.publication(refresh=refresh))
        return publication

    async def publication_at(self, version: int) -> Publication | None:
        """The state with this version, if it was published."""
        found = await read_publication(self.source, version)
        return found if found is not None and found.version == version else None

    async def symbols(self, symbol: str, *, exact: bool, version: int, refresh: bool = False) -> tuple[list[str], bool]:
        """The symbol and its expansions, the best first, and whether their tokens are few."""
        if exact:
            return [symbol], False
        edits, limit = allowed_edits(symbol), MAX_EXPANSIONS + 1
        index = self._index.of(version)
        if index is not None:
            return _expansion(symbol, index.near(symbol, edits=edits, limit=limit))
        near = await self._symbols.get(
            (symbol, version),
            lambda: read_near_symbols(self.source, symbol, edits=edits, limit=limit, version=version),
            refresh=refresh,
        )
        return _expansion(symbol, near)

    async def rows(
        self, symbols: Sequence[str], *, version: int, sort_column: str, few: bool, refresh: bool = False
    ) -> TokenRows:
        """The tokens of the symbols at a version; if they are few, with their documents."""
        key = (tuple(symbols), version, sort_column)
        return await self._rows.get(
            key,
            lambda: read_token_rows(self.source, symbols, version=version, sort_column=sort_column, with_documents=few),
            refresh=refresh,
        )

    async def rows_if_newest(
        self, symbol: str, *, exact: bool, sort_column: str
    ) -> tuple[Publication, TokenRows] | None:
        """The tokens of the symbol and its expansions in the newest published state, read by one statement that starts
        now; None if the known state is not the newest."""
        held = self._index.publication
        if held is None:
            return None
        symbols, few = await self.symbols(symbol, exact=exact, version=held.version)
        rows = await read_token_rows(
            self.source,
            symbols,
            version=held.version,
            sort_column=sort_column,
            with_documents=few,
            if_newest=True,
        )
        # No rows: there are no tokens, or there is a newer publication.
        if len(rows) == 0:
            return None
        if self._index.publication is held:
            self._publications.put(NEWEST, held)
        self._rows.put((tuple(symbols), held.version, sort_column), rows)
        return held, rows

    async def documents(self, rows: TokenRows, positions: Sequence[int]) -> dict[RowKey, Document]:
        """The documents of the rows at these positions."""
        if rows.documents is not None:
            return await read_documents(self.source, rows, positions)
        kept = self._documents
        keys = {position: rows.key(position) for position in positions}
        found = {key: kept[key] for key in keys.values() if key in kept}
        missing = [position for position, key in keys.items() if key not in found]
        found |= await read_documents(self.source, rows, missing)
        for key, document in found.items():
            kept[key] = document
            kept.move_to_end(key)
        while len(kept) > MAX_DOCUMENTS:
            kept.popitem(last=False)
        return found

    async def _read_newest(self) -> Publication | None:
        newest = await read_publication(self.source)
        if self._index.check(newest):
            self._documents.clear()
            self._rows.clear()
        return newest


def allowed_edits(symbol: str) -> int:
    """Edits that a near symbol may differ by: one from five characters on, two from nine."""
    return 2 if len(symbol) >= 9 else 1 if len(symbol) >= 5 else 0


def _expansion(symbol: str, near: Sequence[NearSymbol]) -> tuple[list[str], bool]:
    """The symbol and the near symbols that are searched, and whether their tokens are few."""
    chosen, tokens = [symbol], 0
    for other in near:
        if other.symbol != symbol and tokens < MAX_EXPANSION_TOKENS and len(chosen) <= MAX_EXPANSIONS:
            chosen.append(other.symbol)
            tokens += other.tokens
    total = tokens + sum(other.tokens for other in near if other.symbol == symbol)
    return chosen, total <= INLINE_DOCUMENTS
