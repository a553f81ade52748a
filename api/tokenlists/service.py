"""The token list from memory: a version is read once, and its answers are kept as bytes."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from api.http.cache import Cache
from api.http.conditional import Prepared, prepare
from api.http.metrics import Metrics
from api.http.rendering import dumps
from api.tokenlists.document import MAX_TOKENS, document, token
from api.tokenlists.errors import VersionNotPublished
from api.tokenlists.records import Entry, Version
from warehouse.errors import StoreUnavailable
from warehouse.store import Store

FRESH_SECONDS = 2.0
"""How long the newest version is cached."""
STALE_SECONDS = 600.0
"""How long the list is served while the store is down."""
_ANSWERS = 256
Filter = tuple[int | None, tuple[str, ...]]


@dataclass(slots=True)
class Published:
    """One version in memory. ``tokens`` are in wire form, those listed longest first."""

    version: Version
    name: str
    tokens: Sequence[Mapping[str, Any]]
    by_chain: Mapping[int, Sequence[int]]
    by_symbol: Mapping[str, Sequence[int]]
    answers: Callable[[Filter], Prepared] = field(init=False)

    @classmethod
    def of(cls, version: Version, name: str, tokens: Sequence[Mapping[str, Any]]) -> "Published":
        """A version with its indexes; the answer without a filter is made at once."""
        by_chain: dict[int, list[int]] = defaultdict(list)
        by_symbol: dict[str, list[int]] = defaultdict(list)
        for position, one in enumerate(tokens):
            by_chain[one["chainId"]].append(position)
            by_symbol[one["symbol"]].append(position)
        made = cls(version, name, tokens, by_chain, by_symbol)
        made.answers = lru_cache(_ANSWERS)(made.answer)
        made.answers((None, ()))
        return made

    def answer(self, wanted: Filter) -> Prepared:
        """The list's answer to a filter."""
        chain_id, symbols = wanted
        if symbols:
            positions = sorted(position for symbol in set(symbols) for position in self.by_symbol.get(symbol, ()))
            chosen = [self.tokens[position] for position in positions]
            if chain_id is not None:
                chosen = [one for one in chosen if one["chainId"] == chain_id]
        elif chain_id is not None:
            chosen = [self.tokens[position] for position in self.by_chain.get(chain_id, ())]
        else:
            chosen = list(self.tokens)
        return prepare(dumps(document(self.name, self.version, chosen[:MAX_TOKENS])))


class TokenListService:
    """The list of one application.

    Args:
        name: of the list.
        monotonic: the clock of the caches.
    """

    def __init__(
        self, store: Store, name: str, metrics: Metrics, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self.store = store
        self.name = name
        self._current: Cache[Published] = Cache(
            "token_list_current",
            ttl_seconds=FRESH_SECONDS,
            stale_seconds=STALE_SECONDS,
            revalidates=True,
            metrics=metrics,
            monotonic=monotonic,
        )
        self._newest: Cache[Version] = Cache(
            "token_list_version",
            ttl_seconds=FRESH_SECONDS,
            stale_seconds=STALE_SECONDS,
            failures=(StoreUnavailable,),
            metrics=metrics,
            monotonic=monotonic,
        )
        self._versions: Cache[Published] = Cache("token_list", ttl_seconds=3_600.0, metrics=metrics, limit=4)

    async def warm(self) -> None:
        """Load the newest version now: ten thousand tokens take a quarter of a second.

        Raises:
            StoreUnavailable: the store is down.
        """
        await self._current.get("newest", self._read_published, refresh=True)

    async def newest(self) -> Version:
        """The newest version; there is always one."""
        return await self._newest.get("newest", self._read_newest)

    async def named(self, numbers: tuple[int, int, int]) -> Version:
        """The version of these numbers.

        Raises:
            VersionNotPublished: there is none.
        """
        found = await self.store.row(
            "tokenlists/find_version", dict(zip(("major", "minor", "patch"), numbers, strict=True)), Version
        )
        if found is None:
            raise VersionNotPublished(f"version: {'.'.join(map(str, numbers))} was not published")
        return found

    async def published(self) -> Published:
        """The newest version's list. While a newer one is loaded, the one before is served."""
        return await self._current.get("newest", self._read_published)

    async def of(self, version: Version) -> Published:
        """The list of a version."""
        return await self._versions.get(version.version_id, lambda: self._load(version))

    async def owned(self, wallet: str) -> Prepared:
        """The newest version's tokens whose registration a wallet owns."""
        version = await self.newest()
        rows = await self.store.rows(
            "tokenlists/list_owned",
            {"wallet": wallet, "version_id": version.version_id, "limit": MAX_TOKENS},
            Entry,
        )
        return prepare(dumps(document(self.name, version, map(token, rows))))

    async def _read_published(self) -> Published:
        # Not a version served stale: its age would add to the list's own.
        version = await self._read_newest()
        self._newest.put("newest", version)
        return await self.of(version)

    async def _read_newest(self) -> Version:
        row = await self.store.row("tokenlists/find_newest", None, Version)
        if row is None:
            raise StoreUnavailable("the store has no version of the token list")
        return row

    async def _load(self, version: Version) -> Published:
        rows = await self.store.rows("tokenlists/list_entries", {"version_id": version.version_id}, Entry)
        # In a thread: rendering ten thousand tokens would block other requests.
        return await asyncio.to_thread(_made, version, self.name, rows)


def _made(version: Version, name: str, rows: Sequence[Entry]) -> Published:
    return Published.of(version, name, [token(row) for row in rows])
