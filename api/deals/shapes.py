"""From rows of the store to answers: the parties get their names on the wire, and each reader what the matrix shows."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from api.deals import roles, states
from api.deals.errors import NotAParty
from api.deals.repository import AttestationRecord, DealEventRecord, DealRecord
from api.deals.schemas import Deal, DealAttestation, DealEvent, DealPayment
from api.deals.states import Move, Role
from api.deals.vaults.terms import price_raw
from api.deals.visibility import Audience, Field, is_visible
from api.http.times import timestamp
from api.security.callers import WalletSession
from warehouse.domain.addresses import checksum_address

_ACTIONS: Mapping[Move, str] = {
    Move.ACCEPT: "accept",
    Move.REJECT: "reject",
    Move.CANCEL: "cancel",
    Move.CONSENT: "sign_burn_consent",
}
_ROLES: Mapping[Audience, Role] = {Audience.OFFERER: Role.OFFERER, Audience.HOLDER: Role.HOLDER}


def audience_of(deal: DealRecord, session: WalletSession | None) -> Audience:
    """As whom a caller reads a deal."""
    if session is None:
        return Audience.OUTSIDER
    if session.controls(deal.offerer, deal.chain_id):
        return Audience.OFFERER
    holder = deal.holder or deal.holder_now
    return Audience.HOLDER if holder is not None and session.controls(holder, deal.chain_id) else Audience.OUTSIDER


def actions_of(deal: DealRecord, audience: Audience) -> list[str] | None:
    """What a reader may do now; None: it is no party."""
    if not is_visible(deal.kind, Field.ACTIONS, audience):
        return None
    return [_ACTIONS[move] for move in states.moves_of(_ROLES[audience], deal.state, deal.kind) if move in _ACTIONS]


def waits_for(deal: DealRecord, session: WalletSession) -> bool:
    """Whether an offer waits for a wallet of the session."""
    is_offered = deal.state == states.OFFERED and deal.holder_now is not None
    return is_offered and session.controls(str(deal.holder_now), deal.chain_id)


def require_visible(deal: DealRecord, field: Field, session: WalletSession) -> None:
    """Require that a session sees a field of a deal.

    Raises:
        NotAParty: it does not.
    """
    if not is_visible(deal.kind, field, audience_of(deal, session)):
        raise NotAParty


def single(
    deal: DealRecord,
    audience: Audience,
    events: Sequence[DealEventRecord],
    attestations: Sequence[AttestationRecord],
) -> Deal:
    """A deal with all that belongs to it."""
    return _deal(
        deal,
        audience,
        crown_holder=deal.holder_now,
        events=[event(deal, one, audience) for one in events],
        attestations=[attestation(deal, one, audience) for one in attestations],
        payments=_payments(deal),
    )


def listed(deal: DealRecord, audience: Audience, *, waits_for: bool = False, own: bool = False) -> Deal:
    """A deal of a list. ``waits_for``: of a wallet that the offer waits for; ``own``: the list is the caller's."""
    shows_terms = own and is_visible(deal.kind, Field.OWN_TERMS, audience)
    return _deal(
        deal,
        audience,
        crown_holder=deal.holder_now if waits_for else None,
        terms=dict(deal.terms) if shows_terms else None,
    )


def event(deal: DealRecord, row: DealEventRecord, audience: Audience) -> DealEvent:
    """An event as a reader sees it."""
    data = dict(row.event_data)
    if not is_visible(deal.kind, Field.EVENT_TERMS, audience):
        data.pop("terms", None)
    return DealEvent(
        id=str(row.id),
        deal_id=str(row.deal_id),
        event_type=Move(row.event_type),
        event_data=data,
        actor_address=None if row.actor is None else checksum_address(row.actor),
        created_at=timestamp(row.created_at),
    )


def attestation(deal: DealRecord, row: AttestationRecord, audience: Audience) -> DealAttestation:
    """An attestation as a reader sees it."""
    is_shown = is_visible(deal.kind, Field.ATTESTATION_PROOF, audience)
    return DealAttestation(
        id=str(row.id),
        deal_id=str(row.deal_id),
        move=Move(row.move),
        actor_address=checksum_address(row.actor),
        signer=checksum_address(row.signer),
        signature=row.signature if is_shown else "",
        message_hash=row.message_hash if is_shown else "",
        domain_separator=row.domain_separator if is_shown else "",
        statement=dict(row.statement) if is_shown else None,
        created_at=timestamp(row.created_at),
    )


def _deal(deal: DealRecord, audience: Audience, *, crown_holder: str | None, **more: Any) -> Deal:
    wallets = {
        roles.OFFERER_IN_RECORD: checksum_address(deal.offerer),
        roles.HOLDER_IN_RECORD: None if deal.holder is None else checksum_address(deal.holder),
    }
    return Deal(
        **wallets,
        id=str(deal.id),
        deal_type=deal.kind,
        status=deal.state.status,
        stage=deal.state.stage,
        deadline=_moment(deal.deadline),
        deadline_kind=deal.state.deadline_kind,
        crown_holder=None if crown_holder is None else checksum_address(crown_holder),
        symbol=deal.symbol,
        chain_id=deal.chain_id,
        token_id=deal.token_id,
        token_address=checksum_address(deal.token_address),
        group_id=None if deal.group_id is None else str(deal.group_id),
        agreed_amount=None if deal.amount is None else f"{deal.amount:f}",
        agreed_currency=None if deal.currency is None else checksum_address(deal.currency),
        message=deal.message,
        response_message=deal.response_message,
        fund_verification_pct=deal.funded_percent,
        expires_at=_moment(deal.expires_at),
        migration_window_end=_moment(deal.window_end),
        burn_consent_recorded=deal.consent_nonce is not None,
        burn_consent_expiry=None if deal.consent_deadline is None else int(deal.consent_deadline.timestamp()),
        burn_tx_hash=deal.settlement_hash,
        mint_tx_hash=deal.settlement_hash,
        completed_at=_moment(deal.completed_at),
        failure_reason=deal.failure_reason,
        created_at=timestamp(deal.created_at),
        actions=actions_of(deal, audience),
        **more,
    )


def _payments(deal: DealRecord) -> list[DealPayment]:
    """The registry pays and hands over in one call, so a settlement that is final has paid."""
    price = price_raw(deal)
    if deal.state != states.COMPLETED or deal.settlement_hash is None or deal.currency_address is None or not price:
        return []
    return [
        DealPayment(
            chain_id=deal.chain_id,
            currency_address=checksum_address(deal.currency_address),
            amount_raw=str(price),
            tx_hash=deal.settlement_hash,
            verified=True,
        )
    ]


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else timestamp(moment)
