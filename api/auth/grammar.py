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
    """User information, host in lower case, and port of an RFC 3986 authority with a host.

    Raises:
        Malformed: the text is not one.
    """
    found = _AUTHORITY.fullmatch(text)
    if found is None or not found["host"]:
        raise Malformed("must be a host with an optional port")
    literal = found["literal"]
    if literal is not None and not literal.startswith("v"):
        try:
            ipaddress.IPv6Address(literal)
        except ValueError as error:
            raise Malformed("has an address in brackets that is not an IPv6 address") from error
    return found["userinfo"], found["host"].lower(), found["port"] or None


def origin(scheme: str | None, text: str) -> Origin:
    """The origin of an authority under a scheme, which must have no user information.

    Raises:
        Malformed: the text is no authority, or has user information.
    """
    userinfo, host, port = authority(text)
    if userinfo is not None:
        raise Malformed("must have no user information before the host")
    scheme = scheme.lower() if scheme is not None else None
    return Origin(scheme, host, None if port == _DEFAULT_PORTS.get(scheme or "") else port)


def uri(text: str) -> tuple[str, str | None]:
    """Scheme and authority, or None, of an RFC 3986 URI.

    Raises:
        Malformed: the text is not valid.
    """
    found = _URI.fullmatch(text)
    if found is None:
        raise Malformed("must be a URI")
    host = found["authority"]
    if host:
        authority(host)
    return found["scheme"], host or None


def is_pchars(text: str) -> bool:
    """Whether the text consists of characters of a path segment."""
    return _PCHARS.fullmatch(text) is not None


def moment(text: str) -> datetime:
    """A time of RFC 3339, in UTC, cut to microseconds.

    Raises:
        Malformed: the text is not one, or names a day or hour that does not exist.
    """
    found = _TIME.fullmatch(text)
    if found is None:
        raise Malformed("must be a date and time such as 2026-01-31T12:00:00Z")
    year, month, day, hour, minute, second, fraction, sign, hours, minutes = found.groups()
    offset = timedelta(0)
    if sign is not None:
        if int(hours) > 23 or int(minutes) > 59:
            raise Malformed("has an offset from UTC that is not valid")
        offset = timedelta(hours=int(hours), minutes=int(minutes)) * (-1 if sign == "-" else 1)
    microseconds = int((fraction or "0")[:6].ljust(6, "0"))
    try:
        date = datetime(int(year), int(month), int(day), tzinfo=timezone(offset))
        return date.replace(
            hour=int(hour), minute=int(minute), second=int(second), microsecond=microseconds
        ).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise Malformed("names a day or time that does not exist") from error
