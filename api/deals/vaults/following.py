"""What the worker and the settlement ask of vaults: only what a final block shows counts."""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from api.chains import ChainReaders
from api.clock import Clock
from api.deals import states
from api.deals.errors import DealInvalidState
from api.deals.moves import Moves
from api.deals.repository import DealRecord
from api.deals.states import Move, Role
from api.deals.vaults.onchain import read_vault
from api.deals.vaults.repository import VaultRecord, VaultRepository
from api.deals.vaults.terms import has_redemption, vault_chain
from api.finality import read_final_time
from indexer.chains.errors import RpcError
from indexer.chains.evm.reader import quantity
from warehouse.domain.chains import Chain, Chains
from warehouse.errors import StoreUnavailable

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Vaults:
    """Follows vaults on the chain."""

    repository: VaultRepository
    moves: Moves
    readers: ChainReaders
    chains: Chains
    clock: Clock

    async def run(self) -> int:
        """Move the merges on whose deposit is final, or whose window is over; how many. Safe to repeat."""
        moved = 0
        for deal in await self.repository.swapping():
            try:
                moved += await self._follow(deal)
            except (RpcError, StoreUnavailable) as error:
                LOG.info("deal %s waits: %s", deal.id, error)
            except DealInvalidState as error:  # moved meanwhile, or its chain is not served now
                LOG.debug("deal %s: %s", deal.id, error)
        return moved

    async def require_deposit(self, deal: DealRecord, chain: Chain, until: datetime) -> None:
        """Require that a redemption is funded in a final block, and stays so beyond a time, if the deal has one.

        Raises:
            DealInvalidState: it is not.
            RpcError: the chain cannot be read.
        """
        if not has_redemption(deal):
            return
        vault = await self.repository.find(deal.id)
        if await self._final(vault, vault_chain(self.chains, deal)) is None:
            raise DealInvalidState("the deposit of the redemption is not in a final block yet")
        if vault.redemption.settle_by <= until.timestamp():
            raise DealInvalidState("the deposit of the redemption returns to the offerer: prepare another vault")

    async def _follow(self, deal: DealRecord) -> bool:
        chain = vault_chain(self.chains, deal)
        vault = await self.repository.find(deal.id)
        if deal.state == states.SWAPPING:
            found = await self._final(vault, chain)
            if found is None:
                return False
            # The contract's clock counts from here on, also where an operator stopped the deal's meanwhile.
            closes_at = datetime.fromtimestamp(vault.swap.closes_at, UTC)
            data = {"vault": str(found["vault"]), "deposit": str(found["deposit"])}
            return await self._move(deal, Move.MIGRATE, data, deadline=closes_at, window_end=closes_at)
        if deal.window_end is None or deal.window_end > self.clock.now():
            return False  # for up to two years the chain need not be asked
        if (await read_final_time(self.readers, chain)).timestamp() <= vault.swap.closes_at:
            return False
        found = await self._final(vault, chain)
        return found is not None and await self._move(deal, Move.SETTLE, {"swapped": str(found["swapped"])})

    async def _final(self, vault: VaultRecord, chain: Chain) -> dict[str, Any] | None:
        """The vault as of the newest final block; None where it is not open by then."""
        reader = self.readers.of(chain)
        head = quantity(await reader.request("eth_blockNumber"))
        found = await read_vault(reader, chain, vault, hex(max(head - chain.finality_blocks, 0)))
        return None if found["vault"] is None else found

    async def _move(self, deal: DealRecord, move: Move, data: dict[str, str], **changes: Any) -> bool:
        async with self.repository.store.transaction() as transaction:
            await self.moves.make(transaction, deal, move, Role.CHAIN, self.clock.now(), data=data, **changes)
        return True


def redemption_end(deal: DealRecord, settled_at: datetime | None) -> datetime | None:
    """When the redemption of a settled deal ends; None where it has none."""
    if settled_at is None or not has_redemption(deal):
        return None
    return settled_at + timedelta(days=int(deal.terms["redemptionWindow"]))
