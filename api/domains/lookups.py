"""TXT records of names that users chose. No records is an answer; a name server that does not answer is an exception,
so that no caller mistakes an outage for a missing record."""

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
"""Lookups under way at a time."""
_TRIES = 3


class Missing(StrEnum):
    """Why there is no text at a name."""

    NO_NAME = "no_such_name"
    NO_TEXT = "no_txt_record"


@dataclass(frozen=True, slots=True)
class Texts:
    """What a name's TXT records say, each with its strings joined; ``missing`` is null where there are any."""

    values: tuple[str, ...]
    missing: Missing | None = None


class LookupFailed(Exception):
    """The name servers did not say what there is: down, too slow, or unable. It may well be there."""


class TextLookups:
    """Looks texts up, a few at a time. Nothing is remembered here: name servers do that.

    Args:
        servers: addresses of name servers; the system's where there are none.
        port: theirs.
        seconds: limit of one lookup with its retries, and of the wait for its turn.
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
        """The texts at a name.

        Raises:
            LookupFailed: see there.
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
        # Name servers give records in any order.
        return Texts(tuple(sorted(b"".join(record.strings).decode("utf-8", "replace") for record in answer)))

    def _resolver(self) -> dns.asyncresolver.Resolver:
        return new_resolver(self._servers, self._port, try_seconds=self._seconds / _TRIES, lookup_seconds=self._seconds)
