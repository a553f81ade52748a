"""Grammar shared by both sign-in messages: RFC 3986 URIs and authorities, RFC 3339 times."""

import ipaddress
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

_PCHAR = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})"
_USERINFO = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:]|%[0-9A-Fa-f]{2})*"
_NAME = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})"
_LITERAL = r"\[(?P<literal>[0-9A-Fa-f:.]+|v[0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+)\]"
_AUTHORITY = re.compile(rf"(?:(?P<userinfo>{_USERINFO})@)?(?P<host>{_LITERAL}|{_NAME}*)(?::(?P<port>[0-9]*))?")
_PATH = rf"(?:/{_PCHAR}*)*"
_ROOTLESS = rf"{_PCHAR}+{_PATH}"
_MORE = rf"(?:{_PCHAR}|[/?])*"
_URI = re.compile(
    rf"(?P<scheme>[A-Za-z][A-Za-z0-9+\-.]*):"
    rf"(?://(?P<authority>[^/?#]*){_PATH}|/(?:{_ROOTLESS})?|(?:{_ROOTLESS})?)(?:\?{_MORE})?(?:#{_MORE})?"
)
_PCHARS = re.compile(rf"{_PCHAR}*")
_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_DEFAULT_PORTS = {"http": "80", "https": "443"}


class Malformed(ValueError):
    """The message breaks a rule of its format. The error's message begins with the line or part at fault."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port in lower case, without the scheme's default port."""

    scheme: str | None
    host: str
    port: str | None


def authority(text: str) -> tuple[str | None, str, str | None]:
    """Split an RFC 3986 authority into user information, host in lower case, and port. The host is required.

    Raises:
        Malformed: the text is not an authority with a host.
    """
    found = _AUTHORITY.fullmatch(text)
    if found is None or not found["host"]:
        raise Malformed("must be a host with an optional port")
    literal = found["literal"]
    if literal is not None and not literal.startswith("v"):
        try:
            ipaddress.IPv6Address(literal)
        except ValueError as error:
            raise Malformed("must have an IPv6 address in the brackets") from error
    return found["userinfo"], found["host"].lower(), found["port"] or None


def origin(scheme: str | None, text: str) -> Origin:
    """The origin of a scheme and an authority, which must not have user information.

    Raises:
        Malformed: the text is not an authority, or has user information.
    """
    userinfo, host, port = authority(text)
    if userinfo is not None:
        raise Malformed("must not have user information before the host")
    scheme = scheme.lower() if scheme is not None else None
    return Origin(scheme, host, None if port == _DEFAULT_PORTS.get(scheme or "") else port)


def uri(text: str) -> tuple[str, str | None]:
    """Scheme and authority of an RFC 3986 URI; the authority is None if the URI has none.

    Raises:
        Malformed: the text is not a URI.
    """
    found = _URI.fullmatch(text)
    if found is None:
        raise Malformed("must be a URI")
    host = found["authority"]
    if host:
        authority(host)
    return found["scheme"], host or None


def is_pchars(text: str) -> bool:
    """Whether all characters are allowed in a URI path segment."""
    return _PCHARS.fullmatch(text) is not None


def moment(text: str) -> datetime:
    """Parse an RFC 3339 time; returns it in UTC, truncated to microseconds.

    Raises:
        Malformed: the text is not a valid RFC 3339 time.
    """
    found = _TIME.fullmatch(text)
    if found is None:
        raise Malformed("must be a date and time such as 2026-01-31T12:00:00Z")
    year, month, day, hour, minute, second, fraction, sign, hours, minutes = found.groups()
    offset = timedelta(0)
    if sign is not None:
        if int(hours) > 23 or int(minutes) > 59:
            raise Malformed("has an invalid offset from UTC")
        offset = timedelta(hours=int(hours), minutes=int(minutes)) * (-1 if sign == "-" else 1)
    microseconds = int((fraction or "0")[:6].ljust(6, "0"))
    try:
        date = datetime(int(year), int(month), int(day), tzinfo=timezone(offset))
        return date.replace(
            hour=int(hour), minute=int(minute), second=int(second), microsecond=microseconds
        ).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise Malformed("names a day or time that does not exist") from error
