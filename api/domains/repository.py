"""Domains of registrations in the store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from warehouse.store import Store, Transaction

MAX_DOMAINS: Final = 50
"""Domains of one registration."""


@dataclass(frozen=True, slots=True)
class DomainRecord:
    """A domain that a registration claims; the fields are described in docs/store.md."""

    chain_id: int
    token_id: int
    domain: str
    challenge: str
    requested_at: datetime
    verified_at: datetime | None
    checked_at: datetime | None
    check_at: datetime
    failing_since: datetime | None
    absences: int
    last_problem: str | None
    lost_at: datetime | None
    vanity_enabled: bool


@dataclass(frozen=True, slots=True)
class Holder:
    """The registration that a domain is verified for."""

    chain_id: int
    token_id: int
    domain: str
    challenge: str
    is_active: bool


class DomainRepository:
    """Statements about domains. ``key`` is a registration's chain id and token id. A ``transaction`` that changes
    domains on behalf of a wallet has locked the registration."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def list_all(self, key: Mapping[str, int]) -> list[DomainRecord]:
        """All domains of a registration, by name."""
        return await self.store.rows("domains/list", key, DomainRecord)

    async def one(self, key: Mapping[str, int], domain: str) -> DomainRecord | None:
        """One of them."""
        return await self.store.row("domains/find", {**key, "domain": domain}, DomainRecord)

    async def add(
        self, transaction: Transaction, key: Mapping[str, int], domain: str, challenge: str, now: datetime
    ) -> DomainRecord | None:
        """Add the domain unless it exists; None if the registration has as many as it may."""
        values = {**key, "domain": domain, "challenge": challenge, "now": now, "most": MAX_DOMAINS}
        await transaction.execute("domains/add", values)
        return await transaction.row("domains/find", {**key, "domain": domain}, DomainRecord)

    async def remove(self, transaction: Transaction, key: Mapping[str, int], domain: str) -> DomainRecord | None:
        """Delete a domain; the answer is its last state."""
        return await transaction.row("domains/remove", {**key, "domain": domain}, DomainRecord)

    async def set_vanity(
        self, transaction: Transaction, key: Mapping[str, int], domain: str, enabled: bool
    ) -> DomainRecord | None:
        """Turn the vanity switch on or off; only a verified domain can have it on."""
        values = {**key, "domain": domain, "enabled": enabled}
        return await transaction.row("domains/set_vanity", values, DomainRecord)

    async def record_missing(self, transaction: Transaction, row: DomainRecord, problem: str, now: datetime) -> None:
        """Record why a domain could not be verified. Verified domains are left to the worker's checks."""
        await transaction.execute("domains/record_missing", {**_key_of(row), "problem": problem, "now": now})

    async def holder(self, transaction: Transaction, row: DomainRecord) -> Holder | None:
        """The other registration of the chain that the domain is verified for, locked until the transaction ends."""
        return await transaction.row("domains/find_holder", _key_of(row), Holder)

    async def mark_lost(self, transaction: Transaction, row: Holder, problem: str, now: datetime) -> None:
        """The domain is no longer verified for this registration."""
        await transaction.execute("domains/mark_lost", {**_key_of(row), "problem": problem, "now": now})

    async def verify(
        self, transaction: Transaction, row: DomainRecord, now: datetime, check_at: datetime
    ) -> DomainRecord | None:
        """Mark the domain verified; None if it was removed meanwhile."""
        values = {**_key_of(row), "challenge": row.challenge, "now": now, "check_at": check_at}
        return await transaction.row("domains/verify", values, DomainRecord)

    async def lease_due(self, now: datetime, lease: datetime, at_once: int) -> Sequence[DomainRecord]:
        """Take verified domains that are due for a check; no other worker takes them before ``lease``."""
        async with self.store.transaction() as transaction:
            wanted = {"now": now, "lease": lease, "at_once": at_once}
            return await transaction.rows("domains/lease_due", wanted, DomainRecord)

    async def record_check(self, row: DomainRecord, **seen: Any) -> None:
        """Record the outcome of a check, unless the lease of the domain has passed on."""
        async with self.store.transaction() as transaction:
            await transaction.execute("domains/record_check", {**_key_of(row), "lease": row.check_at, **seen})


def _key_of(row: DomainRecord | Holder) -> dict[str, Any]:
    return {"chain_id": row.chain_id, "token_id": row.token_id, "domain": row.domain}
