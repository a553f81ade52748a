"""GET /tokenlist and what lies below it."""

from typing import Annotated

from fastapi import Path, Query, Request
from starlette.responses import Response

from api.http.addresses import wallet_address
from api.http.conditional import NOT_MODIFIED, Prepared, answer
from api.http.dependencies import ChainsDep, ClockDep, ListSignaturesDep, SettingsDep, StoreDep, TokenListDep
from api.http.error_shapes import ErrorShape
from api.http.errors import InvalidInput, NotFound
from api.http.examples import answered
from api.http.fields import ChainPath, SymbolPath, read_chain, read_symbol
from api.http.groups import RouteGroup
from api.http.pages import cut_page
from api.http.rendering import JsonResponse, respond
from api.http.routes import QueryRoute
from api.http.times import timestamp
from api.registrations.statuses import registration_status
from api.security.access import ApiKey, with_plan
from api.security.callers import Caller
from api.tokenlists import examples
from api.tokenlists.document import Version, listed, read_version
from api.tokenlists.platforms import FORMATS, Listing
from api.tokenlists.schemas import (
    ChangedToken,
    Lack,
    ListDifference,
    ListingData,
    ListingExport,
    ListingExtensions,
    ListingLint,
    PlatformLint,
    PlatformListing,
    PublishedVersion,
    PublishedVersions,
    TokenList,
)
from api.tokenlists.signing import HEADER, Signatures
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chain
from warehouse.store import Row, Store

GROUP = RouteGroup(prefix="/api/v2/tokenlist")
EXPORT = RouteGroup(prefix="/api/v2/tokenlist/export", errors=ErrorShape(invalid_code="INVALID_PARAMS"))
CACHE = {"Cache-Control": "private, max-age=60, stale-while-revalidate=600"}
_MOST_SYMBOLS = 100
_MOST_CHAIN_ID = 2**53

router = GROUP.router(tags=["token list"], route_class=QueryRoute)
export_router = EXPORT.router(tags=["token list"], route_class=QueryRoute)


@router.get(
    "",
    response_model=TokenList,
    responses=answered(("list", examples.LIST), ("nothing meets the filter", examples.NOTHING))
    | NOT_MODIFIED
    | GROUP.responses(NotFound),
)
async def get_token_list(
    request: Request,
    access: ApiKey,
    service: TokenListDep,
    signatures: ListSignaturesDep,
    chain_id: Annotated[
        int | None, Query(alias="chainId", ge=1, le=_MOST_CHAIN_ID, description="Only tokens of this chain.")
    ] = None,
    symbol: Annotated[
        list[str] | None,
        Query(description="Only tokens of this symbol; repeat it for several.", max_length=_MOST_SYMBOLS),
    ] = None,
    version: Annotated[str | None, Query(description="A version of the past.", examples=["1.4.0"])] = None,
) -> Response:
    """The tokens that an active registration stands behind, as a versioned token list; at most ten thousand, the
    longest listed first. A filter that nothing meets is answered with no tokens."""
    wanted = (chain_id, tuple(sorted({read_symbol("symbol", one) for one in symbol or ()})))
    if version is None:
        published = await service.published()
    else:
        published = await service.of(await service.named(read_version("version", version)))
    return await _send(request, signatures, published.answers(wanted))


@router.get(
    "/address/{address}",
    response_model=TokenList,
    responses=answered(("list", examples.LIST), ("nothing owned", examples.NOTHING))
    | NOT_MODIFIED
    | GROUP.responses(InvalidInput),
)
async def get_token_list_of_wallet(
    request: Request,
    access: ApiKey,
    service: TokenListDep,
    signatures: ListSignaturesDep,
    address: Annotated[str, Path(description="Wallet, EVM or Solana.", examples=["0x" + "70" * 20])],
) -> Response:
    """The listed tokens whose registration the wallet owns."""
    return await _send(request, signatures, await service.owned(wallet_address("address", address)))


@router.get(
    "/versions",
    response_model=PublishedVersions,
    responses=answered(("versions", examples.VERSIONS)),
)
async def list_token_list_versions(
    access: ApiKey,
    store: StoreDep,
    limit: Annotated[int, Query(ge=1, le=100, description="Most versions in an answer.")] = 20,
    before: Annotated[
        int | None, Query(ge=1, le=2**62, description="`nextBefore` of the page before; absent on the first.")
    ] = None,
) -> JsonResponse:
    """Every version that was published, newest first, with how many tokens were added, changed and removed."""
    rows = await store.rows("tokenlists/list_versions", {"below": before or 2**62, "limit": limit + 1})
    page, more = cut_page(rows, limit)
    return respond(
        PublishedVersions(
            versions=[
                PublishedVersion(
                    version=Version.of(row).render(),
                    timestamp=timestamp(row["published_at"]),
                    tokens=row["tokens"],
                    added=row["added"],
                    changed=row["changed"],
                    removed=row["removed"],
                )
                for row in page
            ],
            next_before=page[-1]["version_id"] if more else None,
        )
    )


@router.get(
    "/diff",
    response_model=ListDifference,
    responses=answered(("difference", examples.DIFFERENCE)) | GROUP.responses(NotFound),
)
async def compare_token_list_versions(
    access: ApiKey,
    store: StoreDep,
    service: TokenListDep,
    old: Annotated[str, Query(alias="from", description="The earlier version.", examples=["1.4.0"])],
    new: Annotated[
        str | None, Query(alias="to", description="The later version; the newest by default.", examples=["1.4.1"])
    ] = None,
) -> JsonResponse:
    """What was added, removed and changed between two versions."""
    earlier = await service.named(read_version("from", old))
    later = await service.newest() if new is None else await service.named(read_version("to", new))
    if earlier.version_id > later.version_id:
        raise InvalidInput("from", "must not be later than `to`")
    rows = await store.rows(
        "tokenlists/list_differences",
        {"from_version": earlier.version_id, "to_version": later.version_id},
    )
    both = [row for row in rows if row["crown_id"] is not None and row["old_crown_id"] is not None]
    return respond(
        ListDifference(
            old=earlier.render(),
            new=later.render(),
            added=[listed(row) for row in rows if row["old_crown_id"] is None],
            removed=[listed(row, "old_") for row in rows if row["crown_id"] is None],
            changed=[ChangedToken(old=listed(row, "old_"), new=listed(row)) for row in both],
        )
    )


@export_router.get(
    "/{symbol}/{chain}",
    response_model=ListingExport,
    responses=answered(("listing", examples.EXPORT)) | EXPORT.responses(NotFound),
)
async def export_listing(
    access: Annotated[Caller, with_plan("pro")],
    store: StoreDep,
    chains: ChainsDep,
    clock: ClockDep,
    symbol: SymbolPath,
    chain: ChainPath,
    format: Annotated[
        str, Query(max_length=32, pattern=r"^[A-Za-z0-9_.+-]+$", description="Format hint, given back as it is.")
    ] = "json",
) -> JsonResponse:
    """A registration's listing, for those who pay for it (plan pro or higher)."""
    row, place = await _registered(store, read_symbol("symbol", symbol), read_chain(chains, chain))
    listing = Listing.of(row, place)
    verified = registration_status(row, row, row["score"], clock.now()) != "inactive"
    return respond(
        ListingExport(
            symbol=listing.symbol,
            chain=place.key,
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
                contract_address=checksum_address(row["token_address"]),
                chain_id=place.chain_id,
            ),
            extensions=ListingExtensions(verified=verified, crown_id=row["token_id"] if verified else None),
        )
    )


@router.get(
    "/lint/{symbol}/{chain}",
    response_model=ListingLint,
    responses=answered(("lint", examples.LINT)) | GROUP.responses(InvalidInput, NotFound),
)
async def lint_listing(
    access: ApiKey, store: StoreDep, chains: ChainsDep, settings: SettingsDep, symbol: SymbolPath, chain: ChainPath
) -> JsonResponse:
    """What a registration's profile lacks for each platform."""
    row, place = await _registered(store, read_symbol("symbol", symbol), read_chain(chains, chain))
    listing = Listing.of(row, place)
    found = {name: FORMATS[format].lacks(listing) for name, format in settings.listing_platforms.items()}
    return respond(
        ListingLint(
            symbol=listing.symbol,
            chain=place.key,
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
    responses=answered(("listing", examples.PLATFORM)) | GROUP.responses(InvalidInput, NotFound),
)
async def get_platform_listing(
    access: ApiKey,
    store: StoreDep,
    chains: ChainsDep,
    settings: SettingsDep,
    platform: Annotated[str, Path(description="A platform of the operator's settings.", examples=["profile"])],
    symbol: SymbolPath,
    chain: ChainPath,
) -> JsonResponse:
    """A registration's listing in the format of a platform."""
    format = settings.listing_platforms.get(platform)
    if format is None:
        offered = ", ".join(sorted(settings.listing_platforms))
        raise NotFound(f"platform: {platform[:40]!r} is none of {offered}")
    row, place = await _registered(store, read_symbol("symbol", symbol), read_chain(chains, chain))
    return JsonResponse(FORMATS[format].write(Listing.of(row, place)))


async def _registered(store: Store, symbol: str, chain: Chain) -> tuple[Row, Chain]:
    row = await store.row("registrations/find_listing", {"symbol": symbol, "chain_id": chain.chain_id})
    if row is None:
        raise NotFound(f"symbol: no registration of {symbol} on {chain.name}")
    return row, chain


async def _send(request: Request, signatures: Signatures, prepared: Prepared) -> Response:
    return answer(request.headers, prepared, {**CACHE, HEADER: await signatures.of(prepared)})
