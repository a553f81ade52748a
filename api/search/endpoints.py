"""GET /api/v2/search."""

from collections.abc import Callable, Coroutine
from functools import lru_cache
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from api.apps.pages import PageApps
from api.http.errors import LOWER_CODES, InvalidInput, RouteGroup
from api.search import examples
from api.search.parameters import PARAMETERS, SearchQuery, read_query
from api.search.schemas import SearchAnswer
from api.search.service import SearchService
from api.security.access import API_KEY_HEADER, ApiKey, ApiKeys, count

GROUP = RouteGroup(prefix="/api/v2/search", invalid_code="bad_request", codes=LOWER_CODES)
GROUPS = (GROUP,)
LONGEST_KEPT_QUERY = 1_024
"""Characters of the longest query string whose reading is remembered."""


class RememberingRoute(APIRoute):
    """A route that gives a remembered answer to a remembered key before anything else is done: resolving the
    dependencies of a request costs more than the rest of such an answer."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, behind a look into the two caches."""
        handle = super().get_route_handler()

        async def look_first(request: Request) -> Response:
            body = await _remembered(request)
            return await handle(request) if body is None else Response(body, media_type="application/json")

        return look_first


router = APIRouter(prefix="/api/v2/search", tags=["search"], route_class=RememberingRoute)


async def _remembered(request: Request) -> bytes | None:
    """The answer to the request, if it and the caller are known; else the usual way is to be gone, errors included."""
    state = request.app.state
    service: SearchService | None = getattr(state, "search", None)
    secret = request.headers.get(API_KEY_HEADER)
    if not secret or service is None or service.source is not state.warehouse:
        return None
    keys: ApiKeys = state.api_keys
    caller = keys.known(secret)
    if caller is None:
        return None
    try:
        body = service.remembered(_query(request), caller.wallet)
    except InvalidInput:
        return None
    if body is not None:
        await count(request, caller)
    return body


def _query(request: Request) -> SearchQuery:
    text: bytes = request.scope["query_string"]
    read = request.app.state.read_search_query
    # Parameters of other names are ignored, however long: thousands of such strings are not to be kept.
    query: SearchQuery = (read if len(text) <= LONGEST_KEPT_QUERY else read.__wrapped__)(text)
    return query


async def search_service(request: Request) -> SearchService:
    """The application's search, made for the warehouse it has now."""
    state = request.app.state
    service: SearchService | None = getattr(state, "search", None)
    if service is None or service.source is not state.warehouse:
        service = SearchService(
            state.warehouse,
            state.chains,
            PageApps(state.store, state.apps, state.settings.public_url),
            clock=state.clock,
            metrics=state.metrics,
            site_url=state.settings.public_site_url,
        )
        # Reading the same query string again costs more than answering it from the cache.
        state.read_search_query = lru_cache(4_096)(lambda text: read_query(text.decode("latin-1"), state.chains))
        state.search = service
    return service


SearchDep = Annotated[SearchService, Depends(search_service)]


@router.get(
    "",
    response_model=SearchAnswer,
    responses=examples.shown(examples.ANSWER)
    | GROUP.responses(400, 401, 403, 503, also={429: [("rate_limit_exceeded", "daily or per-second limit exceeded")]}),
    openapi_extra={"parameters": [parameter.openapi() for parameter in PARAMETERS]},
)
async def search_tokens(request: Request, access: ApiKey, service: SearchDep) -> Response:
    """Tokens by symbol over all chains: exact matches first, then near ones, and the chains on which the symbol is
    still available. `pagination.nextCursor` walks one published state; page numbers are as of the moment."""
    return Response(await service.answer(_query(request), access.wallet), media_type="application/json")
