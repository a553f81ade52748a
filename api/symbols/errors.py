"""Errors of routes that ask for a symbol on a chain."""

from api.http.errors import Unprocessable
from warehouse.domain.chains import Chain


class ChainNotIndexed(Unprocessable):
    """The chain's blocks are not read here, so nobody can say whether a symbol is free on it."""

    code = "CHAIN_NOT_INDEXED"
    text = "chain: Avalanche is not indexed here, so its tokens and registrations are unknown"

    def __init__(self, chain: Chain) -> None:
        super().__init__(f"chain: {chain.name} is not indexed here, so its tokens and registrations are unknown")
