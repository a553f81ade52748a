"""The steps of a claim: a message, a proof, a transaction. ``build`` checks in this order: input, symbol and copy
rules, duplicate, proof, control on the chain, price."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from api.claims.errors import (
    ClaimUnauthorized,
    FreeClaimsUsedUp,
    SymbolTaken,
    unverified_if_unanswered,
)
from api.claims.evm_eligibility import EvmEligibility
from api.claims.gas import GasReading, estimate_mint, fee_estimate, read_gas
from api.claims.messages import Claim, Messages, require_recent
from api.claims.methods import EVM, Control
from api.claims.prices import Quote, fee_wei, quote
from api.claims.repository import ClaimRepository, Proof
from api.claims.rules import refuse_misnamed, require_registrable
from api.claims.schemas import (
    BuildResponse,
    ClaimParams,
    FeeEstimate,
    MessageResponse,
    UnsignedTransaction,
    VerificationMethod,
    VerifyResponse,
)
from api.claims.signing import Signing
from api.claims.tasks import watch_claim
from api.clock import Clock
from api.fees.pricing import Pricing
from api.http.errors import InvalidInput, Unavailable
from api.security.signatures import is_signed_by, signed_digest
from api.store.jobs import defer
from indexer.chains.errors import RpcError
from indexer.contracts import registry
from indexer.contracts.statements import MintAuthorization, MintReceipt
from warehouse.domain.addresses import checksum_address

PROOF_GOOD_FOR = timedelta(hours=24)
AUTHORIZATION_SECONDS = 15 * 60
_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class ClaimService:
    """Steps of a claim. Every answer is read from the chain; only proofs and authorisations are stored."""

    eligibility: EvmEligibility
    repository: ClaimRepository
    messages: Messages
    signing: Signing
    pricing: Pricing
    clock: Clock
    support_email: str

    async def message(self, claim: Claim) -> MessageResponse:
        """The message to sign, and an estimate of the costs."""
        timestamp = int(self.clock.now().timestamp())
        params = ClaimParams(
            symbol=claim.symbol,
            chain_id=claim.chain.chain_id,
            token_address=checksum_address(claim.token),
            claimer_address=checksum_address(claim.wallet),
            timestamp=timestamp,
        )
        return MessageResponse(
            message=self.messages.text(claim, timestamp),
            timestamp=timestamp,
            params=params,
            fee_estimate=await self._rough_estimate(claim),
        )

    async def verify(self, claim: Claim, signature: bytes, timestamp: int) -> VerifyResponse:
        """Whether the wallet signed the message, the symbol is the token's, and the wallet controls the token. If so,
        the proof is stored.

        Raises:
            InvalidInput: the timestamp is too old, or in the future.
            TokenUnverified: the chain or the warehouse does not answer now.
        """
        require_recent(timestamp, self.clock.now())
        digest = signed_digest(self.messages.text(claim, timestamp))
        with unverified_if_unanswered():
            if not await is_signed_by(claim.wallet, digest, signature, self.eligibility.reader(claim)):
                return _not_verified("The signature is not the wallet's signature of this claim's message.", ())
            reading = await self.eligibility.read(claim)
            if (misnamed := refuse_misnamed(claim, reading)) is not None:
                return _not_verified(misnamed.message, ())
            control = await self.eligibility.control(claim, reading)
        if control.method is None:
            return _not_verified("The chain shows no way this wallet controls the token.", control.attempted)
        proof = _proof_hash(claim, timestamp, signature)
        expires = datetime.fromtimestamp(timestamp, UTC) + PROOF_GOOD_FOR
        await self._keep(claim, control, proof, datetime.fromtimestamp(timestamp, UTC), expires)
        return VerifyResponse(
            verified=True,
            verification_method=control.method,
            methods_attempted=list(control.attempted),
            message=EVM[control.method].description,
            proof_hash=proof,
            expires_at=int(expires.timestamp()),
        )

    async def build(self, claim: Claim, proof_hash: str | None) -> BuildResponse:
        """The unsigned transaction of the claim.

        Raises:
            TokenNotRegistrable, SymbolTaken, ClaimUnauthorized: the claim is refused.
            InvalidInput: the request names no proof, and none is stored.
            TokenUnverified, PriceUnavailable, SigningUnavailable: it cannot be built now.
        """
        with unverified_if_unanswered():
            return await self._build(claim, proof_hash)

    async def _build(self, claim: Claim, proof_hash: str | None) -> BuildResponse:
        reading = await self.eligibility.read(claim)
        require_registrable(await self.eligibility.refusal(claim, reading), self.support_email)
        if await self.eligibility.registered_token_id(claim) is not None:
            raise SymbolTaken(f"symbol: {claim.symbol} is already registered on {claim.chain.name}")
        if (other := await self.repository.other_symbol_of_token(claim)) is not None:
            raise SymbolTaken(f"tokenAddress: is already registered as {other} on {claim.chain.name}")
        proof = await self._proof(claim, proof_hash)
        control = await self.eligibility.control(claim, reading)
        if control.method is None:
            raise ClaimUnauthorized
        price = await quote(claim, self.pricing, self.repository)
        return await self._authorize(claim, proof, control.method, price)

    async def _authorize(self, claim: Claim, proof: Proof, method: str, price: Quote) -> BuildResponse:
        head, now = await self.eligibility.head(claim)
        fee = await fee_wei(claim, price, self.repository, datetime.fromtimestamp(now, UTC))
        if price.is_free and await self.eligibility.free_mints_left(claim) == 0:
            raise FreeClaimsUsedUp(
                f"the free registrations of today are used up on {claim.chain.name}, try again after midnight UTC",
                retry_after_seconds=_DAY_SECONDS - now % _DAY_SECONDS,
            )
        deadline, nonce = now + AUTHORIZATION_SECONDS, secrets.randbits(256)
        address = claim.chain.contracts["registry"]
        data = await self._calldata(claim, address, None if price.is_free else fee, deadline=deadline, nonce=nonce)
        reader = self.eligibility.reader(claim)
        gas = await estimate_mint(reader, claim.wallet, address, data, fee)
        watched = await self.repository.last_deadline(claim.chain.chain_id, claim.symbol, claim.wallet)
        async with self.repository.store.transaction() as transaction:
            if watched is None or watched.timestamp() < now:  # otherwise a task is watching, and sees the new deadline
                await defer(
                    transaction,
                    watch_claim,
                    chain_id=claim.chain.chain_id,
                    symbol=claim.symbol,
                    wallet=claim.wallet,
                    from_block=head,
                )
            await self.repository.save_authorization(
                transaction,
                claim=claim,
                proof_hash=proof.proof_hash,
                method=method,
                nonce=nonce,
                fee_wei=fee,
                price_usd=price.usd,
                deadline=datetime.fromtimestamp(deadline, UTC),
            )
        return BuildResponse(
            success=True,
            transaction=UnsignedTransaction(
                to=checksum_address(address),
                data=data,
                value=hex(fee),
                chain_id=claim.chain.chain_id,
                gas_limit=hex(gas.limit),
            ),
            fee_estimate=fee_estimate(gas, fee),
            message=(
                f"Sign and send this transaction with {checksum_address(claim.wallet)} within "
                f"{AUTHORIZATION_SECONDS // 60} minutes to register {claim.symbol} on {claim.chain.name}."
            ),
        )

    async def _calldata(self, claim: Claim, address: str, fee: int | None, *, deadline: int, nonce: int) -> str:
        wallet, token = checksum_address(claim.wallet), checksum_address(claim.token)
        if fee is None:
            receipt = MintReceipt(wallet, token, claim.symbol, deadline, nonce)
            return registry.receipt_calldata(receipt, await self.signing.sign(claim.chain.chain_id, address, receipt))
        authorization = MintAuthorization(wallet, token, claim.symbol, fee, deadline, nonce)
        signature = await self.signing.sign(claim.chain.chain_id, address, authorization)
        return registry.mint_calldata(authorization, signature)

    async def _proof(self, claim: Claim, proof_hash: str | None) -> Proof:
        now = self.clock.now()
        if proof_hash is None:
            newest = await self.repository.newest_proof(
                claim.chain.chain_id, claim.token, claim.symbol, claim.wallet, now
            )
            if newest is None:
                raise InvalidInput("proofHash", "is required: this claim has no valid proof")
            return newest
        proof = await self.repository.proof(proof_hash)
        if proof is None:
            raise ClaimUnauthorized("proofHash: names no proof")
        if proof.expires_at <= now:
            raise ClaimUnauthorized("proofHash: the proof is older than 24 hours")
        proved = (proof.chain_id, proof.token_address, proof.symbol, proof.wallet)
        if proved != (claim.chain.chain_id, claim.token, claim.symbol, claim.wallet):
            raise ClaimUnauthorized("proofHash: the proof is for another claim")
        return proof

    async def _keep(self, claim: Claim, control: Control, proof: str, signed_at: datetime, expires: datetime) -> None:
        async with self.repository.store.transaction() as transaction:
            await self.repository.save_proof(
                transaction,
                {
                    "proof_hash": proof,
                    "chain_id": claim.chain.chain_id,
                    "token_address": claim.token,
                    "symbol": claim.symbol,
                    "wallet": claim.wallet,
                    "verification_method": control.method,
                    "methods_attempted": list(control.attempted),
                    "signed_at": signed_at,
                    "expires_at": expires,
                },
            )

    async def _rough_estimate(self, claim: Claim) -> FeeEstimate:
        """An estimate before the proof. It is for information only, so what is unknown is left out."""
        try:
            gas = await read_gas(self.eligibility.reader(claim))
        except RpcError:
            gas = GasReading(price=None)
        try:
            price = await quote(claim, self.pricing, self.repository)
            fee: int | None = await fee_wei(claim, price, self.repository, self.clock.now())
        except Unavailable:
            fee = None
        return fee_estimate(gas, fee)


def _proof_hash(claim: Claim, timestamp: int, signature: bytes) -> str:
    parts = (str(claim.chain.chain_id), claim.token, claim.symbol, claim.wallet, str(timestamp), signature.hex())
    return "0x" + hashlib.sha256("|".join(parts).encode()).hexdigest()


def _not_verified(message: str, attempted: tuple[VerificationMethod, ...]) -> VerifyResponse:
    return VerifyResponse(
        verified=False,
        verification_method=None,
        methods_attempted=list(attempted),
        message=message,
        proof_hash=None,
        expires_at=None,
    )
