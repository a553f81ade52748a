"""Creating, listing and revoking API keys, and setting plans: what the ``keys`` and ``plans`` commands call.

A key's secret exists once, in the answer to its creation; the store keeps a hash.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Engine, create_engine, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.engine import make_url
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.pool import NullPool

from api.core.access import hash_key
from api.core.addresses import wallet_text
from api.models.account import PLANS, Account, ApiKeyRecord
from warehouse.errors import StoreUnavailable

_SECRET_BYTES = 32
_SHOWN_CHARACTERS = 8


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


class Accounts:
    """Accounts and keys of one store. Synchronous: for commands and fixtures, not for requests."""

    def __init__(self, database_url: str, *, key_prefix: str = "rgl") -> None:
        self.key_prefix = key_prefix
        self._engine: Engine = create_engine(
            make_url(database_url).set(drivername="postgresql+psycopg"), poolclass=NullPool
        )

    def create_key(self, wallet: str, plan: str, name: str = "default") -> NewKey:
        """Make a key for a wallet, and its account if it has none; an existing account takes the plan.

        Raises:
            AccountError: the wallet is no address, or there is no such plan.
        """
        owner = _wallet(wallet)
        secret = f"{self.key_prefix}_live_{secrets.token_urlsafe(_SECRET_BYTES)}"
        prefix = secret[: len(self.key_prefix) + len("_live_") + _SHOWN_CHARACTERS]
        with _translated(), self._engine.begin() as connection:
            account = insert(Account).values(wallet=owner, plan=_plan(plan))
            account_id = connection.execute(
                account.on_conflict_do_update(
                    index_elements=[Account.wallet], set_={"plan": account.excluded.plan}
                ).returning(Account.id)
            ).scalar_one()
            record = insert(ApiKeyRecord).values(
                account_id=account_id, name=name, prefix=prefix, key_hash=hash_key(secret)
            )
            key_id = connection.execute(record.returning(ApiKeyRecord.id)).scalar_one()
        return NewKey(id=key_id, key=secret, wallet=owner, plan=plan, name=name)

    def list_keys(self, wallet: str | None = None) -> list[KnownKey]:
        """All keys, or those of one wallet, oldest first."""
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
            query = query.where(Account.wallet == _wallet(wallet))
        with _translated(), self._engine.connect() as connection:
            return [KnownKey(**row) for row in connection.execute(query).mappings()]

    def revoke_key(self, key: str) -> KnownKey:
        """Revoke a key named by its id, its shown prefix or the whole secret; a revoked one stays revoked.

        Raises:
            AccountError: no key, or more than one, is meant.
        """
        matches = [known for known in self.list_keys() if key in (str(known.id), known.prefix)]
        if not matches:
            matches = self._of_secret(key)
        if len(matches) != 1:
            raise AccountError(f"{len(matches) or 'no'} keys match; name one by the id that `keys list` shows")
        with _translated(), self._engine.begin() as connection:
            connection.execute(
                update(ApiKeyRecord)
                .where(ApiKeyRecord.id == matches[0].id, ApiKeyRecord.revoked_at.is_(None))
                .values(revoked_at=func.now())
            )
        return next(known for known in self.list_keys() if known.id == matches[0].id)

    def set_plan(self, wallet: str, plan: str) -> None:
        """Give the wallet's account a plan, making the account if there is none.

        Raises:
            AccountError: the wallet is no address, or there is no such plan.
        """
        account = insert(Account).values(wallet=_wallet(wallet), plan=_plan(plan))
        with _translated(), self._engine.begin() as connection:
            connection.execute(
                account.on_conflict_do_update(index_elements=[Account.wallet], set_={"plan": account.excluded.plan})
            )

    def close(self) -> None:
        """Let go of the store."""
        self._engine.dispose()

    def _of_secret(self, secret: str) -> list[KnownKey]:
        with _translated(), self._engine.connect() as connection:
            found = connection.execute(
                select(ApiKeyRecord.id).where(ApiKeyRecord.key_hash == hash_key(secret))
            ).scalar_one_or_none()
        return [known for known in self.list_keys() if known.id == found]


def _wallet(text: str) -> str:
    wallet = wallet_text(text)
    if wallet is None:
        raise AccountError(f"wallet: {text!r} is neither an EVM nor a Solana address")
    return wallet


def _plan(plan: str) -> str:
    if plan not in PLANS:
        raise AccountError(f"plan: {plan!r} is not one of {', '.join(PLANS)}")
    return plan


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (OperationalError, InterfaceError) as error:
        raise StoreUnavailable(str(error.orig)) from error
