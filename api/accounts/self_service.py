"""Self-service of accounts: unlink wallets, read limits and usage."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

from api.accounts.errors import LastWallet, WalletNotLinked
from api.accounts.repository import DAY, AccountRepository, DayOfUse
from api.accounts.schemas import (
    AccountAnswer,
    AccountLimits,
    AccountWalletEntry,
    CallerUsage,
    DayUsage,
    UsageAnswer,
)
from api.clock import Clock
from api.limits.plans import Limits, PlanLimits
from api.outbound.destinations import Address
from api.security.api_keys import ApiKeys
from api.security.callers import Principal, WalletSession
from api.security.sessions import Sessions
from api.store import audit
from api.store.audit import Action, Actor
from warehouse.domain.addresses import checksum_address
from warehouse.domain.events.security import WalletUnlinked


@dataclass(frozen=True, slots=True)
class SelfService:
    """Steps of the account routes."""

    repository: AccountRepository
    limits: Limits
    keys: ApiKeys
    sessions: Sessions
    clock: Clock
    address: Address | None

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
        now, actor = self.clock.now(), Actor.of(session, self.address)
        async with self.repository.store.transaction() as transaction:
            linked = await self.repository.unlink_wallet(transaction, session.account_id, wallet, now)
            if linked is not None and linked != [wallet]:
                event = WalletUnlinked(**actor.members, unlinked_wallet=checksum_address(wallet))
                await audit.record(transaction, Action(session.account_id, actor, event, now))
        if linked is None:
            raise WalletNotLinked
        if linked == [wallet]:
            raise LastWallet
        # This process forgets at once; the store notifies the others.
        self.keys.forget_account(session.account_id)
        self.sessions.forget_account(session.account_id)
        return await self.account(session)

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
