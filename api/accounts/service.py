"""Creating, listing and revoking API keys, and setting plans: what the ``keys`` and ``plans`` commands call.

A key's secret exists once, in the answer to its creation; the store keeps a hash. Operators run commands, so the limits
of plans do not apply.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID, uuid4

from api.accounts.secret import new_secret
from api.http.addresses import wallet_text
from api.security.api_keys import hash_key
from warehouse import event_log, postgres
from warehouse.domain.addresses import checksum_address
from warehouse.domain.events.accounts import SubscriptionDowngraded, SubscriptionUpgraded
from warehouse.domain.events.event import of_account
from warehouse.domain.plans import DEFAULT_PLAN, PLANS, is_upgrade
from warehouse.postgres import Connection

MAX_NAME_LENGTH = 64


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

    def create_key(self, wallet: str, plan: str | None = None, name: str = "default") -> NewKey:
        """Make a key for the account of a wallet, and a free account if it has none; with a plan the account takes it.

        Raises:
            AccountError: the wallet is no address, there is no such plan, or the name is too long.
        """
        _check_name(name)
        secret = new_secret(self.key_prefix)
        with postgres.transaction(self._url) as connection:
            account = _take_plan(connection, _wallet(wallet), plan)
            key = {"account_id": account.id, "name": name, "prefix": secret.prefix, "key_hash": hash_key(secret.key)}
            made = postgres.run(connection, "accounts/add_key", {**key, "now": None})[0]
        return NewKey(id=made["id"], key=secret.key, wallet=account.wallet, plan=account.plan, name=name)

    def list_keys(self, wallet: str | None = None) -> list[KnownKey]:
        """All keys, or those of the account of one wallet, oldest first."""
        of_wallet = {"wallet": None if wallet is None else _wallet(wallet)}
        with postgres.transaction(self._url) as connection:
            return [KnownKey(**row) for row in postgres.run(connection, "accounts/list_all_keys", of_wallet)]

    def rename_key(self, key: str, name: str) -> KnownKey:
        """Rename a key; :meth:`revoke_key` says how to identify it.

        Raises:
            AccountError: no key or more than one matches, or the name is too long.
        """
        _check_name(name)
        return self._change(self._one(key), "accounts/rename_any_key", {"name": name})

    def revoke_key(self, key: str) -> KnownKey:
        """Revoke the key with this id, public prefix or whole secret. A revoked key stays revoked.

        Raises:
            AccountError: no key or more than one matches.
        """
        return self._change(self._one(key), "accounts/revoke_any_key", {})

    def set_plan(self, wallet: str, plan: str) -> KnownAccount:
        """Set the plan of a wallet's account, creating the account if needed. A change of plan records an event for the
        account; setting the same plan again changes nothing.

        Raises:
            AccountError: the wallet is not an address, or the plan does not exist.
        """
        with postgres.transaction(self._url) as connection:
            return _take_plan(connection, _wallet(wallet), plan)

    def list_accounts(self, wallet: str | None = None) -> list[KnownAccount]:
        """All accounts, or that of one wallet, oldest first."""
        wanted = {"wallet": None if wallet is None else _wallet(wallet), "day": datetime.now(UTC).date()}
        with postgres.transaction(self._url) as connection:
            return [KnownAccount(**row) for row in postgres.run(connection, "accounts/list_all", wanted)]

    def _one(self, key: str) -> UUID:
        matches = [known.id for known in self.list_keys() if key in (str(known.id), known.prefix)]
        if not matches:
            with postgres.transaction(self._url) as connection:
                found = postgres.run(connection, "accounts/find_key_by_hash", {"key_hash": hash_key(key)})
            matches = [row["id"] for row in found]
        if len(matches) != 1:
            raise AccountError(f"{len(matches) or 'no'} keys match; name one by the id that `keys list` shows")
        return matches[0]

    def _change(self, key_id: UUID, statement: str, values: dict[str, object]) -> KnownKey:
        with postgres.transaction(self._url) as connection:
            postgres.run(connection, statement, {**values, "id": key_id})
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
    parameters = event_log.parameters([of_account(event, account.id, change=uuid4())])
    postgres.run(connection, event_log.STATEMENT, parameters)
    return KnownAccount(account.id, account.wallet, plan)


def _check_name(name: str) -> None:
    if not 1 <= len(name) <= MAX_NAME_LENGTH or not name.isprintable():
        raise AccountError(f"name: must be 1 to {MAX_NAME_LENGTH} printable characters")


def _wallet(text: str) -> str:
    wallet = wallet_text(text)
    if wallet is None:
        raise AccountError(f"wallet: {text!r} is neither an EVM nor a Solana address")
    return wallet
