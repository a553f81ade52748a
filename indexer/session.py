"""What indexing keeps between calls: the engines, and for each chain its connections and its memory."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from indexer.chains.evm.creations import probe_method
from indexer.chains.evm.decoders.frame import scope_of
from indexer.chains.evm.fetch import Source
from indexer.chains.evm.rpc import EvmClient
from indexer.counting import ChainCounts
from indexer.known import Known
from indexer.plan import Limits, RangeSize
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.process_memory import share_heap, spare_collections


@dataclass(slots=True)
class ChainSession:
    """What is kept between calls for one chain: connections, what the node can do, what is known."""

    chain: Chain
    client: EvmClient
    known: Known
    size: RangeSize
    pool: ThreadPoolExecutor
    assembling: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "assemble"))
    generation: int = -1
    marked: int = -1
    source: Source | None = None
    counts: ChainCounts = field(init=False)

    def __post_init__(self) -> None:
        """Count what the client counts."""
        self.counts = ChainCounts(self.chain.chain_id, self.client.counters)

    def connect(self) -> Source:
        """The node as a source of chunks; its chain id is checked before it is asked anything else."""
        if self.source is None or self.source.is_unusable():
            # Asked meanwhile: the first range of blocks does without the answer for a while.
            method = self.pool.submit(probe_method, self.client)
            self.source = Source(self.client, scope_of(self.chain), method)
        return self.source

    def forget(self) -> None:
        """Drop what is known of the facts: somebody else, a reorganisation or a failure changed them.

        A thread that still assembles a unit nobody will publish goes on with the memory it has.
        """
        self.known = Known(self.known.warehouse, self.chain.chain_id)


@dataclass(slots=True)
class IndexContext:
    """The engines to index into. One a process; usable by one thread per chain."""

    warehouse: Warehouse
    store_url: str
    limits: Limits = field(default_factory=Limits)
    patience_seconds: float = 60.0
    sessions: dict[str, ChainSession] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Settle the process, whose threads are about to start."""
        share_heap()
        spare_collections()

    def session(self, chain: Chain) -> ChainSession:
        """The chain's session, made on first use.

        Raises:
            ValueError: the chain is not an EVM chain, or has no node.
        """
        if chain.kind != "evm":
            raise ValueError(f"chain {chain.key} is not an EVM chain")
        if chain.key not in self.sessions:
            self.sessions[chain.key] = ChainSession(
                chain,
                EvmClient(chain, patience_seconds=self.patience_seconds),
                Known(self.warehouse, chain.chain_id),
                RangeSize(self.limits),
                ThreadPoolExecutor(self.limits.fetchers, f"fetch-{chain.key}"),
            )
        return self.sessions[chain.key]

    def counters(self, chain: Chain) -> Counter[str]:
        """What the chain's client has counted: requests, bytes, retries, ranges halved."""
        return self.session(chain).client.counters

    def close(self) -> None:
        """Stop fetching; what is not published is repeated next time."""
        for session in self.sessions.values():
            session.client.stop()
            session.assembling.shutdown(wait=False, cancel_futures=True)
            session.pool.shutdown(wait=True, cancel_futures=True)
            session.assembling.shutdown(wait=True)
            session.client.close()
        self.sessions.clear()
