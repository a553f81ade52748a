"""What check-qualify and claims ask about a claim, on any kind of chain."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from api.claims.messages import Claim
from api.claims.methods import Control
from api.claims.rules import Refusal, TokenFacts
from api.claims.schemas import VerificationMethod

Reading = TypeVar("Reading", bound=TokenFacts)


class ClaimChecks(Protocol[Reading]):
    """The questions. Each raises ``RpcError``, ``WarehouseError`` or ``Undecided`` if it cannot be answered now."""

    async def read(self, claim: Claim) -> Reading:
        """What the chain says of the token and the wallet now."""
        ...

    async def refusal(self, claim: Claim, reading: Reading) -> Refusal | None:
        """Why the token cannot be registered, or None."""
        ...

    async def registered_token_id(self, claim: Claim) -> int | None:
        """The registration that holds the symbol on the chain now."""
        ...

    async def control(self, claim: Claim, reading: Reading, methods: Sequence[VerificationMethod] = ...) -> Control:
        """How the wallet controls the token, if by one of the methods."""
        ...

    async def exists(self, claim: Claim) -> bool:
        """Whether something is at the token's address."""
        ...
