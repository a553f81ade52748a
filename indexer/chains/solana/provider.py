"""solana-py's HTTP provider as our clients use it: batches, no proxy, and failures as our errors."""

import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import httpx2
import orjson
from solana.rpc.async_http_provider import AsyncHTTPProvider
from solana.rpc.jsonrpc import JsonRpcRequestSerializer

from indexer.chains.errors import NodeLimited, NodeUnavailable
from indexer.chains.nodes import parse_retry_after
from indexer.chains.solana.accounts import Call


@dataclass(frozen=True, slots=True)
class Batch:
    """Several requests in one, in the form that solana-py's provider sends. ``alone``: a single one, not as a batch,
    which some nodes refuse."""

    calls: Sequence[Call]
    alone: bool = False

    def to_json(self) -> str:
        """The body of the HTTP request. Ids count from 0 in order."""
        items = [
            {"jsonrpc": "2.0", "id": index, "method": method, "params": list(params)}
            for index, (method, params) in enumerate(self.calls)
        ]
        return orjson.dumps(items[0] if self.alone else items).decode()


class BulkProvider(AsyncHTTPProvider):
    """For answers of megabytes."""

    async def make_request_bytes(self, body: JsonRpcRequestSerializer) -> bytes:
        """Like ``make_request_unparsed``, without making text of the answer, which takes longer than to parse it.

        Raises:
            httpx2.HTTPError: the request failed, or was answered with another status than 200.
        """
        headers = {"Content-Type": "application/json"}
        response = await self.session.post(self.endpoint_uri, content=body.to_json(), headers=headers)
        response.raise_for_status()
        return response.content


class BoundedProvider(AsyncHTTPProvider):
    """For answers whose size others decide: anyone can open token accounts for a wallet."""

    async def make_request_bounded(self, body: JsonRpcRequestSerializer, most_bytes: int) -> bytes:
        """Like ``make_request_unparsed``, without reading on when an answer gets too large.

        Raises:
            NodeLimited: the answer is larger than ``most_bytes``.
            httpx2.HTTPError: the request failed, or was answered with another status than 200.
        """
        # Compressed, a part of the answer could be of any size.
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        content = bytearray()
        async with self.session.stream("POST", self.endpoint_uri, content=body.to_json(), headers=headers) as response:
            response.raise_for_status()
            async for part in response.aiter_bytes():
                content += part
                if len(content) > most_bytes:
                    raise NodeLimited(f"the answer is larger than {most_bytes} bytes")
        return bytes(content)


ProviderT = TypeVar("ProviderT", bound=AsyncHTTPProvider)


def open_provider(url: str, session: httpx2.AsyncClient, kind: type[ProviderT]) -> ProviderT:
    """A provider for one node; retrying is up to the caller."""
    provider = kind(url, http2=False, max_transport_retries=0)
    provider.session = session
    return provider


@cache
def _trust() -> ssl.SSLContext:
    """Whom nodes' certificates may come from: read once, which takes longer than all else of a client."""
    return httpx2.create_ssl_context(trust_env=False)


def open_session(timeout_seconds: float, connections: int, urls: Sequence[str]) -> httpx2.AsyncClient:
    """A pool of connections to these URLs, whose requests may be silent for that long."""
    # solana-py's own session would use the proxy of the environment, which has no business between us and our nodes.
    limits = httpx2.Limits(max_connections=connections, max_keepalive_connections=min(connections, 20))
    secure = any(url.lower().startswith("https:") for url in urls)
    return httpx2.AsyncClient(
        verify=_trust() if secure else False, trust_env=False, timeout=timeout_seconds, limits=limits
    )


def unavailable(cause: BaseException | None) -> NodeUnavailable:
    """What a failure of the provider means: how long to wait, if the node said so."""
    if isinstance(cause, httpx2.HTTPStatusError):
        wait = parse_retry_after(cause.response.headers.get("retry-after"))
        return NodeUnavailable(f"HTTP {cause.response.status_code}", retry_after=wait)
    return NodeUnavailable(f"{type(cause).__name__}: {cause}")
