"""Statements on challenges."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from api.http.rendering import dumps
from warehouse.domain.lifecycle import RESERVED_FOR
from warehouse.store import Store, Transaction

SETTLED: Final = frozenset({"rejected", "ended", "stopped", "void"})
"""States in which a challenge stays."""


@dataclass(frozen=True, slots=True)
class ChallengeRecord:
    """A challenge: which mint is challenged, by which token, and what became of it."""

    id: UUID
    chain_id: int
    token_id: int
    mint_transaction: str
    symbol: str
    symbol_folded: str
    registered_token: str
    minted_at: datetime
    challenger_token: str
    challenger_wallet: str
    verification_method: str
    account_id: UUID
    opened_at: datetime
    decide_at: datetime
    state: str
    decided_at: datetime | None
    decided_by: str | None
    reason: str | None
    evidence: Mapping[str, Any] | None
    announcements: int
    announced_transaction: str | None
    execution_transaction: str | None
    stop_seen_at: datetime | None
    ended_at: datetime | None
    updated_at: datetime

    @property
    def reserved_until(self) -> datetime | None:
        """Until when the symbol is reserved for the challenger's token; None while the end is not executed."""
        return None if self.ended_at is None else self.ended_at + RESERVED_FOR


@dataclass(frozen=True, slots=True)
class ChallengedRegistration:
    """The registration that has a challenge's id now."""

    transaction_hash: str
    released_at: datetime | None
    expired_at: datetime | None

    @property
    def ended_at(self) -> datetime | None:
        """When it ended, in whatever way."""
        return self.released_at or self.expired_at


class ChallengeRepository:
    """Statements of the challenge routes and of the worker."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def open(self, transaction: Transaction, challenge: Mapping[str, Any]) -> ChallengeRecord | None:
        """Open a challenge. None: the token challenged this mint before, or another challenge of it is at work."""
        return await transaction.row("challenges/open", challenge, ChallengeRecord)

    async def by_token(
        self, chain_id: int, token_id: int, mint_transaction: str, challenger_token: str
    ) -> ChallengeRecord | None:
        """The challenge of a mint by a token."""
        wanted = {
            "chain_id": chain_id,
            "token_id": token_id,
            "mint_transaction": mint_transaction,
            "challenger_token": challenger_token,
        }
        return await self.store.row("challenges/find_by_token", wanted, ChallengeRecord)

    async def is_sold_by(self, chain_id: int, token_id: int, wallet: str) -> bool:
        """Whether a wallet sold the registration, or the one that it was made of."""
        wanted = {"chain_id": chain_id, "token_id": token_id, "wallet": wallet}
        return await self.store.row("challenges/find_sale", wanted) is not None

    async def visible(self, chain_id: int, token_id: int, account_id: UUID) -> list[ChallengeRecord]:
        """Challenges of a registration that an account may see: its own, and those that were upheld."""
        wanted = {"chain_id": chain_id, "token_id": token_id, "account_id": account_id}
        return await self.store.rows("challenges/list_of_registration", wanted, ChallengeRecord)

    async def at_work(self) -> list[ChallengeRecord]:
        """Challenges that are not settled, oldest first."""
        return await self.store.rows("challenges/list_at_work", None, ChallengeRecord)

    async def listed(self, state: str | None) -> list[ChallengeRecord]:
        """The newest challenges, of one state or of all."""
        return await self.store.rows("challenges/list_all", {"state": state}, ChallengeRecord)

    async def find(self, id: UUID) -> ChallengeRecord | None:
        """A challenge."""
        return await self.store.row("challenges/find", {"id": id}, ChallengeRecord)

    async def settle(
        self, transaction: Transaction, challenge: ChallengeRecord, state: str, **changes: Any
    ) -> ChallengeRecord | None:
        """Move the challenge to another state. None: it is no longer in the state of the record."""
        evidence = changes.pop("evidence", None)
        given = {
            "id": challenge.id,
            "before": challenge.state,
            "state": state,
            "decided_at": None,
            "decided_by": None,
            "reason": None,
            "evidence": None if evidence is None else dumps(evidence).decode(),
            "ended_at": None,
            **changes,
        }
        return await transaction.row("challenges/settle", given, ChallengeRecord)

    async def note_transactions(self, id: UUID, *, announced: str | None = None, executed: str | None = None) -> None:
        """Note the transactions that announced and executed the end."""
        noted = {"id": id, "announced": announced, "executed": executed}
        await self.store.rows("challenges/note_transaction", noted)

    async def note_stop(self, id: UUID, seen_at: datetime | None) -> None:
        """Note when it was first seen that the announced end is gone; None: it is there."""
        await self.store.rows("challenges/note_stop", {"id": id, "seen_at": seen_at})

    async def count_announcement(self, id: UUID) -> int | None:
        """Count that a stopped end is announced anew; the count, None if the challenge is not stopped."""
        row = await self.store.row("challenges/count_announcement", {"id": id})
        return None if row is None else row["announcements"]

    async def registration(self, challenge: ChallengeRecord) -> ChallengedRegistration | None:
        """What became of the registration; None while its mint is not recorded."""
        key = {"chain_id": challenge.chain_id, "token_id": challenge.token_id}
        return await self.store.row("challenges/find_registration", key, ChallengedRegistration)
