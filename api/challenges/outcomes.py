"""Outcomes of challenges: each is written with its events in one transaction, and once."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from api.challenges.repository import ChallengeRecord, ChallengeRepository
from api.store.events import record
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chain
from warehouse.domain.events.challenges import ChallengeDecided, ChallengeRejected, ChallengeUpheld
from warehouse.domain.events.event import Occurrence, of_account
from warehouse.domain.events.registrations import Registration, of_registration

RULES, OPERATOR = "rules", "operator"


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Writes outcomes. Each method says whether this call made the change: a challenge that has left the state of the
    record stays as it is, so every step is safe to repeat."""

    repository: ChallengeRepository

    async def uphold(
        self,
        challenge: ChallengeRecord,
        chain: Chain,
        *,
        reason: str,
        now: datetime,
        by: str = RULES,
        evidence: Mapping[str, Any] | None = None,
    ) -> bool:
        """The registration is to end. From here on the symbol is reserved, and the reason is public."""
        upheld = ChallengeUpheld(**_members(challenge, chain), decided_by=by, explanation=reason)
        events = (_public(upheld, challenge, chain), _told(challenge, chain, "upheld", reason))
        changes = {"decided_at": now, "decided_by": by, "reason": reason, "evidence": evidence}
        return await self._settle(challenge, "upheld", events, changes)

    async def reject(
        self,
        challenge: ChallengeRecord,
        chain: Chain,
        *,
        reason: str,
        now: datetime,
        by: str = RULES,
        evidence: Mapping[str, Any] | None = None,
        withdrawing: bool = False,
    ) -> bool:
        """The registration stays. What rules reject stays between the service and the challenger; an operator's reason
        is public. ``withdrawing``: the end was announced, so the worker takes the announcement back."""
        events = [_told(challenge, chain, "rejected", reason)]
        if by == OPERATOR:
            events.insert(
                0, _public(ChallengeRejected(**_members(challenge, chain), explanation=reason), challenge, chain)
            )
        changes = {"decided_at": now, "decided_by": by, "reason": reason, "evidence": evidence}
        return await self._settle(challenge, "withdrawing" if withdrawing else "rejected", events, changes)

    async def leave_undecided(
        self, challenge: ChallengeRecord, *, reason: str, evidence: Mapping[str, Any] | None
    ) -> bool:
        """Rules cannot decide; an operator does."""
        return await self._settle(challenge, "undecided", (), {"reason": reason, "evidence": evidence})

    async def withdrawn(self, challenge: ChallengeRecord) -> bool:
        """The announcement is taken back."""
        return await self._settle(challenge, "rejected", (), {})

    async def end(self, challenge: ChallengeRecord, ended_at: datetime) -> bool:
        """The registration has ended; the symbol stays reserved for a while."""
        return await self._settle(challenge, "ended", (), {"ended_at": ended_at})

    async def stop(self, challenge: ChallengeRecord, chain: Chain) -> bool:
        """The announced end is gone and the registration stays. The reason why it was upheld is kept."""
        told = _told(challenge, chain, "stopped", "The announced end was stopped on the chain; the registration stays.")
        return await self._settle(challenge, "stopped", (told,), {})

    async def void(self, challenge: ChallengeRecord, chain: Chain, *, reason: str, now: datetime) -> bool:
        """There is nothing left to decide."""
        told = _told(challenge, chain, "void", reason)
        return await self._settle(challenge, "void", (told,), {"decided_at": now, "reason": reason})

    async def _settle(
        self,
        challenge: ChallengeRecord,
        state: str,
        events: tuple[Occurrence, ...] | list[Occurrence],
        changes: Mapping[str, Any],
    ) -> bool:
        async with self.repository.store.transaction() as transaction:
            if await self.repository.settle(transaction, challenge, state, **changes) is None:
                return False
            await record(transaction, *events)
        return True


def _about(challenge: ChallengeRecord, chain: Chain) -> Registration:
    return Registration(chain.chain_id, chain.caip2, challenge.token_id, challenge.symbol)


def _members(challenge: ChallengeRecord, chain: Chain) -> dict[str, Any]:
    challenger = checksum_address(challenge.challenger_token)
    return {
        **_about(challenge, chain).members,
        "challenge_id": str(challenge.id),
        "challenger_token": challenger,
    }


def _public(event: ChallengeUpheld | ChallengeRejected, challenge: ChallengeRecord, chain: Chain) -> Occurrence:
    # An operator may have an end that was stopped announced anew: that is another decision, with a reason of its own.
    return of_registration(event, _about(challenge, chain), decision=f"{challenge.id}:{challenge.announcements}")


def _told(challenge: ChallengeRecord, chain: Chain, outcome: str, reason: str) -> Occurrence:
    about = _about(challenge, chain).members
    event = ChallengeDecided(**about, challenge_id=str(challenge.id), outcome=outcome, explanation=reason)
    return of_account(event, challenge.account_id, decision=f"{challenge.id}:{challenge.announcements}")
