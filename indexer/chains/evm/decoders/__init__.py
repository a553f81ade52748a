"""All decoders. Each protocol is a folder with ``TOPICS`` and ``decode(logs, scope) -> frames``, listed below."""

from types import ModuleType

from indexer.chains.evm.decoders import control, erc20, registry, uniswap_v2, uniswap_v3, uniswap_v4, vaults
from indexer.chains.evm.decoders.frame import Frame, Scope
from indexer.chains.evm.tuned.logs import Logs

PROTOCOLS: tuple[ModuleType, ...] = (erc20, uniswap_v2, uniswap_v3, uniswap_v4, control, registry, vaults)
TOPICS: tuple[bytes, ...] = tuple(topic for protocol in PROTOCOLS for topic in protocol.TOPICS)


def decode(logs: Logs, scope: Scope) -> list[Frame]:
    """Rows of every protocol in ``logs``. Pool events are not yet filtered by known pools."""
    frames: list[Frame] = []
    for protocol in PROTOCOLS:
        frames += protocol.decode(logs, scope)
    return frames
