"""Nonces, wallets of accounts, and sessions in the store."""

from datetime import datetime
from typing import Any
from uuid import UUID

from warehouse.store import Row, Store, Transaction

# What has ended is taken away where something new comes, a few rows each time, so that the table stays small without a
# job of its own. Rows that another is taking away are left to it.
_ADD_NONCE = """
WITH ended AS (
    DELETE FROM sign_in_nonce WHERE nonce IN (
        SELECT nonce FROM sign_in_nonce WHERE expires_at < %(now)s ORDER BY expires_at LIMIT 20 FOR UPDATE SKIP LOCKED
    )
)
INSERT INTO sign_in_nonce (nonce, expires_at) VALUES (%(nonce)s, %(expires_at)s)
"""
_KNOWS_NONCE = "SELECT FROM sign_in_nonce WHERE nonce = %(nonce)s AND expires_at > %(now)s"
# Of any number who try at once the first takes the row; the others wait for that transaction and then find none.
_SPEND_NONCE = "DELETE FROM sign_in_nonce WHERE nonce = %(nonce)s AND expires_at > %(now)s"
# Two sign-ins of one new wallet make one account: the second waits here until the first is done.
_LOCK_WALLET = "SELECT pg_advisory_xact_lock(hashtextextended('wallet ' || %(wallet)s, 0))"
_ACCOUNT_OF = "SELECT account_id FROM account_wallet WHERE wallet = %(wallet)s"
# A command that makes the wallet's account does not know of that lock: whoever is second takes what the first made.
_ADD_ACCOUNT = "INSERT INTO account (wallet, plan) VALUES (%(wallet)s, 'free') ON CONFLICT (wallet) DO NOTHING"
_LINK_WALLET = """
INSERT INTO account_wallet (wallet, account_id) VALUES (%(wallet)s, %(account_id)s) ON CONFLICT (wallet) DO NOTHING
"""
# The first proof says what the wallet is, and the row lets no other way in: of two contracts of one address that sign
# in at the same instant the second waits for the first one's row and then does not fit. Whoever has the key of an
# address made its contracts what they are, so that a key always fits, and changes nothing.
_PROVE = """
UPDATE account_wallet SET
    proved_at = COALESCE(proved_at, %(now)s),
    chain_id = CASE WHEN proved_at IS NULL THEN CAST(%(chain_id)s AS bigint) ELSE chain_id END
WHERE wallet = %(wallet)s
  AND (proved_at IS NULL OR CAST(%(chain_id)s AS bigint) IS NULL OR chain_id = CAST(%(chain_id)s AS bigint))
RETURNING account_id
"""
_CHAIN_OF = "SELECT chain_id FROM account_wallet WHERE wallet = %(wallet)s"
_ADD_SESSION = """
WITH ended AS (
    DELETE FROM wallet_session WHERE id IN (
        SELECT id FROM wallet_session WHERE expires_at < %(forget_before)s ORDER BY expires_at LIMIT 20
        FOR UPDATE SKIP LOCKED
    )
), made AS (
    INSERT INTO wallet_session (account_id, wallets, contract_chains, scopes, created_at, expires_at)
    VALUES (
        %(account_id)s, ARRAY[CAST(%(wallet)s AS text)],
        jsonb_strip_nulls(jsonb_build_object(CAST(%(wallet)s AS text), CAST(%(chain_id)s AS bigint))),
        %(scopes)s, %(now)s, %(expires_at)s
    )
    RETURNING id, account_id, wallets, scopes, created_at, expires_at
)
SELECT made.*, a.plan FROM made JOIN account AS a ON a.id = made.account_id
"""
_LOCK_SESSION = """
SELECT id, account_id, wallets FROM wallet_session
WHERE id = %(id)s AND revoked_at IS NULL AND expires_at > %(now)s FOR UPDATE
"""
# A key's signature counts for more than a contract's, whichever of them the session had first.
_ADD_TO_SESSION = """
WITH changed AS (
    UPDATE wallet_session SET
        wallets = CASE WHEN %(wallet)s = ANY (wallets) THEN wallets ELSE array_append(wallets, %(wallet)s) END,
        contract_chains = CASE
            WHEN CAST(%(chain_id)s AS bigint) IS NULL THEN contract_chains - CAST(%(wallet)s AS text)
            WHEN %(wallet)s = ANY (wallets) THEN contract_chains
            ELSE contract_chains || jsonb_build_object(CAST(%(wallet)s AS text), CAST(%(chain_id)s AS bigint))
        END
    WHERE id = %(id)s
    RETURNING id, account_id, wallets, scopes, created_at, expires_at
)
SELECT changed.*, a.plan FROM changed JOIN account AS a ON a.id = changed.account_id
"""
_LIST = """
SELECT id, wallets, scopes, created_at, expires_at FROM wallet_session
WHERE account_id = %(account_id)s AND revoked_at IS NULL AND expires_at > %(now)s
  AND (CAST(%(before)s AS uuid) IS NULL OR id < CAST(%(before)s AS uuid))
ORDER BY id DESC LIMIT %(most)s
"""  # ids are made in the order of time
_COUNT = """
SELECT count(*) AS total FROM wallet_session
WHERE account_id = %(account_id)s AND revoked_at IS NULL AND expires_at > %(now)s
"""
# Repeating it changes nothing: the first revocation's time stays.
_REVOKE = """
UPDATE wallet_session SET revoked_at = COALESCE(revoked_at, %(now)s) WHERE id = %(id)s AND account_id = %(account_id)s
RETURNING id, revoked_at
"""
_REVOKE_OTHERS = """
UPDATE wallet_session SET revoked_at = %(now)s
WHERE account_id = %(account_id)s AND id <> %(id)s AND revoked_at IS NULL AND expires_at > %(now)s RETURNING id
"""


class AuthRepository:
    """What signing in reads and writes."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def add_nonce(self, nonce: str, now: datetime, expires_at: datetime) -> None:
        """Keep a nonce that is handed out."""
        async with self.store.transaction() as transaction:
            await transaction.execute(_ADD_NONCE, {"nonce": nonce, "now": now, "expires_at": expires_at})

    async def knows_nonce(self, nonce: str, now: datetime) -> bool:
        """Whether the nonce was handed out, and is neither used nor too old."""
        return await self.store.row(_KNOWS_NONCE, {"nonce": nonce, "now": now}) is not None

    async def spend_nonce(self, transaction: Transaction, nonce: str, now: datetime) -> bool:
        """Use a nonce up; of all who try, one is told that it was there."""
        return await transaction.execute(_SPEND_NONCE, {"nonce": nonce, "now": now}) == 1

    async def account_of(self, transaction: Transaction, wallet: str) -> UUID | None:
        """The account a wallet belongs to. Until the transaction ends nobody else can sign in with the wallet."""
        await transaction.rows(_LOCK_WALLET, {"wallet": wallet})
        row = await transaction.row(_ACCOUNT_OF, {"wallet": wallet})
        return None if row is None else UUID(str(row["account_id"]))

    async def add_account(self, transaction: Transaction, wallet: str) -> None:
        """Make a free account for a wallet that has none; a trigger links the wallet. It may have one by now."""
        await transaction.execute(_ADD_ACCOUNT, {"wallet": wallet})

    async def link_wallet(self, transaction: Transaction, wallet: str, account_id: UUID) -> None:
        """Add a wallet that has no account to one. It may be another's by now."""
        await transaction.execute(_LINK_WALLET, {"wallet": wallet, "account_id": account_id})

    async def prove(self, transaction: Transaction, wallet: str, chain_id: int | None, now: datetime) -> UUID | None:
        """Hold a signature to how the wallet first signed in, and keep that where this is the first time: by its key
        (``chain_id`` None), or as the contract of a chain. The answer is its account; None where the wallet is another
        chain's contract, or a key."""
        row = await transaction.row(_PROVE, {"wallet": wallet, "chain_id": chain_id, "now": now})
        return None if row is None else UUID(str(row["account_id"]))

    async def chain_of(self, transaction: Transaction, wallet: str) -> int | None:
        """The chain that a wallet signs on as a contract; None for one that signs with its key."""
        row = await transaction.row(_CHAIN_OF, {"wallet": wallet})
        return None if row is None else row["chain_id"]

    async def add_session(self, transaction: Transaction, session: dict[str, Any]) -> Row:
        """Begin a session: ``account_id``, ``wallet``, ``chain_id`` where a contract signed, ``scopes``, ``now``,
        ``expires_at``, and ``forget_before``, the end of sessions that need not be kept any more."""
        return _only(await transaction.row(_ADD_SESSION, session))

    async def lock_session(self, transaction: Transaction, session_id: UUID, now: datetime) -> Row | None:
        """A session that has not ended, kept as it is until the transaction ends."""
        return await transaction.row(_LOCK_SESSION, {"id": session_id, "now": now})

    async def add_to_session(
        self, transaction: Transaction, session_id: UUID, wallet: str, chain_id: int | None
    ) -> Row:
        """Add a wallet to a session, with its chain where a contract signed; one that is in it keeps its place."""
        values = {"id": session_id, "wallet": wallet, "chain_id": chain_id}
        return _only(await transaction.row(_ADD_TO_SESSION, values))

    async def sessions(self, account_id: UUID, now: datetime, *, before: UUID | None, most: int) -> list[Row]:
        """An account's sessions that have not ended and began before that one, newest first."""
        return await self.store.rows(_LIST, {"account_id": account_id, "now": now, "before": before, "most": most})

    async def count_sessions(self, account_id: UUID, now: datetime) -> int:
        """How many sessions of an account have not ended."""
        row = await self.store.row(_COUNT, {"account_id": account_id, "now": now})
        return int(_only(row)["total"])

    async def revoke(self, account_id: UUID, session_id: UUID, now: datetime) -> Row | None:
        """End one session of an account; None where it has no such session."""
        async with self.store.transaction() as transaction:
            return await transaction.row(_REVOKE, {"id": session_id, "account_id": account_id, "now": now})

    async def revoke_others(self, account_id: UUID, session_id: UUID, now: datetime) -> list[UUID]:
        """End all sessions of an account but one."""
        async with self.store.transaction() as transaction:
            rows = await transaction.rows(_REVOKE_OTHERS, {"id": session_id, "account_id": account_id, "now": now})
        return [row["id"] for row in rows]


def _only(row: Row | None) -> Row:
    if row is None:
        raise LookupError("the statement returned no row")
    return row
