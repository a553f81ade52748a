"""Statements on nonces, wallets and sessions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from warehouse.store import Store, Transaction

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """A session with the plan of its account. ``wallets`` are in the order of signing in."""

    id: UUID
    account_id: UUID
    wallets: Sequence[str]
    scopes: Sequence[str]
    created_at: datetime
    expires_at: datetime
    plan: str


@dataclass(frozen=True, slots=True)
class LockedSession:
    """A session whose row is locked."""

    id: UUID
    account_id: UUID
    wallets: Sequence[str]


@dataclass(frozen=True, slots=True)
class ListedSession:
    """A session as its account sees it."""

    id: UUID
    wallets: Sequence[str]
    scopes: Sequence[str]
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class RevokedSession:
    """A session that is revoked. ``ended``: it was live until now."""

    id: UUID
    revoked_at: datetime
    ended: bool


class AuthRepository:
    """Statements of the sign-in."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def add_nonce(self, nonce: str, now: datetime, expires_at: datetime) -> None:
        """Store a new nonce."""
        async with self.store.transaction() as transaction:
            await transaction.execute("auth/add_nonce", {"nonce": nonce, "now": now, "expires_at": expires_at})

    async def knows_nonce(self, nonce: str, now: datetime) -> bool:
        """Whether the nonce was issued, and is neither used nor expired."""
        return await self.store.row("auth/find_nonce", {"nonce": nonce, "now": now}) is not None

    async def spend_nonce(self, transaction: Transaction, nonce: str, now: datetime) -> bool:
        """Spend a nonce. Of concurrent callers exactly one gets True."""
        return await transaction.execute("auth/spend_nonce", {"nonce": nonce, "now": now}) == 1

    async def account_of(self, transaction: Transaction, wallet: str) -> UUID | None:
        """The account of a wallet. Locks the wallet's sign-in until the transaction ends."""
        await transaction.rows("accounts/lock_wallet", {"wallet": wallet})
        row = await transaction.row("auth/find_account", {"wallet": wallet})
        return None if row is None else UUID(str(row["account_id"]))

    async def add_account(self, transaction: Transaction, wallet: str) -> None:
        """Create a free account for a wallet, if it has none by now; a trigger links the wallet."""
        await transaction.execute("auth/add_account", {"wallet": wallet})

    async def link_wallet(self, transaction: Transaction, wallet: str, account_id: UUID) -> None:
        """Link a wallet to an account, if it has none by now."""
        await transaction.execute("auth/link_wallet", {"wallet": wallet, "account_id": account_id})

    async def require_signer(
        self, transaction: Transaction, wallet: str, chain_id: int | None, now: datetime
    ) -> UUID | None:
        """The wallet's account, if this signer may sign for it: its key (``chain_id`` None), or its contract on that
        chain. The first sign-in records which. None if the wallet signs with its key, or on another chain."""
        row = await transaction.row("auth/prove_wallet", {"wallet": wallet, "chain_id": chain_id, "now": now})
        return None if row is None else UUID(str(row["account_id"]))

    async def chain_of(self, transaction: Transaction, wallet: str) -> int | None:
        """The chain on which a wallet signs as a contract; None if it signs with its key."""
        row = await transaction.row("auth/find_chain_of_wallet", {"wallet": wallet})
        return None if row is None else row["chain_id"]

    async def add_session(self, transaction: Transaction, session: dict[str, Any]) -> SessionRecord:
        """Begin a session: ``account_id``, ``wallet``, ``chain_id`` where a contract signed, ``scopes``, ``now``,
        ``expires_at``, and ``forget_before``, the end of sessions that need not be kept any more."""
        return _only(await transaction.row("auth/add_session", session, SessionRecord))

    async def end_oldest_sessions(
        self, transaction: Transaction, began: SessionRecord, wallet: str, *, most: int, now: datetime
    ) -> list[UUID]:
        """End sessions that the wallet began before this one, the oldest first, so that at most ``most`` are live."""
        values = {"account_id": began.account_id, "wallet": wallet, "new": began.id, "most": most, "now": now}
        return [row["id"] for row in await transaction.rows("auth/end_oldest_sessions", values)]

    async def lock_session(self, transaction: Transaction, session_id: UUID, now: datetime) -> LockedSession | None:
        """Lock and read a live session."""
        return await transaction.row("auth/lock_session", {"id": session_id, "now": now}, LockedSession)

    async def add_to_session(
        self, transaction: Transaction, session_id: UUID, wallet: str, chain_id: int | None
    ) -> SessionRecord:
        """Add a wallet to a session, with its chain if a contract signed. A wallet already in it keeps its position."""
        values = {"id": session_id, "wallet": wallet, "chain_id": chain_id}
        return _only(await transaction.row("auth/add_to_session", values, SessionRecord))

    async def sessions(self, account_id: UUID, now: datetime, *, before: UUID | None, most: int) -> list[ListedSession]:
        """An account's live sessions that began before the one named, newest first."""
        wanted = {"account_id": account_id, "now": now, "before": before, "most": most}
        return await self.store.rows("auth/list_sessions", wanted, ListedSession)

    async def count_sessions(self, account_id: UUID, now: datetime) -> int:
        """The number of an account's live sessions."""
        row = await self.store.row("auth/count_sessions", {"account_id": account_id, "now": now})
        return int(_only(row)["total"])

    async def revoke(
        self, transaction: Transaction, account_id: UUID, session_id: UUID, now: datetime
    ) -> RevokedSession | None:
        """End one session of an account; None if it has no such session."""
        session = {"id": session_id, "account_id": account_id, "now": now}
        return await transaction.row("auth/revoke_session", session, RevokedSession)

    async def revoke_others(
        self, transaction: Transaction, account_id: UUID, session_id: UUID, now: datetime
    ) -> list[UUID]:
        """End all sessions of an account except one."""
        rows = await transaction.rows(
            "auth/revoke_other_sessions", {"id": session_id, "account_id": account_id, "now": now}
        )
        return [row["id"] for row in rows]


def _only(row: Record | None) -> Record:
    if row is None:
        raise LookupError("the statement returned no row")
    return row
