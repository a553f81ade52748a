"""The symbols of the newest published version, kept in memory and brought up to date with each publication."""

import asyncio
from datetime import timedelta

from api.http.metrics import Metrics
from warehouse.readers.search import Publication
from warehouse.readers.source import Source
from warehouse.readers.symbols import SymbolIndex, read_symbols

MAX_SYMBOLS = 3_000_000
"""Of more, which take some 250 MB, searches ask the warehouse for near symbols instead."""


RETRY_AFTER = timedelta(minutes=10)
"""When to try again after there were too many symbols."""


class SymbolKeeper:
    """Holds one index, and the publication it shows.

    Until it is loaded, and if there are too many symbols, there is no index: ask the warehouse.
    """

    def __init__(self, source: Source, metrics: Metrics, *, most: int = MAX_SYMBOLS) -> None:
        self.source = source
        self.most = most
        self._state: tuple[Publication, SymbolIndex] | None = None
        self._turn = asyncio.Lock()
        self._loading: asyncio.Task[None] | None = None
        self._too_many: Publication | None = None
        self._warehouses = 0
        metrics.watch_cache("symbol_index", lambda: len(self._state[1]) if self._state is not None else 0)

    async def at(self, publication: Publication) -> tuple[Publication, SymbolIndex | None]:
        """The index of this publication or of a newer one, with that publication."""
        if self._state is None:
            self._begin_loading(publication)
            return publication, None
        if self._state[0].version < publication.version:
            async with self._turn:
                await self._advance(publication)
        return self._state or (publication, None)

    @property
    def publication(self) -> Publication | None:
        """The publication that the index shows, if there is an index."""
        return self._state[0] if self._state is not None else None

    def of(self, version: int) -> SymbolIndex | None:
        """The index, if it is of exactly this version."""
        return self._state[1] if self._state is not None and self._state[0].version == version else None

    def check(self, newest: Publication | None) -> bool:
        """Drop an index that is newer than the newest publication of the warehouse: it is of another warehouse. True if
        it was dropped."""
        if self._state is None or (newest is not None and newest.version >= self._state[0].version):
            return False
        self._state = None
        self._warehouses += 1
        return True

    def _begin_loading(self, publication: Publication) -> None:
        if self._too_many is not None and publication.published_at - self._too_many.published_at < RETRY_AFTER:
            return
        if self._loading is None or self._loading.done():
            self._loading = asyncio.create_task(self._load(publication))
            # If a load fails, the next search starts another one and asks the warehouse itself meanwhile.
            self._loading.add_done_callback(lambda task: task.cancelled() or task.exception())

    async def _load(self, publication: Publication) -> None:
        version, warehouses = publication.version, self._warehouses
        table = await read_symbols(self.source, after=0, version=version, limit=self.most + 1)
        if table.num_rows > self.most:
            self._too_many = publication
            return
        index = await asyncio.to_thread(SymbolIndex.build, table, version)
        if self._warehouses == warehouses:
            self._state = publication, index

    async def _advance(self, publication: Publication) -> None:
        if self._state is None or self._state[0].version >= publication.version:
            return
        index, version, warehouses = self._state[1], publication.version, self._warehouses
        changes = await read_symbols(self.source, after=index.version, version=version, limit=self.most + 1)
        advanced = await asyncio.to_thread(index.advanced, changes, version)
        if self._warehouses != warehouses:
            return  # the warehouse was replaced meanwhile
        self._state = (publication, advanced) if len(advanced) <= self.most else None
        self._too_many = publication if self._state is None else None
