"""Cursors: places in a list, as opaque text that clients hand back.

Three forms are in use: an id of the list's last entry, the time of the last entry in Unix seconds, and a packed record
for lists whose place depends on more (search).
"""

import base64
import binascii
from datetime import UTC, datetime
from typing import TypeVar
from uuid import UUID

import msgspec

from api.http.errors import InvalidInput

Record = TypeVar("Record", bound=msgspec.Struct)


class InvalidCursor(InvalidInput):
    """A cursor that its list did not issue, or that no longer applies."""

    text = "cursor: was not issued by this list"

    def __init__(self, problem: str = "was not issued by this list") -> None:
        super().__init__("cursor", problem)


def read_id(text: str | None) -> UUID | None:
    """The id in a cursor; None on the first page.

    Raises:
        InvalidCursor: it is not an id.
    """
    try:
        found = None if text is None else UUID(text)
    except ValueError as error:
        raise InvalidCursor from error
    if found is not None and str(found) != text:  # other spellings of a UUID were not issued
        raise InvalidCursor
    return found


def write_time(moment: datetime) -> str:
    """A cursor of a time, to the second."""
    return str(int(moment.timestamp()))


def read_time(text: str) -> datetime:
    """The time in a cursor.

    Raises:
        InvalidCursor: it is not Unix seconds.
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= 10 and int(text) < 2**32):
        raise InvalidCursor
    return datetime.fromtimestamp(int(text), UTC)


def pack(record: msgspec.Struct) -> str:
    """A cursor of a record: MessagePack in unpadded base64url."""
    return base64.urlsafe_b64encode(msgspec.msgpack.encode(record)).decode().rstrip("=")


def unpack(text: str, kind: type[Record]) -> Record:
    """The record in a cursor.

    Raises:
        InvalidCursor: it is not a record of the kind.
    """
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        record = msgspec.msgpack.decode(packed, type=kind)
    except (ValueError, binascii.Error, msgspec.MsgspecError) as error:
        raise InvalidCursor from error
    if pack(record) != text:  # padded, or written otherwise than here
        raise InvalidCursor
    return record
