"""Whether a wallet may claim a mint, from the chain, the warehouse and the store."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from api.chains import ChainReaders
from api.claims.errors import Undecided
from api.claims.messages import Claim
from api.claims.methods import SOLANA, Control
from api.claims.repository import ClaimRepository
from api.claims.rules import Refusal, TokenRules
from api.claims.schemas import VerificationMethod
from api.claims.solana.control import find_control
from api.claims.solana.reading import MintReading, read_symbol, read_token
from api.warehouse import WarehouseReader
from indexer.chains.solana.accounts import CLOCK, multiple_accounts, read_accounts, read_clock
from indexer.chains.solana.reader import SolanaReader
from indexer.contracts.solana.registry_state import RegistryState, read_registry
from warehouse.domain.majors import Majors


@dataclass(frozen=True, slots=True)
class SolanaEligibility:
    """Answers questions about claims on Solana.

    Each method raises ``RpcError``, ``WarehouseError`` or ``Undecided`` if it cannot be answered now; callers use
    ``unverified_if_unanswered``.
    """

    readers: ChainReaders
    warehouse: WarehouseReader
    repository: ClaimRepository
    majors: Majors
    max_verdict_age: timedelta

    def reader(self, claim: Claim) -> SolanaReader:
        """The reader of the claim's chain."""
        return self.readers.solana(claim.chain)

    async def read(self, claim: Claim) -> MintReading:
        """What the chain says of the mint and the wallet now."""
        reading = await read_token(self.reader(claim), claim)
        if not reading.exists and await self.repository.has_symbol(claim.chain.chain_id, claim.token):
            raise Undecided("the node does not know the account of a mint that the index knows")
        return reading

    async def refusal(self, claim: Claim, reading: MintReading) -> Refusal | None:
        """Why the token cannot be registered, or None."""
        rules = TokenRules(
            self.majors,
            self.repository,
            self.warehouse,
            self.max_verdict_age,
            self.registered_token_id,
            self.symbol_of,
        )
        return await rules.judge(claim, reading)

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
