"""Who held a token at a final block, as a Merkle tree. ``docs/deals.md`` says who counts and how to compute it anew."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from api.chains import ChainReaders
from api.deals.errors import DealInvalidState, ProviderUnavailable
from api.warehouse import WarehouseReader
from indexer.chains.evm.reader import quantity
from indexer.contracts.vaults import DEAD_ADDRESS
from warehouse import sql
from warehouse.domain.addresses import checksum_address, digits_of
from warehouse.domain.chains import ZERO_ADDRESS, Chain
from warehouse.domain.merkle import MerkleTree, build_tree
from warehouse.errors import WarehouseUnavailable

MAX_ACCOUNTS: Final = 100_000
"""A tree of more would take a process too long."""


@dataclass(frozen=True)
class Snapshot:
    """Accounts, checksummed, and what they held at a block, in base units."""

    block: int
    leaves: Sequence[tuple[str, int]]

    @property
    def total(self) -> int:
        """What they held together."""
        return sum(held for _, held in self.leaves)

    @cached_property
    def tree(self) -> MerkleTree:
        """The tree over them."""
        return build_tree(self.leaves)


@dataclass(frozen=True, slots=True)
class Snapshots:
    """Takes snapshots."""

    warehouse: WarehouseReader
    readers: ChainReaders

    async def take(self, chain: Chain, token: str) -> Snapshot:
        """Who holds a token at the newest block that is final and indexed.

        Raises:
            DealInvalidState: nobody is known to hold it, or too many do.
            ProviderUnavailable: the warehouse cannot say now.
            RpcError: the chain cannot be read.
        """
        head = quantity(await self.readers.of(chain).request("eth_blockNumber"))
        return await self.at(chain, token, max(head - chain.finality_blocks, 0))

    async def at(self, chain: Chain, token: str, block: int) -> Snapshot:
        """Who held a token at a final block, or at the last published one where the index is behind.

        Raises:
            DealInvalidState, ProviderUnavailable: as :meth:`take`.
        """
        wanted = {
            "chain_id": chain.chain_id,
            "token": digits_of(token),
            "block": block,
            "excluded": [digits_of(one) for one in excluded(chain, token)],
            "limit": MAX_ACCOUNTS + 1,
        }
        try:
            table = await self.warehouse.arrow(sql.load("queries/holdings/at_block"), wanted)
        except WarehouseUnavailable as error:
            raise ProviderUnavailable("holders cannot be read now, try again") from error
        digits, held, blocks = (table.column(name).to_pylist() for name in ("wallet_digits", "held", "as_of_block"))
        if not digits:
            raise DealInvalidState("nobody is known to hold the token at a final block")
        if len(digits) > MAX_ACCOUNTS:
            raise DealInvalidState(f"more than {MAX_ACCOUNTS} accounts hold the token: a redemption takes no more")
        leaves = [(checksum_address("0x" + one), int(amount)) for one, amount in zip(digits, held, strict=True)]
        snapshot = Snapshot(int(blocks[0]), leaves)
        await asyncio.to_thread(lambda: snapshot.tree)  # hashing 100,000 accounts takes seconds
        return snapshot


def excluded(chain: Chain, token: str) -> list[str]:
    """Accounts that redeem nothing, besides the pools that the index knows: nobody's, the token itself, contracts that
    keep the tokens of exchanges, and our own."""
    own = [address for name, address in chain.contracts.items() if address]
    exchanges = [dex.factory for dex in chain.dexes]
    return sorted({ZERO_ADDRESS, DEAD_ADDRESS.lower(), token, *own, *exchanges})
