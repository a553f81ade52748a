"""Domains of registrations in the store."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from warehouse.store import Row, Store, Transaction

MOST: Final = 50
"""Domains of one registration."""


class DomainRepository:
    """Statements about domains. ``key`` is a registration's chain id and token id; who changes its domains for somebody
    holds it in the ``transaction``."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def list_all(self, key: Mapping[str, int]) -> list[Row]:
        """All domains of a registration, by name."""
        return await self.store.rows("domains/list", key)

    async def one(self, key: Mapping[str, int], domain: str) -> Row | None:
        """One of them."""
        return await self.store.row("domains/find", {**key, "domain": domain})

    async def add(
        self, transaction: Transaction, key: Mapping[str, int], domain: str, challenge: str, now: datetime
    ) -> Row | None:
        """The domain, added unless it is there already; None where there is no room for it."""
        values = {**key, "domain": domain, "challenge": challenge, "now": now, "most": MOST}
        await transaction.execute("domains/add", values)
        return await transaction.row("domains/find", {**key, "domain": domain})

    async def remove(self, transaction: Transaction, key: Mapping[str, int], domain: str) -> Row | None:
        """Forget a domain; the answer is what it was."""
        return await transaction.row("domains/remove", {**key, "domain": domain})

    async def set_vanity(
        self, transaction: Transaction, key: Mapping[str, int], domain: str, enabled: bool
    ) -> Row | None:
        """Turn it on, which only a verified domain can have, or off."""
        return await transaction.row("domains/set_vanity", {**key, "domain": domain, "enabled": enabled})

    async def note_missing(self, transaction: Transaction, row: Row, problem: str, now: datetime) -> None:
        """Remember why a domain was not verified just now. One that is verified is judged by the worker alone."""
        await transaction.execute("domains/record_missing", {**_key_of(row), "problem": problem, "now": now})

    async def holder(self, transaction: Transaction, row: Row) -> Row | None:
        """Whom else of the chain the domain is verified for; nobody changes that until the transaction ends."""
        return await transaction.row("domains/find_holder", _key_of(row))

    async def lose(self, transaction: Transaction, row: Row, problem: str, now: datetime) -> None:
        """The domain is verified for this registration no more."""
        await transaction.execute("domains/mark_lost", {**_key_of(row), "problem": problem, "now": now})

    async def verify(self, transaction: Transaction, row: Row, now: datetime, check_at: datetime) -> Row | None:
        """The domain is verified; None where it was removed meanwhile."""
        values = {**_key_of(row), "challenge": row["challenge"], "now": now, "check_at": check_at}
        return await transaction.row("domains/verify", values)

    async def take_due(self, now: datetime, lease: datetime, at_once: int) -> Sequence[Row]:
        """Verified domains that are due to be looked at, until ``lease``."""
        async with self.store.transaction() as transaction:
            return await transaction.rows("domains/lease_due", {"now": now, "lease": lease, "at_once": at_once})

    async def note_look(self, row: Row, **seen: Any) -> None:
        """Write down what a look at a taken domain came to."""
        async with self.store.transaction() as transaction:
            await transaction.execute("domains/record_check", {**_key_of(row), "lease": row["check_at"], **seen})


def _key_of(row: Row) -> dict[str, Any]:
    return {name: row[name] for name in ("chain_id", "token_id", "domain")}
