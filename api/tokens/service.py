"""Lookups of a single token by symbol and chain."""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from api.http.cache import Cache
from api.http.metrics import Metrics
from api.http.rendering import dumps
from api.search import results
from api.search.schemas import CopyVerdict
from api.search.service import SearchService
from api.tokens.errors import TokenNotFound
from warehouse.domain.addresses import digits_of, stored_from_digits
from warehouse.domain.chains import Chain
from warehouse.domain.lifecycle import SymbolStatus, registration_status
from warehouse.errors import StoreUnavailable
from warehouse.readers.tokens import read_foremost_token

ANSWER_SECONDS = 5.0
Found = tuple[str, Mapping[str, Any], CopyVerdict | None]


class TokenService:
    """Lookups of one application."""

    def __init__(self, search: SearchService, metrics: Metrics) -> None:
        self.search = search
        self._found: Cache[Found | None] = Cache("token", ttl_seconds=ANSWER_SECONDS, metrics=metrics, limit=20_000)

    async def answer(self, symbol: str, chain: Chain, address: str | None, wallet: str) -> bytes:
        """The search result of the token at the address if given, else of the registered token of the symbol, else of
        the original.

        Raises:
            TokenNotFound, ChainNotIndexed: there is none, or it is unknown.
            InvalidInput: the token at the address has another symbol.
        """
        digits = "" if address is None else digits_of(address)
        found = await self._found.get((symbol, chain.key, digits), lambda: self._read(symbol, chain, digits))
        if found is None:
            await self.search.states.of(symbol, chain, address)
            raise TokenNotFound(symbol, chain, address)  # the store has it, and it is not published yet
        token, document, verdict = found
        status = document_status(document, self.search.clock.now(), wallet)
        result = results.token_result(chain, token, document, status, self.search.site_url)
        return dumps(result.model_copy(update={"copy_verdict": verdict}).model_dump(by_alias=True))

    async def _read(self, symbol: str, chain: Chain, digits: str) -> Found | None:
        publication = await self.search.repository.publication()
        found = await read_foremost_token(
            self.search.source, symbol, chain.chain_id, version=publication.version, address=digits
        )
        return None if found is None else (*found, await self._verdict(chain, *found))

    async def _verdict(self, chain: Chain, digits: str, document: Mapping[str, Any]) -> CopyVerdict | None:
        """Why the token is a copy, if it is one; without the figures where the store does not answer."""
        if not document["is_copy"]:
            return None
        key = (chain.chain_id, stored_from_digits(digits))
        try:
            figures = (await self.search.figures.of_all([key])).get(key)
        except StoreUnavailable:
            figures = None
        return results.copy_verdict(document, self.search.chains, figures)


def document_status(document: Mapping[str, Any], now: datetime, wallet: str) -> SymbolStatus:
    """The status of one token, the first that holds."""
    if document["registration_token_id"] is None or document["registration_expired"]:
        return SymbolStatus.UNCLAIMED
    minted, score = document["registered_at"], document["heartbeat_score"]
    return registration_status(
        None if minted is None else datetime.fromtimestamp(minted, UTC),
        None if score is None else Decimal(score),
        now,
        owned=document["made_by_factory"] and stored_from_digits(document["registration_owner"]) == wallet,
    )
