"""Conditional answers: entity tags, 304, and bodies that are compressed once for all clients."""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import Response

MIN_COMPRESSED_BYTES = 1_024
"""Smaller bodies are not worth compressing."""
NOT_MODIFIED: dict[int | str, dict[str, Any]] = {304: {"description": "The client has this answer already."}}
"""For a route's ``responses``."""
_LEVEL = 6


@dataclass(frozen=True, slots=True)
class Prepared:
    """A body with its entity tag. The tag is weak because the plain and the compressed form share it; it is a hash of
    the content, so all processes send the same."""

    body: bytes
    compressed: bytes | None
    etag: str


def prepare(body: bytes) -> Prepared:
    """The body with its tag, compressed if that is worth it."""
    tag = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
    compressed = gzip.compress(body, _LEVEL, mtime=0) if len(body) >= MIN_COMPRESSED_BYTES else None
    return Prepared(body, compressed, tag)


def answer(request_headers: Headers, prepared: Prepared, headers: Mapping[str, str] | None = None) -> Response:
    """200 with the body in a form that the client accepts, or 304 if it has the body."""
    sent = {"ETag": prepared.etag, "Vary": "Accept-Encoding", **(headers or {})}
    if has_already(request_headers.get("if-none-match"), prepared.etag):
        return Response(status_code=304, headers=sent)
    if prepared.compressed is not None and takes_gzip(request_headers.get("accept-encoding", "")):
        sent["Content-Encoding"] = "gzip"
        return Response(prepared.compressed, media_type="application/json", headers=sent)
    return Response(prepared.body, media_type="application/json", headers=sent)


def has_already(if_none_match: str | None, etag: str) -> bool:
    """Whether one of the tags a client names is this one, compared weakly (RFC 9110, section 8.8.3.2)."""
    if if_none_match is None:
        return False
    opaque = etag.removeprefix("W/")
    tags = (tag.strip().removeprefix("W/") for tag in if_none_match.split(","))
    return any(tag in ("*", opaque) for tag in tags)


def takes_gzip(accept_encoding: str) -> bool:
    """Whether the header allows gzip (RFC 9110, section 12.5.3)."""
    weights: dict[str, float] = {}
    for part in accept_encoding.lower().split(","):
        coding, _, parameter = part.partition(";")
        weight = parameter.strip().removeprefix("q=").strip() if parameter.strip() else "1"
        try:
            weights[coding.strip()] = float(weight)
        except ValueError:
            weights[coding.strip()] = 0.0
    return weights.get("gzip", weights.get("*", 0.0)) > 0
