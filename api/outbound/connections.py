"""Connections to public addresses only: the checked address is the one that is connected to."""

import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

import aiohttp
import certifi
from aiohttp.abc import AbstractResolver, ResolveResult

from api.outbound.destinations import Address
from api.outbound.dns import NameServers

NOT_PUBLIC = "the host has no public address"
# Common servers close a connection after five idle seconds; ours is closed before.
IDLE_SECONDS = 4.0


class AddressRefused(OSError):
    """The address is not allowed."""


def new_connector(
    names: NameServers, allows: Callable[[Address], bool], trust: ssl.SSLContext, *, fresh: bool
) -> aiohttp.TCPConnector:
    """A connector to addresses that ``allows`` accepts.

    Args:
        fresh: each request gets a new connection, which is closed after it.
    """
    rule = _AddressRule(allows)
    return aiohttp.TCPConnector(
        ssl=trust,
        resolver=_CheckedNames(names, rule),
        socket_factory=rule.open_socket,
        # ``NameServers`` caches answers for as long as their records allow.
        use_dns_cache=False,
        force_close=fresh,
        keepalive_timeout=None if fresh else IDLE_SECONDS,
        # Callers bound their concurrency; waiting in here would count against the receiver's time.
        limit=0,
    )


def system_trust() -> ssl.SSLContext:
    """The system's certificate authorities, or Mozilla's if the system has none (a bare container)."""
    context = ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if paths.cafile is None and paths.capath is None:
        context.load_verify_locations(certifi.where())
    return context


@dataclass(frozen=True, slots=True)
class _AddressRule:
    """Which addresses may be connected to."""

    allows: Callable[[Address], bool]

    def open_socket(self, info: tuple[Any, ...]) -> socket.socket:
        """A socket for a connection to the address in ``info``."""
        family, kind, protocol, _, sockaddr = info
        if family not in (socket.AF_INET, socket.AF_INET6) or not self.allows(ip_address(sockaddr[0])):
            raise AddressRefused(NOT_PUBLIC)
        return socket.socket(family, kind, protocol)


class _CheckedNames(AbstractResolver):
    """Resolves names to the allowed ones of their addresses."""

    def __init__(self, names: NameServers, rule: _AddressRule) -> None:
        self._names = names
        self._rule = rule

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The addresses of ``host``.

        Raises:
            AddressRefused: none of its addresses is allowed.
            OSError: it has none.
        """
        # "localhost" is allowed in development only, and not looked up.
        found = ["127.0.0.1", "::1"] if host == "localhost" else await self._names.addresses(host)
        allowed = [one for one in found if self._rule.allows(ip_address(one))]
        if not allowed:
            raise AddressRefused(NOT_PUBLIC)
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for address in allowed
        ]

    async def close(self) -> None:
        """Nothing to do: the name servers are shared."""
