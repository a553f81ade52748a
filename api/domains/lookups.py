"""Looks up TXT records of names that users chose. "No records" is a result; a name server that does not answer raises
an exception, so that no caller mistakes an outage for a missing record."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

import dns.asyncresolver
import dns.exception
import dns.name
import dns.resolver

from api.outbound.dns import new_resolver
from api.settings import ApiSettings

AT_ONCE = 16
"""Maximum concurrent lookups."""
_TRIES = 3


class Missing(StrEnum):
    """Why a name has no TXT record."""

    NO_NAME = "no_such_name"
    NO_TEXT = "no_txt_record"


@dataclass(frozen=True, slots=True)
class Texts:
    """A name's TXT records, each with its strings joined; ``missing`` is None if there are any."""

    values: tuple[str, ...]
    missing: Missing | None = None


class LookupFailed(Exception):
    """The name servers are down, too slow or failing. The record may exist."""


class TextLookups:
    """Looks up TXT records, a few at a time. Nothing is cached here; name servers do that.

    Args:
        servers: addresses of name servers; empty: the system's.
        port: of the name servers.
        seconds: time limit of one lookup with its retries; the wait for a slot has the same limit.
    """

    def __init__(self, servers: Sequence[str], *, port: int, seconds: float) -> None:
        self._servers = tuple(servers)
        self._port = port
        self._seconds = seconds
        self._turns = asyncio.Semaphore(AT_ONCE)

    @classmethod
    def of(cls, settings: ApiSettings) -> Self:
        """Lookups with the settings' name servers."""
        return cls(settings.resolvers, port=settings.domain_resolver_port, seconds=settings.domain_lookup_seconds)

    async def texts(self, name: str) -> Texts:
        """The TXT records of a name.

        Raises:
            LookupFailed: the name servers did not answer.
        """
        try:
            async with asyncio.timeout(2 * self._seconds), self._turns:
                answer = await self._resolver().resolve(dns.name.from_text(name), "TXT")
        except dns.resolver.NXDOMAIN:
            return Texts((), Missing.NO_NAME)
        except dns.resolver.NoAnswer:
            return Texts((), Missing.NO_TEXT)
        except (dns.exception.DNSException, OSError) as error:  # TimeoutError is an OSError
            raise LookupFailed(f"{name}: {error}") from error
        # Name servers return records in any order.
        return Texts(tuple(sorted(b"".join(record.strings).decode("utf-8", "replace") for record in answer)))

    def _resolver(self) -> dns.asyncresolver.Resolver:
        return new_resolver(self._servers, self._port, try_seconds=self._seconds / _TRIES, lookup_seconds=self._seconds)
