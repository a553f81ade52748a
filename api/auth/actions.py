"""What signing in and out does to an account, for its audit log."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from api.auth.repository import SessionRecord
from api.outbound.destinations import Address
from api.security.callers import WalletSession
from api.store.audit import Action, Actor
from warehouse.domain.addresses import checksum_address
from warehouse.domain.events.security import SessionEnded, SessionJoined, SessionStarted, WalletLinked

LIMIT = "limit"
REVOKED = "revoked"


def started(
    began: SessionRecord, wallet: str, ended: Iterable[UUID], address: Address | None, now: datetime
) -> list[Action]:
    """A wallet signed in, which ended its oldest sessions if it had too many."""
    actor = Actor("session", wallet, began.id, address)
    event = SessionStarted(**actor.members, session_id=str(began.id), scopes=tuple(sorted(began.scopes)))
    return [Action(began.account_id, actor, event, now), *_ended(began.account_id, actor, ended, LIMIT, now)]


def joined(
    session: WalletSession, wallet: str, address: Address | None, now: datetime, *, linked: bool
) -> list[Action]:
    """A further wallet signed in to a session; ``linked``: it was new to the account."""
    actor, shown = Actor.of(session, address), checksum_address(wallet)
    event = SessionJoined(**actor.members, session_id=str(session.session_id), joined_wallet=shown)
    actions = [Action(session.account_id, actor, event, now)]
    if linked:
        link = WalletLinked(**actor.members, linked_wallet=shown)
        actions.append(Action(session.account_id, actor, link, now))
    return actions


def revoked(session: WalletSession, ended: Iterable[UUID], address: Address | None, now: datetime) -> list[Action]:
    """A session ended some of its account, or itself."""
    return _ended(session.account_id, Actor.of(session, address), ended, REVOKED, now)


def _ended(account_id: UUID, actor: Actor, ended: Iterable[UUID], reason: str, now: datetime) -> list[Action]:
    return [
        Action(account_id, actor, SessionEnded(**actor.members, session_id=str(id), reason=reason), now) for id in ended
    ]
