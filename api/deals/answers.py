"""What the parties do with an offer: accept, reject, cancel. And what follows without them: lapses, pauses."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from api.clock import Clock
from api.deals import states
from api.deals.errors import DealConflict, DealInvalidState, DealNotFound, NotAParty, WalletNotOnSession
from api.deals.funds import Asked, Checked, Funds
from api.deals.moves import TERMS, Moves, permitted
from api.deals.repository import DealRecord, DealRepository
from api.deals.states import Move, Role
from api.http.errors import InvalidInput
from api.security.callers import WalletSession
from warehouse.store import Transaction

SETTLED_FOR: Final = timedelta(hours=1)
"""After this time an end of a registration is final on every chain."""
BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class Answers:
    """Moves deals on."""

    repository: DealRepository
    moves: Moves
    clock: Clock

    async def accept(self, session: WalletSession, id: UUID, wallet: str | None, response: str | None) -> DealRecord:
        """Accept an offer, as the wallet that holds the registration. Moves nothing on the chain.

        Raises:
            DealNotFound, WalletNotOnSession, NotAParty: there is no such deal, or it is not the caller's to accept.
            DealInvalidState: it is not offered any more.
            DealConflict: another deal on the registration is accepted.
            ProviderUnavailable: the attestation cannot be signed now.
        """
        return await self._answer(session, id, Move.ACCEPT, wallet, response)

    async def reject(self, session: WalletSession, id: UUID, wallet: str | None, response: str | None) -> DealRecord:
        """Reject an offer, as the wallet that holds the registration. Raises as :meth:`accept`."""
        return await self._answer(session, id, Move.REJECT, wallet, response)

    async def cancel(
        self,
        session: WalletSession,
        id: UUID,
        wallet: str | None,
        require_unopened: Callable[[DealRecord], Awaitable[None]],
    ) -> DealRecord:
        """Cancel a deal, as one of its parties. It cannot be opened again.

        Args:
            require_unopened: refuses a deal whose vault is open on the chain.

        Raises:
            AuthorizationLives: its settlement is authorised.
            DealNotFound, WalletNotOnSession, NotAParty, DealInvalidState, ProviderUnavailable: as :meth:`accept`.
        """
        deal = await self.find(id)
        actor, role = _party(session, deal, wallet)
        now = self.clock.now()
        permitted(deal, Move.CANCEL, role)
        await require_unopened(deal)
        signed = await self.moves.attest(deal.id, offer_of(deal), Move.CANCEL, actor, now)
        async with self.repository.store.transaction() as transaction:
            members = await self._members(transaction, deal)
            await self.moves.make(transaction, deal, Move.CANCEL, role, now, actor=actor, signed=signed)
            await self.moves.close_group(transaction, members, deal, now)
        return await self.find(id)

    async def refile(self, session: WalletSession, deal: DealRecord, asked: Asked, funds: Funds) -> Checked:
        """Check funds for a deal again. What the offerer shows for the deal's own amount replaces the share that
        everybody sees.

        Raises:
            NotAParty: the wallet is no party of the deal.
            DealInvalidState: the deal is over.
            InvalidInput: nothing is paid, or another currency or chain was asked for.
            ProviderUnavailable: the chain cannot be read now.
        """
        if asked.wallet not in (deal.offerer, deal.holder, deal.holder_now):
            raise NotAParty
        if deal.state.has_ended:
            raise DealInvalidState(f"the deal is {deal.state.name}: it is over")
        if asked.chain.chain_id != deal.chain_id:
            raise InvalidInput("chainId", "is not the chain of the deal")
        if deal.currency_address is not None and asked.currency.address != deal.currency_address:
            raise InvalidInput("currency", f"the deal is paid in {deal.currency}")
        checked = await funds.check(asked, self.clock.now())
        if asked.wallet == deal.offerer and deal.amount_raw is not None and asked.amount_raw == deal.amount_raw:
            shown = {"id": deal.id, "funded_percent": checked.funded_percent}
            await self.repository.store.rows("deals/set_funded", shown)
        return checked

    async def pause(self, id: UUID, *, resume: bool) -> DealRecord:
        """Stop the clock of an accepted deal, or let it run on; an operator's move.

        Raises:
            DealNotFound, DealInvalidState: there is no such deal, or it is in another state.
        """
        deal = await self.find(id)
        move = Move.RESUME if resume else Move.PAUSE
        async with self.repository.store.transaction() as transaction:
            await self.moves.make(transaction, deal, move, Role.OPERATOR, self.clock.now())
        return await self.find(id)

    async def run_clock(self) -> int:
        """Move the deals whose deadline has passed, and those whose registration is gone; how many were moved. Safe to
        repeat, and beside the parties' moves."""
        now, moved = self.clock.now(), 0
        for deal in await self.repository.due(now, BATCH):
            move = Move.OPEN if deal.state == states.ANNOUNCED else Move.LAPSE
            moved += await self._end(deal, move, Role.CLOCK, f"the {deal.deadline_kind} deadline passed")
        for deal in await self.repository.orphaned(now - SETTLED_FOR, BATCH):
            moved += await self._end(deal, Move.FAIL, Role.CHAIN, "the registration has ended")
        return moved

    async def find(self, id: UUID) -> DealRecord:
        """A deal.

        Raises:
            DealNotFound: there is none.
        """
        deal = await self.repository.find(id)
        if deal is None:
            raise DealNotFound
        return deal

    async def _answer(
        self, session: WalletSession, id: UUID, move: Move, wallet: str | None, response: str | None
    ) -> DealRecord:
        deal = await self.find(id)
        actor = holding(session, deal, wallet)
        permitted(deal, move, Role.HOLDER)
        now = self.clock.now()
        signed = await self.moves.attest(deal.id, offer_of(deal), move, actor, now)
        changes: Mapping[str, Any] = {"response_message": response}
        async with self.repository.store.transaction() as transaction:
            members = await self._members(transaction, deal)
            if await self.repository.lock_holder(transaction, deal) != actor:
                raise NotAParty("the registration changed hands or ended")
            if move is Move.ACCEPT:
                if await self.repository.is_taken(transaction, deal):
                    raise DealConflict
                changes = {**changes, "holder": actor}
            await self.moves.make(transaction, deal, move, Role.HOLDER, now, actor=actor, signed=signed, **changes)
            if move is Move.ACCEPT:
                await self._take_effect(transaction, deal)
            else:
                await self.moves.close_group(transaction, members, deal, now)
        return await self.find(id)

    async def _members(self, transaction: Transaction, deal: DealRecord) -> list[DealRecord]:
        return [] if deal.group_id is None else await self.repository.group(transaction, deal.group_id)

    async def _take_effect(self, transaction: Transaction, accepted: DealRecord) -> None:
        """Let the offers of a group take effect once all of them are accepted."""
        members = await self._members(transaction, accepted)
        if members and all(member.state == states.MEMBER_ACCEPTED for member in members):
            for member in members:
                await self.moves.make(transaction, member, Move.TAKE_EFFECT, Role.GROUP, self.clock.now())

    async def _end(self, deal: DealRecord, move: Move, role: Role, reason: str) -> int:
        now = self.clock.now()
        changes: Mapping[str, Any] = {} if move is Move.OPEN else {"failure_reason": reason}
        try:
            async with self.repository.store.transaction() as transaction:
                members = await self._members(transaction, deal)
                holder_now = await self.repository.lock_holder(transaction, deal)
                held = replace(deal, holder_now=holder_now or deal.holder_now)
                await self.moves.make(transaction, held, move, role, now, data={"reason": reason}, **changes)
                await self.moves.close_group(transaction, members, deal, now)
        except DealInvalidState:  # a party was faster
            return 0
        return 1


def offer_of(deal: DealRecord) -> dict[str, Any]:
    """What attestations of a deal contain the hash of."""
    return {name: getattr(deal, name) for name in TERMS}


def _acting(session: WalletSession, deal: DealRecord, wallet: str | None, *own: str | None) -> str:
    """The wallet that acts: the one that is named, else a wallet of the session that is a party, else its first.

    Raises:
        WalletNotOnSession: the session does not control it on this chain.
    """
    mine = [one for one in own if one is not None and session.controls(one, deal.chain_id)]
    chosen = wallet or (mine[0] if mine else session.wallet)
    if not session.controls(chosen, deal.chain_id):
        raise WalletNotOnSession
    return chosen


def holding(session: WalletSession, deal: DealRecord, wallet: str | None) -> str:
    """The wallet of the session that holds the deal's registration.

    Raises:
        WalletNotOnSession, NotAParty: the named wallet is none of the session's, or it does not hold it.
    """
    actor = _acting(session, deal, wallet, deal.holder_now)
    if actor != deal.holder_now:
        raise NotAParty("only the wallet that holds the registration may do so")
    return actor


def _party(session: WalletSession, deal: DealRecord, wallet: str | None) -> tuple[str, Role]:
    """Who cancels. The wallet that has the registration becomes a party by accepting."""
    actor = _acting(session, deal, wallet, deal.offerer, deal.holder)
    if actor == deal.offerer:
        return actor, Role.OFFERER
    if actor == deal.holder:
        return actor, Role.HOLDER
    raise NotAParty
