"""Has statements signed without holding up the event loop, and refuses at once while a remote signer is down."""

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from api.claims.errors import SigningUnavailable
from indexer.contracts.remote_signer import RemoteSigner
from indexer.contracts.signer import Signer, SignerUnavailable
from indexer.contracts.statements import Statement, sign
from warehouse.breaker import Breaker, CircuitOpen, ended_by

if TYPE_CHECKING:
    from solders.pubkey import Pubkey

    from indexer.contracts.solana.signer import StatementSigner


class _Remote(Protocol):
    def answers(self) -> bool: ...


class _Threaded:
    """Signs in a thread, for one event loop. ``breaker`` is there for a remote signer only."""

    def __init__(self, name: str, remote: "_Remote | None") -> None:
        self.breaker: Breaker | None = None
        if remote is not None:

            async def answers() -> bool:
                return await asyncio.to_thread(remote.answers)

            self.breaker = Breaker(name, answers, outages=(SignerUnavailable,))

    async def close(self) -> None:
        """Stop probing a signer that is down."""
        if self.breaker is not None:
            await self.breaker.close()

    async def _ask(self, signing: Callable[[], bytes]) -> bytes:
        try:
            if self.breaker is None:
                return await asyncio.to_thread(signing)
            async with ended_by(self.breaker):
                return await asyncio.to_thread(signing)
        except (SignerUnavailable, CircuitOpen, TimeoutError) as error:
            raise SigningUnavailable from error


class Signing(_Threaded):
    """The service's signer for EVM chains."""

    def __init__(self, signer: Signer) -> None:
        super().__init__("signer", signer if isinstance(signer, RemoteSigner) else None)
        self._signer = signer

    async def sign(self, chain_id: int, registry: str, statement: Statement) -> bytes:
        """The signature of a statement for one chain's registry.

        Raises:
            SigningUnavailable: the remote signer does not sign now.
        """
        return await self._ask(lambda: sign(self._signer, chain_id, registry, statement))

    @property
    def address(self) -> str:
        """The signer's address, checksummed."""
        return self._signer.address

    async def sign_document(self, document: Mapping[str, Any]) -> bytes:
        """The signature of an EIP-712 document.

        Raises:
            SigningUnavailable: the remote signer does not sign now.
        """
        return await self._ask(lambda: self._signer.sign_typed_data(dict(document)))


class SolanaSigning(_Threaded):
    """The service's signer for Solana."""

    def __init__(self, signer: "StatementSigner") -> None:
        from indexer.contracts.solana.remote_signer import RemoteStatementSigner  # with solders, which is slow to load

        super().__init__("solana signer", signer if isinstance(signer, RemoteStatementSigner) else None)
        self._signer = signer

    @property
    def address(self) -> "Pubkey":
        """The public key."""
        return self._signer.address

    async def sign(self, statement: bytes) -> bytes:
        """The signature of a statement.

        Raises:
            SigningUnavailable: the remote signer does not sign now.
        """
        return await self._ask(lambda: self._signer.sign(statement))
