"""solana-py's HTTP provider as the indexer uses it: batches, and answers of megabytes."""

from collections.abc import Sequence
from dataclasses import dataclass

import httpx2
from solana.rpc.async_http_provider import AsyncHTTPProvider
from solana.rpc.jsonrpc import JsonRpcRequestSerializer

from indexer.chains.jsonrpc import Call, encode


@dataclass(frozen=True, slots=True)
class Batch:
    """Several requests in one, in the form that solana-py's provider sends. ``alone``: a single one, not as a batch,
    which some nodes refuse."""

    calls: Sequence[Call]
    alone: bool = False

    def to_json(self) -> str:
        """The body of the HTTP request."""
        return encode(self.calls, alone=self.alone).decode()


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


def open_provider(url: str, session: httpx2.AsyncClient) -> BulkProvider:
    """A provider for one node; retrying is up to the caller."""
    provider = BulkProvider(url, http2=False, max_transport_retries=0)
    # Its own session would use the proxy of the environment.
    provider.session = session
    return provider
