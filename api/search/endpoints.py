"""GET /api/v2/search."""

from fastapi import Request
from starlette.responses import Response

from api.http.dependencies import SearchDep
from api.http.error_shapes import LOWER_CODES, ErrorShape
from api.http.errors import InvalidInput
from api.http.examples import success_example
from api.http.groups import SEARCHES, RouteGroup
from api.http.remembered import remembered_route
from api.search import examples
from api.search.parameters import PARAMETERS
from api.search.schemas import SearchAnswer
from api.security.access import ApiKey
from api.security.credentials import admit_key
from api.security.errors import API_KEY_HEADER
from api.security.scopes import KeyScope
from api.services import services_of

GROUP = RouteGroup(
    prefix="/api/v2/search",
    key_scope=KeyScope.READ,
    admission=SEARCHES,
    errors=ErrorShape(invalid_code="bad_request", codes=LOWER_CODES),
)


async def _recall(request: Request) -> Response | None:
    """The remembered answer, if the query and the key are known; otherwise the request is handled in full."""
    secret = request.headers.get(API_KEY_HEADER)
    if not secret:
        return None
    services = services_of(request)
    caller = services.api_keys.known(secret)
    if caller is None:
        return None
    try:
        body = services.search.remembered(services.search.read_query(request.scope["query_string"]), caller.wallet)
    except InvalidInput:
        return None
    if body is None:
        return None
    await admit_key(request, caller)
    return Response(body, media_type="application/json")


router = GROUP.router(tags=["search"], route_class=remembered_route(_recall))


@router.get(
    "",
    response_model=SearchAnswer,
    responses=success_example(examples.ANSWER) | GROUP.responses(InvalidInput),
    openapi_extra={"parameters": [parameter.openapi() for parameter in PARAMETERS]},
)
async def search_tokens(request: Request, access: ApiKey, service: SearchDep) -> Response:
    """Tokens by symbol over all chains: exact matches first, then near ones, and the chains on which the symbol is
    still available. `pagination.nextCursor` pages through one published state; page numbers show the newest."""
    query = service.read_query(request.scope["query_string"])
    return Response(await service.answer(query, access.wallet), media_type="application/json")
