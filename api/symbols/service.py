"""Checks of a symbol before it is used: reserved, well-known, confusable or taken."""

import string
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice, product
from typing import Any

from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chains
from warehouse.domain.registrable import Obstacle, SymbolRules, reserved_lookalike
from warehouse.domain.symbols import MAX_REGISTRABLE_LENGTH, fold
from warehouse.store import Store

SOLANA_LONGEST = 10
"""Characters of a symbol that Metaplex's metadata hold."""
_LOOKALIKES = {
    folded: [one for one in string.ascii_uppercase + string.digits if fold(one) == folded]
    for folded in map(fold, string.ascii_uppercase + string.digits)
}
_MAX_SPELLINGS = 4_096
"""Only symbols with more than seven confusable characters have more spellings; the first are looked up."""


class SymbolCheck(StrEnum):
    """Whether a symbol may be used."""

    ALLOWED = "allowed"
    WARNING = "warning"
    OG_REQUIRED = "og_required"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome for one symbol."""

    symbol: str
    status: SymbolCheck
    blocked_reason: str | None = None
    canonical_asset: Mapping[str, Any] | None = None
    warning_message: str | None = None


@dataclass(frozen=True, slots=True)
class SymbolChecker:
    """Checks symbols: blocked by form or reservation, well-known, confusable, in use, or free."""

    rules: SymbolRules
    chains: Chains
    store: Store

    async def check(self, text: str) -> Verdict:
        """The verdict on a symbol as typed."""
        symbol, folded = text.upper(), fold(text)
        match self.rules.obstacle(text):
            case Obstacle.SYMBOL_FORMAT if not 1 <= len(text) <= MAX_REGISTRABLE_LENGTH:
                return Verdict(symbol, SymbolCheck.BLOCKED, "invalid length: a symbol has 1 to 12 characters")
            case Obstacle.SYMBOL_FORMAT:
                return Verdict(
                    symbol, SymbolCheck.BLOCKED, "invalid characters: letters and digits, and at least one letter"
                )
            case Obstacle.RESERVED_SYMBOL:
                return Verdict(symbol, SymbolCheck.BLOCKED, "reserved: nobody can register this word")
            case Obstacle.MAJOR_COIN:
                return Verdict(
                    symbol,
                    SymbolCheck.OG_REQUIRED,
                    canonical_asset=self._asset(symbol, *self.rules.majors.by_symbol[folded][0]),
                    warning_message=f"{symbol} is, or looks like, the symbol of a well-known coin. No claim of it is "
                    "accepted, not even its issuer's.",
                )
        if (reserved := reserved_lookalike(symbol)) is not None:
            return Verdict(
                symbol, SymbolCheck.WARNING, warning_message=f"{symbol} looks like {reserved}, which is reserved."
            )
        return await self._check_use(symbol, _spellings(folded))

    async def _check_use(self, symbol: str, spellings: list[str]) -> Verdict:
        """The verdict from registrations and indexed tokens; the symbol itself comes before those that look like it."""
        wanted = {"symbol": symbol, "symbols": [symbol, *spellings]}
        registered = await self.store.row("symbols/find_registered", wanted)
        if registered is not None:
            found = registered["symbol"]
            message = f"{symbol} is registered already; on that chain it cannot be registered again."
            if found != symbol:
                message = f"{symbol} looks like {found}, which is registered; it may be marked as a copy of it."
            asset = self._asset(found, registered["chain_id"], registered["address"])
            message += await self._other_chains(found, registered["chain_id"])
            return Verdict(symbol, SymbolCheck.WARNING, canonical_asset=asset, warning_message=message)
        known = await self.store.row("symbols/find_indexed", wanted)
        if known is not None:
            found = known["symbol"]
            message = f"A token with the symbol {found} exists; a later one may be marked as a copy of it."
            if found != symbol:
                message = f"{symbol} looks like {found}, the symbol of a token; it may be marked as a copy of it."
            asset = self._asset(found, known["chain_id"], known["address"])
            message += await self._other_chains(found, known["chain_id"])
            return Verdict(symbol, SymbolCheck.WARNING, canonical_asset=asset, warning_message=message)
        return Verdict(symbol, SymbolCheck.ALLOWED)

    async def _other_chains(self, symbol: str, chain_id: int) -> str:
        """A warning about tokens of the symbol on other chains; empty if there are none."""
        rows = await self.store.rows("symbols/list_chains", {"symbol": symbol})
        chains = [self.chains.by_id(row["chain_id"]) for row in rows if row["chain_id"] != chain_id]
        names = ", ".join(chain.name for chain in chains if chain is not None)
        if not names:
            return ""
        return f" {names} also has tokens of this symbol: copies are judged on each chain by itself."

    def _asset(self, symbol: str, chain_id: int, address: str) -> dict[str, Any]:
        chain = self.chains.by_id(chain_id)
        asset: dict[str, Any] = {"symbol": symbol, "chainId": chain_id, "chain": chain.key if chain else None}
        return {**asset, "address": checksum_address(address) if address else None}


def _spellings(folded: str) -> list[str]:
    """All spellings in letters and digits of a folded symbol."""
    return ["".join(one) for one in islice(product(*(_LOOKALIKES[letter] for letter in folded)), _MAX_SPELLINGS)]
