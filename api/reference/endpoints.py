"""GET /openapi.json: no credential, any origin, counted by address."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from api.http.conditional import NOT_MODIFIED, answer
from api.http.groups import Credential, Origins, Quota, RouteGroup
from api.limits.public import PublicRead
from api.reference.document import RenderedDocument

GROUP = RouteGroup(prefix="/openapi.json", credential=Credential.NONE, quota=Quota.ADDRESS, origins=Origins.ANY)
FRESH = {"Cache-Control": "public, max-age=300"}
router = GROUP.router("", tags=["reference"])


async def _document(request: Request) -> RenderedDocument:
    document: RenderedDocument = request.app.state.document
    return document


@router.get(
    "/openapi.json", response_class=Response, responses=NOT_MODIFIED | GROUP.responses(), include_in_schema=False
)
async def get_openapi_document(
    request: Request, access: PublicRead, document: Annotated[RenderedDocument, Depends(_document)]
) -> Response:
    """The OpenAPI document of this service. May be cached for five minutes."""
    return answer(request.headers, await document.get(), FRESH)
