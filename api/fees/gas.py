"""The gas price of Ethereum mainnet, which its fee multiplier follows."""

import logging
from dataclasses import dataclass
from datetime import datetime

from api.chains import ChainReaders
from api.clock import Clock
from api.http.cache import Cache
from api.http.metrics import Metrics
from indexer.chains.errors import RpcError
from indexer.chains.evm.reader import quantity
from warehouse.domain.chains import Chain

LOG = logging.getLogger(__name__)
CHAIN = "eth"
FRESH_SECONDS = 60.0
STALE_SECONDS = 600.0
_FAILED_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class GasPrice:
    """A gas price, and when it was read."""

    price_wei: int
    read_at: datetime


class MainnetGas:
    """Reads the price at most once a minute; during an outage of the nodes a reading is used for ten minutes."""

    def __init__(self, chain: Chain | None, readers: ChainReaders, *, clock: Clock, metrics: Metrics) -> None:
        self._chain = chain if chain is not None and chain.enabled else None
        self._readers = readers
        self._clock = clock
        self._readings: Cache[GasPrice] = Cache(
            "mainnet_gas",
            ttl_seconds=FRESH_SECONDS,
            stale_seconds=STALE_SECONDS,
            failures=(RpcError,),
            metrics=metrics,
        )
        self._failures: Cache[bool] = Cache("mainnet_gas_failure", ttl_seconds=_FAILED_SECONDS, metrics=metrics)

    async def read(self) -> GasPrice | None:
        """The price; None if no node of the chain is configured or answers. After a failure nodes are not asked for
        some seconds."""
        chain = self._chain
        if chain is None or self._failures.peek(CHAIN):
            return None
        try:
            return await self._readings.get(CHAIN, lambda: self._ask(chain))
        except RpcError as error:
            LOG.info("the gas price of %s is unknown: %s", chain.key, error)
            self._failures.put(CHAIN, True)
            return None

    async def _ask(self, chain: Chain) -> GasPrice:
        price = quantity(await self._readers.of(chain).request("eth_gasPrice"))
        return GasPrice(price, self._clock.now())
