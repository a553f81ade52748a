"""GET /tokenlist/export, /tokenlist/lint and /tokenlist/{platform}: listings of one registration."""

from typing import Annotated

from fastapi import Path, Query

from api.http.dependencies import ChainsDep, ClockDep, SettingsDep, StoreDep
from api.http.error_shapes import ErrorShape
from api.http.errors import InvalidInput
from api.http.examples import success_examples
from api.http.fields import ChainPath, SymbolPath, read_chain, read_symbol
from api.http.groups import RouteGroup
from api.http.rendering import JsonResponse, respond
from api.http.routes import QueryRoute
from api.metadata.service import PUBLIC_PATH
from api.registrations.repository import ListingRecord, RegistrationRepository
from api.registrations.statuses import registration_status
from api.security.access import ApiKey, with_plan
from api.security.callers import Caller
from api.security.scopes import KeyScope
from api.tokenlists import examples
from api.tokenlists.errors import NotRegistered, PlatformUnknown
from api.tokenlists.formats import PlatformListing
from api.tokenlists.platforms import FORMATS, Listing
from api.tokenlists.schemas import (
    Lack,
    ListingData,
    ListingExport,
    ListingExtensions,
    ListingLint,
    PlatformLint,
)
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chain
from warehouse.store import Store

GROUP = RouteGroup(prefix="/api/v2/tokenlist", key_scope=KeyScope.READ)
EXPORT = RouteGroup(
    prefix="/api/v2/tokenlist/export", key_scope=KeyScope.READ, errors=ErrorShape(invalid_code="INVALID_PARAMS")
)

router = GROUP.router(tags=["token list"], route_class=QueryRoute)
export_router = EXPORT.router(tags=["token list"], route_class=QueryRoute)


@export_router.get(
    "/{symbol}/{chain}",
    response_model=ListingExport,
    responses=success_examples(("listing", examples.EXPORT)) | EXPORT.responses(NotRegistered),
)
async def export_listing(
    access: Annotated[Caller, with_plan("pro")],
    store: StoreDep,
    chains: ChainsDep,
    clock: ClockDep,
    symbol: SymbolPath,
    chain: ChainPath,
    format: Annotated[
        str, Query(max_length=32, pattern=r"^[A-Za-z0-9_.+-]+$", description="Format hint, returned unchanged.")
    ] = "json",
) -> JsonResponse:
    """A registration's listing (plan pro or higher)."""
    row, known_chain = await _registered(store, read_symbol("symbol", symbol), read_chain(chains, chain))
    listing = Listing.of(row, known_chain)
    verified = registration_status(row, row, row.score, clock.now()) != "inactive"
    return respond(
        ListingExport(
            symbol=listing.symbol,
            chain=known_chain.key,
            format=format,
            data=ListingData(
                name=listing.name,
                symbol=listing.symbol,
                description=listing.description,
                website=listing.website,
                twitter=listing.twitter,
                telegram=listing.telegram,
                discord=listing.discord,
                logo=listing.logo,
                contract_address=checksum_address(row.token_address),
                chain_id=known_chain.chain_id,
            ),
            extensions=ListingExtensions(verified=verified, crown_id=row.token_id if verified else None),
        )
    )


@router.get(
    "/lint/{symbol}/{chain}",
    response_model=ListingLint,
    responses=success_examples(("lint", examples.LINT)) | GROUP.responses(InvalidInput, NotRegistered),
)
async def lint_listing(
    access: ApiKey, store: StoreDep, chains: ChainsDep, settings: SettingsDep, symbol: SymbolPath, chain: ChainPath
) -> JsonResponse:
    """The required fields that a registration's profile lacks, by platform."""
    row, known_chain = await _registered(store, read_symbol("symbol", symbol), read_chain(chains, chain))
    listing = Listing.of(row, known_chain)
    found = {name: FORMATS[format].lacks(listing) for name, format in settings.listing_platforms.items()}
    return respond(
        ListingLint(
            symbol=listing.symbol,
            chain=known_chain.key,
            platforms=[
                PlatformLint(
                    platform=name,
                    format=settings.listing_platforms[name],
                    complete=not lacks,
                    lacks=[Lack(field=field, problem=problem) for field, problem in lacks],
                )
                for name, lacks in found.items()
            ],
        )
    )


@router.get(
    "/{platform}/{symbol}/{chain}",
    response_model=PlatformListing,
    responses=success_examples(("listing", examples.PLATFORM))
    | GROUP.responses(InvalidInput, PlatformUnknown, NotRegistered),
)
async def get_platform_listing(
    access: ApiKey,
    store: StoreDep,
    chains: ChainsDep,
    settings: SettingsDep,
    platform: Annotated[str, Path(description="A platform from the operator's settings.", examples=["profile"])],
    symbol: SymbolPath,
    chain: ChainPath,
) -> JsonResponse:
    """A registration's listing in the format of a platform."""
    format = settings.listing_platforms.get(platform)
    if format is None:
        offered = ", ".join(sorted(settings.listing_platforms))
        raise PlatformUnknown(f"platform: {platform[:40]!r} is not one of {offered}")
    row, known_chain = await _registered(store, read_symbol("symbol", symbol), read_chain(chains, chain))
    listing = Listing.of(row, known_chain, f"{settings.public_url}{PUBLIC_PATH}/")
    return respond(FORMATS[format].write(listing))


async def _registered(store: Store, symbol: str, chain: Chain) -> tuple[ListingRecord, Chain]:
    row = await RegistrationRepository(store).listing(symbol, chain.chain_id)
    if row is None:
        raise NotRegistered(f"symbol: no registration of {symbol} on {chain.name}")
    return row, chain
