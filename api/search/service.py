"""Searches: from the query to the rendered answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from api.apps.pages import Page, PageApps
from api.claims.evidence import CopyFigures
from api.clock import Clock
from api.http.cache import Cache
from api.http.cursors import InvalidCursor
from api.http.metrics import Metrics
from api.http.rendering import dumps
from api.http.times import timestamp
from api.search import results
from api.search.cursors import Cursor, read_cursor, write_cursor
from api.search.errors import ResultsChanged
from api.search.parameters import ALL, SORT_COLUMNS, SearchQuery
from api.search.parameters import read_query as parse_query
from api.search.ranking import NO_ROW, STATUS_FILTERS, Matches, chain_order, find_matches, order, select
from api.search.repository import SearchRepository
from api.search.schemas import Filters, Meta, Pagination, PublishedState, SearchAnswer, SearchResult, Sort
from api.symbols.states import SymbolStates
from warehouse.domain.addresses import stored_from_digits
from warehouse.domain.chains import Chain, Chains
from warehouse.domain.lifecycle import SymbolStatus
from warehouse.errors import StoreUnavailable
from warehouse.readers.search import Publication, TokenRows
from warehouse.readers.source import Source

ANSWER_SECONDS = 5.0
MAX_ANSWERS = 2_000
MAX_REMEMBERED_QUERY_BYTES = 1_024


@dataclass(frozen=True, slots=True)
class Answer:
    """A rendered answer, and the wallets that get a different one."""

    body: bytes
    owners: frozenset[bytes]


@dataclass(frozen=True, slots=True)
class Found:
    """All matches of a query in order, at one published state."""

    publication: Publication
    moment: datetime
    rows: TokenRows
    matches: Matches
    ordered: NDArray[np.int64]
    available_on: tuple[int, ...]


class SearchService:
    """Searches of one application."""

    def __init__(
        self,
        source: Source,
        chains: Chains,
        states: SymbolStates,
        apps: PageApps,
        *,
        clock: Clock,
        metrics: Metrics,
        site_url: str,
    ) -> None:
        self.source = source
        self.states = states
        self.apps = apps
        self.figures = CopyFigures(apps.store)
        self.repository = SearchRepository(source, metrics)
        self.clock = clock
        self.site_url = site_url
        self._all_chains = chains
        self._parsed = lru_cache(4_096)(self._parse)
        readable = {key: chain for key, chain in chains.by_key.items() if not chain.claim_only}
        self.chains: Mapping[int, Chain] = {chain.chain_id: chain for chain in readable.values()}
        self.enabled = tuple(chain for chain in chains.enabled() if not chain.claim_only)
        self.chain_ranks = chain_order({key: chain.chain_id for key, chain in readable.items()})
        self._answers: Cache[Answer] = Cache("search", ttl_seconds=ANSWER_SECONDS, metrics=metrics, limit=MAX_ANSWERS)

    def read_query(self, text: bytes) -> SearchQuery:
        """What a query string asks for. Reading it again would cost more than answering from the cache, so it is
        remembered, except for long ones: parameters of other names are ignored, and could make any number of them.

        Raises:
            InvalidInput: a parameter is not valid.
        """
        return self._parse(text) if len(text) > MAX_REMEMBERED_QUERY_BYTES else self._parsed(text)

    def _parse(self, text: bytes) -> SearchQuery:
        return parse_query(text.decode("latin-1"), self._all_chains)

    async def answer(self, query: SearchQuery, wallet: str | None) -> bytes:
        """The answer as JSON, at most a few seconds old unless ``refresh`` is given."""
        found = await self._answers.get(query.answer_key, lambda: self._compute(query, None), refresh=query.refresh)
        if found.owners and wallet is not None and _account(wallet) in found.owners:
            key = (*query.answer_key, wallet)
            found = await self._answers.get(key, lambda: self._compute(query, wallet), refresh=query.refresh)
        return found.body

    def remembered(self, query: SearchQuery, wallet: str) -> bytes | None:
        """The answer, if it is cached and valid for the wallet."""
        if query.refresh:
            return None
        found = self._answers.peek(query.answer_key)
        if found is not None and found.owners and _account(wallet) in found.owners:
            found = self._answers.peek((*query.answer_key, wallet))
        return None if found is None else found.body

    async def _compute(self, query: SearchQuery, wallet: str | None) -> Answer:
        answer, found = await self.search(query, wallet)
        body = dumps(answer.model_dump(by_alias=True))
        return Answer(body, _factory_owners(found.rows))

    async def search(self, query: SearchQuery, wallet: str | None = None) -> tuple[SearchAnswer, Found]:
        """A page of results, and all matches that it is a part of.

        Raises:
            InvalidCursor: the cursor is invalid, or too old.
            NothingPublished: nothing is published.
        """
        cursor = None
        if query.cursor is not None:
            cursor = read_cursor(query.cursor, query.fingerprint, self.clock.now())
        found = await self.find(query, wallet, cursor)
        offset = cursor.offset if cursor else (query.page - 1) * query.page_size
        page = found.ordered[offset : offset + query.page_size]
        shown = await self._render(query, found, page)
        if query.with_apps:
            shown = await self._with_apps(shown)
        return self._assemble(query, found, shown, offset), found

    async def find(self, query: SearchQuery, wallet: str | None, cursor: Cursor | None) -> Found:
        """All matches in order, in the cursor's state or the newest."""
        column, inverted = SORT_COLUMNS[query.sort]
        publication, rows = await self._read(query, cursor, column)
        moment = cursor.moment if cursor else self.clock.now().replace(microsecond=0)
        available_on = cursor.available_on if cursor else await self._available_on(query, publication, rows)
        matches = find_matches(
            rows,
            available_on=available_on,
            chain_ranks=self.chain_ranks,
            now=moment,
            wallet=_account(wallet) if wallet is not None else None,
        )
        chosen = select(
            matches,
            chain_id=query.chain.chain_id if query.chain else None,
            statuses=STATUS_FILTERS[query.status] if query.status else None,
            crowns_only=query.crowns_only,
            include_inactive=query.include_inactive,
        )
        chosen = chosen[np.isin(matches.chain_id[chosen], list(self.chains))]
        descending = (query.order == "desc") != inverted
        ordered = order(matches, chosen, by_value=query.sort != "relevance", descending=descending)
        return Found(publication, moment, rows, matches, ordered, available_on)

    async def _read(self, query: SearchQuery, cursor: Cursor | None, column: str) -> tuple[Publication, TokenRows]:
        anew = query.refresh
        if anew and cursor is None:
            found = await self.repository.rows_if_newest(query.symbol, exact=query.exact, sort_column=column)
            if found is not None:
                return found
        publication = await self._publication(query, cursor)
        version = publication.version
        symbols, few = await self.repository.symbols(query.symbol, exact=query.exact, version=version, refresh=anew)
        rows = await self.repository.rows(symbols, version=version, sort_column=column, few=few, refresh=anew)
        return publication, rows

    async def _publication(self, query: SearchQuery, cursor: Cursor | None) -> Publication:
        if cursor is None:
            return await self.repository.newest(refresh=query.refresh)
        newest = await self.repository.publication()
        if newest.version == cursor.version:
            return newest
        pinned = await self.repository.publication_at(cursor.version)
        if pinned is None:
            raise InvalidCursor("shows a state that is no longer kept; begin again without it")
        return pinned

    async def _available_on(self, query: SearchQuery, publication: Publication, rows: TokenRows) -> tuple[int, ...]:
        """Chains in the publication that have no token of exactly the symbol, and on which it can be registered."""
        if query.crowns_only or query.status not in (None, "available"):
            return ()  # the filters leave no chain without a registration
        taken = set(np.unique(rows.chain_id[rows.symbol == 0]).tolist())
        free = [
            chain
            for chain in self.enabled
            if chain.chain_id in publication.as_of_blocks and chain.chain_id not in taken
        ]
        try:
            return tuple(chain.chain_id for chain in await self.states.free_among(query.symbol, free))
        except StoreUnavailable:
            return ()  # registrations are unknown now, so no chain is called available

    async def _render(self, query: SearchQuery, found: Found, page: NDArray[np.int64]) -> list[SearchResult]:
        rows, matches = found.rows, found.matches
        positions = [int(row) for row in matches.row[page] if row != NO_ROW]
        documents = await self.repository.documents(rows, positions)
        if len(documents) != len(positions):
            # Rows of a superseded version were removed between the two reads.
            raise ResultsChanged
        explained = [rows.key(position) for position in positions] if query.explain else []
        figures = await self.figures.of_all([(key[0], stored_from_digits(key[1])) for key in explained])
        shown = []
        for match in page.tolist():
            chain = self.chains[int(matches.chain_id[match])]
            row, status = int(matches.row[match]), SymbolStatus(int(matches.status[match]))
            document = None
            if row == NO_ROW:
                result = results.available_result(query.symbol, chain, self.site_url)
            else:
                key = rows.key(row)
                document = documents[key]
                result = results.token_result(chain, key[1], document, status, self.site_url)
            if query.explain:
                terms = results.explanation(
                    int(matches.level[match]),
                    status,
                    int(matches.market_score[match]),
                    int(matches.chain_rank[match]),
                    document,
                    self.chains,
                    None if row == NO_ROW else figures.get((chain.chain_id, stored_from_digits(rows.key(row)[1]))),
                    self._others(rows, row, chain.chain_id),
                )
                result = result.model_copy(update={"explain": terms})
            shown.append(result)
        return shown

    def _others(self, rows: TokenRows, row: int, chain_id: int) -> list[str]:
        """Keys of the other chains that have a token of the row's symbol."""
        if row == NO_ROW:
            return []
        same = rows.chain_id[rows.symbol == rows.symbol[row]]
        return [self.chains[one].key for one in np.unique(same).tolist() if one != chain_id and one in self.chains]

    async def _with_apps(self, shown: Sequence[SearchResult]) -> list[SearchResult]:
        """The results with the apps of their pages, in one read."""
        pages = {position: page for position, one in enumerate(shown) if (page := _page(one)) is not None}
        apps = await self.apps.of_all(list(pages.values()))
        found = {position: apps[page.chain_id, page.token_id] for position, page in pages.items()}
        return [one.model_copy(update={"apps": found.get(position)}) for position, one in enumerate(shown)]

    def _assemble(self, query: SearchQuery, found: Found, shown: Sequence[SearchResult], offset: int) -> SearchAnswer:
        total = len(found.ordered)
        reached = offset + len(shown)
        cursor = None
        if shown and reached < total:
            cursor = self._cursor(query, found, reached)
        expansions = self._expansions(found)
        return SearchAnswer(
            symbol=query.symbol,
            filters=Filters(chain=query.chain.key if query.chain else ALL, status=query.status or ALL),
            sort=Sort(field=query.sort, order=query.order),
            results=list(shown),
            pagination=Pagination.of(
                total=total, offset=offset, returned=len(shown), page_size=query.page_size, next_cursor=cursor
            ),
            meta=Meta(
                total_results=total,
                chain_counts=self._chain_counts(found),
                status_counts=_status_counts(found),
                query_expanded=bool(expansions),
                expansion_queries=expansions,
                not_indexed=[
                    chain.key
                    for chain in self.chains.values()
                    if not (chain.enabled and chain.chain_id in found.publication.as_of_blocks)
                ],
                as_of=as_of(found.publication, self.chains),
            ),
        )

    def _cursor(self, query: SearchQuery, found: Found, reached: int) -> str:
        return write_cursor(
            Cursor(found.publication.version, found.moment, reached, found.available_on), query.fingerprint
        )

    def _chain_counts(self, found: Found) -> dict[str, int]:
        chains, counts = np.unique(found.matches.chain_id[found.ordered], return_counts=True)
        return {self.chains[chain].key: count for chain, count in zip(chains.tolist(), counts.tolist(), strict=True)}

    def _expansions(self, found: Found) -> list[str]:
        present = np.unique(found.matches.symbol[found.ordered]).tolist()
        return [found.rows.symbols[symbol] for symbol in present if symbol > 0]


def _page(result: SearchResult) -> Page | None:
    """The page of a registered token."""
    token, registration = result.token, result.registration
    if registration is None or registration.token_id is None or token.address is None:
        return None
    return Page(result.chain_id, registration.token_id, result.chain_key, token.symbol.upper(), token.address)


def as_of(publication: Publication, chains: Mapping[int, Chain]) -> PublishedState:
    """The version and blocks of a published state."""
    return PublishedState(
        version=publication.version,
        published_at=timestamp(publication.published_at),
        blocks={
            chains[chain_id].key: block for chain_id, block in publication.as_of_blocks.items() if chain_id in chains
        },
    )


def _status_counts(found: Found) -> dict[str, int]:
    statuses, counts = np.unique(found.matches.status[found.ordered], return_counts=True)
    return {SymbolStatus(status).text: count for status, count in zip(statuses.tolist(), counts.tolist(), strict=True)}


def _account(wallet: str) -> bytes | None:
    """The bytes of an EVM wallet. Only EVM chains have a factory, so no other wallet is an owner by it."""
    return bytes.fromhex(wallet[2:]) if wallet.startswith("0x") else None


def _factory_owners(rows: TokenRows) -> frozenset[bytes]:
    """The owners of registrations of tokens that our factory made."""
    owned = rows.factory_owner[rows.factory_owner.any(axis=1)]
    return frozenset(owner.tobytes() for owner in owned)
