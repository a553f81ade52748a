"""Which symbols can be registered at all, whatever tokens and registrations there are.

Symbol checks, claims, statuses and search answer from these rules, so that they agree about a symbol.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from warehouse.domain.majors import Majors
from warehouse.domain.symbols import fold, is_registrable_symbol

RESERVED: Final = frozenset({"ADMIN", "CROWN", "NULL", "OFFICIAL", "REGALIA", "SUPPORT", "TEST", "UNDEFINED"})
"""Words that nobody can register: they would pass for this service or for an absent value."""
_RESERVED_BY_FOLD: Final[Mapping[str, str]] = {fold(word): word for word in RESERVED}


class Obstacle(StrEnum):
    """Why a symbol cannot be registered on a chain now. The first three hold for ever and on every chain."""

    SYMBOL_FORMAT = "symbol_format"
    RESERVED_SYMBOL = "reserved_symbol"
    MAJOR_COIN = "major_coin"
    CHAIN_NOT_CLAIMABLE = "chain_not_claimable"
    ALREADY_REGISTERED = "already_registered"
    RESERVED_FOR_CHALLENGER = "reserved_for_challenger"
    COPYCAT = "copycat"


@dataclass(frozen=True, slots=True)
class SymbolRules:
    """Applies the rules that depend on nothing but the symbol."""

    majors: Majors

    def obstacle(self, symbol: str) -> Obstacle | None:
        """Why a symbol, in any case, can never be registered; None if it can."""
        if not is_registrable_symbol(symbol):
            return Obstacle.SYMBOL_FORMAT
        if symbol.upper() in RESERVED:
            return Obstacle.RESERVED_SYMBOL
        if self.majors.is_name(fold(symbol)):
            return Obstacle.MAJOR_COIN
        return None


def reserved_lookalike(symbol: str) -> str | None:
    """The reserved word that a symbol reads like. Such a symbol can be registered; its check warns."""
    return _RESERVED_BY_FOLD.get(fold(symbol))
