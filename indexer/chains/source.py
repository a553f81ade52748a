"""What indexing asks of a chain. Each kind of chain implements ``ChainSource`` in a folder beside this module.

A block's number is its height on EVM chains and its slot where slots may be skipped: numbers ascend and may have gaps.
Addresses are 20 or 32 bytes, as the chain's facts say (``Chain.address_format``).

Every method may raise ``RpcError``; ``indexer.chains.errors`` says which of its classes means what.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from indexer.known import Known
from indexer.unit import AssembledUnit

IndexedHashes = Callable[[int, int], Mapping[int, bytes]]
"""Hashes of the indexed blocks in an inclusive range of numbers."""


@dataclass(frozen=True, slots=True)
class Head:
    """The newest block that the node can show, and the newest final one.

    Both are numbers of blocks, never of skipped slots. ``final`` is negative while nothing is final.
    """

    number: int
    final: int


@dataclass(frozen=True, slots=True)
class Holding:
    """A wallet's holding of a token."""

    token: bytes
    wallet: bytes


class Chunk(Protocol):
    """A fetched range of blocks, decoded but not yet held against what is known of earlier blocks."""

    @property
    def first(self) -> int:
        """First number of the range."""

    @property
    def last(self) -> int:
        """Last number of the range."""

    @property
    def block_count(self) -> int:
        """Blocks in the range; fewer than numbers where slots were skipped, even none."""

    @property
    def event_count(self) -> int:
        """Events in the range: what bounds the size of a unit."""

    @property
    def seconds(self) -> float:
        """How long fetching took."""


ChunkT = TypeVar("ChunkT", bound=Chunk)


class ChainSource(Protocol[ChunkT]):
    """Reads one chain through its nodes, which are proven to serve that chain before anything they say is believed.

    Attributes:
        counters: requests, bytes, retries and the like since the source was opened.
    """

    @property
    def counters(self) -> Counter[str]:
        """See the class."""

    def head(self) -> Head:
        """The newest block and the newest final one."""

    def common_ancestor(self, indexed: IndexedHashes, lowest: int, highest: int) -> int | None:
        """The highest block in ``lowest..highest`` that is indexed with the hash it has on the chain; None for none.

        ``highest`` is at most the head.
        """

    def block_hashes(self, first: int, last: int) -> Mapping[int, bytes]:
        """Hashes of the chain's blocks in ``first..last``, proven to follow each other. Skipped slots are absent."""

    def fetch(self, first: int, last: int) -> Sequence[ChunkT]:
        """Blocks ``first`` to ``last``, as one chunk or, where the node allows less at once, as several in order.

        Called by several threads at once, ahead of ``assemble``.
        """

    def require_complete(self, chunks: Sequence[ChunkT]) -> None:
        """Check, with every node of the chain, that fetched chunks lack nothing. It costs several times the fetch, and
        is for a repair, which deletes what the chain does not have.

        Raises:
            NodeLied: a node leaves something out.
            NodeUnavailable: no node answers about these blocks.
        """

    def assemble(self, chunks: Sequence[ChunkT], known: Known) -> AssembledUnit:
        """The rows of the unit that consecutive chunks with at least one block make, and what it touched.

        Called by one thread in the order of the chain; ``known`` learns what the unit teaches. The rows depend on the
        chain alone, not on how blocks were cut into units.

        Raises:
            ChainMoved: the chunks do not follow each other.
        """

    def balances(self, holdings: Sequence[Holding], block: int) -> Sequence[int | None]:
        """What each wallet holds of each token at a block, in base units; None where the token does not answer."""

    def fullness(self, blocks: Sequence[int]) -> Sequence[float] | None:
        """How much work each of these blocks is, in any unit; None where it is unknown, or asking costs as much as
        fetching. For estimates of time only."""

    def stop(self) -> None:
        """Make waiting requests fail instead of retrying."""

    def close(self) -> None:
        """Stop, and close all connections."""
