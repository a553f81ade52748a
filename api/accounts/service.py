"""Creating, listing and revoking API keys, and setting plans: what the ``keys`` and ``plans`` commands call.

A key's secret exists once, in the answer to its creation; the store keeps a hash. Operators run commands, so the limits
of plans do not apply.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from api.http.addresses import wallet_text
from api.http.errors import InvalidInput
from api.keys.described import key_members, rights_members
from api.keys.rules import MAX_NAME_LENGTH, read_networks
from api.keys.secret import new_secret
from api.outbound.destinations import Network
from api.security.api_keys import hash_key
from api.security.scopes import KeyScope
from api.store import audit
from api.store.audit import OPERATOR, Action
from warehouse import event_log, postgres
from warehouse.domain.addresses import checksum_address
from warehouse.domain.events.accounts import SubscriptionDowngraded, SubscriptionUpgraded
from warehouse.domain.events.communities import AutofixFailed
from warehouse.domain.events.event import of_account
from warehouse.domain.events.security import KeyCreated, KeyRevoked, KeyUpdated
from warehouse.domain.plans import DEFAULT_PLAN, PLANS, is_upgrade
from warehouse.postgres import Connection


class AccountError(ValueError):
    """The command cannot be done; the message says why."""


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
    scopes: Sequence[str] | None
    allowed_addresses: Sequence[Network] | None
    expires_at: datetime | None
    account_id: UUID


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
        self._url = database_url

    def create_key(
        self,
        wallet: str,
        plan: str | None = None,
        name: str = "default",
        *,
        scopes: Sequence[str] | None = None,
        addresses: Sequence[str] | None = None,
        expires_days: float | None = None,
    ) -> NewKey:
        """Make a key for the account of a wallet, and a free account if it has none; with a plan the account takes it.

        Args:
            scopes: what the key may do; None: what keys without a list may do.
            addresses: networks that it may be used from; None: anywhere.
            expires_days: None: it does not expire.

        Raises:
            AccountError: the wallet is no address, or there is no such plan, scope or network, or the name is too long.
        """
        _check_name(name)
        secret, now = new_secret(self.key_prefix), datetime.now(UTC)
        with postgres.transaction(self._url) as connection:
            account = _take_plan(connection, _wallet(wallet), plan)
            key = {
                "account_id": account.id,
                "name": name,
                "prefix": secret.prefix,
                "key_hash": hash_key(secret.key),
                "now": now,
                "scopes": _scopes(scopes),
                "allowed_addresses": _networks(addresses),
                "expires_at": None if expires_days is None else now + timedelta(days=expires_days),
                **dict.fromkeys(("quota_of", "idempotency_key", "request_hash")),
            }
            made = postgres.run(connection, "keys/add", key)[0]
            event = KeyCreated(
                **key_members(OPERATOR, made["id"], name, secret.prefix),
                **rights_members(made["scopes"], made["allowed_addresses"], made["expires_at"]),
            )
            audit.record_now(connection, Action(account.id, OPERATOR, event, now, made["id"]))
        return NewKey(id=made["id"], key=secret.key, wallet=account.wallet, plan=account.plan, name=name)

    def list_keys(self, wallet: str | None = None) -> list[KnownKey]:
        """All keys, or those of the account of one wallet, oldest first."""
        of_wallet = {"wallet": None if wallet is None else _wallet(wallet)}
        with postgres.transaction(self._url) as connection:
            return [KnownKey(**row) for row in postgres.run(connection, "keys/list_all", of_wallet)]

    def rename_key(self, key: str, name: str) -> KnownKey:
        """Rename a key; :meth:`revoke_key` says how to identify it.

        Raises:
            AccountError: no key or more than one matches, or the name is too long.
        """
        _check_name(name)
        known, now = self._one(key), datetime.now(UTC)
        with postgres.transaction(self._url) as connection:
            postgres.run(connection, "keys/rename_any", {"id": known.id, "name": name})
            event = KeyUpdated(
                **key_members(OPERATOR, known.id, name, known.prefix),
                **rights_members(known.scopes, known.allowed_addresses, known.expires_at),
                updated_fields=("name",),
            )
            audit.record_now(connection, Action(known.account_id, OPERATOR, event, now, known.id))
        return self._again(known.id)

    def revoke_key(self, key: str) -> KnownKey:
        """Revoke the key with this id, public prefix or whole secret. A revoked key stays revoked.

        Raises:
            AccountError: no key or more than one matches.
        """
        known, now = self._one(key), datetime.now(UTC)
        with postgres.transaction(self._url) as connection:
            if postgres.execute(connection, "keys/revoke_any", {"id": known.id, "now": now}):
                event = KeyRevoked(**key_members(OPERATOR, known.id, known.name, known.prefix))
                audit.record_now(connection, Action(known.account_id, OPERATOR, event, now, known.id))
        return self._again(known.id)

    def set_plan(self, wallet: str, plan: str) -> KnownAccount:
        """Set the plan of a wallet's account, creating the account if needed. A change of plan records an event for the
        account; setting the same plan again changes nothing.

        Raises:
            AccountError: the wallet is not an address, or the plan does not exist.
        """
        with postgres.transaction(self._url) as connection:
            return _take_plan(connection, _wallet(wallet), plan)

    def record_failed_autofix(self, wallet: str, *, app: str, run: str, message: str) -> bool:
        """Record that an automatic fix of an account's app failed; whether the run was not recorded before.

        Raises:
            AccountError: no account has the wallet.
        """
        found = self.list_accounts(wallet)
        if not found:
            raise AccountError(f"wallet: no account has {wallet}")
        occurrence = of_account(AutofixFailed(app=app, run=run, message=message), found[0].id)
        with postgres.transaction(self._url) as connection:
            return bool(postgres.run(connection, event_log.STATEMENT, event_log.parameters([occurrence])))

    def list_accounts(self, wallet: str | None = None) -> list[KnownAccount]:
        """All accounts, or that of one wallet, oldest first."""
        wanted = {"wallet": None if wallet is None else _wallet(wallet), "day": datetime.now(UTC).date()}
        with postgres.transaction(self._url) as connection:
            return [KnownAccount(**row) for row in postgres.run(connection, "accounts/list_all", wanted)]

    def _one(self, key: str) -> KnownKey:
        keys = self.list_keys()
        matches = [known for known in keys if key in (str(known.id), known.prefix)]
        if not matches:
            with postgres.transaction(self._url) as connection:
                found = postgres.run(connection, "keys/find_by_hash", {"key_hash": hash_key(key)})
            ids = {row["id"] for row in found}
            matches = [known for known in keys if known.id in ids]
        if len(matches) != 1:
            raise AccountError(f"{len(matches) or 'no'} keys match; name one by the id that `keys list` shows")
        return matches[0]

    def _again(self, key_id: UUID) -> KnownKey:
        return next(known for known in self.list_keys() if known.id == key_id)


def _take_plan(connection: Connection, wallet: str, plan: str | None) -> KnownAccount:
    """The account of a wallet, with the plan if one is given. A change is recorded as an event in the same
    transaction; the same plan again changes and records nothing."""
    if plan is not None and plan not in PLANS:
        raise AccountError(f"plan: {plan!r} is not one of {', '.join(PLANS)}")
    postgres.run(connection, "accounts/lock_wallet", {"wallet": wallet})
    found = postgres.run(connection, "accounts/lock_by_wallet", {"wallet": wallet})
    if not found:
        plan = plan or DEFAULT_PLAN
        made = postgres.run(connection, "accounts/add", {"wallet": wallet, "plan": plan})[0]
        return KnownAccount(made["id"], wallet, plan)
    account = KnownAccount(**found[0])
    if plan is None or plan == account.plan:
        return account
    postgres.run(connection, "accounts/set_plan", {"id": account.id, "plan": plan})
    rises = is_upgrade(account.plan, plan)
    change = SubscriptionUpgraded if rises else SubscriptionDowngraded
    event = change(wallet=checksum_address(account.wallet), previous_tier=account.plan, new_tier=plan)
    audit.record_now(connection, Action(account.id, OPERATOR, event, datetime.now(UTC)))
    return KnownAccount(account.id, account.wallet, plan)


def _scopes(names: Sequence[str] | None) -> list[str] | None:
    if not names:
        return None
    for name in names:
        if name not in list(KeyScope):
            raise AccountError(f"scope: {name!r} is not one of {', '.join(KeyScope)}")
    return sorted(set(names))


def _networks(texts: Sequence[str] | None) -> list[Network] | None:
    try:
        return read_networks(texts or None)
    except InvalidInput as error:
        raise AccountError(str(error)) from error


def _check_name(name: str) -> None:
    if not 1 <= len(name) <= MAX_NAME_LENGTH or not name.isprintable():
        raise AccountError(f"name: must be 1 to {MAX_NAME_LENGTH} printable characters")


def _wallet(text: str) -> str:
    wallet = wallet_text(text)
    if wallet is None:
        raise AccountError(f"wallet: {text!r} is neither an EVM nor a Solana address")
    return wallet
