"""Errors of routes that name a token by symbol and chain."""

from api.http.errors import NotFound
from warehouse.domain.chains import Chain


class TokenNotFound(NotFound):
    """No token has the symbol on the chain, or the address that was named."""

    text = "symbol: no token PEPE on Base"

    def __init__(self, symbol: str, chain: Chain, address: str | None) -> None:
        super().__init__(f"symbol: no token {symbol}{f' at {address}' if address else ''} on {chain.name}")
