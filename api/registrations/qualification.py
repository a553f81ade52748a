"""check-qualify: whether a wallet may claim a token, and the price."""

from dataclasses import dataclass

from api.claims.checks import ClaimChecks, Reading
from api.claims.errors import unverified_if_unanswered
from api.claims.evm_eligibility import EvmEligibility
from api.claims.messages import Claim
from api.claims.methods import methods_on
from api.claims.prices import quote
from api.claims.rules import Refusal
from api.claims.schemas import VerificationMethod
from api.claims.solana.eligibility import SolanaEligibility
from api.fees.pricing import Pricing
from api.http.errors import InvalidInput
from api.registrations.schemas import Qualification, QualificationMethod, QualifyResponse
from warehouse.domain.addresses import AddressFormat, address_format
from warehouse.domain.chains import Chain, Chains

_NO_TOKEN = Refusal(
    "not_claimable", "not_a_token", "There is no token at this address on a chain that tokens are registered on."
)
QUALIFICATION_METHODS = {
    VerificationMethod.DEPLOYER: QualificationMethod.DEPLOYER,
    VerificationMethod.OWNER: QualificationMethod.OWNER,
    VerificationMethod.ADMIN: QualificationMethod.ADMIN,
    VerificationMethod.MINT_AUTHORITY: QualificationMethod.MINT_AUTHORITY,
    VerificationMethod.UPDATE_AUTHORITY: QualificationMethod.UPDATE_AUTHORITY,
    VerificationMethod.MAJORITY_HOLDER: QualificationMethod.MAJORITY_HOLDER,
}
"""The names that qualifications have for the methods of verification."""


@dataclass(frozen=True, slots=True)
class Qualifier:
    """Answers check-qualify with the same checks, in the same order, as the claim itself."""

    evm: EvmEligibility
    solana: SolanaEligibility
    pricing: Pricing
    chains: Chains
    support_email: str

    async def check(self, wallet: str, token: str, chain: Chain | None, symbol: str | None) -> QualifyResponse:
        """The answer for one token. Without ``chain``, the chain that has the token is used.

        Raises:
            InvalidInput: the token is on several chains, and none was named.
            TokenUnverified: the chain or the warehouse cannot answer now.
        """
        form = address_format(token)
        with unverified_if_unanswered():
            if form is AddressFormat.HEX:
                return await self._check(self.evm, form, wallet, token, chain, symbol)
            return await self._check(self.solana, form, wallet, token, chain, symbol)

    async def _check(
        self,
        checks: ClaimChecks[Reading],
        form: AddressFormat,
        wallet: str,
        token: str,
        chain: Chain | None,
        symbol: str | None,
    ) -> QualifyResponse:
        chain = chain or await self._chain_of(checks, form, token, wallet)
        if chain is None:
            return self._refused(_NO_TOKEN)
        claim = Claim(chain=chain, token=token, symbol=symbol or "", wallet=wallet)
        reading = await checks.read(claim)
        claim = Claim(chain=chain, token=token, symbol=symbol or (reading.symbol or "").upper(), wallet=wallet)
        refusal = await checks.refusal(claim, reading)
        if refusal is not None:
            return self._refused(refusal)
        is_taken = await checks.registered_token_id(claim) is not None
        if is_taken or await self.evm.repository.other_symbol_of_token(claim) is not None:
            return QualifyResponse(success=True, eligible=False, reason="already_claimed")
        control = await checks.control(claim, reading)
        if control.method is None:
            return QualifyResponse(success=True, eligible=False, reason="not_eligible")
        method = methods_on(chain)[control.method]
        price = await quote(claim, self.pricing, self.evm.repository)
        return QualifyResponse(
            success=True,
            eligible=True,
            qualification=Qualification(
                method=QUALIFICATION_METHODS[control.method],
                confidence=method.confidence,
                message=method.description,
            ),
            price=price.usd,
            currency="USD",
            pro_trial_days=self.pricing.pro_trial_days,
        )

    def _refused(self, refusal: Refusal) -> QualifyResponse:
        return QualifyResponse(
            success=True,
            eligible=False,
            reason=refusal.reason,
            claimability=refusal.claimability(self.support_email),
        )

    async def _chain_of(
        self, checks: ClaimChecks[Reading], form: AddressFormat, token: str, wallet: str
    ) -> Chain | None:
        """The enabled chain that has this token, from the index or else from the nodes; None if there is none."""
        minting = [chain for chain in self.chains.enabled() if chain.takes_claims and chain.address_format is form]
        indexed = await self.evm.repository.chains_of_token(token)
        found = [chain for chain in minting if chain.chain_id in indexed]
        if not found:
            found = [chain for chain in minting if await checks.exists(Claim(chain, token, "", wallet))]
        if not found:
            return None
        if len(found) > 1:
            keys = ", ".join(str(chain.chain_id) for chain in found)
            raise InvalidInput("chainId", f"is required: there is a contract at this address on {keys}")
        return found[0]
