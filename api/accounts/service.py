"""Creating, listing and revoking API keys, and setting plans: what the ``keys`` and ``plans`` commands call.

A key's secret exists once, in the answer to its creation; the store keeps a hash. Commands are the operator's: the
limits that plans set to accounts are not asked here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID, uuid4

from sqlalchemy import BigInteger, Connection, Engine, create_engine, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.engine import make_url
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.pool import NullPool

from api.accounts.secret import new_secret
from api.http.addresses import wallet_text
from api.http.rendering import dumps
from api.models.account import Account, ApiKeyRecord
from api.models.session import AccountWallet
from api.models.usage import ApiUsage
from api.security.api_keys import hash_key
from warehouse import event_log, sql
from warehouse.domain.addresses import checksum_address
from warehouse.domain.events.accounts import SubscriptionDowngraded, SubscriptionUpgraded
from warehouse.domain.events.event import of_account
from warehouse.domain.plans import DEFAULT_PLAN, PLANS, is_upgrade
from warehouse.errors import StoreUnavailable

LONGEST_NAME = 64
# The lock that a wallet's first sign-in takes, too: two that make the account of one wallet wait for each other.
_LOCK_WALLET = text("SELECT pg_advisory_xact_lock(hashtextextended('wallet ' || :wallet, 0))")


class AccountError(ValueError):
    """What was asked for cannot be done; the message says why."""


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key just made, with the secret that is never shown again."""

    id: UUID
    key: str
    wallet: str
    plan: str
    name: str


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A key without its secret."""

    id: UUID
    prefix: str
    wallet: str
    plan: str
    name: str
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class KnownAccount:
    """An account: its first wallet, its plan, and requests of today (UTC) by all its keys and sessions."""

    id: UUID
    wallet: str
    plan: str
    used_today: int = 0


class Accounts:
    """Accounts and keys of one store. Synchronous: for commands and fixtures, not for requests."""

    def __init__(self, database_url: str, *, key_prefix: str = "rgl") -> None:
        self.key_prefix = key_prefix
        self._engine: Engine = create_engine(
            make_url(database_url).set(drivername="postgresql+psycopg"),
            poolclass=NullPool,
            json_serializer=lambda value: dumps(value).decode(),
        )

    def create_key(self, wallet: str, plan: str | None = None, name: str = "default") -> NewKey:
        """Make a key for the account of a wallet, and a free account if it has none; with a plan the account takes it.

        Raises:
            AccountError: the wallet is no address, there is no such plan, or the name is too long.
        """
        if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
            raise AccountError(f"name: must be 1 to {LONGEST_NAME} printable characters")
        secret = new_secret(self.key_prefix)
        with _translated(), self._engine.begin() as connection:
            account = _take_plan(connection, _wallet(wallet), plan)
            record = insert(ApiKeyRecord).values(
                account_id=account.id, name=name, prefix=secret.prefix, key_hash=hash_key(secret.key)
            )
            key_id = connection.execute(record.returning(ApiKeyRecord.id)).scalar_one()
        return NewKey(id=key_id, key=secret.key, wallet=account.wallet, plan=account.plan, name=name)

    def list_keys(self, wallet: str | None = None) -> list[KnownKey]:
        """All keys, or those of the account of one wallet, oldest first."""
        query = (
            select(
                ApiKeyRecord.id,
                ApiKeyRecord.prefix,
                Account.wallet,
                Account.plan,
                ApiKeyRecord.name,
                ApiKeyRecord.created_at,
                ApiKeyRecord.last_used_at,
                ApiKeyRecord.revoked_at,
            )
            .join(Account, Account.id == ApiKeyRecord.account_id)
            .order_by(ApiKeyRecord.created_at, ApiKeyRecord.id)
        )
        if wallet is not None:
            query = query.join(AccountWallet, AccountWallet.account_id == Account.id).where(
                AccountWallet.wallet == _wallet(wallet)
            )
        with _translated(), self._engine.connect() as connection:
            return [KnownKey(**row) for row in connection.execute(query).mappings()]

    def rename_key(self, key: str, name: str) -> KnownKey:
        """Give a key another name; see :meth:`revoke_key` for how it is named.

        Raises:
            AccountError: no key, or more than one, is meant, or the name is too long.
        """
        if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
            raise AccountError(f"name: must be 1 to {LONGEST_NAME} printable characters")
        return self._change(self._one(key), {"name": name})

    def revoke_key(self, key: str) -> KnownKey:
        """Revoke a key named by its id, its shown prefix or the whole secret; a revoked one stays revoked.

        Raises:
            AccountError: no key, or more than one, is meant.
        """
        return self._change(self._one(key), {"revoked_at": func.coalesce(ApiKeyRecord.revoked_at, func.now())})

    def set_plan(self, wallet: str, plan: str) -> KnownAccount:
        """Give the account of a wallet a plan, making the account if there is none. A plan that changes is told to the
        account; the same plan again changes nothing.

        Raises:
            AccountError: the wallet is no address, or there is no such plan.
        """
        with _translated(), self._engine.begin() as connection:
            return _take_plan(connection, _wallet(wallet), plan)

    def list_accounts(self, wallet: str | None = None) -> list[KnownAccount]:
        """All accounts, or that of one wallet, oldest first."""
        today = datetime.now(UTC).date()
        used = (
            select(func.coalesce(func.sum(ApiUsage.used), 0).cast(BigInteger))
            .where(ApiUsage.account_id == Account.id, ApiUsage.day == today)
            .scalar_subquery()
        )
        query = select(Account.id, Account.wallet, Account.plan, used.label("used_today")).order_by(
            Account.created_at, Account.id
        )
        if wallet is not None:
            query = query.join(AccountWallet, AccountWallet.account_id == Account.id).where(
                AccountWallet.wallet == _wallet(wallet)
            )
        with _translated(), self._engine.connect() as connection:
            return [KnownAccount(**row) for row in connection.execute(query).mappings()]

    def close(self) -> None:
        """Let go of the store."""
        self._engine.dispose()

    def _one(self, key: str) -> UUID:
        matches = [known.id for known in self.list_keys() if key in (str(known.id), known.prefix)]
        if not matches:
            query = select(ApiKeyRecord.id).where(ApiKeyRecord.key_hash == hash_key(key))
            with _translated(), self._engine.connect() as connection:
                matches = list(connection.execute(query).scalars())
        if len(matches) != 1:
            raise AccountError(f"{len(matches) or 'no'} keys match; name one by the id that `keys list` shows")
        return matches[0]

    def _change(self, key_id: UUID, values: dict[str, object]) -> KnownKey:
        with _translated(), self._engine.begin() as connection:
            connection.execute(update(ApiKeyRecord).where(ApiKeyRecord.id == key_id).values(**values))
        return next(known for known in self.list_keys() if known.id == key_id)


def _take_plan(connection: Connection, wallet: str, plan: str | None) -> KnownAccount:
    """The account of a wallet, with the plan if one is given. What is told of a change is recorded with it: whoever
    asks for the same plan again changes nothing and tells nothing."""
    if plan is not None and plan not in PLANS:
        raise AccountError(f"plan: {plan!r} is not one of {', '.join(PLANS)}")
    connection.execute(_LOCK_WALLET, {"wallet": wallet})
    query = (
        select(Account.id, Account.wallet, Account.plan)
        .join(AccountWallet, AccountWallet.account_id == Account.id)
        .where(AccountWallet.wallet == wallet)
        .with_for_update(of=Account)
    )
    found = connection.execute(query).mappings().one_or_none()
    if found is None:
        made = insert(Account).values(wallet=wallet, plan=plan or DEFAULT_PLAN).returning(Account.id)
        return KnownAccount(connection.execute(made).scalar_one(), wallet, plan or DEFAULT_PLAN)
    account = KnownAccount(**found)
    if plan is None or plan == account.plan:
        return account
    connection.execute(update(Account).where(Account.id == account.id).values(plan=plan))
    rises = is_upgrade(account.plan, plan)
    change = SubscriptionUpgraded if rises else SubscriptionDowngraded
    event = change(wallet=checksum_address(account.wallet), previous_tier=account.plan, new_tier=plan)
    parameters = event_log.parameters([of_account(event, account.id, change=uuid4())])
    connection.exec_driver_sql(sql.load(event_log.STATEMENT), parameters)
    return KnownAccount(account.id, account.wallet, plan)


def _wallet(text: str) -> str:
    wallet = wallet_text(text)
    if wallet is None:
        raise AccountError(f"wallet: {text!r} is neither an EVM nor a Solana address")
    return wallet


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (OperationalError, InterfaceError) as error:
        raise StoreUnavailable(str(error.orig)) from error
