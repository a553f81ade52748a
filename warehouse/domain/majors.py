"""Coins that everyone knows, and whether a token is one of them or imitates one.

Copy rules, claims and symbol checks share these rules. ``warehouse.chains.majors`` reads the list from TOML.
"""

from collections.abc import Mapping
from dataclasses import dataclass

Place = tuple[int, str]
"""Chain id and address in lower case; the address of a native coin is empty."""


@dataclass(frozen=True, slots=True)
class Majors:
    """Canonical addresses of the coins that everyone knows, as ``{folded symbol: ((chain id, address), …)}``."""

    by_symbol: Mapping[str, tuple[Place, ...]]

    def original_of(self, chain_id: int, address: str, symbol_folded: str) -> Place | None:
        """The major that a token of this symbol imitates, preferably of its own chain. None when the symbol is not a
        major's, or the token is the major itself."""
        known = self.by_symbol.get(symbol_folded, ())
        if not known or (chain_id, address) in known:
            return None
        return next((place for place in known if place[0] == chain_id), known[0])

    def is_name(self, symbol_folded: str) -> bool:
        """Whether a token of this symbol is a major or imitates one."""
        return bool(self.by_symbol.get(symbol_folded))

    def is_major(self, chain_id: int, address: str, symbol_folded: str) -> bool:
        """Whether this token is a major itself."""
        return (chain_id, address) in self.by_symbol.get(symbol_folded, ())
