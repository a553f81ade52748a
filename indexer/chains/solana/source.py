"""Solana as a source of units. A block's number is its slot; slots without a block are absent."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from indexer.chains.ancestor import walk_back
from indexer.chains.errors import NodeLied, NodeUnavailable, RpcError
from indexer.chains.jsonrpc import Call
from indexer.chains.solana.accounts import CONFIRMED, Account, multiple_accounts, read_accounts
from indexer.chains.solana.assemble import assemble_unit
from indexer.chains.solana.balances import read_balances
from indexer.chains.solana.decoders.frame import Tables, scope_of
from indexer.chains.solana.fetch import Chunk, FetchContext, consistently, fetch_chunk, fetch_hashes, fetch_headers
from indexer.chains.solana.mints import add_token_rows
from indexer.chains.solana.rpc import SolanaClient
from indexer.chains.source import Head, Holding, IndexedHashes
from indexer.known import Known
from indexer.unit import AssembledUnit, Blocks
from warehouse.domain.chains import Chain

_SLOTS_AT_ONCE = 500
_FINALIZED = "finalized"


class SolanaSource:
    """Reads one chain over JSON-RPC. Implements ``indexer.chains.source.ChainSource``."""

    def __init__(self, chain: Chain, *, patience_seconds: float = 60.0) -> None:
        self.chain = chain
        self.client = SolanaClient(chain, patience_seconds=patience_seconds)
        self._context = FetchContext(self.client, scope_of(chain))
        self._final = -1

    @property
    def counters(self) -> Counter[str]:
        """What the client counted."""
        return self.client.counters

    def head(self) -> Head:
        """The newest confirmed block and the newest finalized one, both of which the node was able to show."""
        return consistently(self.client, self._read_head)

    def _read_head(self) -> Head:
        def read(results: list[Any]) -> tuple[int, int]:
            for result in results:
                if isinstance(result, RpcError):
                    raise result
                if not isinstance(result, int) or result < 0:
                    raise NodeUnavailable(f"getSlot answered {str(result)[:80]!r}")
            confirmed, finalized = results
            return confirmed, min(confirmed, finalized)  # two nodes behind one URL may have answered

        calls: list[Call] = [("getSlot", ({"commitment": commitment},)) for commitment in (CONFIRMED, _FINALIZED)]
        confirmed, finalized = self.client.request(calls, read)
        shown = {confirmed, finalized} - {0}  # most nodes do not keep a chain's first block
        fetch_headers(self.client, sorted(shown))
        self._final = finalized if finalized > 0 else -1
        return Head(confirmed, self._final)

    def common_ancestor(self, indexed: IndexedHashes, lowest: int, highest: int) -> int | None:
        """The highest slot whose block both the node and the index have."""
        return walk_back(indexed, self.block_hashes, lowest, highest)

    def block_hashes(self, first: int, last: int) -> Mapping[int, bytes]:
        """Hashes of blocks that are linked by parent slot and hash."""
        hashes: dict[int, bytes] = {}
        for start in range(first, last + 1, _SLOTS_AT_ONCE):
            hashes |= fetch_hashes(self.client, start, min(last, start + _SLOTS_AT_ONCE - 1))
        return hashes

    def fetch(self, first: int, last: int) -> Sequence[Chunk]:
        """Blocks of a range of slots, decoded."""
        return fetch_chunk(self._context, first, last)

    def require_complete(self, chunks: Sequence[Chunk]) -> None:
        """Nothing to check: a block says nothing of its content that could be compared. The node is believed."""

    def assemble(self, chunks: Sequence[Chunk], known: Known) -> AssembledUnit:
        """Rows of all decoders, and what depends on earlier blocks."""

        def complete(known: Known, blocks: Blocks, tables: Tables) -> None:
            add_token_rows(known, blocks, tables, self.read_accounts, self._final)

        return assemble_unit(chunks, known, complete)

    def balances(self, holdings: Sequence[Holding], block: int) -> Sequence[int | None]:
        """What the wallets' token accounts hold; None where that may have changed since ``block``."""
        return read_balances(self.client, holdings, block)

    def read_accounts(
        self, addresses: Sequence[str], *, commitment: str, at_least: int
    ) -> tuple[int, list[Account | None]]:
        """At most ``MAX_ACCOUNTS`` accounts as of one slot, and that slot, which is at least ``at_least``."""
        method, (asked, options) = multiple_accounts(addresses, commitment)

        def read(results: list[Any]) -> tuple[int, list[Account | None]]:
            slot, accounts = read_accounts(results[0], len(addresses))
            if slot < at_least:
                raise NodeUnavailable(f"the node read accounts as of slot {slot}, before {at_least}")
            return slot, accounts

        return self.client.request([(method, (asked, {**options, "minContextSlot": max(at_least, 0)}))], read)

    def fullness(self, blocks: Sequence[int]) -> None:
        """Unknown: a block cannot be had without its transactions."""

    def stop(self) -> None:
        """Make waiting requests fail instead of retrying."""
        self.client.stop()

    def close(self) -> None:
        """Stop, and close all connections."""
        self.client.close()


def read_head(chain: Chain, timeout_seconds: float) -> tuple[int, int]:
    """Slot and time of the newest confirmed block, without retries."""
    client = SolanaClient(chain, timeout_seconds=timeout_seconds, patience_seconds=0)
    with closing(client):
        slot = client.call("getSlot", {"commitment": CONFIRMED})
        if not isinstance(slot, int):
            raise NodeLied(f"getSlot answered {str(slot)[:80]!r}")
        time = fetch_headers(client, [slot])[slot].block_time
    if time is None:
        raise NodeLied(f"the block of slot {slot} has no time")
    return slot, time
