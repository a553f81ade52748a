"""POST /api/v2/metadata/upload, and GET /api/v2/public/metadata/{cid}: what was uploaded, for everyone."""

from typing import Annotated, Any

from fastapi import Path, Query, Request
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from api.http.conditional import has_already
from api.http.dependencies import MetadataDep
from api.http.errors import InvalidInput, PayloadTooLarge, UnsupportedMediaType
from api.http.examples import success_examples
from api.http.groups import UPLOADS, Credential, Origins, RouteGroup
from api.http.rendering import JsonResponse, respond
from api.http.routes import QueryRoute
from api.limits.public import PublicRead
from api.metadata import examples
from api.metadata.cids import read_cid
from api.metadata.contents import BYTES, DOCUMENT, Limits
from api.metadata.errors import ContentMismatch, ContentNotFound, ContentUnavailable, MetadataLimit
from api.metadata.images import IMAGE_TYPES
from api.metadata.schemas import MetadataDocument, Uploaded
from api.metadata.service import PUBLIC_PATH, Metadata
from api.metadata.sizes import ImageSize
from api.public.endpoints import GROUP as PUBLIC_GROUP
from api.public.endpoints import MISSING
from api.security.access import with_scope
from api.security.callers import WalletSession

FORM = "multipart/form-data"
FRAMING_BYTES = 16 * 1024
"""What a form adds to its file, at most."""
GROUP = RouteGroup(
    prefix="/api/v2/metadata",
    admission=UPLOADS,
    credential=Credential.SESSION,
    origins=Origins.SITE,
    body_limit=lambda settings: Limits.of(settings).max_bytes + FRAMING_BYTES,
    body_types=(DOCUMENT, BYTES, *IMAGE_TYPES, FORM),
)
Writer = Annotated[WalletSession, with_scope("api:write")]

_FILE = {"type": "string", "format": "binary"}
_BODY = {
    "requestBody": {
        "required": True,
        "description": "A document or an image as it is, or as the one file of a form. An image may have its own media "
        f"type ({', '.join(IMAGE_TYPES)}) instead of `{BYTES}`.",
        "content": {
            DOCUMENT: {"schema": {"$ref": "#/components/schemas/MetadataDocument"}},
            BYTES: {"schema": _FILE},
            FORM: {
                "schema": {
                    "type": "object",
                    "properties": {"file": {**_FILE, "description": "The document or the image."}},
                    "required": ["file"],
                    "additionalProperties": False,
                }
            },
        },
    }
}
# What was uploaded is never run: no script, no plug-in, no form, wherever a browser shows it.
_SERVED = {
    "Cache-Control": "public, max-age=31536000, immutable",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
}
_FOUND: dict[int | str, dict[str, Any]] = success_examples(("document", examples.DOCUMENT))
_FOUND[200]["content"].update({kind: {"schema": _FILE} for kind in IMAGE_TYPES})
_FOUND[304] = {"description": "The client has it already."}

router = GROUP.router(tags=["metadata"], route_class=QueryRoute)
public_router = PUBLIC_GROUP.router(PUBLIC_PATH, tags=["public reads"], route_class=QueryRoute)


CidPath = Annotated[
    str, Path(description="CID of what was uploaded, in any base that a path can hold.", examples=[examples.CID])
]
ExpectedCid = Annotated[
    str | None,
    Query(description="CID that the content must have; other content is refused.", examples=[examples.CID]),
]
SizeQuery = Annotated[ImageSize | None, Query(description="An image in this size; without it, as it was uploaded.")]


@router.post(
    "/upload",
    response_model=Uploaded,
    openapi_extra=_BODY,
    responses=success_examples(("uploaded", examples.UPLOADED))
    | GROUP.responses(
        InvalidInput, PayloadTooLarge, UnsupportedMediaType, MetadataLimit, ContentMismatch, ContentUnavailable
    ),
)
async def upload_metadata(
    request: Request, session: Writer, metadata: MetadataDep, cid: ExpectedCid = None
) -> JsonResponse:
    """Keep a metadata document or an image, under its content's name. The same bytes have the same name, from any
    sender. The type is detected from the bytes: a `Content-Type` must not contradict it."""
    expected = None if cid is None else read_cid(cid)
    if cid is not None and expected is None:
        raise InvalidInput("cid", "is not a CID")
    with metadata.upload_slot(session.account_id):
        data, declared = await _sent(request)
        return respond(await metadata.upload(session.account_id, data, declared, expected))


@public_router.get(
    "/{cid}",
    response_model=MetadataDocument,
    responses=_FOUND | PUBLIC_GROUP.responses(InvalidInput, ContentNotFound, ContentUnavailable),
)
async def get_metadata(
    request: Request, access: PublicRead, metadata: MetadataDep, cid: CidPath, size: SizeQuery = None
) -> Response:
    """What was uploaded, byte by byte. It never changes: keep it as long as you like. With `size`, an image as a PNG
    whose longest side has at most 25 (`thumb`), 50 (`small`) or 250 pixels (`large`)."""
    return await _served(request, metadata, cid, size)


@public_router.head(
    "/{cid}",
    include_in_schema=False,
    response_model=MetadataDocument,
    responses=_FOUND | PUBLIC_GROUP.responses(InvalidInput, ContentNotFound, ContentUnavailable),
)
async def head_metadata(
    request: Request, access: PublicRead, metadata: MetadataDep, cid: CidPath, size: SizeQuery = None
) -> Response:
    """Whether something was uploaded, and what it is."""
    return await _served(request, metadata, cid, size)


async def _served(request: Request, metadata: Metadata, text: str, size: ImageSize | None) -> Response:
    cid = read_cid(text)
    found = None if cid is None else await metadata.find(cid)
    if cid is None or found is None:
        raise ContentNotFound(headers=MISSING)
    media_type, data = found
    headers = {**_SERVED, "ETag": f'"{cid}"' if size is None else f'"{cid}-{size}"'}
    if has_already(request.headers.get("if-none-match"), headers["ETag"]):
        return Response(status_code=304, headers=headers)
    if size is not None:
        media_type, data = "image/png", await metadata.resized(cid, media_type, data, size)
    if request.method == "HEAD":
        return Response(media_type=media_type, headers={**headers, "Content-Length": str(len(data))})
    return Response(data, media_type=media_type, headers=headers)


async def _sent(request: Request) -> tuple[bytes, str]:
    """The bytes to keep, and the type that their sender declares."""
    declared = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        if declared != FORM:
            return await request.body(), declared
        return await _file_of_form(request)
    except ClientDisconnect as error:
        raise InvalidInput("body", "broke off") from error


async def _file_of_form(request: Request) -> tuple[bytes, str]:
    try:
        async with request.form(max_files=1, max_fields=0) as form:
            file = form.get("file")
            if not isinstance(file, UploadFile):
                raise InvalidInput("file", "is required")
            return await file.read(), (file.content_type or "").partition(";")[0].strip().lower()
    except HTTPException as error:
        if error.status_code != 400:
            raise
        raise InvalidInput("body", f"cannot be read as a form with one file: {error.detail}") from error
    except (LookupError, ValueError) as error:  # the parser's errors for an unknown charset
        raise InvalidInput("body", "cannot be read as a form with one file: its charset cannot be used") from error
