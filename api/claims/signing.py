"""Has statements signed without holding up the event loop, and refuses at once while a remote signer is down."""

import asyncio

from api.claims.errors import SigningUnavailable
from indexer.contracts.remote_signer import RemoteSigner
from indexer.contracts.signer import Signer, SignerUnavailable
from indexer.contracts.statements import Statement, sign
from warehouse.breaker import Breaker, CircuitOpen, ended_by


class Signing:
    """The service's signer for one event loop. ``breaker`` is there for a remote signer only."""

    def __init__(self, signer: Signer) -> None:
        self._signer = signer
        self.breaker: Breaker | None = None
        if isinstance(signer, RemoteSigner):
            remote = signer

            async def answers() -> bool:
                return await asyncio.to_thread(remote.answers)

            self.breaker = Breaker("signer", answers, outages=(SignerUnavailable,))

    async def sign(self, chain_id: int, registry: str, statement: Statement) -> bytes:
        """The signature of a statement for one chain's registry.

        Raises:
            SigningUnavailable: the remote signer does not sign now.
        """
        try:
            if self.breaker is None:
                return await self._sign(chain_id, registry, statement)
            async with ended_by(self.breaker):
                return await self._sign(chain_id, registry, statement)
        except (SignerUnavailable, CircuitOpen, TimeoutError) as error:
            raise SigningUnavailable from error

    async def close(self) -> None:
        """Stop probing a signer that is down."""
        if self.breaker is not None:
            await self.breaker.close()

    async def _sign(self, chain_id: int, registry: str, statement: Statement) -> bytes:
        return await asyncio.to_thread(sign, self._signer, chain_id, registry, statement)
