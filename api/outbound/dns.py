"""Addresses of names that strangers chose, asked of the name servers without a thread.

The system's own ``getaddrinfo`` blocks one thread a name for as long as the name's servers please; a handful of slow
ones would hold up every other lookup of the process. Here a lookup is a few datagrams and a timer.

The name servers are asked for records, not for what a name means here: the hosts file plays no part in that, nor does
the search list. c-ares can leave both out of its ``getaddrinfo`` too, by its option ``lookups``, but the memory of that
option is freed before c-ares copies it (pycares 5.2): where it has been used again by then, no place is known to look
names up in, and each lookup is refused at once.
"""

import asyncio
from collections.abc import Sequence
from itertools import zip_longest

import aiodns
import pycares

_TRY_SECONDS = 1.5
_TRIES = 2
_LATE_SECONDS = 0.05
_ADDRESS = pycares.ARecordData | pycares.AAAARecordData
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
        # Alternating, so that neither kind has to fail for all its addresses before the other has a turn.
        mixed = [address for pair in zip_longest(*found) for address in pair if address is not None]
        return mixed[:_MOST_ADDRESSES]

    async def _addresses(self, host: str, kind: str) -> list[str]:
        try:
            answer = await self._started().query_dns(f"{host}.", kind)
        except aiodns.error.DNSError as error:
            raise OSError(f"{host}: {error.args[1] if len(error.args) > 1 else 'not resolved'}") from error
        # The aliases that lead to the addresses stand before them.
        found = [one.data.addr for one in answer.answer if isinstance(one.data, _ADDRESS)]
        if not found:
            raise OSError(f"{host}: no address")
        return found

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
                **({"udp_port": self._port, "tcp_port": self._port} if self._port else {}),
            )
        return self._resolver
