"""The state of a symbol on a chain: its registration, its token, and why it cannot be registered now.

Statuses and heartbeats answer from it, lookups of single tokens explain with it what they did not find, and search
shows the chains that it calls free.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from api.clock import Clock
from api.http.errors import InvalidInput
from api.registrations.repository import FoundSymbol, RegistrationRecord, RegistrationRepository, TokenRecord
from api.symbols.errors import ChainNotIndexed
from api.tokens.errors import TokenNotFound
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chain
from warehouse.domain.lifecycle import RESERVED_FOR
from warehouse.domain.registrable import Obstacle, SymbolRules


@dataclass(frozen=True, slots=True)
class SymbolState:
    """What is known of a symbol on a chain, or of one token of it.

    Args:
        registration: the active registration; of the named token, where one is named.
        token: the named token, else the registered one, else the original; None if it is not indexed.
        taken_by: the active registration of another token than the named one.
        obstacle: why this token, or any token where there is none, cannot be registered under the symbol now.
    """

    symbol: str
    chain: Chain
    registration: RegistrationRecord | None
    token: TokenRecord | None
    taken_by: RegistrationRecord | None
    obstacle: Obstacle | None


@dataclass(frozen=True, slots=True)
class SymbolStates:
    """Reads states from the store."""

    repository: RegistrationRepository
    rules: SymbolRules
    clock: Clock

    async def of(self, symbol: str, chain: Chain, address: str | None = None) -> SymbolState:
        """The state of an upper-cased symbol on a chain; of the token at ``address`` if given.

        Raises:
            InvalidInput: the token at the address has another symbol.
            TokenNotFound: no token at the address is known.
            ChainNotIndexed: nothing is known of the symbol, because nothing is known of the chain.
        """
        found = await self.repository.symbol(
            symbol, chain.chain_id, address, reserved_since=self.clock.now() - RESERVED_FOR
        )
        registration, token, taken_by = found.registration, found.token, None
        if registration is not None and address is not None and registration.token_address != address:
            registration, taken_by = None, registration
        if registration is None:
            if address is not None and token is not None and token.symbol_key != symbol:
                raise InvalidInput("tokenAddress", f"has the symbol {token.symbol_key[:40]}, not {symbol}")
            if token is None and taken_by is None and not (chain.enabled and found.is_indexed):
                raise ChainNotIndexed(chain)
            if token is None and address is not None:
                details = None if taken_by is None else {"takenBy": registration_of_another(taken_by)}
                raise TokenNotFound(symbol, chain, address, details=details)
        return SymbolState(symbol, chain, registration, token, taken_by, self._obstacle(symbol, chain, found))

    async def free_among(self, symbol: str, chains: Iterable[Chain]) -> list[Chain]:
        """Those of the indexed chains without a token of the symbol on which it can be registered now."""
        if self.rules.obstacle(symbol) is not None:
            return []
        offered = [chain for chain in chains if chain.takes_claims]
        if not offered:
            return []
        taken = await self.repository.taken_chains(symbol, reserved_since=self.clock.now() - RESERVED_FOR)
        return [chain for chain in offered if chain.chain_id not in taken]

    def _obstacle(self, symbol: str, chain: Chain, found: FoundSymbol) -> Obstacle | None:
        if (never := self.rules.obstacle(symbol)) is not None:
            return never
        if found.registration is not None:
            return Obstacle.ALREADY_REGISTERED
        if not chain.takes_claims:
            return Obstacle.CHAIN_NOT_CLAIMABLE
        if found.reserved_for is not None and (found.token is None or found.token.address != found.reserved_for):
            return Obstacle.RESERVED_FOR_CHALLENGER
        return Obstacle.COPYCAT if found.token is not None and found.token.is_copy else None


def registration_of_another(registration: RegistrationRecord) -> dict[str, object]:
    """How a registration by another token than the named one is shown."""
    return {
        "tokenId": registration.token_id,
        "tokenAddress": checksum_address(registration.token_address),
        "owner": checksum_address(registration.owner),
    }
