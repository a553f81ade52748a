"""Following a chain: index what is new, serve it, and bring its figures up to date, each in a lane of its own.

The lanes are threads with connections of their own. None waits for another to finish: blocks go in as they come, new
tokens are served a few statements later, and figures (holders, prices, heartbeats) follow as fast as they are made,
resting between passes so that the other two have the machine.
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
from warehouse import postgres, sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.engines import EngineUrls
from warehouse.errors import StoreUnavailable, WarehouseUnavailable
from warehouse.postgres import Connection

log = logging.getLogger(__name__)

_BLOCKS_AT_ONCE = 5_000
"""While catching up, derived tables may follow every so many blocks."""
_SHORTEST_WAIT, _LONGEST_WAIT = 0.1, 2.0
_HALTED_SECONDS = 30.0
_FIRST_PAUSE, _LAST_PAUSE = 1.0, 30.0
_IDLE_SECONDS = 5.0
"""How often a lane looks although no block has come."""
_REST = 4.0
"""Making figures rests this many times as long as it took: a fifth of the time at most."""
_SHORTEST_REST, _LONGEST_REST = 1.0, 30.0
_WAIT_SECONDS = 30.0


@dataclass(slots=True)
class Progress:
    """How far indexing is, for the lanes that follow it."""

    at_head: bool = False
    has_figures: bool = False
    """Metrics were computed for the chain at its head: tokens there are no longer served bare by the thousands."""
    news: threading.Event = field(default_factory=threading.Event)
    changed: threading.Event = field(default_factory=threading.Event)

    def tell(self, at_head: bool) -> None:
        """Blocks were published or taken back."""
        self.at_head = at_head
        self.news.set()
        self.changed.set()


@dataclass(slots=True)
class Follower:
    """One chain's follower: what each lane does once."""

    warehouse: Warehouse
    store: Connection
    chains: Chains
    chain: Chain
    context: IndexContext | None = None
    progress: Progress = field(default_factory=Progress)
    published: int | None = None
    refused_pause: float = _FIRST_PAUSE
    """How long to wait when the nodes serve another chain: a node that is being set up, or a balancer that errs, soon
    serves the right one; a chains file that is wrong stays so."""

    def turn(self) -> None:
        """All lanes once, one after the other."""
        self.index()
        self.serve()
        self.make_figures()

    def index(self) -> float:
        """Index what is there; how many seconds to wait before looking again."""
        try:
            done = self._advance()
        except ChainHalted as error:
            log.error("chain %s is not indexed: %s", self.chain.key, error)
            return _HALTED_SECONDS
        except WrongChain as error:
            pause, self.refused_pause = self.refused_pause, min(self.refused_pause * 2, _LAST_PAUSE)
            log.error("chain %s is not indexed: %s; looking again in %.0f s", self.chain.key, error, pause)
            return pause
        self.refused_pause = _FIRST_PAUSE
        if done.busy:
            return _SHORTEST_WAIT
        at_head = done.published is None or done.head is None or done.published >= done.head
        if done.blocks or done.reorganised:
            self.progress.tell(at_head)
        self.progress.at_head = at_head
        if not at_head:
            return 0.0
        # Several blocks since we looked: they come faster than the chain is known for.
        often = done.blocks > 1 and not done.reorganised
        return _SHORTEST_WAIT if often else min(max(self.chain.block_seconds / 4, _SHORTEST_WAIT), _LONGEST_WAIT)

    def serve(self) -> None:
        """Make what is new findable. While a long history is being indexed, that comes with its figures."""
        if not self.progress.has_figures:
            return
        try:
            publish_new_tokens(self.warehouse, self.store, self.chains, self.chain, wait_seconds=_WAIT_SECONDS)
        except (RefreshBusy, ReorgDuringRefresh) as error:
            log.info("chain %s: %s", self.chain.key, error)
            self.progress.news.set()

    def make_figures(self) -> float:
        """Bring the figures up to date; how many seconds to rest."""
        started, at_head = time.monotonic(), self.progress.at_head
        try:
            refresh(
                self.warehouse,
                self.store,
                self.chains,
                chain_ids=[self.chain.chain_id],
                full=False,
                writer_wait_seconds=_WAIT_SECONDS,
                wait_seconds=_WAIT_SECONDS,
            )
            self.progress.has_figures |= at_head
        except RefreshBusy as error:
            log.info("chain %s: %s", self.chain.key, error)
            self.progress.changed.set()
        except EventsFailed as error:
            # Metrics and blocks go on; whoever watches the failures of assets sees it.
            log.error("chain %s: %s", self.chain.key, error)
            self.store.execute(sql.load("store/asset_runs/record_failure").encode(), {"asset": "events"})
            self.progress.has_figures |= at_head
        return min(max(_REST * (time.monotonic() - started), _SHORTEST_REST), _LONGEST_REST)

    def _advance(self) -> Advance:
        if self.context is None:
            raise ValueError("a follower without a context does not index")
        start = self.published if self.published is not None else self.chain.start_block
        to_block = None if self.progress.at_head else start + _BLOCKS_AT_ONCE
        done = advance(self.context, self.chain, to_block=to_block)
        if not done.busy:
            self.published = done.published
        return done


def follow(urls: EngineUrls, chains: Chains, chain: Chain, stop: threading.Event) -> None:
    """Follow ``chain`` until ``stop`` is set; what fails for a while is tried again with growing pauses."""
    progress = Progress()
    lanes = [
        _Lane(urls, chains, chain, stop, progress, _index),
        _Lane(urls, chains, chain, stop, progress, _serve),
        _Lane(urls, chains, chain, stop, progress, _make_figures),
    ]
    threads = [threading.Thread(target=lane.run, name=f"{chain.key}{lane.work.__name__}") for lane in lanes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for lane in lanes:
        if lane.failure is not None:
            raise lane.failure


@dataclass(slots=True)
class _Lane:
    """One thread's work, with connections of its own."""

    urls: EngineUrls
    chains: Chains
    chain: Chain
    stop: threading.Event
    progress: Progress
    work: Callable[[Follower, threading.Event], None]
    failure: BaseException | None = None

    def run(self) -> None:
        """Work until told to stop, connecting anew when a connection or a node is lost for a while."""
        try:
            self._run()
        except BaseException as error:
            self.failure = error
            self.stop.set()

    def _run(self) -> None:
        pause = _FIRST_PAUSE
        while not self.stop.is_set():
            began = time.monotonic()
            try:
                with ExitStack() as held:
                    warehouse = held.enter_context(Warehouse.connect(self.urls.clickhouse_url))
                    store = held.enter_context(postgres.connect(self.urls.database_url, autocommit=True))
                    context = held.enter_context(closing(IndexContext(warehouse, self.urls.database_url)))
                    follower = Follower(warehouse, store, self.chains, self.chain, context, self.progress)
                    self.work(follower, self.stop)
            except (RpcError, WarehouseUnavailable, StoreUnavailable, postgres.ConnectionLost) as error:
                if time.monotonic() - began > _LAST_PAUSE:
                    pause = _FIRST_PAUSE
                log.warning("chain %s: %s; trying again in %.0f s", self.chain.key, error, pause)
                self.stop.wait(pause)
                pause = min(pause * 2, _LAST_PAUSE)


def _index(follower: Follower, stop: threading.Event) -> None:
    while not stop.is_set():
        stop.wait(follower.index())


def _serve(follower: Follower, stop: threading.Event) -> None:
    while not stop.is_set():
        _await(follower.progress.news, stop)
        follower.serve()


def _make_figures(follower: Follower, stop: threading.Event) -> None:
    while not stop.is_set():
        _await(follower.progress.changed, stop)
        stop.wait(follower.make_figures())


def _await(event: threading.Event, stop: threading.Event) -> None:
    """Until the event, the end, or a while without either."""
    deadline = time.monotonic() + _IDLE_SECONDS
    while not stop.is_set() and time.monotonic() < deadline and not event.wait(0.5):
        pass
    event.clear()
