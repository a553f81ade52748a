"""What is to be said about a symbol before anybody builds on it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from api.core.addresses import is_registrable_symbol, shown
from api.core.store import Store
from api.models import IndexedToken, RegistrationRecord
from indexer.chains.facts import Chains
from indexer.chains.majors import Majors
from warehouse.symbols import fold

RESERVED = frozenset({"ADMIN", "CROWN", "NULL", "OFFICIAL", "REGALIA", "SUPPORT", "TEST", "UNDEFINED"})
SOLANA_LONGEST = 10


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome for one symbol."""

    symbol: str
    status: str
    blocked_reason: str | None = None
    canonical_asset: Mapping[str, Any] | None = None
    warning_message: str | None = None


@dataclass(frozen=True, slots=True)
class SymbolChecker:
    """Judges symbols: blocked by form or reservation, well-known, confusable or in use, or free."""

    majors: Majors
    chains: Chains
    store: Store

    async def check(self, text: str) -> Verdict:
        """The verdict on a symbol as typed."""
        symbol = text.upper()
        if not 1 <= len(text) <= 12:
            return Verdict(symbol, "blocked", "invalid length: a symbol has 1 to 12 characters")
        if not is_registrable_symbol(text):
            return Verdict(symbol, "blocked", "invalid characters: letters and digits, and at least one letter")
        if symbol in RESERVED:
            return Verdict(symbol, "blocked", "reserved")
        folded = fold(symbol)
        if folded in self.majors.by_symbol:
            return Verdict(
                symbol,
                "og_required",
                canonical_asset=self._asset(symbol, *self.majors.by_symbol[folded][0]),
                warning_message=f"{symbol} is, or reads like, a well-known coin; only its issuer can register it.",
            )
        return await self._check_use(symbol)

    async def _check_use(self, symbol: str) -> Verdict:
        registered = await self.store.row(
            select(RegistrationRecord.chain_id, RegistrationRecord.token_address)
            .where(
                RegistrationRecord.symbol == symbol,
                RegistrationRecord.released_at.is_(None),
                RegistrationRecord.expired_at.is_(None),
            )
            .order_by(RegistrationRecord.minted_at)
            .limit(1)
        )
        if registered is not None:
            return Verdict(
                symbol,
                "warning",
                canonical_asset=self._asset(symbol, registered["chain_id"], registered["token_address"]),
                warning_message=f"{symbol} is registered already; on that chain it cannot be registered again.",
            )
        known = await self.store.row(
            select(IndexedToken.chain_id, IndexedToken.address)
            .where(IndexedToken.symbol_key == symbol, IndexedToken.is_copy.is_(False))
            .order_by(IndexedToken.precedence, IndexedToken.first_seen_at)
            .limit(1)
        )
        if known is not None:
            return Verdict(
                symbol,
                "warning",
                canonical_asset=self._asset(symbol, known["chain_id"], known["address"]),
                warning_message=f"A token with the symbol {symbol} exists; a later one may be judged a copy of it.",
            )
        return Verdict(symbol, "allowed")

    def _asset(self, symbol: str, chain_id: int, address: str) -> dict[str, Any]:
        chain = self.chains.by_id(chain_id)
        asset: dict[str, Any] = {"symbol": symbol, "chainId": chain_id, "chain": chain.key if chain else None}
        return {**asset, "address": shown(address) if address else None}
