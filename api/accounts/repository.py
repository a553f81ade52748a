"""An account's wallets, keys and usage in the store."""

from datetime import date, datetime, timedelta
from uuid import UUID

from warehouse.store import Row, Store, Transaction

_ACCOUNT = "SELECT id, wallet, plan, created_at FROM account WHERE id = %(account_id)s"
_WALLETS = """
SELECT wallet, linked_at, chain_id FROM account_wallet WHERE account_id = %(account_id)s ORDER BY linked_at, wallet
"""
_KEY = "id, name, prefix, created_at, last_used_at, revoked_at"
_KEYS = f"""
SELECT {_KEY} FROM api_key
WHERE account_id = %(account_id)s AND (revoked_at IS NULL OR revoked_at > %(revoked_after)s)
ORDER BY created_at, id
"""  # noqa: S608 - column names of our own
# Whoever makes keys of one account at the same time waits here, so that none is counted by neither.
_LOCK = "SELECT plan FROM account WHERE id = %(account_id)s FOR UPDATE"
_COUNTS = """
SELECT count(*) FILTER (WHERE revoked_at IS NULL) AS standing,
       count(*) FILTER (WHERE created_at > %(since)s) AS recent,
       (SELECT created_at FROM api_key WHERE account_id = %(account_id)s AND created_at > %(since)s
        ORDER BY created_at DESC OFFSET %(most)s - 1 LIMIT 1) AS nth_newest_at
FROM api_key WHERE account_id = %(account_id)s
"""
_ADD = f"""
INSERT INTO api_key (account_id, name, prefix, key_hash, created_at)
VALUES (%(account_id)s, %(name)s, %(prefix)s, %(key_hash)s, %(now)s) RETURNING {_KEY}
"""  # noqa: S608
# A revoked key keeps the name it had.
_RENAME = f"""
UPDATE api_key SET name = CASE WHEN revoked_at IS NULL THEN %(name)s ELSE name END
WHERE id = %(id)s AND account_id = %(account_id)s RETURNING {_KEY}
"""  # noqa: S608
# Repeating it changes nothing: the time of the first revocation stays.
_REVOKE = f"""
UPDATE api_key SET revoked_at = COALESCE(revoked_at, %(now)s)
WHERE id = %(id)s AND account_id = %(account_id)s RETURNING {_KEY}
"""  # noqa: S608
_USAGE = """
SELECT u.subject, u.day, u.used, k.name, k.prefix
FROM api_usage AS u LEFT JOIN api_key AS k ON k.id = u.subject
WHERE u.account_id = %(account_id)s AND u.day >= %(first)s
ORDER BY u.day, k.created_at NULLS LAST
"""
# Unlinking takes these in the order in which sign-ins do: sessions, the wallet, the account. Where sign-ins of other
# wallets hold the account's row they only keep it from going, which this lock lets them.
_LOCK_SESSIONS_WITH = """
SELECT FROM wallet_session WHERE account_id = %(account_id)s AND %(wallet)s = ANY (wallets) AND revoked_at IS NULL
ORDER BY id FOR UPDATE
"""
_LOCK_WALLET = "SELECT pg_advisory_xact_lock(hashtextextended('wallet ' || %(wallet)s, 0))"
_LOCK_LINKS = "SELECT FROM account WHERE id = %(account_id)s FOR NO KEY UPDATE"
_LINKED = "SELECT wallet FROM account_wallet WHERE account_id = %(account_id)s ORDER BY linked_at, wallet"
_UNLINK = "DELETE FROM account_wallet WHERE wallet = %(wallet)s AND account_id = %(account_id)s"
# A session is for the wallets that signed in: without the last of them there is none.
_TAKE_FROM_SESSIONS = """
UPDATE wallet_session SET
    wallets = CASE WHEN wallets = ARRAY[%(wallet)s] THEN wallets ELSE array_remove(wallets, %(wallet)s) END,
    contract_chains = contract_chains - CAST(%(wallet)s AS text),
    revoked_at = CASE WHEN wallets = ARRAY[%(wallet)s] THEN CAST(%(now)s AS timestamptz) END
WHERE account_id = %(account_id)s AND %(wallet)s = ANY (wallets) AND revoked_at IS NULL
"""
_FIRST_WALLET = "UPDATE account SET wallet = %(first)s WHERE id = %(account_id)s AND wallet = %(wallet)s"
# API processes remember sessions, and the first wallets of keys' accounts: all of them look again.
_TELL = "SELECT pg_notify('access', '')"
DAY = timedelta(days=1)
REVOKED_SHOWN = timedelta(days=90)


class AccountRepository:
    """What accounts see and change of themselves."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def account(self, account_id: UUID) -> Row:
        """The account."""
        row = await self.store.row(_ACCOUNT, {"account_id": account_id})
        if row is None:
            raise LookupError(f"account {account_id} is gone")  # nobody deletes accounts
        return row

    async def wallets(self, account_id: UUID) -> list[Row]:
        """Its wallets, the first one first."""
        return await self.store.rows(_WALLETS, {"account_id": account_id})

    async def keys(self, account_id: UUID, now: datetime) -> list[Row]:
        """Its keys that stand, and those revoked of late; oldest first."""
        return await self.store.rows(_KEYS, {"account_id": account_id, "revoked_after": now - REVOKED_SHOWN})

    async def lock(self, transaction: Transaction, account_id: UUID) -> str:
        """Keep others from making keys until the transaction ends; the answer is the account's plan."""
        row = await transaction.row(_LOCK, {"account_id": account_id})
        if row is None:
            raise LookupError(f"account {account_id} is gone")
        plan: str = row["plan"]
        return plan

    async def counts(self, transaction: Transaction, account_id: UUID, now: datetime, most: int) -> Row:
        """How many keys stand, how many were made within a day, and when the ``most``-th newest of these was."""
        row = await transaction.row(_COUNTS, {"account_id": account_id, "since": now - DAY, "most": most})
        return row or {}

    async def add_key(
        self, transaction: Transaction, account_id: UUID, *, name: str, prefix: str, key_hash: bytes, now: datetime
    ) -> Row:
        """Keep a new key's hash."""
        values = {"account_id": account_id, "name": name, "prefix": prefix, "key_hash": key_hash, "now": now}
        row = await transaction.row(_ADD, values)
        return row or {}

    async def rename_key(self, account_id: UUID, key_id: UUID, name: str) -> Row | None:
        """Give a key of the account another name, unless it is revoked; None where it has no such key."""
        async with self.store.transaction() as transaction:
            return await transaction.row(_RENAME, {"id": key_id, "account_id": account_id, "name": name})

    async def unlink_wallet(
        self, transaction: Transaction, account_id: UUID, wallet: str, now: datetime
    ) -> list[str] | None:
        """Take a wallet from the account, and from its sessions, of which those end that were for no other. The answer
        is the account's wallets before, the first one first; None where the wallet is not among them. Nothing is taken
        where it is the only one."""
        values = {"account_id": account_id, "wallet": wallet}
        await transaction.rows(_LOCK_SESSIONS_WITH, values)
        await transaction.rows(_LOCK_WALLET, {"wallet": wallet})
        await transaction.rows(_LOCK_LINKS, {"account_id": account_id})
        linked: list[str] = [row["wallet"] for row in await transaction.rows(_LINKED, {"account_id": account_id})]
        if wallet not in linked:
            return None
        others = [other for other in linked if other != wallet]
        if others:
            await transaction.execute(_UNLINK, values)
            await transaction.execute(_TAKE_FROM_SESSIONS, {**values, "now": now})
            await transaction.execute(_FIRST_WALLET, {**values, "first": others[0]})
            await transaction.rows(_TELL)
        return linked

    async def revoke_key(self, account_id: UUID, key_id: UUID, now: datetime) -> Row | None:
        """Revoke a key of the account; None where it has no such key."""
        async with self.store.transaction() as transaction:
            return await transaction.row(_REVOKE, {"id": key_id, "account_id": account_id, "now": now})

    async def usage(self, account_id: UUID, first: date) -> list[Row]:
        """What was used by day and caller since a day, oldest first."""
        return await self.store.rows(_USAGE, {"account_id": account_id, "first": first})
