"""What a key may be given: names, networks, and how long it is valid. Pure rules."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from ipaddress import IPv6Network, ip_network
from typing import Final

from api.http.errors import InvalidInput
from api.outbound.destinations import Network

MAX_NAME_LENGTH: Final = 64
MAX_NETWORKS: Final = 32
_MAPPED: Final = IPv6Network("::ffff:0:0/96")


def read_networks(texts: Sequence[str] | None) -> list[Network] | None:
    """Networks in CIDR notation, or single addresses, each once and in order; None is any address.

    Raises:
        InvalidInput: one is not a network.
    """
    if texts is None:
        return None
    found = {_network(f"allowedAddresses[{number}]", text) for number, text in enumerate(texts)}
    return sorted(found, key=lambda network: (network.version, int(network.network_address), network.prefixlen))


def _network(field: str, text: str) -> Network:
    problem = "must be an IPv4 or IPv6 network such as 203.0.113.0/24, or an address"
    if "%" in text:
        raise InvalidInput(field, problem)  # a zone has no meaning to others
    try:
        network = ip_network(text.strip())
    except ValueError:
        try:
            meant = ip_network(text.strip(), strict=False)
        except ValueError:
            raise InvalidInput(field, problem) from None
        raise InvalidInput(field, f"has bits beyond its prefix; write {meant}") from None
    if isinstance(network, IPv6Network) and network.subnet_of(_MAPPED):
        # Clients' addresses are compared as IPv4, so this would match nobody.
        raise InvalidInput(field, "must be written as IPv4")
    return network


def read_expiry(wanted: datetime | None, now: datetime, max_days: int | None) -> datetime | None:
    """When a key expires; None is never.

    Args:
        wanted: as asked for; None: as late as possible.
        max_days: the longest that a key may be valid from now; None: for ever.

    Raises:
        InvalidInput: it is not in the future, or too far ahead.
    """
    latest = None if max_days is None else now + timedelta(days=max_days)
    if wanted is None:
        return latest
    if wanted <= now:
        raise InvalidInput("expiresAt", "must be in the future")
    if latest is not None and wanted > latest:
        raise InvalidInput("expiresAt", f"must be within {max_days} days")
    return wanted


def expiry_after_roll(
    created_at: datetime, expires_at: datetime | None, now: datetime, max_days: int | None
) -> datetime | None:
    """When the replacement of a rolled key expires: it is valid for as long as the old one was made for, as far as the
    longest validity allows."""
    latest = read_expiry(None, now, max_days)
    if expires_at is None:
        return latest
    same = now + (expires_at - created_at)
    return same if latest is None else min(same, latest)
