"""Domains of registrations in the store."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from warehouse.store import Row, Store, Transaction

MOST: Final = 50
"""Domains of one registration."""

_KEY = "chain_id = %(chain_id)s AND token_id = %(token_id)s AND domain = %(domain)s"
_LIST = "SELECT * FROM registration_domain WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s ORDER BY domain"
_ONE = f"SELECT * FROM registration_domain WHERE {_KEY}"  # noqa: S608 - constants, here and below
# Whoever adds holds the registration, so that no two count at the same moment.
_ADD = """
INSERT INTO registration_domain (chain_id, token_id, domain, challenge, requested_at, check_at)
SELECT %(chain_id)s, %(token_id)s, CAST(%(domain)s AS text), %(challenge)s, CAST(%(now)s AS timestamptz), %(now)s
WHERE (
    SELECT count(*) FROM registration_domain WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s
) < %(most)s
ON CONFLICT DO NOTHING
"""
_REMOVE = f"DELETE FROM registration_domain WHERE {_KEY} RETURNING *"  # noqa: S608
_SET_VANITY = f"""
UPDATE registration_domain SET vanity_enabled = %(enabled)s
WHERE {_KEY} AND (verified_at IS NOT NULL OR NOT %(enabled)s) RETURNING *
"""  # noqa: S608
_NOTE_MISSING = f"""
UPDATE registration_domain SET checked_at = %(now)s, last_problem = %(problem)s WHERE {_KEY} AND verified_at IS NULL
"""  # noqa: S608
# Whom else of the chain the domain is verified for, and whether that registration still stands.
_HOLDER = """
SELECT d.*, r.token_id IS NOT NULL AS stands
FROM registration_domain AS d
LEFT JOIN registration AS r
  ON r.chain_id = d.chain_id AND r.token_id = d.token_id AND r.released_at IS NULL AND r.expired_at IS NULL
WHERE d.chain_id = %(chain_id)s AND d.domain = %(domain)s AND d.token_id <> %(token_id)s AND d.verified_at IS NOT NULL
FOR UPDATE OF d
"""
_LOSE = f"""
UPDATE registration_domain
SET verified_at = NULL, lost_at = %(now)s, last_problem = %(problem)s, failing_since = NULL, absences = 0
WHERE {_KEY}
"""  # noqa: S608
_VERIFY = f"""
UPDATE registration_domain
SET verified_at = coalesce(verified_at, %(now)s), checked_at = %(now)s, check_at = %(check_at)s, failing_since = NULL,
    absences = 0, last_problem = NULL, lost_at = NULL
WHERE {_KEY} AND challenge = %(challenge)s RETURNING *
"""  # noqa: S608
# Taking moves the next look to the end of a lease: no two workers have the same domain, and what a dead one had falls
# due again. Registrations that ended keep what they had, and are not looked at.
_TAKE = """
UPDATE registration_domain AS d SET check_at = %(lease)s
FROM (
    SELECT one.chain_id, one.token_id, one.domain
    FROM registration_domain AS one
    JOIN registration AS r
      ON r.chain_id = one.chain_id AND r.token_id = one.token_id AND r.released_at IS NULL AND r.expired_at IS NULL
    WHERE one.verified_at IS NOT NULL AND one.check_at <= %(now)s
    ORDER BY one.check_at LIMIT %(at_once)s FOR UPDATE OF one SKIP LOCKED
) AS due
WHERE d.chain_id = due.chain_id AND d.token_id = due.token_id AND d.domain = due.domain RETURNING d.*
"""
# What was seen counts while the lease holds, and so once.
_NOTE_LOOK = f"""
UPDATE registration_domain
SET verified_at = CASE WHEN %(lost)s THEN NULL ELSE verified_at END,
    lost_at = CASE WHEN %(lost)s THEN CAST(%(now)s AS timestamptz) ELSE lost_at END,
    checked_at = CASE WHEN %(answered)s THEN CAST(%(now)s AS timestamptz) ELSE checked_at END,
    check_at = %(check_at)s, failing_since = %(failing_since)s, absences = %(absences)s, last_problem = %(problem)s
WHERE {_KEY} AND check_at = %(lease)s AND verified_at IS NOT NULL
"""  # noqa: S608


class DomainRepository:
    """Statements about domains. ``key`` is a registration's chain id and token id; who changes its domains for somebody
    holds it in the ``transaction``."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def list_all(self, key: Mapping[str, int]) -> list[Row]:
        """All domains of a registration, by name."""
        return await self.store.rows(_LIST, key)

    async def one(self, key: Mapping[str, int], domain: str) -> Row | None:
        """One of them."""
        return await self.store.row(_ONE, {**key, "domain": domain})

    async def add(
        self, transaction: Transaction, key: Mapping[str, int], domain: str, challenge: str, now: datetime
    ) -> Row | None:
        """The domain, added unless it is there already; None where there is no room for it."""
        values = {**key, "domain": domain, "challenge": challenge, "now": now, "most": MOST}
        await transaction.execute(_ADD, values)
        return await transaction.row(_ONE, {**key, "domain": domain})

    async def remove(self, transaction: Transaction, key: Mapping[str, int], domain: str) -> Row | None:
        """Forget a domain; the answer is what it was."""
        return await transaction.row(_REMOVE, {**key, "domain": domain})

    async def set_vanity(
        self, transaction: Transaction, key: Mapping[str, int], domain: str, enabled: bool
    ) -> Row | None:
        """Turn it on, which only a verified domain can have, or off."""
        return await transaction.row(_SET_VANITY, {**key, "domain": domain, "enabled": enabled})

    async def note_missing(self, transaction: Transaction, row: Row, problem: str, now: datetime) -> None:
        """Remember why a domain was not verified just now. One that is verified is judged by the worker alone."""
        await transaction.execute(_NOTE_MISSING, {**_key_of(row), "problem": problem, "now": now})

    async def holder(self, transaction: Transaction, row: Row) -> Row | None:
        """Whom else of the chain the domain is verified for; nobody changes that until the transaction ends."""
        return await transaction.row(_HOLDER, _key_of(row))

    async def lose(self, transaction: Transaction, row: Row, problem: str, now: datetime) -> None:
        """The domain is verified for this registration no more."""
        await transaction.execute(_LOSE, {**_key_of(row), "problem": problem, "now": now})

    async def verify(self, transaction: Transaction, row: Row, now: datetime, check_at: datetime) -> Row | None:
        """The domain is verified; None where it was removed meanwhile."""
        values = {**_key_of(row), "challenge": row["challenge"], "now": now, "check_at": check_at}
        return await transaction.row(_VERIFY, values)

    async def take_due(self, now: datetime, lease: datetime, at_once: int) -> Sequence[Row]:
        """Verified domains that are due to be looked at, until ``lease``."""
        async with self.store.transaction() as transaction:
            return await transaction.rows(_TAKE, {"now": now, "lease": lease, "at_once": at_once})

    async def note_look(self, row: Row, **seen: Any) -> None:
        """Write down what a look at a taken domain came to."""
        async with self.store.transaction() as transaction:
            await transaction.execute(_NOTE_LOOK, {**_key_of(row), "lease": row["check_at"], **seen})


def _key_of(row: Row) -> dict[str, Any]:
    return {name: row[name] for name in ("chain_id", "token_id", "domain")}
