"""An EVM chain as a source of units."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing

import msgspec

from indexer.chains.ancestor import walk_back
from indexer.chains.errors import NodeLied, RpcError
from indexer.chains.evm.assemble import assemble_unit
from indexer.chains.evm.completeness import open_each_node, require_complete
from indexer.chains.evm.creations import probe_method
from indexer.chains.evm.decoders.frame import scope_of
from indexer.chains.evm.envelope import quantity
from indexer.chains.evm.fetch import Chunk, FetchContext, fetch_chunk
from indexer.chains.evm.headers import fetch_head, fetch_header_range, fetch_headers
from indexer.chains.evm.rpc import EvmClient
from indexer.chains.source import Head, Holding, IndexedHashes
from indexer.known import Known
from indexer.unit import AssembledUnit
from warehouse.domain.chains import Chain
from warehouse.domain.selectors import balance_of

_HEADERS_AT_ONCE = 500
_GAS_OF_A_TRANSFER = 50_000


class EvmSource:
    """Reads one EVM chain over JSON-RPC. Implements ``indexer.chains.source.ChainSource``."""

    def __init__(self, chain: Chain, *, patience_seconds: float = 60.0) -> None:
        self.chain = chain
        self.client = EvmClient(chain, patience_seconds=patience_seconds)
        self._context: FetchContext | None = None

    @property
    def counters(self) -> Counter[str]:
        """What the client counted."""
        return self.client.counters

    def head(self) -> Head:
        """The node's newest block; the final one is ``finality_blocks`` below it."""
        self.context()  # starts asking how the node tells creations
        number = fetch_head(self.client)
        return Head(number, number - self.chain.finality_blocks)

    def common_ancestor(self, indexed: IndexedHashes, lowest: int, highest: int) -> int | None:
        """The highest block that both the node and the index have."""

        def on_chain(first: int, last: int) -> dict[int, bytes]:
            headers = fetch_headers(self.client, range(first, last + 1))
            return {header.first: header.hash_of(header.first) for header in headers}

        return walk_back(indexed, on_chain, lowest, highest)

    def block_hashes(self, first: int, last: int) -> Mapping[int, bytes]:
        """Hashes of headers that are linked by parent hash."""
        hashes: dict[int, bytes] = {}
        for start in range(first, last + 1, _HEADERS_AT_ONCE):
            headers = fetch_header_range(self.client, start, min(last, start + _HEADERS_AT_ONCE - 1))
            hashes.update((number, headers.hash_of(number)) for number in range(headers.first, headers.last + 1))
        return hashes

    def fetch(self, first: int, last: int) -> Sequence[Chunk]:
        """Logs, headers and creations of a range."""
        return fetch_chunk(self.context(), first, last)

    def require_complete(self, chunks: Sequence[Chunk]) -> None:
        """All logs of each block, by its hash, against its header and between the nodes."""
        with open_each_node(self.chain) as nodes:
            for chunk in chunks:
                require_complete(nodes, chunk)

    def assemble(self, chunks: Sequence[Chunk], known: Known) -> AssembledUnit:
        """Rows of known pools only, and tokens read as they were at each block."""
        return assemble_unit(chunks, known, self.client)

    def balances(self, holdings: Sequence[Holding], block: int) -> Sequence[int | None]:
        """What ``balanceOf`` returns."""
        calls = [
            (
                "eth_call",
                [{"to": f"0x{one.token.hex()}", "data": balance_of(one.wallet.hex())}, hex(block)],
            )
            for one in holdings
        ]
        return [_word(answer) for answer in self.client.many(calls)]

    def fullness(self, blocks: Sequence[int]) -> Sequence[float] | None:
        """By the gas they used; a block without any counts as much as one transfer."""
        try:
            answers = self.client.batch([("eth_getBlockByNumber", (hex(block), False)) for block in blocks])
            return [1 + quantity(msgspec.json.decode(answer)["gasUsed"]) / _GAS_OF_A_TRANSFER for answer in answers]
        except (TypeError, KeyError, RpcError):
            return None  # such as a node without old blocks: the estimate counts blocks

    def context(self) -> FetchContext:
        """What fetching needs. How the node tells creations is asked in the background, while the first range is
        already being fetched."""
        if self._context is None or self._context.is_unusable():
            method = self.client.run_in_background(probe_method, self.client)
            self._context = FetchContext(self.client, scope_of(self.chain), method)
        return self._context

    def stop(self) -> None:
        """Make waiting requests fail instead of retrying."""
        self.client.stop()

    def close(self) -> None:
        """Stop, and close all connections."""
        self.client.close()


def read_head(chain: Chain, timeout_seconds: float) -> tuple[int, int]:
    """Number and time of the newest block, without retries."""
    client = EvmClient(chain, timeout_seconds=timeout_seconds, patience_seconds=0)
    with closing(client):
        block = client.call("eth_getBlockByNumber", "latest", False)
    try:
        return quantity(block["number"]), quantity(block["timestamp"])
    except (TypeError, KeyError) as error:
        raise NodeLied(f"not a block: {str(block)[:80]}") from error


def _word(answer: msgspec.Raw | RpcError) -> int | None:
    if isinstance(answer, RpcError):
        return None
    text = msgspec.json.decode(answer)
    return int(text, 16) if isinstance(text, str) and len(text) == 66 else None
