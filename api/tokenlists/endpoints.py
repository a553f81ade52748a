"""GET /tokenlist, its versions and their differences."""

from typing import Annotated

from fastapi import Path, Query, Request
from starlette.responses import Response

from api.http.addresses import wallet_address
from api.http.conditional import NOT_MODIFIED, Prepared, answer
from api.http.dependencies import ListSignaturesDep, StoreDep, TokenListDep
from api.http.errors import InvalidInput
from api.http.examples import success_examples
from api.http.fields import read_symbol
from api.http.groups import RouteGroup
from api.http.pages import cut_page
from api.http.rendering import JsonResponse, respond
from api.http.routes import QueryRoute
from api.http.times import timestamp
from api.security.access import ApiKey
from api.security.scopes import KeyScope
from api.tokenlists import examples
from api.tokenlists.document import listed, read_version
from api.tokenlists.errors import VersionNotPublished
from api.tokenlists.records import Difference, VersionChanges
from api.tokenlists.schemas import (
    ChangedToken,
    ListDifference,
    PublishedVersion,
    PublishedVersions,
    TokenList,
)
from api.tokenlists.signing import HEADER, Signatures

GROUP = RouteGroup(prefix="/api/v2/tokenlist", key_scope=KeyScope.READ)
CACHE = {"Cache-Control": "private, max-age=60, stale-while-revalidate=600"}
_MAX_SYMBOLS = 100
_MAX_CHAIN_ID = 2**53

router = GROUP.router(tags=["token list"], route_class=QueryRoute)


@router.get(
    "",
    response_model=TokenList,
    responses=success_examples(("list", examples.LIST), ("nothing meets the filter", examples.NOTHING))
    | NOT_MODIFIED
    | GROUP.responses(VersionNotPublished),
)
async def get_token_list(
    request: Request,
    access: ApiKey,
    service: TokenListDep,
    signatures: ListSignaturesDep,
    chain_id: Annotated[
        int | None, Query(alias="chainId", ge=1, le=_MAX_CHAIN_ID, description="Only tokens of this chain.")
    ] = None,
    symbol: Annotated[
        list[str] | None,
        Query(description="Only tokens of this symbol; repeat it for several.", max_length=_MAX_SYMBOLS),
    ] = None,
    version: Annotated[str | None, Query(description="An earlier version.", examples=["1.4.0"])] = None,
) -> Response:
    """The tokens with an active registration as a versioned token list; at most ten thousand, those listed longest
    first. A filter that matches nothing returns no tokens."""
    wanted = (chain_id, tuple(sorted({read_symbol("symbol", one) for one in symbol or ()})))
    if version is None:
        published = await service.published()
    else:
        published = await service.of(await service.named(read_version("version", version)))
    return await _send(request, signatures, published.answers(wanted))


@router.get(
    "/address/{address}",
    response_model=TokenList,
    responses=success_examples(("list", examples.LIST), ("nothing owned", examples.NOTHING))
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
    responses=success_examples(("versions", examples.VERSIONS)),
)
async def list_token_list_versions(
    access: ApiKey,
    store: StoreDep,
    limit: Annotated[int, Query(ge=1, le=100, description="Versions per page.")] = 20,
    before: Annotated[
        int | None, Query(ge=1, le=2**62, description="`nextBefore` of the page before; omit it on the first.")
    ] = None,
) -> JsonResponse:
    """Every version that was published, newest first, with how many tokens were added, changed and removed."""
    rows = await store.rows("tokenlists/list_versions", {"below": before or 2**62, "limit": limit + 1}, VersionChanges)
    page, more = cut_page(rows, limit)
    return respond(
        PublishedVersions(
            versions=[
                PublishedVersion(
                    version=row.render(),
                    timestamp=timestamp(row.published_at),
                    tokens=row.tokens,
                    added=row.added,
                    changed=row.changed,
                    removed=row.removed,
                )
                for row in page
            ],
            next_before=page[-1].version_id if more else None,
        )
    )


@router.get(
    "/diff",
    response_model=ListDifference,
    responses=success_examples(("difference", examples.DIFFERENCE)) | GROUP.responses(VersionNotPublished),
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
        Difference,
    )
    pairs = [(row.old, row.new) for row in rows]
    return respond(
        ListDifference(
            old=earlier.render(),
            new=later.render(),
            added=[listed(new) for old, new in pairs if old is None and new is not None],
            removed=[listed(old) for old, new in pairs if new is None and old is not None],
            changed=[
                ChangedToken(old=listed(old), new=listed(new))
                for old, new in pairs
                if old is not None and new is not None
            ],
        )
    )


async def _send(request: Request, signatures: Signatures, prepared: Prepared) -> Response:
    return answer(request.headers, prepared, {**CACHE, HEADER: await signatures.of(prepared)})
