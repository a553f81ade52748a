"""GET /api/v2/search."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from api.http.dependencies import SearchDep
from api.http.error_shapes import LOWER_CODES, ErrorShape
from api.http.errors import InvalidInput
from api.http.groups import SEARCHES, RouteGroup
from api.search import examples
from api.search.parameters import PARAMETERS
from api.search.schemas import SearchAnswer
from api.security.access import ApiKey
from api.security.credentials import count
from api.security.errors import API_KEY_HEADER
from api.services import services_of

GROUP = RouteGroup(
    prefix="/api/v2/search", admission=SEARCHES, errors=ErrorShape(invalid_code="bad_request", codes=LOWER_CODES)
)


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


router = GROUP.router(tags=["search"], route_class=RememberingRoute)


async def _remembered(request: Request) -> bytes | None:
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
    if body is not None:
        await count(request, caller)
    return body


@router.get(
    "",
    response_model=SearchAnswer,
    responses=examples.shown(examples.ANSWER) | GROUP.responses(InvalidInput),
    openapi_extra={"parameters": [parameter.openapi() for parameter in PARAMETERS]},
)
async def search_tokens(request: Request, access: ApiKey, service: SearchDep) -> Response:
    """Tokens by symbol over all chains: exact matches first, then near ones, and the chains on which the symbol is
    still available. `pagination.nextCursor` walks one published state; page numbers are as of the moment."""
    query = service.read_query(request.scope["query_string"])
    return Response(await service.answer(query, access.wallet), media_type="application/json")
