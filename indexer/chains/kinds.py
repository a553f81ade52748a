"""Which source reads which kind of chain. A new kind is a folder beside this module and an entry below."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from indexer.chains.source import ChainSource
from warehouse.domain.chains import Chain

AnySource: TypeAlias = ChainSource[Any]
SourceFactory: TypeAlias = Callable[[Chain, float], AnySource]
"""Makes a source from a chain's facts and the seconds for which it retries before it fails."""


def _evm(chain: Chain, patience_seconds: float) -> AnySource:
    from indexer.chains.evm.source import EvmSource  # a command loads only the kinds it reads

    return EvmSource(chain, patience_seconds=patience_seconds)


def _solana(chain: Chain, patience_seconds: float) -> AnySource:
    from indexer.chains.solana.source import SolanaSource

    return SolanaSource(chain, patience_seconds=patience_seconds)


FACTORIES: Mapping[str, SourceFactory] = {"evm": _evm, "solana": _solana}


def _evm_head(chain: Chain, timeout_seconds: float) -> tuple[int, int]:
    from indexer.chains.evm.source import read_head

    return read_head(chain, timeout_seconds)


def _solana_head(chain: Chain, timeout_seconds: float) -> tuple[int, int]:
    from indexer.chains.solana.source import read_head

    return read_head(chain, timeout_seconds)


HEAD_READERS: Mapping[str, Callable[[Chain, float], tuple[int, int]]] = {"evm": _evm_head, "solana": _solana_head}


def read_head(chain: Chain, timeout_seconds: float) -> tuple[int, int]:
    """The number of the newest block, and its time in seconds since 1970, asked once within ``timeout_seconds``.

    Raises:
        RpcError: the chain's node does not answer, or serves another chain.
        ValueError: the chain has no node.
    """
    return HEAD_READERS[chain.kind](chain, timeout_seconds)


def open_source(chain: Chain, patience_seconds: float = 60.0) -> AnySource:
    """A source of the chain's kind. It contacts no node yet.

    Raises:
        ValueError: chains of this kind cannot be indexed, or the chain has no node.
    """
    factory = FACTORIES.get(chain.kind)
    if factory is None:
        raise ValueError(f"chain {chain.key} cannot be indexed: there is no source for chains of kind {chain.kind!r}")
    return factory(chain, patience_seconds)
