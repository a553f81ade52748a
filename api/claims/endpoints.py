"""POST /claim/message, /claim/verify and /claim, GET /claim/status/{txHash}."""

from typing import Annotated

from fastapi import Depends, Path, Query

from api.claims import examples
from api.claims.eligibility import Eligibility
from api.claims.errors import (
    ClaimUnauthorized,
    PriceUnavailable,
    SymbolTaken,
    TokenNotRegistrable,
    TokenUnverified,
    TransactionNotFound,
)
from api.claims.inputs import minting_chain, proof_hash, read_claim, signature_bytes
from api.claims.messages import Messages
from api.claims.proofs import sign_proof
from api.claims.repository import ClaimRepository
from api.claims.schemas import (
    BuildRequest,
    BuildResponse,
    ClaimStatus,
    MessageRequest,
    MessageResponse,
    VerifyRequest,
    VerifyResponse,
)
from api.claims.service import ClaimService
from api.claims.status import ClaimStatuses
from api.http import fields
from api.http.addresses import transaction_hash
from api.http.dependencies import (
    ChainsDep,
    ClockDep,
    MajorsDep,
    MetricsDep,
    PricingDep,
    ReadersDep,
    ServicesDep,
    StoreDep,
    TokensDep,
    WarehouseDep,
)
from api.http.error_shapes import ErrorShape
from api.http.errors import ApiError
from api.http.examples import success_examples
from api.http.groups import CLAIMS, RouteGroup
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.security.access import ApiKey

GROUP = RouteGroup(prefix="/api/v2/claim", admission=CLAIMS, errors=ErrorShape(invalid_code="VALIDATION_INVALID_INPUT"))
DEFAULT_STATUS_CHAIN = "arbitrum"

router = GROUP.router(tags=["claims"], route_class=BodyRoute)


async def claim_eligibility(
    readers: ReadersDep, warehouse: WarehouseDep, store: StoreDep, majors: MajorsDep
) -> Eligibility:
    """The checks whether a wallet may claim a token."""
    return Eligibility(readers, warehouse, ClaimRepository(store), majors)


EligibilityDep = Annotated[Eligibility, Depends(claim_eligibility)]


async def _service(eligibility: EligibilityDep, services: ServicesDep, pricing: PricingDep) -> ClaimService:
    return ClaimService(
        eligibility=eligibility,
        repository=eligibility.repository,
        messages=Messages(services.settings.service_name, services.settings.public_url),
        signer=services.signer,
        pricing=pricing,
        clock=services.clock,
        support_email=services.settings.support_email,
    )


ServiceDep = Annotated[ClaimService, Depends(_service)]


@router.post(
    "/message",
    response_model=MessageResponse,
    responses=success_examples(("message", examples.MESSAGE)),
)
async def create_claim_message(
    body: MessageRequest, access: ApiKey, chains: ChainsDep, service: ServiceDep
) -> JsonResponse:
    """The message that the claimer signs, bound to claimer, token, chain and time, and what the claim may cost."""
    claim = read_claim(
        chains,
        symbol=body.symbol,
        chain=body.chain_id,
        token=body.token_address,
        wallet=body.claimer_address,
        wallet_field="claimerAddress",
    )
    return respond(await service.message(claim))


@router.post(
    "/verify",
    response_model=VerifyResponse,
    responses=success_examples(("verified", examples.VERIFIED), ("not verified", examples.NOT_VERIFIED))
    | GROUP.responses(TokenUnverified),
)
async def verify_claim(
    body: VerifyRequest,
    access: ApiKey,
    chains: ChainsDep,
    service: ServiceDep,
    metrics: MetricsDep,
    tokens: TokensDep,
    clock: ClockDep,
) -> JsonResponse:
    """Whether the signature is the wallet's and the wallet controls the token. Both failures answer 200 with
    `verified: false`; a proof is good for 24 hours."""
    claim = read_claim(
        chains,
        symbol=body.symbol,
        chain=body.chain_id,
        token=body.token_address,
        wallet=body.wallet_address,
        wallet_field="walletAddress",
    )
    verdict = await service.verify(claim, signature_bytes(body.signature), body.timestamp)
    metrics.count_claim("verify", verdict.verification_method or "not_verified")
    if verdict.verified:
        verdict = verdict.model_copy(update={"proof_jws": sign_proof(claim, verdict, tokens, clock.now())})
    return respond(verdict)


@router.post(
    "",
    response_model=BuildResponse,
    responses=success_examples(("built", examples.BUILT))
    | GROUP.responses(
        ClaimUnauthorized,
        SymbolTaken,
        TokenNotRegistrable,
        TokenUnverified,
        PriceUnavailable,
    ),
)
async def build_claim(
    body: BuildRequest, access: ApiKey, chains: ChainsDep, service: ServiceDep, metrics: MetricsDep
) -> JsonResponse:
    """The unsigned transaction that claims the registration. Nothing is reserved: the registry contract decides."""
    claim = read_claim(
        chains,
        symbol=body.symbol,
        chain=body.chain_id,
        token=body.token_address,
        wallet=body.wallet_address,
        wallet_field="walletAddress",
    )
    proof = None if body.proof_hash is None else proof_hash(body.proof_hash)
    try:
        built = await service.build(claim, proof)
    except ApiError as error:
        metrics.count_claim("build", error.code or str(error.status))
        raise
    metrics.count_claim("build", "built")
    return respond(built)


@router.get(
    "/status/{txHash}",
    response_model=ClaimStatus,
    responses=success_examples(("confirmed", examples.CONFIRMED), ("pending", examples.PENDING))
    | GROUP.responses(TransactionNotFound, TokenUnverified),
)
async def get_claim_status(
    access: ApiKey,
    chains: ChainsDep,
    readers: ReadersDep,
    store: StoreDep,
    hash_text: Annotated[
        str, Path(alias="txHash", description="Hash of the claim's transaction.", json_schema_extra=fields.HASH)
    ],
    chain_id: Annotated[
        str | None,
        Query(
            alias="chainId",
            description="Chain id; a chain key is understood too. Without it, Arbitrum is read.",
            examples=["8453"],
            json_schema_extra={"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]},
        ),
    ] = None,
) -> JsonResponse:
    """The state of a claim's transaction. `confirmed` needs one block, and registration reads show it by then. Without
    `chainId` Arbitrum is read, and a transaction of another chain is missing."""
    wanted = transaction_hash("txHash", hash_text)
    if chain_id is None:
        chain = chains.by_key[DEFAULT_STATUS_CHAIN]
        if not chain.takes_claims:
            raise TransactionNotFound(f"txHash: no such transaction on {chain.name}")
    else:
        chain = minting_chain(chains, chain_id)
    return respond(await ClaimStatuses(readers, ClaimRepository(store)).status(chain, wanted))
