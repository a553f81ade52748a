"""Fetch one range of blocks as a chunk: checked and decoded. Several threads do this at once.

A chunk holds columns and not the answers they came from, which are four times as large.
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

# Topics that are checked against the bloom filters of headers: those of nearly all events. Rare topics would only raise
# false alarms in the crowded filters of busy chains.
WATCHED = (erc20.TRANSFER, uniswap_v2.SWAP, uniswap_v3.SWAP)
_WANTED = ["0x" + topic.hex() for topic in decoders.TOPICS]
_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Chunk:
    """Consecutive blocks, decoded into columns."""

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
    # Many threads wait for the node, two compute: more would only compete for caches and the interpreter lock.
    computing: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(2))

    def is_unusable(self) -> bool:
        """Whether asking the node how it tells creations failed."""
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
            time.sleep(0.05 * 2**attempt)  # a reorganisation while we read looks the same, and passes
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
        del logs, answer, answering  # free megabytes before asking the node again
    require_counts(client, headers, expected)
    return Chunk(headers, frames, creating.result(), count, time.monotonic() - started)


def decode_logs(answer: bytes, logs: Logs, scope: Scope) -> list[Frame]:
    """Rows of every protocol. An answer that turns out not to be hexadecimal is read again by the general parser."""
    try:
        return decoders.decode(logs, scope)
    except BadHex:
        return decoders.decode(parse_objects(answer), scope)


def fetch_logs(client: EvmClient, first: int, last: int) -> bytes:
    """The node's answer with the logs of all topics we decode, in these blocks."""
    return client.raw("eth_getLogs", {"fromBlock": hex(first), "toBlock": hex(last), "topics": [_WANTED]})


def expected_counts(logs: Logs, headers: Headers) -> dict[int, int]:
    """Check logs against headers. Returns the blocks that may lack logs, with how many each had in this answer."""
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
    """Ask for these blocks one by one, by hash: each must have as many logs as in the answer about the range."""
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
