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


FACTORIES: Mapping[str, SourceFactory] = {"evm": _evm}


def open_source(chain: Chain, patience_seconds: float = 60.0) -> AnySource:
    """A source of the chain's kind. It contacts no node yet.

    Raises:
        ValueError: chains of this kind cannot be indexed, or the chain has no node.
    """
    factory = FACTORIES.get(chain.kind)
    if factory is None:
        raise ValueError(f"chain {chain.key} cannot be indexed: there is no source for chains of kind {chain.kind!r}")
    return factory(chain, patience_seconds)
