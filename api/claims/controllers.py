"""Whether a wallet speaks for a token: its signature of a text, and its control of the token, on any kind of chain."""

from collections.abc import Sequence
from dataclasses import dataclass

from api.claims.checks import ClaimChecks, Reading
from api.claims.evm_eligibility import EvmEligibility
from api.claims.messages import Claim
from api.claims.methods import CONTROLLERS, Control
from api.claims.schemas import ChainKind, VerificationMethod
from api.claims.solana.eligibility import SolanaEligibility
from api.security.signatures import is_signed_by, is_signed_by_key, signed_digest
from warehouse.domain.addresses import AddressFormat


@dataclass(frozen=True, slots=True)
class Controllers:
    """Asks the chain of each claim. Every method raises ``RpcError``, ``WarehouseError`` or ``Undecided`` if it cannot
    be said now."""

    on_evm: EvmEligibility
    on_solana: SolanaEligibility

    async def is_signed(self, claim: Claim, text: str, signature: bytes) -> bool:
        """Whether the claim's wallet signed the text."""
        if claim.chain.address_format is AddressFormat.BASE58:
            return is_signed_by_key(claim.wallet, text, signature)
        return await is_signed_by(claim.wallet, signed_digest(text), signature, self.on_evm.reader(claim))

    async def control(self, claim: Claim) -> tuple[str | None, Control]:
        """The token's own symbol, and how the wallet runs the token."""
        if claim.chain.address_format is AddressFormat.BASE58:
            return await _control(self.on_solana, claim, CONTROLLERS[ChainKind.SOLANA])
        return await _control(self.on_evm, claim, CONTROLLERS[ChainKind.EVM])


async def _control(
    checks: ClaimChecks[Reading], claim: Claim, methods: Sequence[VerificationMethod]
) -> tuple[str | None, Control]:
    reading = await checks.read(claim)
    return reading.symbol, await checks.control(claim, reading, methods)
