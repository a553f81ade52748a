"""GET /api/v2/public/...: no credential, any origin, counted by address."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any, TypeVar

from fastapi import Path, Request
from starlette.responses import Response

from api.http.addresses import chain_address
from api.http.conditional import NOT_MODIFIED, Prepared, answer
from api.http.dependencies import ChainsDep, PublicReadsDep
from api.http.error_shapes import LOWER_CODES, ErrorShape
from api.http.errors import ApiError, InvalidInput, NotFound
from api.http.examples import success_examples
from api.http.groups import CLAIMS, Credential, GroupRouter, Origins, Quota, RouteGroup
from api.http.remembered import remembered_route
from api.http.rendering import Wire
from api.http.route_table import SCOPE_KEY
from api.limits.public import PublicRead
from api.public import examples
from api.public.schemas import Coin, CoinApps, Holding, Sites
from api.public.service import APPS, COIN, HOLDING, SITES, HoldingTooLarge
from api.security.credentials import count_address
from api.services import services_of
from warehouse.domain.chains import Chain, Chains
from warehouse.domain.symbols import SEARCHABLE_PATTERN

GROUP = RouteGroup(
    prefix="/api/v2/public",
    credential=Credential.NONE,
    quota=Quota.ADDRESS,
    errors=ErrorShape(invalid_code="invalid_request", codes=LOWER_CODES, with_message=True),
    origins=Origins.ANY,
)
HOLDINGS = replace(GROUP, admission=CLAIMS, quota=Quota.ADDRESS_HOLDINGS)
"""Each read asks a chain."""
FRESH = {"Cache-Control": "public, max-age=60, stale-while-revalidate=120"}
FRESH_HOLDING = {"Cache-Control": "public, max-age=30, stale-while-revalidate=30"}
MISSING = {"Cache-Control": "public, max-age=60"}
Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
_SYMBOL = re.compile(SEARCHABLE_PATTERN)
_ID = re.compile(r"[1-9][0-9]{0,17}")


class PublicNotFound(NotFound):
    """Nothing of the kind is public. Caches may keep this answer for a minute."""

    text = "no verified page of PEPE"

    def __init__(self, message: str) -> None:
        super().__init__(message, headers=MISSING)


async def _recall(request: Request) -> Response | None:
    """The remembered answer to the path, counted against the client's address like any other."""
    found = services_of(request).public_reads.remembered(request.scope["path"])
    if found is None:
        return None
    await count_address(request)
    group: RouteGroup = request.scope[SCOPE_KEY]
    return answer(request.headers, found, FRESH_HOLDING if group is HOLDINGS else FRESH)


_route_class = remembered_route(_recall)
router = GROUP.router(tags=["public reads"], route_class=_route_class)
holdings_router = HOLDINGS.router(tags=["public reads"], route_class=_route_class)
ChainPath = Annotated[str, Path(description="Chain key, in lower case.", examples=["base"])]
SymbolPath = Annotated[str, Path(description="Symbol, in any case.", examples=["PEPE"])]


def _read(
    path: str,
    model: type[Wire],
    *examples: tuple[str, dict[str, Any]],
    on: GroupRouter = router,
    errors: tuple[type[ApiError], ...] = (),
) -> Callable[[Endpoint], Endpoint]:
    """Add a read at a path. HEAD works like GET and is omitted from OpenAPI."""

    def offer(endpoint: Endpoint) -> Endpoint:
        responses = success_examples(*examples) | NOT_MODIFIED | GROUP.responses(PublicNotFound, *errors)
        for method in ("GET", "HEAD"):
            on.add_api_route(
                path,
                endpoint,
                methods=[method],
                response_model=model,
                responses=responses,
                include_in_schema=method == "GET",
            )
        return endpoint

    return offer


@_read("/coins/{chain}/{symbol}", Coin, ("coin", examples.COIN))
async def get_public_coin(
    request: Request, access: PublicRead, reads: PublicReadsDep, chains: ChainsDep, chain: ChainPath, symbol: SymbolPath
) -> Response:
    """A verified coin, one with an active registration, and its market. May be cached for a minute."""
    known_chain, wanted = _chain(chains, chain), _symbol(chain, symbol)
    reads.note(request.scope["path"], (COIN, known_chain.key, wanted))
    return _send(request, await reads.coin(known_chain, wanted), FRESH, f"no verified page of {wanted}")


@_read("/coins/{chain}/{symbol}/apps", CoinApps, ("apps", examples.APPS))
async def list_public_coin_apps(
    request: Request, access: PublicRead, reads: PublicReadsDep, chains: ChainsDep, chain: ChainPath, symbol: SymbolPath
) -> Response:
    """The apps on a verified coin's page, in the page's order, without disabled apps and those rated NSFW."""
    known_chain, wanted = _chain(chains, chain), _symbol(chain, symbol)
    reads.note(request.scope["path"], (APPS, known_chain.key, wanted))
    return _send(request, await reads.apps(known_chain, wanted), FRESH, f"no verified page of {wanted}")


@_read(
    "/holdings/{chain}/{token}/{wallet}",
    Holding,
    ("holding", examples.HOLDING),
    ("holding of Solana", examples.SOLANA_HOLDING),
    on=holdings_router,
    errors=(HoldingTooLarge,),
)
async def get_public_holding(
    request: Request,
    access: PublicRead,
    reads: PublicReadsDep,
    chains: ChainsDep,
    chain: ChainPath,
    token: Annotated[
        str, Path(description="Address of the token; on Solana of the mint.", examples=["0x" + "69" * 20])
    ],
    wallet: Annotated[str, Path(description="Wallet address.", examples=["0x" + "70" * 20])],
) -> Response:
    """A wallet's balance of any token of the chain, registered or not, read from the chain. If the chain cannot be read
    the answer is 503, never a balance of zero. May be cached for half a minute."""
    known_chain = _chain(chains, chain)
    if not known_chain.can_index or not known_chain.enabled:
        raise PublicNotFound(f"holdings are not served on {known_chain.key}")
    holder = _address(known_chain, token), _address(known_chain, wallet)
    reads.note(request.scope["path"], (HOLDING, known_chain.key, *holder))
    return _send(request, await reads.holding(known_chain, *holder), FRESH_HOLDING, "no token at this address")


@_read("/crowns/{chain}/{crownId}/sites", Sites, ("sites", examples.SITES), ("none", examples.NO_SITES))
async def get_public_sites(
    request: Request,
    access: PublicRead,
    reads: PublicReadsDep,
    chains: ChainsDep,
    chain: ChainPath,
    crown_id: Annotated[str, Path(alias="crownId", description="Registration id on the chain.", examples=["7"])],
) -> Response:
    """The sites whose domains a coin's owner has verified; empty lists if there are none."""
    known_chain = _chain(chains, chain)
    if not _ID.fullmatch(crown_id):
        raise PublicNotFound("no such registration")
    reads.note(request.scope["path"], (SITES, known_chain.key, int(crown_id)))
    return _send(request, await reads.sites(known_chain, int(crown_id)), FRESH, "no such registration")


def _chain(chains: Chains, key: str) -> Chain:
    chain = chains.by_key.get(key)
    if chain is None or chain.claim_only:
        raise PublicNotFound(f"no chain {key[:32]!a} is served here")
    return chain


def _symbol(chain_key: str, text: str) -> str:
    if not _SYMBOL.fullmatch(text):
        raise PublicNotFound(f"no verified page of that name on {chain_key}")
    return text.upper()


def _address(chain: Chain, text: str) -> str:
    try:
        return chain_address("address", text, chain)
    except InvalidInput as error:
        raise PublicNotFound("not an address of this chain") from error


def _send(request: Request, prepared: Prepared | None, headers: dict[str, str], missing: str) -> Response:
    if prepared is None:
        raise PublicNotFound(missing)
    return answer(request.headers, prepared, headers)
