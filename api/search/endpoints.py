"""GET /api/v2/search."""

from functools import lru_cache
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.core.access import ApiKey
from api.core.errors import LOWER_CODES, RouteGroup
from api.search import examples
from api.search.parameters import PARAMETERS, SearchQuery, read_query
from api.search.schemas import SearchAnswer
from api.search.service import SearchService

GROUP = RouteGroup(prefix="/api/v2/search", invalid_code="bad_request", codes=LOWER_CODES)
GROUPS = (GROUP,)

router = APIRouter(prefix="/api/v2/search", tags=["search"])


def search_service(request: Request) -> SearchService:
    """The application's search, made for the warehouse it has now."""
    state = request.app.state
    service: SearchService | None = getattr(state, "search", None)
    if service is None or service.source is not state.warehouse:
        service = SearchService(
            state.warehouse,
            state.chains,
            clock=state.clock,
            metrics=state.metrics,
            site_url=state.settings.public_site_url,
        )
        # Reading the same query string again costs more than answering it from the cache.
        state.read_search_query = lru_cache(maxsize=4_096)(lambda text: read_query(text, state.chains))
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
    query: SearchQuery = request.app.state.read_search_query(request.scope["query_string"].decode("latin-1"))
    return Response(await service.answer(query, access.wallet), media_type="application/json")
