"""The header Idempotency-Key: a request that is repeated with it has the effect of one."""

from datetime import timedelta
from typing import Annotated, Final

from fastapi import Header

from api.http.errors import Conflict, InvalidInput

KEPT: Final = timedelta(hours=24)
"""How long a key is remembered."""
_MAX_LENGTH: Final = 255

IdempotencyKey = Annotated[
    str | None,
    Header(alias="Idempotency-Key", description="Repeats with the same key have the effect of one; kept for 24 hours."),
]


class KeyReused(Conflict):
    """An Idempotency-Key was sent again with another request."""

    text = "Idempotency-Key: was used for another request"


def read_idempotency_key(text: str | None) -> str | None:
    """The value of the header.

    Raises:
        InvalidInput: it is empty, too long, or not printable ASCII.
    """
    if text is None:
        return None
    if not 1 <= len(text) <= _MAX_LENGTH or not (text.isascii() and text.isprintable()):
        raise InvalidInput("Idempotency-Key", f"must be 1 to {_MAX_LENGTH} printable ASCII characters")
    return text
