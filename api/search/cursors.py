"""Cursors: a place in the list of results of one published state.

The state, the moment and the filters being fixed, the list and its order are too, so a place in it is exact: pages
neither skip nor repeat whatever is published meanwhile. Superseded rows are kept for ten minutes; so long is a cursor
good for, counted from the first page.
"""

import base64
import binascii
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import msgspec

from api.http.errors import InvalidInput

LIFETIME = timedelta(minutes=10)
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a list goes on: the state it shows, the moment it is as of, and how many results came before."""

    version: int
    moment: datetime
    offset: int


class _Wire(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    format: int
    fingerprint: str
    version: int
    moment: int
    offset: int


def write_cursor(cursor: Cursor, fingerprint: str) -> str:
    """The cursor as clients carry it."""
    wire = _Wire(_FORMAT, fingerprint, cursor.version, int(cursor.moment.timestamp()), cursor.offset)
    return base64.urlsafe_b64encode(msgspec.msgpack.encode(wire)).decode().rstrip("=")


def read_cursor(text: str, fingerprint: str, now: datetime) -> Cursor:
    """A cursor that a client hands back.

    Raises:
        InvalidInput: it is not one of ours, belongs to another search, or is older than ten minutes.
    """
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        wire = msgspec.msgpack.decode(packed, type=_Wire)
        moment = datetime.fromtimestamp(wire.moment, UTC)
    except (ValueError, OverflowError, OSError, binascii.Error, msgspec.MsgspecError) as error:
        raise InvalidInput("cursor", "is not one that a search handed out") from error
    if (
        wire.format != _FORMAT
        or wire.offset < 0
        or not 0 <= wire.version < 2**64
        or moment > now + timedelta(minutes=1)
    ):
        raise InvalidInput("cursor", "is not one that a search handed out")
    if wire.fingerprint != fingerprint:
        raise InvalidInput("cursor", "belongs to a search with other parameters")
    if now - moment > LIFETIME:
        raise InvalidInput("cursor", "is older than ten minutes; begin again without it")
    return Cursor(wire.version, moment, wire.offset)
