"""Whether a wallet may claim a token, from the chain, the warehouse and the store: what is the same on every kind of
chain."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import timedelta
from typing import Generic, TypeVar

from api.chains import ChainReaders
from api.claims.messages import Claim
from api.claims.repository import ClaimRepository
from api.claims.rules import Refusal, TokenFacts, TokenRules
from api.warehouse import WarehouseReader
from warehouse.domain.majors import Majors

ReadingT = TypeVar("ReadingT", bound=TokenFacts)


@dataclass(frozen=True, slots=True)
class Eligibility(ABC, Generic[ReadingT]):
    """Answers questions about claims on one kind of chain. ``ReadingT`` is what it reads of a token.

    Each method raises ``RpcError``, ``WarehouseError`` or ``Undecided`` if it cannot be answered now; callers use
    ``unverified_if_unanswered``.
    """

    readers: ChainReaders
    warehouse: WarehouseReader
    repository: ClaimRepository
    majors: Majors
    max_verdict_age: timedelta

    @abstractmethod
    async def read(self, claim: Claim) -> ReadingT:
        """What the chain says of the token and the wallet now."""

    @abstractmethod
    async def symbol_of(self, claim: Claim, address: str) -> str | None:
        """The present symbol of another token on the claim's chain; None where it no longer exists."""

    @abstractmethod
    async def registered_token_id(self, claim: Claim) -> int | None:
        """The registration that holds the symbol on the chain now."""

    async def refusal(self, claim: Claim, reading: ReadingT) -> Refusal | None:
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
