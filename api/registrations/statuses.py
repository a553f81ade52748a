"""Renders registrations and their status from stored rows. Pure functions."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

from api.heartbeats.schemas import HeartbeatComponents
from api.http.times import timestamp
from api.registrations.repository import RegistrationRecord, TokenRecord
from api.registrations.schemas import (
    CanonicalPeer,
    HeartbeatSummary,
    Identity,
    PendingEnd,
    PendingEndReason,
    Registration,
    RegistrationStatus,
    TakenBy,
    VerifiedDomain,
)
from api.symbols.states import SymbolState, registration_of_another
from warehouse.domain import lifecycle
from warehouse.domain.addresses import checksum_address
from warehouse.domain.lifecycle import HeartbeatStatus, SymbolStatus, in_grace_period


class Minted(Protocol):
    """A registration of any record."""

    @property
    def minted_at(self) -> datetime:
        """When it was minted."""
        ...


def registration_status(registration: Minted | None, token: object | None, score: Decimal | None, now: datetime) -> str:
    """The first status that applies, from the active registration and the token, where there are any."""
    if registration is None:
        status = SymbolStatus.UNCLAIMED if token is not None else SymbolStatus.AVAILABLE
    else:
        status = lifecycle.registration_status(registration.minted_at, score, now)
    return status.text


def heartbeat_status(score: Decimal, minted_at: datetime | None, now: datetime) -> HeartbeatStatus:
    """The status of a score."""
    return lifecycle.heartbeat_status(score, in_grace=in_grace_period(minted_at, now))


def render_registration(row: RegistrationRecord) -> Registration:
    """A registration from its row."""
    said: Mapping[str, Any] = row.presented
    tiers = said.get("tiers")
    name, avatar = _text(said.get("displayName")) or _text(said.get("name")), _text(said.get("avatarUrl"))
    peer = None
    if row.peer_chain_id and row.peer_token_id:
        peer = CanonicalPeer(chain_id=row.peer_chain_id, crown_id=row.peer_token_id)
    return Registration(
        token_id=row.token_id,
        owner=checksum_address(row.owner),
        chain_id=row.chain_id,
        symbol=row.symbol,
        identity=Identity(display_name=name, avatar_url=avatar) if name or avatar else None,
        tier_count=len(tiers) if isinstance(tiers, list) else 0,
        verified_domains=_domains(row),
        canonical_peer=peer,
        metadata_cid=row.metadata_cid or None,
        attestation_count=row.attestations or None,
    )


def render_status(state: SymbolState, now: datetime) -> RegistrationStatus:
    """The status of a symbol on a chain."""
    registration, token = state.registration, state.token
    minted_at = registration.minted_at if registration else None
    address = registration.token_address if registration else (token.address if token else None)
    verified_at = registration.verified_at if registration else None
    return RegistrationStatus(
        symbol=state.symbol,
        chain_id=state.chain.chain_id,
        chain=state.chain.key,
        status=registration_status(registration, token, token.score if token else None, now),
        registrable=state.obstacle is None,
        reason=state.obstacle,
        taken_by=None if state.taken_by is None else TakenBy.model_validate(registration_of_another(state.taken_by)),
        token_id=registration.token_id if registration else None,
        owner=checksum_address(registration.owner) if registration else None,
        token_address=checksum_address(address) if address else None,
        crown_contract_address=checksum_address(registration.registry) if registration else None,
        managers=[checksum_address(manager) for manager in registration.managers] if registration else [],
        minted_at=timestamp(minted_at) if minted_at else None,
        mint_timestamp=int(minted_at.timestamp()) if minted_at else None,
        verification_method=registration.verification_method if registration else None,
        verified_at=timestamp(verified_at) if verified_at else None,
        heartbeat=_heartbeat(token, minted_at, now),
        metadata=_presented(registration) if registration else None,
        metadata_cid=(registration.metadata_cid or None) if registration else None,
        verified_domains=_domains(registration) if registration else None,
        pending_end=_pending_end(registration) if registration else None,
    )


def _pending_end(row: RegistrationRecord) -> PendingEnd | None:
    if row.pending_end is None or row.pending_end_due_at is None:
        return None
    return PendingEnd(
        reason=PendingEndReason(row.pending_end),
        due_at=timestamp(row.pending_end_due_at),
        objected=row.pending_end_objected_at is not None,
    )


def _domains(row: RegistrationRecord) -> list[VerifiedDomain] | None:
    return [VerifiedDomain.model_validate(domain) for domain in row.domains] if row.domains else None


def _presented(row: RegistrationRecord) -> dict[str, Any] | None:
    """The document behind the CID overridden by the owner's profile, without fields that the profile cleared."""
    return {name: value for name, value in row.presented.items() if value is not None} or None


def _text(value: Any) -> str | None:
    """The value if it is text: documents may contain anything."""
    return value if isinstance(value, str) else None


def _heartbeat(token: TokenRecord | None, minted_at: datetime | None, now: datetime) -> HeartbeatSummary | None:
    if token is None or token.score is None:
        return None
    return HeartbeatSummary(
        score=token.score,
        status=heartbeat_status(token.score, minted_at, now),
        last_updated=timestamp(token.scored_at) if token.scored_at else None,
        components=HeartbeatComponents(
            timestamp=token.timestamp_score,
            volume=token.volume_score,
            holders=token.holders_score,
            confidence=token.confidence_score,
        ),
    )
