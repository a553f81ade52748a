"""Readers of the enabled chains, made once and shared by all requests."""

import asyncio
import ssl
from functools import cache
from typing import TYPE_CHECKING

import httpx

from indexer.chains.evm.holdings import read_holding
from indexer.chains.evm.reader import EvmReader
from indexer.chains.holding import WalletHolding
from warehouse.breaker import Breaker
from warehouse.domain.addresses import AddressFormat
from warehouse.domain.chains import Chain

if TYPE_CHECKING:
    from indexer.chains.solana.reader import SolanaReader


@cache
def _trust() -> ssl.SSLContext:
    """Whom nodes' certificates may come from: read once, which takes longer than all else of a client."""
    return httpx.create_ssl_context(trust_env=False)


def _client(connections: int) -> httpx.AsyncClient:
    # Nodes are named by the operator; a proxy of the environment has no business between.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
    transport = httpx.AsyncHTTPTransport(verify=_trust(), trust_env=False, limits=limits)
    return httpx.AsyncClient(transport=_Bounded(transport, connections), trust_env=False)


class _Bounded(httpx.AsyncBaseTransport):
    """Sends so many requests at once; more wait here, and not in httpx's pool, which loses a connection for good when a
    request is cancelled in the moment in which it gets one."""

    def __init__(self, transport: httpx.AsyncHTTPTransport, requests: int) -> None:
        self._transport = transport
        self._places = asyncio.Semaphore(requests)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        wait = request.extensions["timeout"]["pool"]
        try:
            async with asyncio.timeout(wait):
                await self._places.acquire()
        except TimeoutError as error:
            raise httpx.PoolTimeout(f"no connection was free for {wait} seconds", request=request) from error
        try:
            answer = await self._transport.handle_async_request(request)
            await answer.aread()  # its connection is free again
        finally:
            self._places.release()
        return answer

    async def aclose(self) -> None:
        await self._transport.aclose()


class ChainReaders:
    """One reader per enabled chain.

    Each has connections of its own, and probes have others: calls that hang, of one chain or in one contract, must not
    keep another chain's calls or the probes waiting for a connection.

    Args:
        timeout_seconds: limit of one question over all nodes of a chain.
        connections: most that are open to the nodes of one chain.
    """

    def __init__(self, *, timeout_seconds: float, connections: int = 100) -> None:
        self.timeout_seconds = timeout_seconds
        self.connections = connections
        self._probes = _client(100)
        self._clients = [self._probes]
        self._readers: dict[str, EvmReader] = {}
        self._solana: dict[str, SolanaReader] = {}

    def of(self, chain: Chain) -> EvmReader:
        """The reader of an EVM chain, which must be enabled."""
        reader = self._readers.get(chain.key)
        if reader is None:
            client = _client(self.connections)
            self._clients.append(client)
            reader = EvmReader(chain, client, probes=self._probes, timeout_seconds=self.timeout_seconds)
            self._readers[chain.key] = reader
        return reader

    def solana(self, chain: Chain) -> "SolanaReader":
        """The reader of a Solana chain, which must be enabled."""
        reader = self._solana.get(chain.key)
        if reader is None:
            from indexer.chains.solana.reader import SolanaReader  # half a second, which a service without it saves

            reader = SolanaReader(chain, timeout_seconds=self.timeout_seconds, connections=self.connections)
            self._solana[chain.key] = reader
        return reader

    async def holding(self, chain: Chain, token: str, wallet: str) -> WalletHolding | None:
        """What a wallet holds of a token of an enabled chain; None if there is no token at the address.

        Raises:
            RpcError: the chain could not be read.
        """
        if chain.address_format is AddressFormat.BASE58:
            from indexer.chains.solana import holdings  # as above

            return await holdings.read_holding(self.solana(chain), token, wallet)
        return await read_holding(self.of(chain), token, wallet)

    @property
    def breakers(self) -> list[Breaker]:
        """The circuit breakers of the chains that were read."""
        return [
            *(reader.breaker for reader in self._readers.values()),
            *(reader.breaker for reader in self._solana.values()),
        ]

    async def close(self) -> None:
        """Close all connections."""
        for breaker in self.breakers:
            await breaker.close()
        for solana in self._solana.values():
            await solana.close()
        for client in self._clients:
            await client.aclose()
