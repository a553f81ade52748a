"""Checks URLs that users give: their form, and the addresses that their hosts may have.

Pure functions of values. ``api/outbound/client.py`` checks the address again when it connects; only then is a host's
name looked up, since it can resolve differently than when the URL was registered.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

from yarl import URL

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

URL_LENGTH = 2048
_HTTPS_PORT = 443
_FIRST_FREE_PORT = 1024

# IANA's registries of special-purpose addresses, and addresses of cloud providers' own services.
_REFUSED_4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "168.63.129.16/32",  # a public address that is the host of a virtual machine in one large cloud
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
# Public addresses of IPv6 are in here and nowhere else. IPv4-mapped, -compatible and -translated ones, NAT64, unique
# local, link-local, site-local and multicast addresses are outside.
_PUBLIC_6 = IPv6Network("2000::/3")
_REFUSED_6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, benchmarking, ORCHID
        "2001:db8::/32",
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",
        "3fff::/20",
    )
)
# An interface identifier of ISATAP holds an IPv4 address.
_ISATAP = (0x00005EFE, 0x02005EFE)

# Names that mean something inside a network alone. Their addresses would be refused; words at registration are better.
_INNER_DOMAINS = (
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "home.arpa",
    "onion",
)
# Ports from 1024 on that browsers refuse, too: other protocols live there.
_OTHER_PROTOCOLS = frozenset(
    (1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080)
)
_CHARACTERS = re.compile(r"(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*")
_SHAPE = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<rest>[^#]*)(?P<fragment>#.*)?")
_AUTHORITY = re.compile(r"(?P<host>\[[^\[\]]*\]|[^\[\]:]*)(?::(?P<port>[0-9]{0,5}))?")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
# What some programs read as a part of an IPv4 address: decimal, octal, hexadecimal.
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


class UrlRefused(ValueError):
    """A URL that is not called; the message says why, to the one who gave it."""


@dataclass(frozen=True, slots=True)
class Destination:
    """A URL whose form is allowed. ``loopback``: it leads to this machine, and only loopback addresses will do."""

    url: URL
    host: str
    port: int
    loopback: bool


def validate_url(url: str, *, allow_loopback: bool = False, refused: Sequence[Network] = ()) -> Destination:
    """The destination a URL names.

    Args:
        url: https://host[:port]/path; port 443 or one from 1024 on.
        allow_loopback: for development, http and https to ``localhost`` and literal loopback addresses, on any port.
        refused: networks that are refused in addition to private ones.

    Raises:
        UrlRefused: the URL has another form, or names an address that is not public.
    """
    if len(url) > URL_LENGTH:
        raise UrlRefused(f"must have at most {URL_LENGTH} characters")
    if not _CHARACTERS.fullmatch(url):
        raise UrlRefused("holds a character that must be percent-encoded, or a name that must be written in ASCII")
    shape = _SHAPE.fullmatch(url)
    if shape is None:
        raise UrlRefused("must be an absolute URL, such as https://example.com/path")
    scheme = shape["scheme"].lower()
    if "@" in shape["authority"]:
        raise UrlRefused("must not hold a user name or password")
    if shape["fragment"] is not None:
        raise UrlRefused("must not have a fragment (#)")
    authority = _AUTHORITY.fullmatch(shape["authority"])
    if authority is None:
        raise UrlRefused("has a host or a port that cannot be read")
    host, address = _host(authority["host"])
    loopback = allow_loopback and (host == "localhost" or (address is not None and is_loopback(address)))
    if scheme != "https" and not (scheme == "http" and loopback):
        raise UrlRefused("must begin with https://")
    port = int(authority["port"]) if authority["port"] else _HTTPS_PORT if scheme == "https" else 80
    if not loopback:
        _require_public_host(host, address, refused)
        _require_port(port)
    if not 1 <= port <= 65535:
        raise UrlRefused("has a port that does not exist")
    written = f"[{host}]" if ":" in host else host
    text = f"{scheme}://{written}:{port}{_path(shape['rest'])}"
    return Destination(URL(text, encoded=True), host, port, loopback)


def is_public(address: Address, refused: Sequence[Network] = ()) -> bool:
    """Whether an address is one of the public Internet, and not in ``refused``."""
    if is_within(address, refused):
        return False
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _REFUSED_4)
    if address not in _PUBLIC_6 or address.scope_id is not None:
        return False
    if int(address) >> 32 & 0xFFFFFFFF in _ISATAP:
        return False
    return not any(address in network for network in _REFUSED_6)


def is_loopback(address: Address) -> bool:
    """Whether an address is this machine's own: 127.0.0.0/8 or ::1, in no other form."""
    if isinstance(address, IPv4Address):
        return address.is_loopback
    return address == IPv6Address("::1") and address.scope_id is None


def is_within(address: Address, networks: Sequence[Network]) -> bool:
    """Whether an address is in one of the networks."""
    return any(address.version == network.version and address in network for network in networks)


def parse_networks(text: str) -> tuple[Network, ...]:
    """Networks in CIDR notation, separated by commas.

    Raises:
        ValueError: one of them is no network.
    """
    return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())


def _host(written: str) -> tuple[str, Address | None]:
    """The host in lower case without a last full stop, and the address if it is one."""
    if written.startswith("["):
        try:
            address = IPv6Address(written[1:-1])
        except AddressValueError:
            raise UrlRefused("has a host in brackets that is not an IPv6 address") from None
        if address.scope_id is not None:
            raise UrlRefused("must not name a zone of an address")
        return str(address), address
    host = written.lower().removesuffix(".")
    labels = host.split(".")
    if not host or len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise UrlRefused("has a host that is not a valid name")
    if not _NUMBER.fullmatch(labels[-1]):
        return host, None
    try:
        return host, IPv4Address(host)
    except AddressValueError:
        raise UrlRefused("has a host that is a number but not an IPv4 address of four decimal numbers") from None


def _require_public_host(host: str, address: Address | None, refused: Sequence[Network]) -> None:
    if address is not None:
        if not is_public(address, refused):
            raise UrlRefused("must lead to a public address")
    elif "." not in host or any(host == domain or host.endswith(f".{domain}") for domain in _INNER_DOMAINS):
        raise UrlRefused("must name a host of the public Internet")


def _require_port(port: int) -> None:
    if port != _HTTPS_PORT and (port < _FIRST_FREE_PORT or port in _OTHER_PROTOCOLS):
        raise UrlRefused(f"must use port {_HTTPS_PORT}, or one from {_FIRST_FREE_PORT} on that no other protocol has")


def _path(rest: str) -> str:
    return rest if rest.startswith("/") else f"/{rest}"
