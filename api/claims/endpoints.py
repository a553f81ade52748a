"""POST /claim/message, /claim/verify and /claim, GET /claim/status/{txHash} and /claim/methods/{chainType}."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Path, Query

from api.claims import examples
from api.claims.dependencies import EvmEligibilityDep
from api.claims.errors import (
    ClaimUnauthorized,
    FreeClaimsUsedUp,
    PriceUnavailable,
    SigningUnavailable,
    SymbolTaken,
    TokenNotRegistrable,
    TokenUnverified,
    TransactionNotFound,
    TransactionUnread,
)
from api.claims.inputs import evm_minting_chain, proof_hash, read_claim, signature_bytes
from api.claims.messages import Messages
from api.claims.methods import METHODS_OF
from api.claims.proofs import sign_proof
from api.claims.repository import ClaimRepository
from api.claims.schemas import (
    BuildRequest,
    BuildResponse,
    ChainKind,
    ClaimMethod,
    ClaimMethods,
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
    MetricsDep,
    PricingDep,
    ReadersDep,
    ServicesDep,
    StoreDep,
    TokensDep,
)
from api.http.error_shapes import ErrorShape
from api.http.errors import ApiError, InvalidInput
from api.http.examples import success_examples
from api.http.groups import CLAIMS, READS, RouteGroup
from api.http.metrics import Metrics
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute, QueryRoute
from api.security.access import ApiKey
from api.security.scopes import KeyScope

GROUP = RouteGroup(
    prefix="/api/v2/claim",
    key_scope=KeyScope.CLAIM,
    admission=CLAIMS,
    errors=ErrorShape(invalid_code="VALIDATION_INVALID_INPUT"),
)
DEFAULT_STATUS_CHAIN = "arbitrum"
BUILD_ERRORS: tuple[type[ApiError], ...] = (
    ClaimUnauthorized,
    SymbolTaken,
    TokenNotRegistrable,
    TokenUnverified,
    FreeClaimsUsedUp,
    PriceUnavailable,
    SigningUnavailable,
)
"""Errors of the routes that build a claim's transaction, on every kind of chain."""

METHODS_GROUP = replace(GROUP, admission=READS)

router = GROUP.router(tags=["claims"], route_class=BodyRoute)
methods_router = METHODS_GROUP.router(tags=["claims"], route_class=QueryRoute)


@contextmanager
def counted_build(metrics: Metrics) -> Iterator[None]:
    """Count the outcome of building a claim's transaction."""
    try:
        yield
    except ApiError as error:
        metrics.count_claim("build", error.code or str(error.status))
        raise
    metrics.count_claim("build", "built")


async def _service(eligibility: EvmEligibilityDep, services: ServicesDep, pricing: PricingDep) -> ClaimService:
    return ClaimService(
        eligibility=eligibility,
        repository=eligibility.repository,
        messages=Messages(services.settings.service_name, services.settings.public_url),
        signing=services.signing,
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
    """Whether the signature is the wallet's, the symbol is the token's, and the wallet controls the token. Each failure
    answers 200 with `verified: false`; a proof is good for 24 hours."""
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
    responses=success_examples(("built", examples.BUILT)) | GROUP.responses(*BUILD_ERRORS),
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
    with counted_build(metrics):
        return respond(await service.build(claim, proof))


@router.get(
    "/status/{txHash}",
    response_model=ClaimStatus,
    responses=success_examples(("confirmed", examples.CONFIRMED), ("pending", examples.PENDING))
    | GROUP.responses(TransactionNotFound, TransactionUnread),
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
        chain = evm_minting_chain(chains, chain_id)
    return respond(await ClaimStatuses(readers, ClaimRepository(store)).status(chain, wanted))


@methods_router.get(
    "/methods/{chainType}",
    response_model=ClaimMethods,
    responses=success_examples(("evm", examples.METHODS), ("solana", examples.SOLANA_METHODS))
    | METHODS_GROUP.responses(InvalidInput),
)
async def list_claim_methods(
    access: ApiKey,
    chain_type: Annotated[
        str,
        Path(
            alias="chainType",
            description="Kind of chain.",
            examples=["evm"],
            json_schema_extra={"enum": list(METHODS_OF)},
        ),
    ],
) -> JsonResponse:
    """The ways to prove control of a token, in the order in which claims check them."""
    if chain_type not in METHODS_OF:
        raise InvalidInput("chainType", f"must be one of {', '.join(METHODS_OF)}")
    methods = [
        ClaimMethod(
            method=name,
            confidence=method.confidence,
            description=method.description.replace("This wallet", "The wallet", 1),
        )
        for name, method in METHODS_OF[chain_type].items()
    ]
    return respond(ClaimMethods(chain_type=ChainKind(chain_type), methods=methods))
