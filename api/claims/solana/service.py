"""A claim on Solana: what it costs, and its transaction. ``build`` checks in this order: input, symbol and copy rules,
duplicate, control on the chain, price, funds."""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime

from api.claims.errors import (
    ClaimUnauthorized,
    SigningUnavailable,
    SymbolTaken,
    unverified_if_unanswered,
)
from api.claims.messages import Claim
from api.claims.prices import Quote, fee_wei, quote
from api.claims.repository import ClaimRepository
from api.claims.rules import Refusal, refuse_misnamed, require_registrable
from api.claims.schemas import VerificationMethod
from api.claims.signing import SolanaSigning
from api.claims.solana.eligibility import SolanaEligibility
from api.claims.solana.errors import InsufficientFunds
from api.claims.solana.reading import MintReading
from api.claims.solana.schemas import SolanaBuildResponse, SolanaCosts, SolanaQuoteResponse
from api.claims.solana.tasks import watch_solana_claim
from api.claims.solana.transaction import (
    Authorization,
    Lifetime,
    Unsigned,
    claim_transaction,
    read_lifetime,
    read_network_fee,
    refusal_of,
    simulate,
    used_up,
)
from api.fees.pricing import Pricing
from api.http.errors import InvalidInput
from api.store.jobs import defer
from indexer.contracts.solana.program import rent
from indexer.contracts.solana.registry_state import RegistryState
from indexer.contracts.solana.statements import next_nonce

LOG = logging.getLogger(__name__)
AUTHORIZATION_SECONDS = 15 * 60
_EMPTY_ACCOUNT_RENT = rent(0)


@dataclass(frozen=True, slots=True)
class SolanaClaimService:
    """Every answer is read from the chain; only authorisations are stored. Nothing is reserved."""

    eligibility: SolanaEligibility
    repository: ClaimRepository
    signing: SolanaSigning
    pricing: Pricing
    support_email: str

    async def quote(self, claim: Claim) -> SolanaQuoteResponse:
        """What the claim would cost now. Control of the mint and copies are not checked.

        Raises:
            TokenNotRegistrable: there is no such token, or its symbol is another.
            SymbolTaken: the symbol is registered.
            TokenUnverified, PriceUnavailable: it is not known now.
        """
        with unverified_if_unanswered():
            reading = await self.eligibility.read(claim)
            self._require(refuse_misnamed(claim, reading))
            registry = await self.eligibility.registry(claim)
            await self._require_free(claim, registry)
            price = await quote(claim, self.pricing, self.repository)
            fee = await fee_wei(claim, price, self.repository, reading.head_time)
            network_fee = await self._network_fee(claim, registry, fee)
        return SolanaQuoteResponse(
            success=True,
            symbol=claim.symbol,
            token_mint=claim.token,
            claimer=claim.wallet,
            crown_pda=registry.symbol.address,
            price=price.usd,
            currency="USD",
            costs=_costs(fee, registry, network_fee),
            balance=reading.lamports,
        )

    async def build(self, claim: Claim) -> SolanaBuildResponse:
        """The unsigned transaction of the claim, simulated. Asking again gives another one, with a fresh blockhash.

        Raises:
            InvalidInput: the claimer's account is not a plain wallet's.
            TokenNotRegistrable, SymbolTaken, ClaimUnauthorized, InsufficientFunds: the claim is refused.
            TokenUnverified, PriceUnavailable, SigningUnavailable, FreeClaimsUsedUp: it cannot be built now.
        """
        with unverified_if_unanswered():
            reading = await self.eligibility.read(claim)
            if not reading.is_plain_wallet:
                raise InvalidInput("claimer", "must be a wallet: a program owns this account, so it cannot pay")
            self._require(await self.eligibility.refusal(claim, reading))
            registry = await self.eligibility.registry(claim)
            await self._require_free(claim, registry)
            control = await self.eligibility.control(claim, reading)
            if control.method is None:
                raise ClaimUnauthorized
            price = await quote(claim, self.pricing, self.repository)
            fee = await fee_wei(claim, price, self.repository, reading.head_time)
            if price.is_free and registry.free_left == 0:
                raise used_up(claim, registry)
            nonce = next_nonce(registry.symbol.last_nonce, registry.now)
            authorization = Authorization(fee, registry.now + AUTHORIZATION_SECONDS, nonce)
            return await self._transaction(claim, reading, registry, authorization, control.method, price)

    async def _network_fee(self, claim: Claim, registry: RegistryState, fee: int) -> int:
        """What the network would charge for the claim's transaction, which nobody needs to sign for that."""
        reader = self.eligibility.reader(claim)
        lifetime = await read_lifetime(reader)
        authorization = Authorization(fee, registry.now, nonce=0)
        blank = claim_transaction(claim, registry, authorization, bytes(64), lifetime.blockhash)
        return await read_network_fee(reader, blank)

    async def _transaction(
        self,
        claim: Claim,
        reading: MintReading,
        registry: RegistryState,
        authorization: Authorization,
        method: VerificationMethod,
        price: Quote,
    ) -> SolanaBuildResponse:
        signature = await self._sign(claim, registry, authorization)
        reader = self.eligibility.reader(claim)
        lifetime = await read_lifetime(reader)  # as late as can be: it runs out
        transaction = claim_transaction(claim, registry, authorization, signature, lifetime.blockhash)
        outcome = await simulate(reader, transaction)
        costs = _costs(authorization.fee, registry, outcome.network_fee)
        needed = costs.total + (_EMPTY_ACCOUNT_RENT if outcome.lacks_rent else 0)
        if reading.lamports < needed:
            raise _insufficient(reading.lamports, needed)
        if outcome.error is not None:
            raise refusal_of(outcome.error, claim, registry)
        await self._save(claim, authorization, method, price, registry.now)
        return _built(claim, registry, transaction, lifetime, authorization, costs)

    async def _sign(self, claim: Claim, registry: RegistryState, authorization: Authorization) -> bytes:
        config, ours = registry.config, self.signing.address
        if config.suspended or config.signer != ours:
            state = "suspended" if config.suspended else f"not {ours}"
            LOG.error("the signer of the registry on %s is %s: no claim can be registered", claim.chain.key, state)
            raise SigningUnavailable
        return await self.signing.sign(authorization.statement(claim, registry))

    async def _save(
        self, claim: Claim, authorization: Authorization, method: VerificationMethod, price: Quote, now: int
    ) -> None:
        """Note the authorisation and have it watched, in one transaction: a crash leaves neither or both."""
        chain_id = claim.chain.chain_id
        watched = await self.repository.last_deadline(chain_id, claim.symbol, claim.wallet)
        async with self.repository.store.transaction() as transaction:
            if watched is None or watched.timestamp() < now:  # otherwise a task is watching, and sees the new deadline
                await defer(
                    transaction, watch_solana_claim, chain_id=chain_id, symbol=claim.symbol, wallet=claim.wallet
                )
            await self.repository.save_authorization(
                transaction,
                claim=claim,
                proof_hash=None,
                method=method,
                nonce=authorization.nonce,
                fee_wei=authorization.fee,
                price_usd=price.usd,
                deadline=datetime.fromtimestamp(authorization.deadline, UTC),
            )

    async def _require_free(self, claim: Claim, registry: RegistryState) -> None:
        if registry.symbol.crown is not None:
            raise SymbolTaken(f"symbol: {claim.symbol} is already registered on {claim.chain.name}")
        if (other := await self.repository.other_symbol_of_token(claim)) is not None:
            raise SymbolTaken(f"tokenMint: is already registered as {other} on {claim.chain.name}")

    def _require(self, refusal: Refusal | None) -> None:
        require_registrable(refusal, self.support_email, address_field="tokenMint")


def _costs(fee: int, registry: RegistryState, network_fee: int) -> SolanaCosts:
    due = registry.symbol.rent_due
    return SolanaCosts(registration_fee=fee, rent=due, network_fee=network_fee, total=fee + due + network_fee)


def _insufficient(held: int, needed: int) -> InsufficientFunds:
    return InsufficientFunds(
        f"claimer: holds {_sol(held)} SOL, and the registration costs {_sol(needed)} SOL",
        details={"requiredLamports": needed, "balanceLamports": held},
    )


def _sol(lamports: int) -> str:
    whole, rest = divmod(lamports, 10**9)
    return f"{whole}.{rest:09d}".rstrip("0").rstrip(".")


def _built(
    claim: Claim,
    registry: RegistryState,
    transaction: Unsigned,
    lifetime: Lifetime,
    authorization: Authorization,
    costs: SolanaCosts,
) -> SolanaBuildResponse:
    blocks = max(lifetime.last_valid_block_height - lifetime.block_height, 0)
    seconds = int(blocks * claim.chain.block_seconds)
    return SolanaBuildResponse(
        success=True,
        transaction=transaction.base64,
        crown_pda=registry.symbol.address,
        symbol=claim.symbol,
        token_mint=claim.token,
        claimer=claim.wallet,
        costs=costs,
        blockhash=lifetime.blockhash,
        last_valid_block_height=lifetime.last_valid_block_height,
        block_height=lifetime.block_height,
        blockhash_seconds=seconds,
        expires_at=authorization.deadline,
        message=(
            f"Sign and send this transaction with {claim.wallet} within about {seconds} seconds to register "
            f"{claim.symbol} on {claim.chain.name}. For {AUTHORIZATION_SECONDS // 60} minutes a newer blockhash may be "
            "put in; this route also gives another transaction at any time."
        ),
    )
