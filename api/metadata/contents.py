"""Uploaded content: its type, by its bytes, and whether it is accepted."""

from dataclasses import dataclass
from typing import Protocol

from multiformats import CID

from api.http.errors import InvalidInput, PayloadTooLarge, UnsupportedMediaType
from api.metadata import images
from api.metadata.documents import NotADocument, read_document, require_rules
from api.settings import ApiSettings

DOCUMENT = "application/json"
BYTES = "application/octet-stream"
_ANY = ("", BYTES)
_ALIASES = {"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg"}
_NAMES = ", ".join(kind.removeprefix("image/").upper() for kind in images.IMAGE_TYPES)
NO_SVG = "SVG is not accepted because it can contain scripts; send PNG, JPEG, GIF or WebP"


class ContentsDown(Exception):
    """The content store cannot be reached."""


class ContentsWrong(Exception):
    """The content store returned a CID that is not the content's."""


class Contents(Protocol):
    """Keeps bytes under their CIDs."""

    async def put(self, cid: str, data: bytes) -> None:
        """Store the bytes; safe to repeat.

        Raises:
            ContentsDown: it may not be stored; try again.
            ContentsWrong: it is stored under another CID.
        """

    async def get(self, cid: CID, max_bytes: int, *, anywhere: bool = False) -> bytes | None:
        """The bytes of a CID, checked against it; None if they are not stored here or exceed ``max_bytes``. With
        ``anywhere`` they may be fetched from the network.

        Raises:
            ContentsDown: the store cannot be asked.
        """

    async def close(self) -> None:
        """Close connections."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Maximum bytes of a document and of an image."""

    document_bytes: int
    image_bytes: int

    @classmethod
    def of(cls, settings: ApiSettings) -> "Limits":
        """The limits in the settings."""
        return cls(settings.metadata_document_bytes, settings.metadata_image_bytes)

    @property
    def max_bytes(self) -> int:
        """The larger limit."""
        return max(self.document_bytes, self.image_bytes)


def kind_of(data: bytes) -> str:
    """The media type that stored bytes are served as: one that ``inspect`` returns."""
    return images.kind_of(data) or DOCUMENT


def inspect(data: bytes, declared: str, limits: Limits) -> str:
    """The media type of an upload, from its bytes; ``declared`` is the sender's Content-Type and must agree.

    Raises:
        ApiError: 400 for damaged content, 413 if it is too large, 415 if its type is not accepted.
    """
    declared = _ALIASES.get(declared, declared)
    if declared not in (*_ANY, DOCUMENT, *images.IMAGE_TYPES):
        raise _unsupported(NO_SVG if "svg" in declared else f"Content-Type: must be {DOCUMENT} or an image: {_NAMES}")
    if not data:
        raise InvalidInput("body", "is empty")
    found = images.kind_of(data)
    if found is None and (declared == DOCUMENT or data.lstrip(b" \t\r\n").startswith(b"{")):
        found = DOCUMENT
    if found is None:
        is_svg = b"<svg" in data[:1024].lower()
        raise _unsupported(f"body: {NO_SVG}" if is_svg else f"body: is neither a JSON object nor an image: {_NAMES}")
    if declared not in (*_ANY, found):
        raise _unsupported(f"body: was sent as {declared}, but its content is {found}")
    most = limits.document_bytes if found == DOCUMENT else limits.image_bytes
    if len(data) > most:
        what = "a document" if found == DOCUMENT else "an image"
        raise PayloadTooLarge(f"body: has {len(data)} bytes; {what} may have at most {most}")
    _require_sound(found, data)
    return found


def _require_sound(kind: str, data: bytes) -> None:
    try:
        if kind == DOCUMENT:
            require_rules(read_document(data))
        else:
            images.measure(kind, data)
    except NotADocument as error:
        raise InvalidInput(error.field, error.problem) from error
    except images.Damaged as error:
        raise InvalidInput("body", str(error)) from error


def _unsupported(message: str) -> UnsupportedMediaType:
    return UnsupportedMediaType(message)
