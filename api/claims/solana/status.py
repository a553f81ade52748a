"""The status of a symbol's claim. It is ``confirmed`` only when registration reads show the registration: the
registration is written first, in one transaction with its event."""

from dataclasses import dataclass

from api.chains import ChainReaders
from api.claims.errors import TransactionUnread
from api.claims.repository import ClaimRepository, RecordedMint
from api.claims.solana.mints import find_registration
from api.claims.solana.schemas import SolanaClaimState, SolanaClaimStatus
from api.claims.tasks import GRACE
from indexer.chains.errors import RpcError
from indexer.chains.solana.reader import SolanaReader
from indexer.contracts.solana.program import Crown
from indexer.contracts.solana.registry_state import RegistryState, read_registry
from warehouse.domain.chains import Chain


@dataclass(frozen=True, slots=True)
class SolanaClaimStatuses:
    """Reads the status of symbols' claims."""

    readers: ChainReaders
    repository: ClaimRepository

    async def status(self, chain: Chain, symbol: str) -> SolanaClaimStatus:
        """The status of an upper-cased symbol.

        Raises:
            TransactionUnread: the chain does not answer now.
        """
        reader = self.readers.solana(chain)
        try:
            registry = await read_registry(reader, chain.contracts["registry"], symbol)
            crown = registry.symbol.crown
            mint = None if crown is None else await self._recorded(reader, registry, crown)
        except (RpcError, ValueError) as error:
            raise TransactionUnread("symbol: the registry could not be read from the chain now, try again") from error
        deadline = await self.repository.symbol_deadline(chain.chain_id, symbol)
        until = None if deadline is None else int(deadline.timestamp())
        state = _state(registry, mint, None if until is None else until + int(GRACE.total_seconds()))
        return SolanaClaimStatus(
            symbol=symbol,
            status=state,
            crown_pda=registry.symbol.address,
            token_id=None if crown is None else crown.token_id,
            owner=None if crown is None else str(crown.owner),
            token_mint=None if crown is None else str(crown.mint),
            signature=None if mint is None else mint.transaction_hash,
            slot=None if mint is None else mint.block_number,
            expires_at=until if state is SolanaClaimState.PENDING and crown is None else None,
        )

    async def _recorded(self, reader: SolanaReader, registry: RegistryState, crown: Crown) -> RecordedMint | None:
        """The registration as recorded, which is done now if nobody did it yet."""
        known = await self._known(reader, crown)
        if known is not None:
            return known
        found = await find_registration(reader, registry.symbol.address, crown)
        if found is None:
            return None
        async with self.repository.store.transaction() as transaction:
            await self.repository.record_mint(transaction, found)
        return await self._known(reader, crown)

    async def _known(self, reader: SolanaReader, crown: Crown) -> RecordedMint | None:
        """The recorded row of this registration. Ids begin anew with another registry, and rows of the one before may
        still be there. Owners may differ: the row of a registration that passed on follows with the pipelines."""
        known = await self.repository.registration(reader.chain.chain_id, crown.token_id)
        if known is None:
            return None
        stored = (known.symbol, known.token_address, known.registry)
        return known if stored == (crown.symbol, str(crown.mint), reader.chain.contracts["registry"]) else None


def _state(registry: RegistryState, mint: RecordedMint | None, last_seconds: int | None) -> SolanaClaimState:
    if registry.symbol.crown is not None:
        return SolanaClaimState.CONFIRMED if mint is not None else SolanaClaimState.PENDING
    if last_seconds is None:
        return SolanaClaimState.UNCLAIMED
    return SolanaClaimState.PENDING if registry.now <= last_seconds else SolanaClaimState.FAILED
