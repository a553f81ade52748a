"""Times on the wire: ISO 8601 in UTC with milliseconds and a Z."""

import re
from datetime import UTC, datetime, timedelta

from api.http.errors import InvalidInput

EARLIEST = datetime.fromtimestamp(0, UTC)
LATEST = datetime.fromtimestamp(2**32 - 1, UTC)
"""The last second that the warehouse can hold."""
_UNIX_SECONDS = re.compile(r"[0-9]{1,10}")


def timestamp(moment: datetime) -> str:
    """A time as answers have it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def unix_timestamp(seconds: int | None) -> str | None:
    """A time given in Unix seconds; None stays None."""
    return None if seconds is None else timestamp(datetime.fromtimestamp(seconds, UTC))


def read_time(field: str, text: str) -> datetime:
    """A time in ISO 8601; without an offset it is in UTC.

    Raises:
        InvalidInput: it is not one.
    """
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(field, "must be an ISO 8601 time") from error


def read_time_or_unix(field: str, text: str | None) -> datetime | None:
    """A time in ISO 8601 or in Unix seconds, from 1970 to 2106; None stays None.

    Raises:
        InvalidInput: it is neither, or outside these years.
    """
    if text is None:
        return None
    if _UNIX_SECONDS.fullmatch(text):
        moment = datetime.fromtimestamp(int(text), UTC)
    else:
        try:
            moment = read_time(field, text)
        except InvalidInput as error:
            raise InvalidInput(field, "must be an ISO 8601 time or Unix seconds") from error
    if not EARLIEST <= moment <= LATEST:
        raise InvalidInput(field, "must be between 1970 and 2106")
    return moment


def range_of(begin: datetime | None, end: datetime | None, now: datetime, span: timedelta) -> tuple[datetime, datetime]:
    """The range that ``from`` and ``to`` ask for: up to now, and ``span`` long, where they are not given.

    Raises:
        InvalidInput: it ends before it begins.
    """
    end = end or now
    begin = begin or max(end - span, EARLIEST)
    if begin >= end:
        raise InvalidInput("from", "must be before to")
    return begin, end
