"""Cursors of searches: a place in the results of one published state.

The cursor fixes the state, the moment, the chains that have the symbol free, and the filters, and with them the results
and their order. Pages therefore neither skip nor repeat results, whatever is published in between. A cursor is valid
for ten minutes from the first page, because superseded rows are kept that long.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated

import msgspec

from api.http.cursors import InvalidCursor, pack, unpack

LIFETIME = timedelta(minutes=10)
MAX_CHAINS = 32
_FORMAT = 2


@dataclass(frozen=True, slots=True)
class Cursor:
    """The state that the list shows, the moment it is as of, how many results came before, and the chains on which the
    symbol was available."""

    version: int
    moment: datetime
    offset: int
    available_on: tuple[int, ...]


class _Record(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    format: int
    fingerprint: str
    version: int
    moment: int
    offset: int
    available_on: Annotated[tuple[int, ...], msgspec.Meta(max_length=MAX_CHAINS)]


def write_cursor(cursor: Cursor, fingerprint: str) -> str:
    """The cursor as clients carry it."""
    moment = int(cursor.moment.timestamp())
    return pack(_Record(_FORMAT, fingerprint, cursor.version, moment, cursor.offset, cursor.available_on))


def read_cursor(text: str, fingerprint: str, now: datetime) -> Cursor:
    """A cursor that a client hands back.

    Raises:
        InvalidCursor: this service did not issue it, it belongs to another search, or it is older than ten minutes.
    """
    record = unpack(text, _Record)
    try:
        moment = datetime.fromtimestamp(record.moment, UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidCursor from error
    if (
        record.format != _FORMAT
        or record.offset < 0
        or not 0 <= record.version < 2**64
        or moment > now + timedelta(minutes=1)
    ):
        raise InvalidCursor
    if record.fingerprint != fingerprint:
        raise InvalidCursor("belongs to a search with other parameters")
    if now - moment > LIFETIME:
        raise InvalidCursor("is older than ten minutes; begin again without it")
    return Cursor(record.version, moment, record.offset, record.available_on)
