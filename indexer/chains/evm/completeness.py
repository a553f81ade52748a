"""Whether the nodes list every log of a block: what a repair needs to know before it believes that a log is missing.

Indexing asks for the logs it decodes, and recounts the blocks whose bloom filter shows a doubt. A node that leaves out
single logs of a block, again and again, passes that. Here each node is asked for all logs of each block, by its hash:

- they must be numbered from 0 without a gap,
- they must explain every bit of the header's bloom filter,
- there must be as many that we decode as in the chunk that was fetched,
- all nodes must list the same ones.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace

import msgspec
import numpy as np

from indexer.chains.errors import NodeLied, NodeUnavailable, RpcError
from indexer.chains.evm import decoders
from indexer.chains.evm.audit import bloom_bits
from indexer.chains.evm.fetch import Chunk
from indexer.chains.evm.headers import Headers
from indexer.chains.evm.rpc import EvmClient
from indexer.chains.nodes import redact_url
from warehouse.domain.chains import Chain

LOG = logging.getLogger(__name__)

_BLOCKS_AT_ONCE = 50
_PATIENCE_SECONDS = 10.0
"""With each node. Another one may answer instead."""
_DECODED = frozenset("0x" + topic.hex() for topic in decoders.TOPICS)


class _Log(msgspec.Struct, frozen=True, gc=False):
    address: str
    topics: tuple[str, ...]
    data: str
    logIndex: str


_LOGS = msgspec.json.Decoder(list[_Log])
_Listed = Mapping[int, list[_Log]]
"""All logs of some blocks, by block number."""


@contextmanager
def open_each_node(chain: Chain) -> Iterator[Mapping[str, EvmClient]]:
    """A client for each of the chain's nodes alone, by its URL."""
    with ExitStack() as held:
        yield {
            url: held.enter_context(
                closing(EvmClient(replace(chain, rpc_urls=(url,)), patience_seconds=_PATIENCE_SECONDS))
            )
            for url in chain.rpc_urls
        }


def require_complete(nodes: Mapping[str, EvmClient], chunk: Chunk) -> None:
    """Check that a chunk lacks no log, as far as headers and the nodes can tell.

    Raises:
        NodeLied: a node leaves out logs, or two nodes differ.
        NodeUnavailable: no node lists the logs of these blocks.
    """
    headers = chunk.headers
    decoded = 0
    bits: dict[str, int] = {}
    for first in range(headers.first, headers.last + 1, _BLOCKS_AT_ONCE):
        blocks = range(first, min(headers.last, first + _BLOCKS_AT_ONCE - 1) + 1)
        answers = dict(_ask_each(nodes, headers, blocks))
        for node, listed in answers.items():
            for block, logs in listed.items():
                _require_all(node, block, logs, headers, bits)
        decoded += _require_same(answers)
    if decoded != chunk.event_count:
        raise NodeLied(
            f"blocks {headers.first} to {headers.last} have {decoded} logs that are decoded, and an answer about the"
            f" range had {chunk.event_count}"
        )


def _ask_each(nodes: Mapping[str, EvmClient], headers: Headers, blocks: Sequence[int]) -> Iterator[tuple[str, _Listed]]:
    failure: RpcError | None = None
    answered = False
    for node, client in nodes.items():
        try:
            yield node, _list_logs(client, headers, blocks)
            answered = True
        except RpcError as error:  # a node may lack old blocks; the others count
            LOG.warning(
                "node %s does not list the logs of blocks %d to %d: %s", redact_url(node), blocks[0], blocks[-1], error
            )
            failure = error
    if not answered:
        raise NodeUnavailable(f"no node lists the logs of blocks {blocks[0]} to {blocks[-1]}") from failure


def _list_logs(client: EvmClient, headers: Headers, blocks: Sequence[int]) -> _Listed:
    wanted = [("eth_getLogs", ({"blockHash": "0x" + headers.hash_of(block).hex()},)) for block in blocks]
    listed = {}
    for block, answer in zip(blocks, client.many(wanted), strict=True):
        if isinstance(answer, RpcError):
            raise answer
        try:
            listed[block] = sorted(_LOGS.decode(answer), key=_index)
        except (msgspec.DecodeError, ValueError) as error:
            raise NodeUnavailable(f"logs of block {block} that cannot be read: {error}") from error
    return listed


def _index(log: _Log) -> int:
    return int(log.logIndex, 16)


def _require_all(node: str, block: int, logs: list[_Log], headers: Headers, bits: dict[str, int]) -> None:
    """Check one node's logs of a block against their own numbers and the header. ``bits`` remembers, by address and
    topic, which bits of a filter they set."""
    if [_index(log) for log in logs] != list(range(len(logs))):
        raise NodeLied(f"node {redact_url(node)} leaves out logs of block {block}: their numbers have gaps")
    explained = 0
    for item in {item for log in logs for item in (log.address, *log.topics)}:
        if item not in bits:
            bits[item] = sum(mask << 8 * (255 - byte) for byte, mask in set(bloom_bits(bytes.fromhex(item[2:]))))
        explained |= bits[item]
    bloom = int.from_bytes(np.asarray(headers.bloom[block - headers.first]).tobytes())
    if bloom & ~explained:
        raise NodeLied(f"node {redact_url(node)} leaves out logs of block {block}: its header's bloom filter has more")


def _require_same(answers: Mapping[str, _Listed]) -> int:
    """Check that all nodes list the same logs; how many of them are decoded."""
    first, *others = answers.items()
    for node, listed in others:
        for block, logs in listed.items():
            if logs != first[1][block]:
                raise NodeLied(
                    f"nodes {redact_url(first[0])} and {redact_url(node)} differ in the logs of block {block}"
                )
    return sum(bool(log.topics) and log.topics[0] in _DECODED for logs in first[1].values() for log in logs)
