"""The client address of a request, as far as the proxies in front can be trusted."""

from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address

from starlette.requests import HTTPConnection

from api.outbound.destinations import Address, Network, is_within

UNKNOWN = "unknown"
_CLIENT_BITS = 64


def client_address(connection: HTTPConnection, proxies: Sequence[Network]) -> str:
    """What a request is counted for: the client's address, and of an IPv6 client the /64 network, since it has at least
    that many addresses."""
    address = client_ip(connection, proxies)
    # A local socket has no address: all its clients are one.
    return UNKNOWN if address is None else _counted(address)


def client_ip(connection: HTTPConnection, proxies: Sequence[Network]) -> Address | None:
    """The client's address; None for one that has none.

    The peer, unless it is a trusted proxy: then the last address in ``X-Forwarded-For`` that is not a trusted proxy's.
    Each proxy appends its caller, so anything before that is the client's own claim.
    """
    peer = _read(connection.client.host) if connection.client is not None else None
    if peer is not None and proxies and is_within(peer, proxies):
        forwarded = ",".join(connection.headers.getlist("x-forwarded-for")).split(",")
        for text in reversed(forwarded):
            address = _read(text.strip())
            if address is None:
                break  # not an address: nothing before it can be trusted either
            peer = address
            if not is_within(peer, proxies):
                break
    return peer


def connection_address(peer: str, proxies: Sequence[Network]) -> str | None:
    """The address that a connection is counted for; None for a trusted proxy, which connects for many clients."""
    address = _read(peer)
    return None if address is None or is_within(address, proxies) else _counted(address)


def _read(text: str) -> Address | None:
    """An address as proxies write it, with or without port and brackets. IPv4 mapped into IPv6 becomes IPv4."""
    host = text
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        address = ip_address(host.partition("%")[0])  # without the zone of a link-local address
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _counted(address: Address) -> str:
    if isinstance(address, IPv6Address):
        return f"{IPv6Address(int(address) >> _CLIENT_BITS << _CLIENT_BITS)}/{_CLIENT_BITS}"
    return str(address)
