"""Readers of the enabled chains, made once and shared by all requests."""

import ssl
from functools import cache

import httpx

from indexer.chains.evm.reader import EvmReader
from warehouse.breaker import Breaker
from warehouse.domain.chains import Chain


@cache
def _trust() -> ssl.SSLContext:
    """Whom nodes' certificates may come from: read once, which takes longer than all else of a client."""
    return httpx.create_ssl_context(trust_env=False)


class ChainReaders:
    """One reader per enabled EVM chain, over one HTTP client."""

    def __init__(self, *, timeout_seconds: float) -> None:
        self.timeout_seconds = timeout_seconds
        # Nodes are named by the operator; a proxy of the environment has no business between.
        self._client = httpx.AsyncClient(
            verify=_trust(), trust_env=False, limits=httpx.Limits(max_connections=100, max_keepalive_connections=20)
        )
        self._readers: dict[str, EvmReader] = {}

    def of(self, chain: Chain) -> EvmReader:
        """The chain's reader; the chain must be enabled."""
        reader = self._readers.get(chain.key)
        if reader is None:
            reader = EvmReader(chain, self._client, timeout_seconds=self.timeout_seconds)
            self._readers[chain.key] = reader
        return reader

    @property
    def breakers(self) -> list[Breaker]:
        """The circuit breakers of the chains that were read."""
        return [reader.breaker for reader in self._readers.values()]

    async def close(self) -> None:
        """Close all connections."""
        for breaker in self.breakers:
            await breaker.close()
        await self._client.aclose()
