"""What was uploaded: which kind of content it is, by its bytes, and whether it is one that is kept."""

from dataclasses import dataclass
from typing import Protocol

from multiformats import CID

from api.http.errors import InvalidInput, PayloadTooLarge, UnsupportedMediaType
from api.metadata import images
from api.metadata.documents import NotADocument, read_document, require_rules
from api.settings import ApiSettings

DOCUMENT = "application/json"
_ANY = ("", "application/octet-stream")
_ALIASES = {"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg"}
_NAMES = ", ".join(kind.removeprefix("image/").upper() for kind in images.IMAGE_TYPES)
NO_SVG = "SVG is not taken, since it can hold programs; send PNG, JPEG, GIF or WebP"


class ContentsDown(Exception):
    """What keeps the contents cannot be asked now."""


class ContentsWrong(Exception):
    """What keeps the contents has named them otherwise than they are."""


class Contents(Protocol):
    """Keeps bytes under their CIDs."""

    async def put(self, cid: str, data: bytes) -> None:
        """Keep the bytes; once more is the same as once.

        Raises:
            ContentsDown: it may not be kept. Ask again.
            ContentsWrong: it is kept under another name.
        """

    async def get(self, cid: CID, most_bytes: int, *, anywhere: bool = False) -> bytes | None:
        """The bytes of a CID, checked against it; None where they are not kept here, or are more than ``most_bytes``.
        With ``anywhere`` they may be fetched from others.

        Raises:
            ContentsDown: that cannot be told now.
        """

    async def close(self) -> None:
        """Let go of connections."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Most bytes of a document and of an image."""

    document_bytes: int
    image_bytes: int

    @classmethod
    def of(cls, settings: ApiSettings) -> "Limits":
        """As the settings have them."""
        return cls(settings.metadata_document_bytes, settings.metadata_image_bytes)

    @property
    def most_bytes(self) -> int:
        """Of either."""
        return max(self.document_bytes, self.image_bytes)


def kind_of(data: bytes) -> str:
    """The media type that kept bytes are served as: one of those that ``inspect`` answers."""
    return images.kind_of(data) or DOCUMENT


def inspect(data: bytes, declared: str, limits: Limits) -> str:
    """The media type of what was sent, from its bytes alone; ``declared`` is what the sender says of it and must not be
    something else.

    Raises:
        ApiError: 400 for what is broken, 413 for what is too large, 415 for what is of no kind that is kept.
    """
    declared = _ALIASES.get(declared, declared)
    if declared not in (*_ANY, DOCUMENT, *images.IMAGE_TYPES):
        raise _unsupported(NO_SVG if "svg" in declared else f"Content-Type must be {DOCUMENT} or an image: {_NAMES}")
    if not data:
        raise InvalidInput("body", "is empty")
    found = images.kind_of(data)
    if found is None and (declared == DOCUMENT or data.lstrip(b" \t\r\n").startswith(b"{")):
        found = DOCUMENT
    if found is None:
        is_svg = b"<svg" in data[:1024].lower()
        raise _unsupported(f"body: {NO_SVG}" if is_svg else f"body: is neither a JSON object nor an image: {_NAMES}")
    if declared not in (*_ANY, found):
        raise _unsupported(f"body: is sent as {declared}, and is {found} by its content")
    most = limits.document_bytes if found == DOCUMENT else limits.image_bytes
    if len(data) > most:
        what = "a document" if found == DOCUMENT else "an image"
        raise PayloadTooLarge(f"body: has {len(data)} bytes; {what} may have {most}")
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
