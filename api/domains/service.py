"""Domains of a registration: asked for, verified, listed, removed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from api.clock import Clock
from api.domains.errors import (
    DomainLimit,
    DomainNotProven,
    DomainNotRequested,
    DomainNotVerified,
    DomainTaken,
    NameServersSilent,
)
from api.domains.lookups import LookupFailed, TextLookups, Texts
from api.domains.names import read_domain
from api.domains.proofs import OTHER_TEXTS, is_proven, new_challenge, record_name
from api.domains.repository import MAX_DOMAINS, DomainRecord, DomainRepository
from api.domains.schemas import Domain, DomainList, State
from api.http.times import timestamp
from api.pages.authority import ManagedRegistration, lock
from api.settings import ApiSettings
from warehouse.postgres import UniqueViolation
from warehouse.store import Transaction

TAKEN_PROBLEM: Final = "taken_over"
_RETRY_SECONDS = 30
_MAX_TEXTS_SHOWN = 10
_MAX_TEXT_LENGTH = 255


@dataclass(frozen=True, slots=True)
class Domains:
    """Domains of a registration, for its owner and managers. Each change locks the registration: it raises NotFound if
    the registration ended since the request came, and NotAManager if the wallet lost its role."""

    repository: DomainRepository
    lookups: TextLookups
    settings: ApiSettings
    clock: Clock

    async def list_all(self, registration: ManagedRegistration) -> DomainList:
        """All domains, in any state."""
        rows = await self.repository.list_all(registration.key)
        return DomainList(domains=[self._render(row) for row in rows], total=len(rows), limit=MAX_DOMAINS)

    async def request(self, registration: ManagedRegistration, written: str) -> Domain:
        """Add a domain; the answer has the record that proves it. The same domain again gives the same record.

        Raises:
            InvalidInput: not a domain that anyone can own.
            DomainLimit: the registration has as many as it may.
        """
        domain = read_domain("domain", written)
        challenge = new_challenge(registration.chain, registration.row.token_id)
        async with self._locked(registration) as transaction:
            row = await self.repository.add(transaction, registration.key, domain, challenge, self.clock.now())
        if row is None:
            raise DomainLimit
        return self._render(row)

    async def verify(self, registration: ManagedRegistration, written: str) -> Domain:
        """Look up the record and verify the domain. Safe to repeat: a verified domain keeps its time.

        Raises:
            DomainNotRequested: it was not asked for.
            ApiError: 409, the record is definitely missing, or the domain belongs to another registration.
            NameServersSilent: the name servers gave no answer.
        """
        row = await self._find(registration, written)
        name = record_name(self.settings, row.domain)
        try:
            found = await self.lookups.texts(name)
        except LookupFailed as error:
            text = f"the name servers did not say what is at {name}, try again"
            raise NameServersSilent(text, retry_after_seconds=_RETRY_SECONDS) from error
        if not is_proven(row.challenge, found.values):
            raise await self._not_proven(registration, row, name, found)
        try:
            return self._render(await self._set_verified(registration, row, found))
        except UniqueViolation as error:  # another registration proved the domain in the same moment
            raise _taken(row) from error

    async def set_vanity(self, registration: ManagedRegistration, written: str, enabled: bool) -> Domain:
        """Turn the vanity switch of a domain on or off.

        Raises:
            DomainNotRequested: it was not asked for.
            DomainNotVerified: it is not verified.
        """
        row = await self._find(registration, written)
        async with self._locked(registration) as transaction:
            changed = await self.repository.set_vanity(transaction, registration.key, row.domain, enabled)
        if changed is None:
            raise DomainNotVerified(f"{row.domain} is not verified")
        return self._render(changed)

    async def remove(self, registration: ManagedRegistration, written: str) -> Domain:
        """Remove a domain with its settings; the answer is its last state.

        Raises:
            DomainNotRequested: it was not asked for.
        """
        row = await self._find(registration, written)
        async with self._locked(registration) as transaction:
            removed = await self.repository.remove(transaction, registration.key, row.domain)
        return self._render(removed or row)

    @asynccontextmanager
    async def _locked(self, registration: ManagedRegistration) -> AsyncIterator[Transaction]:
        async with self.repository.store.transaction() as transaction:
            await lock(transaction, registration)
            yield transaction

    async def _find(self, registration: ManagedRegistration, written: str) -> DomainRecord:
        domain = read_domain("domain", written)
        row = await self.repository.one(registration.key, domain)
        if row is None:
            raise DomainNotRequested(f"domain: {domain} was not asked for")
        return row

    async def _set_verified(self, registration: ManagedRegistration, row: DomainRecord, found: Texts) -> DomainRecord:
        """Verify the domain for this registration. Another registration of the chain that has it keeps it while its own
        proof is in the same DNS answer; otherwise the zone's owner has withdrawn it, and that registration loses it.
        Only the domain's row of the other registration is locked."""
        now = self.clock.now()
        check_at = now + timedelta(hours=self.settings.domain_check_hours)
        async with self._locked(registration) as transaction:
            holder = await self.repository.holder(transaction, row)
            if holder is not None:
                if holder.is_active and is_proven(holder.challenge, found.values):
                    raise _taken(row)
                await self.repository.mark_lost(transaction, holder, TAKEN_PROBLEM, now)
            verified = await self.repository.verify(transaction, row, now, check_at)
        if verified is None:
            raise DomainNotRequested(f"domain: {row.domain} was removed meanwhile")
        return verified

    async def _not_proven(
        self, registration: ManagedRegistration, row: DomainRecord, name: str, found: Texts
    ) -> DomainNotProven:
        reason = found.missing or OTHER_TEXTS
        async with self._locked(registration) as transaction:
            await self.repository.record_missing(transaction, row, reason, self.clock.now())
        details = {
            "reason": reason,
            "recordName": name,
            "recordValue": row.challenge,
            "found": [value[:_MAX_TEXT_LENGTH] for value in found.values[:_MAX_TEXTS_SHOWN]],
        }
        text = f"the TXT record {name} with the value {row.challenge} is not there yet"
        return DomainNotProven(text, details=details)

    def _render(self, row: DomainRecord) -> Domain:
        return Domain(
            domain=row.domain,
            state=_state(row),
            record_name=record_name(self.settings, row.domain),
            record_type="TXT",
            record_value=row.challenge,
            requested_at=timestamp(row.requested_at),
            **{
                name: None if at is None else timestamp(at)
                for name, at in (
                    ("verified_at", row.verified_at),
                    ("checked_at", row.checked_at),
                    ("failing_since", row.failing_since),
                    ("lost_at", row.lost_at),
                )
            },
            problem=row.last_problem,
            vanity_enabled=row.vanity_enabled,
        )


def _state(row: DomainRecord) -> State:
    if row.verified_at is not None:
        return "verified" if row.failing_since is None else "failing"
    return "pending" if row.lost_at is None else "lost"


def _taken(row: DomainRecord) -> DomainTaken:
    text = f"{row.domain} is verified for another registration of this chain, whose record is there, too"
    return DomainTaken(text)
