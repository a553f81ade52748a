"""What the worker does with deals that settle: it waits for final blocks, and says what they show."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from api.chains import ChainReaders
from api.clock import Clock
from api.deals.answers import SETTLED_FOR
from api.deals.errors import DealInvalidState
from api.deals.moves import Moves
from api.deals.repository import DealRecord, DealRepository, Outcome
from api.deals.solana_settling import SolanaSettling
from api.deals.states import Move, Role
from api.deals.vaults.following import redemption_end
from api.finality import read_final_time
from indexer.chains.errors import CallFailed, RpcError
from indexer.chains.evm.reader import call_to
from indexer.contracts import registry
from warehouse.domain.addresses import AddressFormat
from warehouse.domain.chains import Chain, Chains
from warehouse.errors import StoreUnavailable

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Following:
    """Completes the deals whose settlement is final, fails those whose registration ended otherwise, and takes those
    back whose authorisation ended unused."""

    repository: DealRepository
    moves: Moves
    readers: ChainReaders
    chains: Chains
    clock: Clock
    on_solana: SolanaSettling

    async def run(self) -> int:
        """Look at every deal that settles; how many were moved. Safe to repeat."""
        moved = 0
        for deal in await self.repository.settling():
            try:
                moved += await self._follow(deal)
            except (RpcError, StoreUnavailable) as error:
                LOG.info("deal %s waits: %s", deal.id, error)
            except DealInvalidState as error:  # moved meanwhile
                LOG.debug("deal %s: %s", deal.id, error)
        return moved

    async def _follow(self, deal: DealRecord) -> bool:
        chain = self.chains.by_id(deal.chain_id)
        if chain is None or not chain.enabled:
            return False
        found = await self.repository.outcome(deal)
        if found is not None and found.end_reason == "settled" and found.new_transaction is not None:
            if not found.is_final:
                return False
            if found.new_owner == deal.offerer:
                return await self._settle(deal, found)
            return await self._fail(deal)
        if found is not None and found.is_replaced:
            return await self._fail(deal)
        if found is None or found.ended_at is not None:
            ended_at = None if found is None else found.ended_at
            if ended_at is not None and ended_at + SETTLED_FOR <= self.clock.now():
                return await self._fail(deal)
            return False
        assert deal.authorized_until is not None  # noqa: S101 - the store's constraint
        # What is mined from now on is later than every final block, and the registry refuses it: if the registration is
        # there although final blocks are beyond the authorisation, the authorisation was not used and never will be.
        is_over = await read_final_time(self.readers, chain) > deal.authorized_until
        if is_over and await self._is_registered(deal, chain, deal.authorized_until):
            return await self._move(deal, Move.RETURN, {})
        return False

    async def _settle(self, deal: DealRecord, found: Outcome) -> bool:
        data = {"settlement_hash": found.new_transaction}
        return await self._move(deal, Move.SETTLE, data, window_end=redemption_end(deal, found.settled_at))

    async def _fail(self, deal: DealRecord) -> bool:
        return await self._move(deal, Move.FAIL, {"failure_reason": "the registration has ended without this deal"})

    async def _move(self, deal: DealRecord, move: Move, told: Mapping[str, Any], **untold: Any) -> bool:
        now = self.clock.now()
        async with self.repository.store.transaction() as transaction:
            await self.moves.make(transaction, deal, move, Role.CHAIN, now, data=told, **told, **untold)
        return True

    async def _is_registered(self, deal: DealRecord, chain: Chain, until: datetime) -> bool:
        if chain.address_format is AddressFormat.BASE58:
            return await self.on_solana.is_registered_after(deal, chain, until)
        call = registry.contract().call("registrationOf", deal.token_id)
        (answer,) = await self.readers.of(chain).settle([call_to(chain.contracts["registry"], call)])
        if isinstance(answer, CallFailed):
            return False
        if isinstance(answer, RpcError):
            raise answer
        return True
