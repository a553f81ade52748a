"""Moves of deals. Each is one transaction: the new state, what happened, the attestation, and the parties' events.

The new state is written by compare-and-set, so that of simultaneous moves one is made, and a move that is repeated
after a kill changes nothing. What is signed is signed before the transaction begins.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from api.claims.errors import SigningUnavailable
from api.claims.signing import Signing
from api.deals import states
from api.deals.errors import AuthorizationLives, DealInvalidState, ProviderUnavailable
from api.deals.repository import DealRecord, DealRepository
from api.deals.statements import deal_move, offer_hash
from api.deals.states import DealType, Move, Role, State, Transition
from api.deals.telling import occurrences
from api.http.rendering import dumps
from api.settings import ApiSettings
from api.store.events import record
from warehouse.store import Transaction

TERMS = (
    "deal_type", "chain_id", "token_id", "mint_transaction", "symbol", "token_address", "offerer", "amount",
    "currency", "currency_address", "terms",
)  # fmt: skip
"""What an offer says; attestations contain its hash."""
GROUP_ENDED = "another offer of the group ended"


@dataclass(frozen=True, slots=True)
class Signed:
    """A party's move as the service attests it."""

    move: Move
    actor: str
    row: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Moves:
    """Makes moves."""

    repository: DealRepository
    signing: Signing
    settings: ApiSettings

    async def attest(self, id: UUID, offer: Mapping[str, Any], move: Move, actor: str, now: datetime) -> Signed:
        """Sign that a wallet makes a move. ``offer`` has the members of ``TERMS``.

        Raises:
            ProviderUnavailable: the remote signer does not sign now.
        """
        terms = {name: str(offer[name]) if name == "amount" else offer[name] for name in TERMS}
        signable = deal_move(
            deal=str(id),
            chain_id=offer["chain_id"],
            move=move,
            wallet=actor,
            offer=offer_hash(terms),
            timestamp=int(now.timestamp()),
        )
        try:
            signature = await self.signing.sign_document(signable.document)
        except SigningUnavailable as error:
            raise ProviderUnavailable("the move could not be signed now, try again") from error
        row = {
            "signer": self.signing.address,
            "statement": dumps(signable.document).decode(),
            "message_hash": signable.message_hash,
            "domain_separator": signable.domain_separator,
            "signature": "0x" + signature.hex(),
        }
        return Signed(move, actor, row)

    async def make(
        self,
        transaction: Transaction,
        deal: DealRecord,
        move: Move,
        role: Role,
        now: datetime,
        *,
        actor: str | None = None,
        signed: Signed | None = None,
        data: Mapping[str, Any] | None = None,
        **changes: Any,
    ) -> State:
        """Make a move, and tell the parties. ``changes`` are columns of the deal.

        Raises:
            DealInvalidState: the state machine has no such move, or the deal moved meanwhile.
        """
        transition = permitted(deal, move, role)
        after = transition.after
        holder = changes.get("holder") or deal.holder or deal.holder_now
        given = {
            "id": deal.id,
            "status_before": deal.status,
            "stage_before": deal.stage,
            "status": after.status,
            "stage": after.stage,
            "deadline_kind": after.deadline_kind if not after.has_ended else None,
            "deadline": self._deadline(deal, transition, now),
            "paused_at": now if after.is_paused else None,
            "in_time_at": now if role in states.PARTIES and _can_lapse(deal) else None,
            "due_at": now if role is Role.CLOCK else None,
            "holder": None,
            "response_message": None,
            "window_end": self._window_end(deal, transition, now),
            "completed_at": now if after == states.COMPLETED else None,
            "failure_reason": None,
            "authorized_until": None,
            "settlement_hash": None,
            **changes,
        }
        if await transaction.row("deals/move", given) is None:
            raise DealInvalidState("the deal has moved, or its deadline has passed: read it again")
        await self.note(transaction, deal.id, move, now, actor=actor, signed=signed, data=data)
        if transition.event is not None:
            await self.tell(transaction, transition, deal.id, deal.symbol, deal.chain_id, deal.offerer_account, holder)
        return after

    async def dispatch(self, deal: DealRecord, now: datetime, until: datetime, call: Mapping[str, Any]) -> None:
        """The offerer gets a transaction, ``call``, that is authorised until a time of the chain.

        Raises:
            DealInvalidState: the deal moved, or its registration changed hands or ended.
        """
        async with self.repository.store.transaction() as transaction:
            if await self.repository.lock_holder(transaction, deal) != deal.holder:
                raise DealInvalidState("the registration changed hands or ended")
            await self.make(
                transaction, deal, Move.DISPATCH, Role.OFFERER, now, actor=deal.offerer, authorized_until=until
            )
            await transaction.execute("deals/save_call", {"id": deal.id, "call": dumps(call).decode()})

    async def note(
        self,
        transaction: Transaction,
        id: UUID,
        move: Move,
        now: datetime,
        *,
        actor: str | None = None,
        signed: Signed | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        """Write what happened, with its attestation."""
        event = {
            "deal_id": id,
            "event_type": move,
            "event_data": dumps(data or {}).decode(),
            "actor": actor,
            "created_at": now,
        }
        await transaction.execute("deals/add_event", event)
        if signed is not None:
            attested = {"deal_id": id, "move": signed.move, "actor": signed.actor, "created_at": now, **signed.row}
            await transaction.execute("deals/add_attestation", attested)

    async def tell(
        self,
        transaction: Transaction,
        transition: Transition,
        id: UUID,
        symbol: str,
        chain_id: int,
        offerer_account: UUID,
        holder: str | None,
    ) -> None:
        """Record the event of a transition for the accounts of the parties."""
        assert transition.event is not None  # noqa: S101 - the caller has seen to it
        found = await self.repository.accounts(transaction, [holder], chain_id)
        accounts = {Role.OFFERER: offerer_account}
        if holder in found:
            accounts[Role.HOLDER] = found[holder]
        told = occurrences(
            transition.event,
            deal_id=id,
            symbol=symbol,
            chain_id=chain_id,
            accounts=accounts,
            site_url=self.settings.public_site_url,
        )
        await record(transaction, *told)

    async def close_group(
        self, transaction: Transaction, members: list[DealRecord], ended: DealRecord, now: datetime
    ) -> None:
        """End the offers of a group of which one ended before the group took effect."""
        for member in members:
            if member.id != ended.id and member.state in (states.OFFERED, states.MEMBER_ACCEPTED):
                await self.make(transaction, member, Move.LAPSE, Role.GROUP, now, failure_reason=GROUP_ENDED)

    def _deadline(self, deal: DealRecord, transition: Transition, now: datetime) -> datetime | None:
        after = transition.after
        if after.has_ended:
            return None
        if transition.move is Move.RESUME:
            assert deal.paused_at is not None  # noqa: S101 - the store's constraint
            assert deal.deadline is not None  # noqa: S101 - a live deal has one
            return deal.deadline + (now - deal.paused_at)
        days = {
            states.ANNOUNCED: self.settings.deal_announcement_days,
            states.SWAPPING: deal.terms.get("swapWindow", 0),
            states.AWAITING_LAUNCH: self.settings.deal_launch_days,
            states.AWAITING_CONSENT: self.settings.deal_consent_days,
            states.AWAITING_DISPATCH: self.settings.deal_settlement_days,
        }
        if after not in days or transition.move is Move.RETURN:
            return deal.deadline
        return now + timedelta(days=days[after])

    def _window_end(self, deal: DealRecord, transition: Transition, now: datetime) -> datetime | None:
        if transition.after != states.SWAPPING:
            return None
        if transition.move is Move.RESUME:
            return self._deadline(deal, transition, now)
        return now + timedelta(days=deal.terms["swapWindow"])


def permitted(deal: DealRecord, move: Move, role: Role) -> Transition:
    """The transition of a move that a role may make now.

    Raises:
        AuthorizationLives: the deal cannot be cancelled while it settles.
        DealInvalidState: there is no such transition.
    """
    found = states.find(move, deal.state, deal.kind, member=deal.group_id is not None)
    if found is None or role not in found.by:
        if move is Move.CANCEL and deal.state == states.SETTLING and deal.authorized_until is not None:
            raise AuthorizationLives(deal.authorized_until)
        raise DealInvalidState(f"the deal is {deal.state.name}: the {role} cannot {move} now")
    return found


def _can_lapse(deal: DealRecord) -> bool:
    return states.find(Move.LAPSE, deal.state, DealType(deal.deal_type)) is not None
