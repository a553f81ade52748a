"""The nodes of one chain, and the policy for asking them: order, pauses after failures, proof of the chain.

Clients add the I/O: ``evm/rpc.py`` and ``solana/rpc.py`` for threads, ``reader.py`` for the event loop.
"""

import random
import time
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from indexer.chains.errors import NodeUnavailable, WrongChain
from warehouse.domain.addresses import is_base58_address
from warehouse.domain.chains import Chain

_CAIP2_REFERENCE = 32
"""Characters of the genesis hash in a Solana chain's CAIP-2 identifier."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long a node rests after failures: ``first_seconds``, then twice as long each time, with jitter.

    A node that names a time itself (``Retry-After``) rests as long as it asked. Neither exceeds ``max_seconds``.
    """

    first_seconds: float = 0.2
    max_seconds: float = 30.0

    def seconds(self, failures: int, retry_after: float | None) -> float:
        """Seconds to rest after so many failures in a row, at least one."""
        if retry_after is not None:
            return min(retry_after, self.max_seconds)
        longest = min(self.first_seconds * 2.0 ** min(failures - 1, 20), self.max_seconds)
        return longest * random.uniform(0.5, 1.0)  # noqa: S311


@dataclass(slots=True)
class Node:
    """One node. ``resting_until`` is when it may be asked again after a failure, on the monotonic clock.

    ``proven``: it has said that it serves the chain, and has not said otherwise since.
    """

    url: str
    proven: bool = False
    resting_until: float = 0.0
    failures: int = 0

    def __str__(self) -> str:
        """The URL without secrets."""
        return redact_url(self.url)


@dataclass(slots=True)
class NodePool:
    """The nodes of one chain in the order of the chains file: the first is preferred. Usable by several threads.

    Raises:
        ValueError: the chain has no node.
    """

    chain: Chain
    backoff: Backoff = field(default_factory=Backoff)
    nodes: list[Node] = field(init=False)

    def __post_init__(self) -> None:  # noqa: D105
        if not self.chain.rpc_urls:
            raise ValueError(f"chain {self.chain.key} has no rpc_urls")
        self.nodes = [Node(url) for url in self.chain.rpc_urls]

    def ready(self) -> Node | None:
        """The first node that is not resting."""
        now = time.monotonic()
        return next((node for node in self.nodes if node.resting_until <= now), None)

    def next_ready_at(self) -> float:
        """When a node is ready again, on the monotonic clock."""
        return min(node.resting_until for node in self.nodes)

    def in_order(self) -> list[Node]:
        """All nodes, those that rest last: for questions that cannot wait."""
        now = time.monotonic()
        return sorted(self.nodes, key=lambda node: node.resting_until > now)

    def report_failure(self, node: Node, retry_after: float | None = None) -> None:
        """Let the node rest; ``retry_after`` is what it asked for, in seconds."""
        node.failures += 1
        pause = self.backoff.seconds(node.failures, retry_after)
        node.resting_until = max(node.resting_until, time.monotonic() + pause)

    def report_success(self, node: Node, *, proven: bool = False) -> None:
        """The node answered; ``proven`` when the answer also proved its chain."""
        node.failures = 0
        node.resting_until = 0.0
        node.proven = node.proven or proven

    def require_chain(self, found: int, node: Node | None = None) -> None:
        """Check the chain id that a node answered.

        Raises:
            WrongChain: it is not the configured one; nothing the node says may be used.
        """
        if found == self.chain.chain_id:
            return
        if node is not None:
            node.proven = False
        name = "a node" if node is None else f"node {node}"
        raise WrongChain(f"{name} says chain id {found}, but chain {self.chain.key} is {self.chain.chain_id}: refused")

    def require_cluster(self, genesis: object, node: Node | None = None) -> None:
        """Check the genesis hash (base58) that a node of Solana answered: CAIP-2's reference is its beginning.

        Raises:
            NodeUnavailable: it answered no hash.
            WrongChain: it is another cluster's; nothing the node says may be used.
        """
        if not isinstance(genesis, str) or not is_base58_address(genesis):
            raise NodeUnavailable(f"getGenesisHash answered {str(genesis)[:80]!r}")
        wanted = self.chain.caip2.partition(":")[2]
        if genesis[:_CAIP2_REFERENCE] == wanted:
            return
        if node is not None:
            node.proven = False
        name = "a node" if node is None else f"node {node}"
        raise WrongChain(f"{name} says genesis {genesis}, but chain {self.chain.key} is {self.chain.caip2}: refused")


def parse_retry_after(value: str | None) -> float | None:
    """Seconds that a ``Retry-After`` header asks for, as a number or as a date; None for anything else."""
    if value is None:
        return None
    try:
        return max(float(value), 0.0)
    except ValueError:
        pass
    try:
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except ValueError:
        return None


def redact_url(url: str) -> str:
    """The URL without what may be a key: provider keys are in the path or the user part."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")
