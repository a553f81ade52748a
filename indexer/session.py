"""What indexing keeps between calls: the engines, and for each chain its connections and what it remembers."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from indexer.chains.kinds import AnySource, SourceFactory, open_source
from indexer.counting import ChainCounts
from indexer.known import Known
from indexer.plan import Limits, RangeSize
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.postgres import KeptConnection
from warehouse.process_memory import collect_garbage_less, share_heap


@dataclass(slots=True)
class ChainSession:
    """What is kept between calls for one chain: its source, what is known, and threads to work ahead.

    ``generation`` is the checkpoint's when the last call ended; ``marked`` is the one last marked as published.
    """

    chain: Chain
    source: AnySource
    known: Known
    size: RangeSize
    pool: ThreadPoolExecutor
    line: KeptConnection
    """Over which the chain's writer lock is taken: a follower does so several times a second."""
    assembling: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "assemble"))
    generation: int = -1
    marked: int = -1
    counts: ChainCounts = field(init=False)

    def __post_init__(self) -> None:
        """Count what the source counts."""
        self.counts = ChainCounts(self.chain.chain_id, self.source.counters)

    def forget(self) -> None:
        """Drop what is known of the facts: another writer, a reorganisation or a failure changed them.

        A thread that still assembles a unit which nobody will publish keeps the old memory.
        """
        self.known = Known(self.known.warehouse, self.chain.chain_id)


@dataclass(slots=True)
class IndexContext:
    """The engines to index into. One per process; usable by one thread per chain."""

    warehouse: Warehouse
    store_url: str
    limits: Limits = field(default_factory=Limits)
    patience_seconds: float = 60.0
    open_source: SourceFactory = open_source
    sessions: dict[str, ChainSession] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Tune the process before its threads start."""
        share_heap()
        collect_garbage_less()

    def session(self, chain: Chain) -> ChainSession:
        """The chain's session, made on first use.

        Raises:
            ValueError: the chain cannot be indexed, or has no node.
        """
        if chain.key not in self.sessions:
            self.sessions[chain.key] = ChainSession(
                chain,
                self.open_source(chain, self.patience_seconds),
                Known(self.warehouse, chain.chain_id),
                RangeSize(self.limits),
                ThreadPoolExecutor(self.limits.fetchers, f"fetch-{chain.key}"),
                KeptConnection(self.store_url),
            )
        return self.sessions[chain.key]

    def counters(self, chain: Chain) -> Counter[str]:
        """What the chain's source has counted: requests, bytes, retries, ranges halved."""
        return self.session(chain).source.counters

    def close(self) -> None:
        """Stop fetching. What is not published is fetched again next time."""
        for session in self.sessions.values():
            session.source.stop()
            session.assembling.shutdown(wait=False, cancel_futures=True)
            session.pool.shutdown(wait=True, cancel_futures=True)
            session.assembling.shutdown(wait=True)
            session.source.close()
            session.line.close()
        self.sessions.clear()
