"""Pools of HTTP connections to nodes, for the event loop.

httpx2, which solana-py uses too: its pool takes a connection back when the request it was opened for is cancelled.
httpx's pool loses it for good.
"""

import ssl
from collections.abc import Sequence
from functools import cache
from urllib.parse import urlsplit

import httpx2

from indexer.chains.errors import NodeLimited, NodeUnavailable
from indexer.chains.nodes import parse_retry_after
from warehouse.tracing import Kind, span

_HEADERS = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
"""Not compressed: the limit of an answer is that of its bytes on the line, which may unpack to any size."""


@cache
def _trust() -> ssl.SSLContext:
    """Whom nodes' certificates may come from: read once, which takes longer than all else of a client."""
    return httpx2.create_ssl_context(trust_env=False)


def open_session(timeout_seconds: float, connections: int, urls: Sequence[str]) -> httpx2.AsyncClient:
    """A pool of connections to these URLs, whose requests may be silent for that long."""
    # A proxy of the environment has no business between us and our nodes.
    limits = httpx2.Limits(max_connections=connections, max_keepalive_connections=min(connections, 20))
    secure = any(url.lower().startswith("https:") for url in urls)
    return httpx2.AsyncClient(
        verify=_trust() if secure else False, trust_env=False, timeout=timeout_seconds, limits=limits
    )


async def post(session: httpx2.AsyncClient, url: str, body: bytes, most_bytes: int) -> bytes:
    """What a node answers. An answer that gets larger than ``most_bytes`` is not read on.

    Raises:
        NodeLimited: the answer is too large.
        NodeUnavailable: the request failed, or was refused by its HTTP status.
    """
    with span("node request", {"server.address": urlsplit(url).hostname or ""}, kind=Kind.CLIENT):
        return await _post(session, url, body, most_bytes)


async def _post(session: httpx2.AsyncClient, url: str, body: bytes, most_bytes: int) -> bytes:
    content = bytearray()
    try:
        async with session.stream("POST", url, content=body, headers=_HEADERS) as response:
            if response.status_code == 429 or response.status_code >= 500:
                response.raise_for_status()
            async for part in response.aiter_bytes():
                content += part
                if len(content) > most_bytes:
                    raise NodeLimited(f"the answer is larger than {most_bytes} bytes")
            if b'"error"' not in content:  # several providers send JSON-RPC errors with a 4xx status
                response.raise_for_status()
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise unavailable(error) from error
    return bytes(content)


def unavailable(cause: BaseException | None) -> NodeUnavailable:
    """What a failed request means: how long to wait, if the node said so."""
    if isinstance(cause, httpx2.HTTPStatusError):
        wait = parse_retry_after(cause.response.headers.get("retry-after"))
        return NodeUnavailable(f"HTTP {cause.response.status_code}", retry_after=wait)
    return NodeUnavailable(f"{type(cause).__name__}: {cause}")
