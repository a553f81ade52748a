"""Errors of routes that name a token by symbol and chain."""

from collections.abc import Mapping
from typing import Any

from api.http.errors import NotFound
from api.registrations.schemas import SymbolTakenBy
from warehouse.domain.chains import Chain


class TokenNotFound(NotFound):
    """No token has the symbol on the chain, or the address that was named.

    ``details`` may have ``takenBy``: the registration that the symbol has by another token.
    """

    text = "symbol: no token PEPE on Base"
    details_schema = SymbolTakenBy

    def __init__(
        self, symbol: str, chain: Chain, address: str | None, *, details: Mapping[str, Any] | None = None
    ) -> None:
        if address is None:
            message = f"symbol: no token {symbol} on {chain.name}"
        else:
            message = f"tokenAddress: no token at {address} is known on {chain.name}"
        super().__init__(message, details=details)
