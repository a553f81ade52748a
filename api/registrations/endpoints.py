"""GET /registration/..., and POST /registration/check-qualify."""

import asyncio
from dataclasses import replace
from typing import Annotated

from fastapi import Header, Path, Query

from api.claims.dependencies import EvmEligibilityDep, SolanaEligibilityDep
from api.claims.errors import TokenUnverified
from api.claims.inputs import minting_chain
from api.claims.solana.inputs import wallet_of
from api.http import fields
from api.http.addresses import chain_address, claim_symbol, evm_address, wallet_address
from api.http.dependencies import (
    ChainsDep,
    ClockDep,
    MajorsDep,
    PricingDep,
    SettingsDep,
    StoreDep,
    SymbolStatesDep,
    TokensDep,
    WarehouseDep,
)
from api.http.error_shapes import ErrorShape
from api.http.errors import InvalidInput
from api.http.examples import WALLET, success_examples
from api.http.fields import ChainPath, SymbolPath, TokenAddress, read_chain, read_symbol
from api.http.groups import CLAIMS, SEARCHES, RouteGroup
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.registrations import examples
from api.registrations.attesting import render_attestations
from api.registrations.claimable import ClaimableFinder
from api.registrations.errors import ClaimableTimeout, RegistrationEnded, RegistrationNotFound
from api.registrations.qualification import Qualifier
from api.registrations.reading import find_active
from api.registrations.repository import RegistrationRepository
from api.registrations.schemas import (
    Attestations,
    ClaimableTokens,
    ClaimFee,
    QualifyRequest,
    QualifyResponse,
    Registration,
    RegistrationStatus,
)
from api.registrations.statuses import render_registration, render_status
from api.security.access import ApiKey, SessionBeside
from api.security.scopes import KeyScope
from api.symbols.errors import ChainNotIndexed
from api.tokens.errors import TokenNotFound
from warehouse.domain.addresses import AddressFormat, is_base58_address
from warehouse.domain.chains import Chain, Chains

GROUP = RouteGroup(prefix="/api/v2/registration", key_scope=KeyScope.READ)
CLAIMABLE = replace(GROUP, admission=SEARCHES, errors=ErrorShape(invalid_code="INVALID_PARAMS"))
QUALIFY = replace(GROUP, admission=CLAIMS)

router = GROUP.router(tags=["registrations"], route_class=BodyRoute)
claimable_router = CLAIMABLE.router(tags=["registrations"], route_class=BodyRoute)
qualify_router = QUALIFY.router(tags=["registrations"], route_class=BodyRoute)


@claimable_router.get(
    "/claimable",
    response_model=ClaimableTokens,
    responses=success_examples(("claimable", examples.CLAIMABLE), ("nothing", examples.NONE_CLAIMABLE))
    | CLAIMABLE.responses(ClaimableTimeout),
)
async def list_claimable_tokens(
    access: ApiKey,
    settings: SettingsDep,
    warehouse: WarehouseDep,
    store: StoreDep,
    chains: ChainsDep,
    majors: MajorsDep,
    clock: ClockDep,
    session: SessionBeside,
    wallet: Annotated[
        str | None,
        Header(
            alias="X-Wallet-Address",
            description="The wallet to scan, EVM or Solana. Not needed with a wallet session.",
            examples=[WALLET],
            json_schema_extra=fields.WALLET,
        ),
    ] = None,
) -> JsonResponse:
    """Tokens the wallet deployed and can claim, on Solana also those whose mint or update authority it is, without
    copies and without what is registered. If a wallet session is
    sent as a bearer token along with the key, the wallet is the session's first, or the one of its wallets that
    `X-Wallet-Address` names; otherwise it is the one that the header names. After 15 seconds this answers 503: that
    does not mean an empty list."""
    owner = None if wallet is None else wallet_address("X-Wallet-Address", wallet)
    if session is not None:
        if owner is not None and owner not in session.wallets:
            raise InvalidInput("X-Wallet-Address", "is not a wallet of the session that was sent with it")
        owner = owner or session.wallet
    if owner is None:
        raise InvalidInput("X-Wallet-Address", "is required without a wallet session")
    finder = ClaimableFinder(warehouse, RegistrationRepository(store), chains, majors, clock)
    try:
        async with asyncio.timeout(settings.claimable_timeout_seconds):
            found = await finder.find(owner)
    except TimeoutError as error:
        raise ClaimableTimeout from error
    return JsonResponse({"tokens": found, "total": len(found)})


@router.get("/fee", response_model=ClaimFee, responses=success_examples(("fee", examples.FEE)))
async def get_claim_fee(access: ApiKey, pricing: PricingDep) -> JsonResponse:
    """The price of a claim: a flat amount in dollars, paid in the native coin of the claim's chain."""
    return respond(
        ClaimFee(
            base_fee_usd=pricing.claim_usd,
            multiplier=pricing.claim_multiplier,
            total_fee_usd=pricing.total_claim_usd,
            currency="USD",
        )
    )


@qualify_router.post(
    "/check-qualify",
    response_model=QualifyResponse,
    responses=success_examples(
        ("eligible", examples.ELIGIBLE), ("not eligible", examples.NOT_ELIGIBLE), ("copycat", examples.COPYCAT)
    )
    | GROUP.responses(TokenUnverified),
)
async def check_qualification(
    body: QualifyRequest,
    access: ApiKey,
    settings: SettingsDep,
    chains: ChainsDep,
    pricing: PricingDep,
    eligibility: EvmEligibilityDep,
    on_solana: SolanaEligibilityDep,
) -> JsonResponse:
    """Whether the wallet may claim the token, by any method, and the price. Send `symbol` so that an existing
    registration and a free import are found."""
    chain = None if body.chain_id is None else minting_chain(chains, body.chain_id)
    wallet, token = _wallet_and_token(body, chain, chains)
    symbol = None if body.symbol is None else claim_symbol("symbol", body.symbol)
    qualifier = Qualifier(eligibility, on_solana, pricing, chains, settings.support_email)
    return respond(await qualifier.check(wallet, token, chain, symbol))


def _wallet_and_token(body: QualifyRequest, chain: Chain | None, chains: Chains) -> tuple[str, str]:
    """Both addresses as the chain writes them; without a chain, as the token's is written."""
    if chain is None and is_base58_address(body.token_address):
        chain = next(one for one in chains.by_key.values() if one.address_format is AddressFormat.BASE58)
    if chain is None:
        return evm_address("wallet", body.wallet), evm_address("tokenAddress", body.token_address)
    token = chain_address("tokenAddress", body.token_address, chain)
    return wallet_of("wallet", body.wallet, chain), token


@router.get(
    "/{id}",
    response_model=Registration,
    responses=success_examples(("registration", examples.REGISTRATION))
    | GROUP.responses(RegistrationEnded, RegistrationNotFound),
)
async def get_registration(
    access: ApiKey,
    store: StoreDep,
    chains: ChainsDep,
    name: Annotated[str, Path(alias="id", description="Registration id, or a symbol.", examples=["PEPE"])],
    chain: Annotated[str | None, Query(description="Chain of the id or symbol.", examples=["base"])] = None,
) -> JsonResponse:
    """An active registration. Ids count per chain: without `chain` an id means its earliest mint, and a symbol its
    first active registration. 404 for one that has ended, with `endedAt` and `endReason`."""
    chain_id = None if chain is None else read_chain(chains, chain).chain_id
    row = await find_active(RegistrationRepository(store), name, chain_id)
    return respond(render_registration(row))


@router.get(
    "/{id}/attestations",
    response_model=Attestations,
    responses=success_examples(("attestations", examples.ATTESTATIONS))
    | GROUP.responses(RegistrationEnded, RegistrationNotFound),
)
async def list_attestations(
    access: ApiKey,
    store: StoreDep,
    tokens: TokensDep,
    chains: ChainsDep,
    clock: ClockDep,
    name: Annotated[str, Path(alias="id", description="Registration id, or a symbol.", examples=["PEPE"])],
    chain: Annotated[str | None, Query(description="Chain of the id or symbol.", examples=["base"])] = None,
) -> JsonResponse:
    """The operator's statements about a registration, each signed."""
    chain_id = None if chain is None else read_chain(chains, chain).chain_id
    repository = RegistrationRepository(store)
    row = await find_active(repository, name, chain_id)
    found = await repository.attestations(row.chain_id, row.token_id)
    return respond(render_attestations(row, found, tokens, clock.now()))


@router.get(
    "/{symbol}/{chain}",
    response_model=RegistrationStatus,
    responses=success_examples(("claimed", examples.CLAIMED), ("available", examples.AVAILABLE))
    | GROUP.responses(TokenNotFound, ChainNotIndexed),
)
async def get_registration_status(
    access: ApiKey,
    states: SymbolStatesDep,
    chains: ChainsDep,
    clock: ClockDep,
    symbol: SymbolPath,
    chain: ChainPath,
    token_address: TokenAddress = None,
) -> JsonResponse:
    """The status of a symbol on a chain. If the chain has several tokens of the symbol, the answer is about the
    registered one, else the original, unless `tokenAddress` names one; `takenBy` then says if another token has the
    symbol. `available` is said of indexed chains only; nothing is known of others (422)."""
    wanted, known_chain = read_symbol("symbol", symbol), read_chain(chains, chain)
    token = None if token_address is None else chain_address("tokenAddress", token_address, known_chain)
    return respond(render_status(await states.of(wanted, known_chain, token), clock.now()))
