"""The addresses of this machine's own interfaces.

A machine can have a public address and services that a firewall hides from the Internet. A connection from the machine
to its own address does not pass the firewall.
"""

import time
from collections.abc import Callable, Iterable
from ipaddress import ip_address

import psutil

from api.outbound.destinations import Address

REFRESH_SECONDS = 30.0


def read_interfaces() -> Iterable[str]:
    """The addresses of all interfaces, of every family, as the system writes them."""
    for addresses in psutil.net_if_addrs().values():
        yield from (one.address for one in addresses)


class OwnAddresses:
    """The addresses, read again periodically: interfaces come and go.

    Args:
        read: returns them as text; entries that are not IP addresses are ignored.
    """

    def __init__(self, read: Callable[[], Iterable[str]] = read_interfaces) -> None:
        self._read = read
        self._known: frozenset[Address] = frozenset()
        self._due = 0.0

    def __contains__(self, address: Address) -> bool:
        """Whether the address is one of this machine's."""
        now = time.monotonic()
        if now >= self._due:
            self._known = frozenset(_parsed(self._read()))
            self._due = now + REFRESH_SECONDS
        return address in self._known


def _parsed(texts: Iterable[str]) -> Iterable[Address]:
    for text in texts:
        try:
            yield ip_address(text.partition("%")[0])
        except ValueError:
            continue  # a hardware address
