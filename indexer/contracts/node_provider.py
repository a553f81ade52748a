"""web3.py over our own client: its requests get the node pool's retries, failover and proof of the chain.

Importing web3 takes most of a second, so this module is imported by functions that send transactions, never at the top
of a module.
"""

from typing import Any

import msgspec
from web3 import Web3
from web3.middleware import ExtraDataToPOAMiddleware
from web3.providers.base import JSONBaseProvider
from web3.types import RPCEndpoint, RPCResponse

from indexer.chains.evm.rpc import EvmClient


class NodeProvider(JSONBaseProvider):
    """Answers web3's requests through a client, whose RpcErrors pass through unchanged."""

    def __init__(self, client: EvmClient) -> None:
        super().__init__()
        self._client = client

    def make_request(self, method: RPCEndpoint, params: Any) -> RPCResponse:
        """One request."""
        # web3's own types (HexBytes, AttributeDict) are written as JSON the way web3 does.
        plain = msgspec.json.decode(self.encode_rpc_request(method, params))["params"]
        return {"jsonrpc": "2.0", "id": 0, "result": self._client.call(method, *plain)}

    def is_connected(self, show_traceback: bool = False) -> bool:
        """Whether a node answers."""
        return self._client.call("eth_chainId") is not None


def connect(client: EvmClient) -> Web3:
    """web3 for the client's chain."""
    web3 = Web3(NodeProvider(client))
    # Chains with proof of authority put more into a header's extra data than web3 accepts by default.
    web3.middleware_onion.inject(ExtraDataToPOAMiddleware, layer=0)
    return web3
