"""Looks up DNS records without threads.

``getaddrinfo`` blocks a thread for as long as a name's servers take; a handful of slow names would hold up every other
lookup of the process. Here a lookup is a few datagrams and a timer.

Only records are asked for: neither the hosts file nor the search list of this machine is used.
"""

import asyncio
from collections.abc import Sequence
from itertools import zip_longest

import dns.asyncresolver
import dns.exception
import dns.name
import dns.resolver

TRY_SECONDS = 1.5
LOOKUP_SECONDS = 4.5
_LATE_SECONDS = 0.05
# Fits into one datagram on any path (DNS Flag Day 2020); longer answers come over TCP.
_DATAGRAM_BYTES = 1232
_MAX_ADDRESSES = 8
"""A name may have any number of addresses; no request tries a ninth."""


def new_resolver(
    servers: Sequence[str] | None, port: int | None, *, try_seconds: float, lookup_seconds: float
) -> dns.asyncresolver.Resolver:
    """A resolver that asks the given name servers, or the system's. Make one per lookup: the system's name servers can
    change while a process runs.

    Args:
        servers: addresses of name servers; none means those of the system's configuration.
        port: the port of ``servers``.
        try_seconds: limit of one question to one server.
        lookup_seconds: limit of the lookup, retries included.

    Raises:
        dns.resolver.NoResolverConfiguration: the system names no servers.
    """
    resolver = dns.asyncresolver.Resolver(configure=not servers)
    if servers:
        resolver.nameservers = list(servers)
        resolver.port = port or 53
    resolver.timeout = try_seconds
    resolver.lifetime = lookup_seconds
    resolver.use_edns(0, 0, _DATAGRAM_BYTES)
    return resolver


class NameServers:
    """Resolves names to addresses. Answers are cached for as long as their records allow.

    Args:
        servers: addresses of name servers; the system's by default.
        port: their port.
    """

    def __init__(self, servers: Sequence[str] | None = None, *, port: int | None = None) -> None:
        self._servers = servers
        self._port = port
        self._cache = dns.resolver.LRUCache(10_000)

    async def addresses(self, host: str) -> list[str]:
        """The addresses of ``host``, IPv6 and IPv4, in the order they should be tried.

        Both kinds are asked for at once. Some name servers drop questions for a kind they do not know: once one kind is
        there, the other is waited for only briefly (the resolution delay of RFC 8305).

        Raises:
            OSError: the name has no address, or the name servers do not answer.
        """
        asked = [asyncio.ensure_future(self._addresses(host, kind)) for kind in ("AAAA", "A")]
        try:
            await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            patience = _LATE_SECONDS if any(one.done() and not one.exception() for one in asked) else None
            await asyncio.wait(asked, timeout=patience)
        finally:
            for one in asked:
                one.cancel()
        answered = [one for one in asked if one.done() and not one.cancelled()]
        found = [one.result() for one in answered if one.exception() is None]
        if not found:
            raise next(error for one in answered if (error := one.exception()) is not None)
        # Alternating, so that one kind need not fail for all its addresses before the other is tried.
        mixed = [address for pair in zip_longest(*found) for address in pair if address is not None]
        return mixed[:_MAX_ADDRESSES]

    async def _addresses(self, host: str, kind: str) -> list[str]:
        try:
            resolver = new_resolver(self._servers, self._port, try_seconds=TRY_SECONDS, lookup_seconds=LOOKUP_SECONDS)
            resolver.cache = self._cache
            answer = await resolver.resolve(dns.name.from_text(host), kind)
        except dns.resolver.NoAnswer as error:
            raise OSError(f"{host}: no address") from error
        except (dns.exception.DNSException, OSError) as error:
            raise OSError(f"{host}: {error}") from error
        return [record.address for record in answer]
