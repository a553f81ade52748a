"""Getting: one range of blocks from the node, proven and decoded, as a chunk. Run by several threads at once.

A chunk holds columns, not the answers they came from, so that what is in memory is a quarter of what was sent.
"""

import logging
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field

import msgspec
import numpy as np

from indexer.chains.errors import NodeLied, NodeLimited, NodeUnavailable, RpcError
from indexer.chains.evm import audit, decoders
from indexer.chains.evm.creations import Creation, Method, fetch_creations
from indexer.chains.evm.decoders import erc20, uniswap_v2, uniswap_v3
from indexer.chains.evm.decoders.frame import Frame, Scope
from indexer.chains.evm.headers import Headers, fetch_header_range
from indexer.chains.evm.rpc import EvmClient
from indexer.chains.evm.tuned.answers import parse_logs
from indexer.chains.evm.tuned.hexadecimal import BadHex
from indexer.chains.evm.tuned.logs import Logs
from indexer.chains.evm.tuned.objects import parse_objects

LOG = logging.getLogger(__name__)

# Topics whose absence from a block the header's bloom filter is asked about: those of nearly all volume. Rare
# ones would only be false alarms in the crowded filters of busy chains.
WATCHED = (erc20.TRANSFER, uniswap_v2.SWAP, uniswap_v3.SWAP)
_WANTED = ["0x" + topic.hex() for topic in decoders.TOPICS]
_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Chunk:
    """Everything of consecutive blocks that decoding needs, in columns."""

    headers: Headers
    frames: list[Frame]
    creations: list[Creation]
    event_count: int
    seconds: float

    @property
    def first(self) -> int:
        """First block."""
        return self.headers.first

    @property
    def last(self) -> int:
        """Last block."""
        return self.headers.last

    @property
    def block_count(self) -> int:
        """Blocks: as many as numbers, since EVM chains skip none."""
        return len(self.headers)


@dataclass(frozen=True, slots=True)
class FetchContext:
    """What fetching needs: the node, the addresses that count on this chain, and how the node tells creations."""

    client: EvmClient
    scope: Scope
    probing: "Future[Method]"
    # Many threads wait for the node, few compute: more would only fight over caches and the interpreter.
    computing: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(2))

    def is_unusable(self) -> bool:
        """Whether the node could not be asked how it tells creations."""
        return self.probing.done() and (self.probing.cancelled() or self.probing.exception() is not None)


def fetch_chunk(context: FetchContext, first: int, last: int) -> list[Chunk]:
    """Blocks ``first`` to ``last``, as one chunk or, where the node allows only less at once, as several.

    Raises:
        NodeLied: the node's answers stayed contradictory over several attempts.
    """
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return [_fetch(context, first, last)]
        except NodeLimited as error:
            if first == last:
                raise
            LOG.debug("blocks %d to %d are too much for the node: %s", first, last, error)
            context.client.counters["ranges_halved"] += 1
            middle = (first + last) // 2
            return fetch_chunk(context, first, middle) + fetch_chunk(context, middle + 1, last)
        except NodeLied as error:
            context.client.counters["contradictions"] += 1
            if attempt == _ATTEMPTS:
                raise NodeLied(str(error)) from error
            LOG.info("blocks %d to %d again: %s", first, last, error)
            time.sleep(0.05 * 2**attempt)  # a reorganisation under our feet looks the same, and passes
    raise AssertionError("unreachable")


def _fetch(context: FetchContext, first: int, last: int) -> Chunk:
    started, client = time.monotonic(), context.client
    answering = client.run_in_background(fetch_logs, client, first, last)
    headers = fetch_header_range(client, first, last)
    creating = client.run_in_background(fetch_creations, client, headers, context.probing.result())
    answer = answering.result()
    with context.computing:
        logs = parse_logs(answer)
        expected = expected_counts(logs, headers)
        frames = decode_logs(answer, logs, context.scope)
        count = len(logs)
        del logs, answer, answering  # megabytes that need not lie here while the node is asked again
    require_counts(client, headers, expected)
    return Chunk(headers, frames, creating.result(), count, time.monotonic() - started)


def decode_logs(answer: bytes, logs: Logs, scope: Scope) -> list[Frame]:
    """Rows of every protocol; what looked regular and is not hexadecimal is read again without assumptions."""
    try:
        return decoders.decode(logs, scope)
    except BadHex:
        return decoders.decode(parse_objects(answer), scope)


def fetch_logs(client: EvmClient, first: int, last: int) -> bytes:
    """The node's answer with the logs of the topics we decode, in these blocks."""
    return client.raw("eth_getLogs", {"fromBlock": hex(first), "toBlock": hex(last), "topics": [_WANTED]})


def expected_counts(logs: Logs, headers: Headers) -> dict[int, int]:
    """Audit logs against headers; blocks that may lack some, with how many logs they had here."""
    audit.require_in_range(logs, headers)
    audit.require_same_fork(logs, headers)
    audit.require_order(logs)
    expected: dict[int, int] = dict.fromkeys(audit.doubtful_blocks(logs, headers, WATCHED).tolist(), 0)
    if expected:
        doubtful = np.array(list(expected), np.uint64)
        present, counts = np.unique(logs.block_number[np.isin(logs.block_number, doubtful)], return_counts=True)
        expected.update(zip(present.tolist(), counts.tolist(), strict=True))
    return expected | audit.blocks_to_recount(logs, headers)


def require_counts(client: EvmClient, headers: Headers, expected: dict[int, int]) -> None:
    """Ask for single blocks again, by their hash: each must have as many logs as it had among others."""
    if not expected:
        return
    client.counters["blocks_rechecked"] += len(expected)
    filters = [{"blockHash": "0x" + headers.hash_of(block).hex(), "topics": [_WANTED]} for block in expected]
    answers = client.many([("eth_getLogs", (wanted,)) for wanted in filters])
    for (block, count), answer in zip(expected.items(), answers, strict=True):
        if isinstance(answer, RpcError):
            raise NodeUnavailable(f"logs of block {block} by its hash: {answer}") from answer
        if len(msgspec.json.decode(answer, type=list[msgspec.Raw])) != count:
            raise NodeLied(f"an answer about many blocks lacks logs of block {block}")
