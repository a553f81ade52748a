"""Self-service of accounts: make, rename and revoke keys, read limits and usage."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

from api.accounts.errors import KeyLimit, KeyNotFound, KeyRevoked, LastWallet, WalletNotLinked
from api.accounts.repository import DAY, AccountRepository, ApiKey, DayOfUse
from api.accounts.schemas import (
    AccountAnswer,
    AccountLimits,
    AccountWalletEntry,
    ApiKeyEntry,
    ApiKeyList,
    CallerUsage,
    DayUsage,
    NewApiKey,
    UsageAnswer,
)
from api.accounts.secret import new_secret
from api.clock import Clock
from api.http.errors import TooManyRequests
from api.limits.plans import Limits, PlanLimits
from api.security.api_keys import ApiKeys, hash_key
from api.security.callers import Principal, WalletSession
from api.security.sessions import Sessions
from warehouse.domain.addresses import checksum_address


@dataclass(frozen=True, slots=True)
class SelfService:
    """Steps of the account routes."""

    repository: AccountRepository
    limits: Limits
    keys: ApiKeys
    sessions: Sessions
    clock: Clock
    key_prefix: str

    async def account(self, principal: Principal) -> AccountAnswer:
        """The account behind a credential."""
        account = await self.repository.account(principal.account_id)
        wallets = await self.repository.wallets(principal.account_id)
        return AccountAnswer(
            id=account.id,
            plan=account.plan,
            created_at=account.created_at,
            wallets=[AccountWalletEntry(**{**asdict(row), "wallet": checksum_address(row.wallet)}) for row in wallets],
            limits=_limits(self.limits.plans[account.plan]),
        )

    async def unlink_wallet(self, session: WalletSession, wallet: str) -> AccountAnswer:
        """Remove a wallet from the account. The account keeps its other wallets; the removed wallet gets a new account
        when it signs in again.

        Raises:
            WalletNotLinked: the account has no such wallet.
            ApiError: 409, it is the only one.
        """
        async with self.repository.store.transaction() as transaction:
            linked = await self.repository.unlink_wallet(transaction, session.account_id, wallet, self.clock.now())
        if linked is None:
            raise WalletNotLinked
        if linked == [wallet]:
            raise LastWallet
        # This process forgets at once; the store notifies the others.
        self.keys.forget_account(session.account_id)
        self.sessions.forget_account(session.account_id)
        return await self.account(session)

    async def list_keys(self, session: WalletSession) -> ApiKeyList:
        """The account's keys."""
        rows = await self.repository.keys(session.account_id, self.clock.now())
        return ApiKeyList(keys=[ApiKeyEntry(**asdict(row)) for row in rows], limit=self.limits.plans[session.plan].keys)

    async def create_key(self, session: WalletSession, name: str) -> NewApiKey:
        """Make a key. If the answer is lost, so is the secret; the key is in the list and can be revoked there.

        Raises:
            Forbidden: the account has as many keys as its plan allows.
            TooManyRequests: it made as many within a day as its plan allows.
        """
        secret, now = new_secret(self.key_prefix), self.clock.now()
        store = self.repository.store
        async with store.transaction() as transaction:
            plan = await self.repository.lock(transaction, session.account_id)
            limits = self.limits.plans[plan]
            counts = await self.repository.counts(transaction, session.account_id, now, limits.new_keys)
            if counts.active >= limits.keys:
                raise KeyLimit(
                    f"plan {plan} allows {limits.keys} API keys, this account has {counts.active}",
                    details={"plan": plan, "limit": limits.keys},
                )
            if counts.nth_newest_at is not None:
                wait = counts.nth_newest_at + DAY - now
                raise TooManyRequests(f"plan {plan} allows {limits.new_keys} new API keys a day", wait.total_seconds())
            row = await self.repository.add_key(
                transaction,
                session.account_id,
                name=name,
                prefix=secret.prefix,
                key_hash=hash_key(secret.key),
                now=now,
            )
        return NewApiKey(**asdict(row), key=secret.key)

    async def rename_key(self, session: WalletSession, key_id: UUID, name: str) -> ApiKeyEntry:
        """Rename a key.

        Raises:
            KeyNotFound: the account has no such key.
            ApiError: 409, the key is revoked.
        """
        renamed = _entry(await self.repository.rename_key(session.account_id, key_id, name))
        if renamed.revoked_at is not None:
            raise KeyRevoked
        return renamed

    async def revoke_key(self, session: WalletSession, key_id: UUID) -> ApiKeyEntry:
        """Revoke a key. A revoked key stays as it is.

        Raises:
            KeyNotFound: the account has no such key.
        """
        revoked = _entry(await self.repository.revoke_key(session.account_id, key_id, self.clock.now()))
        self.keys.forget_key(key_id)  # the store notifies other processes
        return revoked

    async def usage(self, principal: Principal, days: int) -> UsageAnswer:
        """The account's usage in the last ``days`` days, including today."""
        today = self.clock.now().astimezone(UTC).date()
        account = await self.repository.account(principal.account_id)
        limits = self.limits.plans[account.plan]
        rows = await self.repository.usage(principal.account_id, today - timedelta(days=days - 1))
        return UsageAnswer(
            day=today,
            resets_at=datetime.combine(today + DAY, time(), UTC),
            plan=account.plan,
            limits=_limits(limits),
            callers=[_caller(row, principal.account_id, limits) for row in rows if row.day == today],
            days=_by_day(rows),
        )


def _limits(limits: PlanLimits) -> AccountLimits:
    return AccountLimits(
        requests_per_second=limits.per_second,
        burst=limits.burst,
        requests_per_day=limits.per_day,
        keys=limits.keys,
        new_keys_per_day=limits.new_keys,
    )


def _entry(row: ApiKey | None) -> ApiKeyEntry:
    if row is None:
        raise KeyNotFound
    return ApiKeyEntry(**asdict(row))


def _caller(row: DayOfUse, account_id: UUID, limits: PlanLimits) -> CallerUsage:
    by_session = row.subject == account_id
    return CallerUsage(
        kind="sessions" if by_session else "key",
        key_id=None if by_session else row.subject,
        name=row.name,
        prefix=row.prefix,
        used=row.used,
        remaining=max(0, limits.per_day - row.used),
    )


def _by_day(rows: Iterable[DayOfUse]) -> list[DayUsage]:
    sums: dict[date, int] = {}
    for row in rows:
        sums[row.day] = sums.get(row.day, 0) + row.used
    return [DayUsage(day=day, used=used) for day, used in sums.items()]
