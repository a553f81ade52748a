"""POST /claim/solana/build and /claim/solana/quote, GET /claim/solana/status/{symbol}."""

from typing import Annotated

from fastapi import Depends, Path

from api.claims.dependencies import SolanaEligibilityDep
from api.claims.endpoints import BUILD_ERRORS, GROUP, counted_build
from api.claims.errors import (
    PriceUnavailable,
    SymbolTaken,
    TokenNotRegistrable,
    TokenUnverified,
    TransactionUnread,
)
from api.claims.repository import ClaimRepository
from api.claims.solana import examples
from api.claims.solana.errors import InsufficientFunds
from api.claims.solana.inputs import read_claim, solana_chain
from api.claims.solana.schemas import (
    SolanaBuildResponse,
    SolanaClaimRequest,
    SolanaClaimStatus,
    SolanaQuoteResponse,
)
from api.claims.solana.service import SolanaClaimService
from api.claims.solana.status import SolanaClaimStatuses
from api.http import fields
from api.http.addresses import claim_symbol
from api.http.dependencies import (
    ChainsDep,
    MetricsDep,
    PricingDep,
    ReadersDep,
    ServicesDep,
    StoreDep,
)
from api.http.errors import InvalidInput
from api.http.examples import success_examples
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.security.access import ApiKey

router = GROUP.router(tags=["claims"], route_class=BodyRoute)


async def _service(eligibility: SolanaEligibilityDep, services: ServicesDep, pricing: PricingDep) -> SolanaClaimService:
    return SolanaClaimService(
        eligibility=eligibility,
        repository=eligibility.repository,
        signing=services.solana_signing,
        pricing=pricing,
        support_email=services.settings.support_email,
    )


ServiceDep = Annotated[SolanaClaimService, Depends(_service)]


@router.post(
    "/solana/build",
    response_model=SolanaBuildResponse,
    responses=success_examples(("built", examples.BUILT)) | GROUP.responses(*BUILD_ERRORS, InsufficientFunds),
)
async def build_solana_claim(
    body: SolanaClaimRequest, access: ApiKey, chains: ChainsDep, service: ServiceDep, metrics: MetricsDep
) -> JsonResponse:
    """The unsigned transaction that claims the registration on Solana, simulated. It holds two instructions: the check
    of the service's authorisation, and the registry's. Nothing is reserved: the registry decides. Call it again for a
    fresh blockhash."""
    claim = read_claim(chains, symbol=body.symbol, mint=body.token_mint, claimer=body.claimer)
    with counted_build(metrics):
        return respond(await service.build(claim))


@router.post(
    "/solana/quote",
    response_model=SolanaQuoteResponse,
    responses=success_examples(("quoted", examples.QUOTED))
    | GROUP.responses(SymbolTaken, TokenNotRegistrable, TokenUnverified, PriceUnavailable),
)
async def quote_solana_claim(
    body: SolanaClaimRequest, access: ApiKey, chains: ChainsDep, service: ServiceDep
) -> JsonResponse:
    """What a claim on Solana would cost now, in lamports. Who controls the mint and copies are not checked;
    `/registration/check-qualify` does."""
    claim = read_claim(chains, symbol=body.symbol, mint=body.token_mint, claimer=body.claimer)
    return respond(await service.quote(claim))


@router.get(
    "/solana/status/{symbol}",
    response_model=SolanaClaimStatus,
    responses=success_examples(("confirmed", examples.CONFIRMED), ("pending", examples.PENDING))
    | GROUP.responses(InvalidInput, TransactionUnread),
)
async def get_solana_claim_status(
    access: ApiKey,
    chains: ChainsDep,
    readers: ReadersDep,
    store: StoreDep,
    symbol: Annotated[
        str, Path(description="Symbol, in any case.", examples=["BONK"], json_schema_extra=fields.CLAIM_SYMBOL)
    ],
) -> JsonResponse:
    """What became of the claims of a symbol on Solana. `confirmed` means that the network has confirmed the
    registration, and registration reads show it by then."""
    chain = solana_chain(chains, "symbol")
    wanted = claim_symbol("symbol", symbol)
    return respond(await SolanaClaimStatuses(readers, ClaimRepository(store)).status(chain, wanted))
