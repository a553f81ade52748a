"""Addresses of names that strangers chose, asked of the name servers without a thread.

The system's own ``getaddrinfo`` blocks one thread a name for as long as the name's servers please; a handful of slow
ones would hold up every other lookup of the process. Here a lookup is a few datagrams and a timer.
"""

import asyncio
import socket
from collections.abc import Sequence
from itertools import zip_longest

import aiodns
import pycares

_TRY_SECONDS = 1.5
_TRIES = 2
_LATE_SECONDS = 0.05
_MOST_ADDRESSES = 8
"""A name may have any number; nobody waits for a receiver's ninth."""


class NameServers:
    """Resolves names. Answers are kept for as long as the name's owner allows.

    Args:
        servers: addresses of name servers; the system's by default.
        port: their port.
    """

    def __init__(self, servers: Sequence[str] | None = None, *, port: int | None = None) -> None:
        self._servers = servers
        self._port = port
        self._resolver: aiodns.DNSResolver | None = None

    async def addresses(self, host: str) -> list[str]:
        """The addresses of ``host``, IPv6 and IPv4, in the order they should be tried.

        Both kinds are asked for at once. Some name servers drop the questions they do not know: the kind that is late
        is not waited for once the other is there (RFC 8305 calls this the resolution delay).

        Raises:
            OSError: it has none, or the name servers do not say.
        """
        asked = [asyncio.ensure_future(self._addresses(host, family)) for family in (socket.AF_INET6, socket.AF_INET)]
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
        # Alternating, so that neither kind has to fail for all its addresses before the other has a turn.
        mixed = [address for pair in zip_longest(*found) for address in pair if address is not None]
        return mixed[:_MOST_ADDRESSES]

    async def _addresses(self, host: str, family: socket.AddressFamily) -> list[str]:
        try:
            # The full stop makes the name a complete one: the search list of this machine's network is not tried.
            answer = await self._started().getaddrinfo(f"{host}.", family=family, type=socket.SOCK_STREAM)
        except aiodns.error.DNSError as error:
            raise OSError(f"{host}: {error.args[1] if len(error.args) > 1 else 'not resolved'}") from error
        return [_text(node.addr[0]) for node in answer.nodes]

    async def close(self) -> None:
        """Give up the lookups under way."""
        if self._resolver is not None:
            await self._resolver.close()
            self._resolver = None

    def _started(self) -> aiodns.DNSResolver:
        if self._resolver is None:
            self._resolver = aiodns.DNSResolver(
                nameservers=self._servers,
                loop=asyncio.get_running_loop(),
                timeout=_TRY_SECONDS,
                tries=_TRIES,
                flags=pycares.ARES_FLAG_NOSEARCH,
                # The hosts file says what names mean to this machine, not what they mean to the Internet.
                lookups="b",
                **({"udp_port": self._port, "tcp_port": self._port} if self._port else {}),
            )
        return self._resolver


def _text(address: bytes | str) -> str:
    return address.decode("ascii") if isinstance(address, bytes) else address
