"""/api/v2/deals: reads with an API key. On single deals a session of a party shows more."""

from decimal import ROUND_CEILING, Decimal, localcontext
from typing import Annotated

from fastapi import Path, Query

from api.deals import examples, shapes
from api.deals.errors import GroupNotFound, ProviderUnavailable
from api.deals.groups import READS, REGISTRATION, DealId, DealsDep, GroupId, Limit, Offset
from api.deals.repository import DealFilter, ListedDeal, Wallets
from api.deals.roles import ListedRole
from api.deals.schemas import (
    AddressDeals,
    Comparable,
    Comparables,
    Deal,
    DealEvents,
    DealGroup,
    DealLimits,
    DealPrices,
    FeePreview,
    GroupName,
    PendingDeal,
    RegistrationDeals,
    SymbolDeals,
)
from api.deals.states import OFFERED, DealType, Status
from api.deals.visibility import Audience
from api.http.addresses import wallet_address
from api.http.dependencies import ChainsDep, SettingsDep, StoreDep
from api.http.errors import InvalidInput
from api.http.examples import success_example
from api.http.fields import SymbolPath, read_chain, read_symbol
from api.http.rendering import JsonResponse, respond
from api.http.routes import QueryRoute
from api.http.times import timestamp
from api.registrations.errors import RegistrationNotFound
from api.registrations.reading import find_registration
from api.registrations.repository import RegistrationRepository
from api.security.access import ApiKey, SessionBeside
from warehouse.domain.addresses import checksum_address

MILLION = 1_000_000
SECONDS_OF_A_DAY = 86_400
MOST_VALUE = 10**18

router = READS.router(tags=["deals"], route_class=QueryRoute)
registration_router = REGISTRATION.router("/api/v2/registration/{id}/deals", tags=["deals"], route_class=QueryRoute)

ChainFilter = Annotated[str | None, Query(alias="chainId", description="Only on this chain: its id or key.")]


@router.get("/limits", response_model=DealLimits, responses=success_example(examples.LIMITS))
async def get_deal_limits(access: ApiKey, settings: SettingsDep) -> JsonResponse:
    """The lowest offers, in whole US dollars."""
    return respond(
        DealLimits(
            collab_min_liquidity_usd=settings.deal_collab_min_liquidity_usd, min_offer_usd=settings.deal_min_offer_usd
        )
    )


@router.get("/prices", response_model=DealPrices, responses=success_example(examples.PRICES))
async def get_deal_prices(access: ApiKey, deals: DealsDep) -> JsonResponse:
    """Prices in US dollars of what offers are made in."""
    ether, sol = await deals.currencies.coin_usd("ETH"), await deals.currencies.coin_usd("SOL")
    return respond(DealPrices(ETH=ether, SOL=sol, USDC=Decimal(1), USDT=Decimal(1)))


@router.get(
    "/fee-preview",
    response_model=FeePreview,
    responses=success_example(examples.PREVIEW) | READS.responses(ProviderUnavailable),
)
async def preview_deal_fee(
    access: ApiKey,
    chains: ChainsDep,
    deals: DealsDep,
    value: Annotated[
        int, Query(alias="dealValue", ge=1, le=MOST_VALUE, description="The offer in millionths of the currency.")
    ],
    currency: Annotated[str, Query(max_length=64, description="USDC, USDT, ETH, SOL or a token's address.")] = "USDC",
    chain_name: Annotated[str | None, Query(alias="chainId", description="Chain of the token at that address.")] = None,
    market_cap: Annotated[
        int | None,
        Query(
            alias="mcapEstimate", ge=0, le=MOST_VALUE, description="Market cap of the registered token, in millionths."
        ),
    ] = None,
) -> JsonResponse:
    """What an offer is worth, and the lowest there can be. No fee is charged on any deal."""
    chain = None if chain_name is None else read_chain(chains, chain_name, "chainId")
    found = await deals.currencies.priced("currency", currency, chain)
    with localcontext() as context:
        context.prec = 100
        worth = int(Decimal(value) * (found.price_usd or 0))
        least_usd = deals.offers.minimum_usd(None if market_cap is None else Decimal(market_cap) / MILLION)
        least = int((least_usd * MILLION).to_integral_value(ROUND_CEILING))
    if found.price_usd is None:
        raise InvalidInput("currency", f"{found.name} has no price in US dollars now")
    if worth < least:
        raise InvalidInput("dealValue", f"is worth {worth} millionths of a US dollar; the lowest offer is {least}")
    return respond(
        FeePreview(
            minimum_offer=least,
            deal_value_usd=worth,
            currency=checksum_address(found.name),
            price_usd=None if found.is_dollar else found.price_usd,
            mcap_estimate=market_cap,
            facilitation_fee=0,
            effective_rate=0,
        )
    )


@router.get("/symbol/{symbol}", response_model=SymbolDeals, responses=success_example(examples.SYMBOL))
async def list_symbol_deals(
    access: ApiKey,
    chains: ChainsDep,
    deals: DealsDep,
    symbol: SymbolPath,
    chain_name: ChainFilter = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> JsonResponse:
    """Deals on registrations of a symbol, newest first."""
    name = read_symbol("symbol", symbol)
    chain_id = None if chain_name is None else read_chain(chains, chain_name, "chainId").chain_id
    found, total = await deals.repository.listed(DealFilter(symbol=name, chain_id=chain_id), limit=limit, offset=offset)
    listed = [shapes.listed(deal, Audience.OUTSIDER) for deal in found]
    return respond(SymbolDeals(deals=listed, total=total, limit=limit, offset=offset, symbol=name, chain_id=chain_id))


@router.get("/address/{address}", response_model=AddressDeals, responses=success_example(examples.ADDRESS))
async def list_address_deals(
    access: ApiKey,
    deals: DealsDep,
    address: Annotated[str, Path(description="A wallet.")],
    role: Annotated[
        ListedRole | None,
        Query(
            description="`seller`: offers made; `buyer`: deals accepted. Default: both, and offers that wait for it."
        ),
    ] = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> JsonResponse:
    """Deals of a wallet, newest first."""
    wallet = wallet_address("address", address)
    wanted = DealFilter(
        wallets=Wallets([wallet], [None]),
        as_offerer=role is None or role.lists_offers_made,
        as_holder=role is None or not role.lists_offers_made,
        waiting=role is None,
    )
    found, total = await deals.repository.listed(wanted, limit=limit, offset=offset)
    listed = [
        shapes.listed(deal, Audience.OUTSIDER, waits_for=deal.state == OFFERED and deal.holder_now == wallet)
        for deal in found
    ]
    return respond(
        AddressDeals(deals=listed, total=total, limit=limit, offset=offset, address=checksum_address(wallet), role=role)
    )


@router.get("/group/{groupId}", response_model=DealGroup, responses=success_example(examples.GROUP))
async def get_deal_group(access: ApiKey, group_id: GroupId, deals: DealsDep) -> JsonResponse:
    """A group of offers, and which of them are accepted. They take effect when all are."""
    found, total = await deals.repository.listed(DealFilter(group_id=group_id), limit=100, offset=0)
    if not found:
        raise GroupNotFound
    waiting = [deal for deal in found if not _is_accepted(deal)]
    return respond(
        DealGroup(
            group=GroupName(id=str(group_id)),
            deals=[_outside(deal) for deal in found],
            total=total,
            accepted=total - len(waiting),
            complete=not waiting,
            pending=[
                PendingDeal(deal_id=str(deal.id), symbol=deal.symbol, chain_id=deal.chain_id, status=deal.state.status)
                for deal in waiting
            ],
        )
    )


@router.get("/{dealId}", response_model=Deal, responses=success_example(examples.DEAL))
async def get_deal(access: ApiKey, session: SessionBeside, deal_id: DealId, deals: DealsDep) -> JsonResponse:
    """A deal with its events, attestations and payments. A session of a party shows more: what it may do now, the terms
    of a collab, and the proofs of attestations."""
    deal = await deals.answers.find(deal_id)
    events, attestations = await deals.repository.events(deal.id), await deals.repository.attestations(deal.id)
    return respond(shapes.single(deal, shapes.audience_of(deal, session), events, attestations))


@router.get("/{dealId}/events", response_model=DealEvents, responses=success_example(examples.EVENTS))
async def list_deal_events(access: ApiKey, session: SessionBeside, deal_id: DealId, deals: DealsDep) -> JsonResponse:
    """What happened to a deal, oldest first."""
    deal = await deals.answers.find(deal_id)
    audience = shapes.audience_of(deal, session)
    events = [shapes.event(deal, row, audience) for row in await deals.repository.events(deal.id)]
    return respond(DealEvents(deal_id=str(deal.id), events=events))


@router.get("/{dealId}/comparables", response_model=Comparables, responses=success_example(examples.COMPARABLES))
async def list_comparable_deals(access: ApiKey, deal_id: DealId, deals: DealsDep) -> JsonResponse:
    """What registrations of tokens with a like market cap and of a like age were sold for: up to ten completed deals,
    the likest first. Only settled prices, which everybody can read from the chain."""
    deal = await deals.answers.find(deal_id)
    found = [
        Comparable(
            deal_id=str(row.id),
            deal_type=DealType(row.deal_type),
            symbol=row.symbol,
            chain_id=row.chain_id,
            agreed_amount=f"{row.amount:f}",
            agreed_currency=checksum_address(row.currency),
            amount_usd=row.amount_usd,
            market_cap_usd=row.market_cap_usd,
            age_days=row.age_seconds // SECONDS_OF_A_DAY,
            completed_at=timestamp(row.completed_at),
        )
        for row in await deals.repository.comparables(deal.id)
    ]
    return respond(Comparables(deal_id=str(deal.id), comparables=found))


@registration_router.get(
    "",
    response_model=RegistrationDeals,
    responses=success_example(examples.REGISTRATION) | REGISTRATION.responses(RegistrationNotFound),
)
async def list_registration_deals(
    access: ApiKey,
    store: StoreDep,
    chains: ChainsDep,
    deals: DealsDep,
    name: Annotated[str, Path(alias="id", description="Registration id, or a symbol.", examples=["1"])],
    chain_name: Annotated[
        str | None, Query(alias="chain", description="Chain of the registration: ids count on each chain anew.")
    ] = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> JsonResponse:
    """Deals on a registration, also on one that has ended, newest first. Without a chain, an id means the earliest
    mint."""
    chain_id = None if chain_name is None else read_chain(chains, chain_name).chain_id
    row = await find_registration(RegistrationRepository(store), name, chain_id)
    wanted = DealFilter(chain_id=row.chain_id, token_id=row.token_id)
    found, total = await deals.repository.listed(wanted, limit=limit, offset=offset)
    return respond(
        RegistrationDeals(
            deals=[_outside(deal) for deal in found],
            total=total,
            limit=limit,
            offset=offset,
            token_id=row.token_id,
            symbol=row.symbol,
            chain_id=row.chain_id,
        )
    )


def _outside(deal: ListedDeal) -> Deal:
    return shapes.listed(deal, Audience.OUTSIDER)


def _is_accepted(deal: ListedDeal) -> bool:
    return deal.holder is not None and deal.state.status not in (Status.CANCELLED, Status.CLOSED, Status.FAILED)
