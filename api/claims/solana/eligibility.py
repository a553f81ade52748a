"""Whether a wallet may claim a mint on Solana."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from api.claims.eligibility import Eligibility
from api.claims.errors import Undecided
from api.claims.messages import Claim
from api.claims.methods import SOLANA, Control
from api.claims.schemas import VerificationMethod
from api.claims.solana.control import find_control
from api.claims.solana.reading import MintReading, read_symbol, read_token
from indexer.chains.solana.accounts import CLOCK, multiple_accounts, read_accounts, read_clock
from indexer.chains.solana.reader import SolanaReader
from indexer.contracts.solana.registry_state import RegistryState, read_registry


@dataclass(frozen=True, slots=True)
class SolanaEligibility(Eligibility[MintReading]):
    """Answers questions about claims on Solana."""

    def reader(self, claim: Claim) -> SolanaReader:
        """The reader of the claim's chain."""
        return self.readers.solana(claim.chain)

    async def read(self, claim: Claim) -> MintReading:
        """What the chain says of the mint and the wallet now."""
        reading = await read_token(self.reader(claim), claim)
        if not reading.exists and await self.repository.has_symbol(claim.chain.chain_id, claim.token):
            raise Undecided("the node does not know the account of a mint that the index knows")
        return reading

    async def symbol_of(self, claim: Claim, address: str) -> str | None:
        """The present symbol of another mint; None where it no longer exists."""
        return await read_symbol(self.reader(claim), address)

    async def chain_time(self, claim: Claim) -> datetime:
        """The time of the chain's newest block."""
        _, (clock,) = read_accounts((await self.reader(claim).settle([multiple_accounts([CLOCK])]))[0], 1)
        return datetime.fromtimestamp(read_clock(clock), UTC)

    async def registry(self, claim: Claim) -> RegistryState:
        """The registry and the account of the claim's symbol."""
        return await read_registry(self.reader(claim), claim.chain.contracts["registry"], claim.symbol)

    async def registered_token_id(self, claim: Claim) -> int | None:
        """The registration that holds the symbol on the chain now."""
        crown = (await self.registry(claim)).symbol.crown
        return None if crown is None else crown.token_id

    async def control(
        self, claim: Claim, reading: MintReading, methods: Sequence[VerificationMethod] = tuple(SOLANA)
    ) -> Control:
        """How the wallet controls the mint, if by one of the methods."""
        return await find_control(claim, reading, self.warehouse, methods)

    async def exists(self, claim: Claim) -> bool:
        """Whether there is a token at the address."""
        return await read_symbol(self.reader(claim), claim.token) is not None
