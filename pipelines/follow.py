"""Following a chain: index what is new, bring up to date what it touches, again and again."""

import logging
import threading
import time
from contextlib import closing
from dataclasses import dataclass

from indexer.chains.evm.errors import RpcError, WrongChain
from indexer.chains.facts import Chain, Chains
from indexer.reorg import ChainHalted
from indexer.run import Advance, IndexContext, advance
from pipelines.derivation import PassBusy, Store
from pipelines.refresh import refresh
from warehouse import postgres
from warehouse.clickhouse import Warehouse
from warehouse.engines import EngineUrls
from warehouse.errors import StoreUnavailable, WarehouseUnavailable

log = logging.getLogger(__name__)

_BLOCKS_AT_ONCE = 5_000
"""While catching up, derived tables follow every so many blocks."""
_SHORTEST_WAIT, _LONGEST_WAIT = 0.2, 2.0
_HALTED_SECONDS = 30.0
_FIRST_PAUSE, _LAST_PAUSE = 1.0, 30.0
_IDLE_REFRESH_SECONDS = 5.0


def follow(urls: EngineUrls, chains: Chains, chain: Chain, stop: threading.Event) -> None:
    """Follow ``chain`` until ``stop`` is set; what fails for a while is tried again with growing pauses."""
    pause = _FIRST_PAUSE
    while not stop.is_set():
        try:
            with (
                Warehouse.connect(urls.clickhouse_url) as warehouse,
                postgres.connect(urls.database_url, autocommit=True) as store,
                closing(IndexContext(warehouse, urls.database_url)) as context,
            ):
                follower = Follower(warehouse, store, chains, chain, context)
                while not stop.is_set():
                    stop.wait(follower.turn())
                    pause = _FIRST_PAUSE
        except (RpcError, WarehouseUnavailable, StoreUnavailable, postgres.ConnectionLost) as error:
            log.warning("chain %s: %s; trying again in %.0f s", chain.key, error, pause)
            stop.wait(pause)
            pause = min(pause * 2, _LAST_PAUSE)


@dataclass(slots=True)
class Follower:
    """One chain's follower; each :meth:`turn` indexes and refreshes once."""

    warehouse: Warehouse
    store: Store
    chains: Chains
    chain: Chain
    context: IndexContext
    published: int | None = None
    at_head: bool = False
    _refreshed: float = 0.0

    def turn(self) -> float:
        """Index what is there, refresh what it touched; how many seconds to wait before the next turn."""
        try:
            done = self._advance()
        except (ChainHalted, WrongChain) as error:
            log.error("chain %s is not indexed: %s", self.chain.key, error)
            self._refresh()
            return _HALTED_SECONDS
        if done.blocks or done.reorganised or time.monotonic() - self._refreshed >= _IDLE_REFRESH_SECONDS:
            self._refresh()
        if done.busy:
            return _SHORTEST_WAIT
        return min(max(self.chain.block_seconds / 4, _SHORTEST_WAIT), _LONGEST_WAIT) if self.at_head else 0.0

    def _advance(self) -> Advance:
        start = self.published if self.published is not None else self.chain.start_block
        done = advance(self.context, self.chain, to_block=None if self.at_head else start + _BLOCKS_AT_ONCE)
        if not done.busy:
            self.published = done.published
            self.at_head = done.published is None or done.head is None or done.published >= done.head
        return done

    def _refresh(self) -> None:
        self._refreshed = time.monotonic()
        try:
            refresh(
                self.warehouse,
                self.store,
                self.chains,
                chain_ids=[self.chain.chain_id],
                thorough=False,
                writer_wait_seconds=1.0,
                wait_seconds=30.0,
            )
        except PassBusy as error:
            log.info("chain %s: %s", self.chain.key, error)
