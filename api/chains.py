"""Readers of the enabled chains, made once and shared by all requests."""

import asyncio
from typing import TypeVar

from indexer.chains.evm import holdings as evm_holdings
from indexer.chains.evm.reader import EvmReader
from indexer.chains.holding import WalletHolding
from indexer.chains.reader import NodeReader
from indexer.chains.solana.reader import SolanaReader
from warehouse.breaker import Breaker
from warehouse.domain.addresses import AddressFormat
from warehouse.domain.chains import Chain

ReaderT = TypeVar("ReaderT", EvmReader, SolanaReader)


class ChainReaders:
    """One reader per enabled chain.

    Each has connections of its own: calls that hang on one chain must not keep another chain's calls waiting.

    Args:
        timeout_seconds: limit of one question over all nodes of a chain.
        connections: most that are open to the nodes of one chain.
    """

    def __init__(self, *, timeout_seconds: float, connections: int = 100) -> None:
        self.timeout_seconds = timeout_seconds
        self.connections = connections
        self._readers: dict[str, NodeReader] = {}

    def of(self, chain: Chain) -> EvmReader:
        """The reader of an EVM chain, which must be enabled."""
        return self._reader(chain, EvmReader)

    def solana(self, chain: Chain) -> SolanaReader:
        """The reader of a Solana chain, which must be enabled."""
        return self._reader(chain, SolanaReader)

    async def holding(self, chain: Chain, token: str, wallet: str) -> WalletHolding | None:
        """What a wallet holds of a token of an enabled chain; None if there is no token at the address.

        Raises:
            RpcError: the chain could not be read.
        """
        if chain.address_format is AddressFormat.BASE58:
            from indexer.chains.solana import holdings as solana_holdings  # loads solders

            return await solana_holdings.read_holding(self.solana(chain), token, wallet)
        return await evm_holdings.read_holding(self.of(chain), token, wallet)

    async def native_holding(self, chain: Chain, wallet: str) -> WalletHolding:
        """What a wallet holds of an enabled EVM chain's native coin.

        Raises:
            RpcError: the chain could not be read.
        """
        return await evm_holdings.read_native_holding(self.of(chain), wallet)

    @property
    def breakers(self) -> list[Breaker]:
        """The circuit breakers of the chains that were read."""
        return [reader.breaker for reader in self._readers.values()]

    async def close(self) -> None:
        """Close all connections."""
        await asyncio.gather(*(reader.close() for reader in self._readers.values()))

    def _reader(self, chain: Chain, kind: type[ReaderT]) -> ReaderT:
        reader = self._readers.get(chain.key)
        if reader is None:
            reader = kind(chain, timeout_seconds=self.timeout_seconds, connections=self.connections)
            self._readers[chain.key] = reader
        if not isinstance(reader, kind):
            raise TypeError(f"chain {chain.key} is read by {type(reader).__name__}, not {kind.__name__}")
        return reader
