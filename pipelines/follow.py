"""Following a chain: one thread indexes blocks, one loop publishes new tokens, one loop recomputes metrics.

Each thread has its own connections, and none waits for another to finish: blocks are indexed as they come, new tokens
are published a few statements later, and metrics (holders, prices, heartbeats) follow as fast as they are computed,
with pauses that leave the machine to the other two.
"""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field

from indexer.chains.errors import RpcError, WrongChain
from indexer.reorg import ChainHalted
from indexer.run import Advance, IndexContext, advance
from pipelines.events.derive import EventsFailed
from pipelines.locks import RefreshBusy
from pipelines.refresh import publish_new_tokens, refresh
from pipelines.windows import ReorgDuringRefresh
from warehouse import postgres
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.engines import EngineUrls
from warehouse.errors import StoreUnavailable, WarehouseUnavailable
from warehouse.postgres import Connection

log = logging.getLogger(__name__)

_MAX_BLOCKS = 5_000
"""While catching up, metrics are recomputed after so many blocks at most."""
_MIN_WAIT_SECONDS, _MAX_WAIT_SECONDS = 0.1, 2.0
"""Bounds of the wait for the next block."""
_HALTED_SECONDS = 30.0
_MIN_RETRY_SECONDS, _MAX_RETRY_SECONDS = 1.0, 30.0
_QUIET_BLOCKS, _QUIET_SECONDS = 5, 10.0
"""After so many block times, and so many seconds, without a block the node is asked as seldom as the bounds allow."""
_IDLE_SECONDS, _IDLE_METRICS_SECONDS = 5.0, 15.0
"""How often the loops for new tokens and for metrics run although no block has come: registrations change, and prices
are recomputed once a minute."""
_REST_FACTOR = 4.0
"""The metrics loop rests this many times as long as it ran, so it runs a fifth of the time at most."""
_MIN_REST_SECONDS, _MAX_REST_SECONDS = 1.0, 30.0
_LOCK_WAIT_SECONDS = 30.0


@dataclass(slots=True)
class FollowState:
    """How far indexing is; shared by the threads of one chain."""

    at_head: bool = False
    has_metrics: bool = False
    """Metrics were computed for the chain at its head. Until then new tokens are published with their metrics only:
    otherwise a long history would be published by the thousands without any."""
    new_tokens: threading.Event = field(default_factory=threading.Event)
    changed: threading.Event = field(default_factory=threading.Event)

    def announce(self, at_head: bool) -> None:
        """Wake both loops: blocks were published or reverted."""
        self.at_head = at_head
        self.new_tokens.set()
        self.changed.set()


@dataclass(slots=True)
class Follower:
    """What each thread of a chain does once."""

    warehouse: Warehouse
    store: Connection
    chains: Chains
    chain: Chain
    context: IndexContext | None = None
    state: FollowState = field(default_factory=FollowState)
    published: int | None = None
    moved_at: float = field(default_factory=time.monotonic)
    """When a block was last published or reverted."""
    refused_pause: float = _MIN_RETRY_SECONDS
    """How long to wait while the nodes serve another chain. A node that is being set up, or a load balancer that errs,
    soon serves the right one; a wrong chains file stays wrong."""

    def index(self) -> float:
        """Index the blocks there are; returns how many seconds to wait before the next look."""
        try:
            done = self._advance()
        except ChainHalted as error:
            log.error("chain %s is not indexed: %s", self.chain.key, error)
            return _HALTED_SECONDS
        except WrongChain as error:
            pause, self.refused_pause = self.refused_pause, min(self.refused_pause * 2, _MAX_RETRY_SECONDS)
            log.error("chain %s is not indexed: %s; trying again in %.0f s", self.chain.key, error, pause)
            return pause
        self.refused_pause = _MIN_RETRY_SECONDS
        if done.busy:
            return _MIN_WAIT_SECONDS
        at_head = done.published is None or done.head is None or done.published >= done.head
        if done.blocks or done.reorganised:
            self.state.announce(at_head)
            self.moved_at = time.monotonic()
        self.state.at_head = at_head
        if not at_head:
            return 0.0
        # Several blocks since the last look: they come faster than the chain's facts say.
        is_fast = done.blocks > 1 and not done.reorganised
        if is_fast:
            return _MIN_WAIT_SECONDS
        if time.monotonic() - self.moved_at > max(_QUIET_BLOCKS * self.chain.block_seconds, _QUIET_SECONDS):
            return _MAX_WAIT_SECONDS
        return min(max(self.chain.block_seconds / 4, _MIN_WAIT_SECONDS), _MAX_WAIT_SECONDS)

    def publish_new_tokens(self) -> None:
        """Publish new tokens and registrations. While a long history is indexed, they come with their metrics."""
        if not self.state.has_metrics:
            return
        try:
            publish_new_tokens(self.warehouse, self.store, self.chains, self.chain, wait_seconds=_LOCK_WAIT_SECONDS)
        except (RefreshBusy, ReorgDuringRefresh) as error:
            log.info("chain %s: %s", self.chain.key, error)
            self.state.new_tokens.set()

    def refresh_metrics(self) -> float:
        """Bring metrics up to date; returns how many seconds to rest."""
        started, at_head = time.monotonic(), self.state.at_head
        try:
            refresh(
                self.warehouse,
                self.store,
                self.chains,
                chain_ids=[self.chain.chain_id],
                full=False,
                writer_wait_seconds=_LOCK_WAIT_SECONDS,
                wait_seconds=_LOCK_WAIT_SECONDS,
            )
            self.state.has_metrics |= at_head
        except RefreshBusy as error:
            log.info("chain %s: %s", self.chain.key, error)
            self.state.changed.set()
        except EventsFailed as error:
            # Metrics and blocks go on. Operators see the recorded failure.
            log.error("chain %s: %s", self.chain.key, error)
            postgres.run(self.store, "step_runs/record_failure", {"step": "events"})
            self.state.has_metrics |= at_head
        return min(max(_REST_FACTOR * (time.monotonic() - started), _MIN_REST_SECONDS), _MAX_REST_SECONDS)

    def _advance(self) -> Advance:
        if self.context is None:
            raise ValueError("a follower without an index context cannot index")
        start = self.published if self.published is not None else self.chain.start_block
        to_block = None if self.state.at_head else start + _MAX_BLOCKS
        done = advance(self.context, self.chain, to_block=to_block)
        if not done.busy:
            self.published = done.published
        return done


def follow(urls: EngineUrls, chains: Chains, chain: Chain, stop: threading.Event) -> None:
    """Follow ``chain`` until ``stop`` is set. Temporary failures are retried with growing pauses."""
    state = FollowState()
    loops = [_Loop(urls, chains, chain, stop, state, work) for work in (_index, _publish_new_tokens, _refresh_metrics)]
    threads = [threading.Thread(target=loop.run, name=f"{chain.key}{loop.work.__name__}") for loop in loops]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for loop in loops:
        if loop.failure is not None:
            raise loop.failure


@dataclass(slots=True)
class _Loop:
    """The work of one thread, with its own connections."""

    urls: EngineUrls
    chains: Chains
    chain: Chain
    stop: threading.Event
    state: FollowState
    work: Callable[[Follower, threading.Event], None]
    failure: BaseException | None = None

    def run(self) -> None:
        """Work until told to stop. After a lost connection or node, reconnect."""
        try:
            self._run()
        except BaseException as error:  # whatever ends one thread ends all, and is raised again by whoever waits
            self.failure = error
            self.stop.set()

    def _run(self) -> None:
        pause = _MIN_RETRY_SECONDS
        while not self.stop.is_set():
            began = time.monotonic()
            try:
                with ExitStack() as held:
                    warehouse = held.enter_context(Warehouse.connect(self.urls.clickhouse_url))
                    store = held.enter_context(postgres.connect(self.urls.database_url, autocommit=True))
                    context = held.enter_context(closing(IndexContext(warehouse, self.urls.database_url)))
                    follower = Follower(warehouse, store, self.chains, self.chain, context, self.state)
                    self.work(follower, self.stop)
            except (RpcError, WarehouseUnavailable, StoreUnavailable, postgres.ConnectionLost) as error:
                if time.monotonic() - began > _MAX_RETRY_SECONDS:
                    pause = _MIN_RETRY_SECONDS
                log.warning("chain %s: %s; trying again in %.0f s", self.chain.key, error, pause)
                self.stop.wait(pause)
                pause = min(pause * 2, _MAX_RETRY_SECONDS)


def _index(follower: Follower, stop: threading.Event) -> None:
    while not stop.is_set():
        stop.wait(follower.index())


def _publish_new_tokens(follower: Follower, stop: threading.Event) -> None:
    while not stop.is_set():
        _wait_for(follower.state.new_tokens, stop, _IDLE_SECONDS)
        follower.publish_new_tokens()


def _refresh_metrics(follower: Follower, stop: threading.Event) -> None:
    while not stop.is_set():
        _wait_for(follower.state.changed, stop, _IDLE_METRICS_SECONDS)
        stop.wait(follower.refresh_metrics())


def _wait_for(event: threading.Event, stop: threading.Event, seconds: float) -> None:
    """Wait for the event, the end, or so many seconds, whichever comes first."""
    deadline = time.monotonic() + seconds
    while not stop.is_set() and time.monotonic() < deadline and not event.wait(0.5):
        pass
    event.clear()
