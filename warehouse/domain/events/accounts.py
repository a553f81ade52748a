"""An account's plan and its use of the API."""

from typing import Annotated, ClassVar

from warehouse.domain.events.event import Audience, Event, member
from warehouse.domain.events.examples import ADDRESS, WALLET
from warehouse.domain.plans import PLANS


class AccountEvent(Event, frozen=True, kw_only=True):
    """An event for one account."""

    audience: ClassVar[Audience] = Audience.ACCOUNT


class PlanChanged(AccountEvent, frozen=True, kw_only=True):
    """The account's plan changed."""

    once_per: ClassVar[tuple[str, ...]] = ("change",)
    wallet: Annotated[str, member("the account's first wallet", WALLET, **ADDRESS)]
    previous_tier: Annotated[str, member("the plan before", "developer", enum=list(PLANS))]
    new_tier: Annotated[str, member("the plan now", "partner", enum=list(PLANS))]


class SubscriptionUpgraded(PlanChanged, frozen=True, kw_only=True):
    """Your account's plan became a higher one."""

    type: ClassVar[str] = "subscription.upgraded"


class SubscriptionDowngraded(PlanChanged, frozen=True, kw_only=True):
    """Your account's plan became a lower one."""

    type: ClassVar[str] = "subscription.downgraded"


class QuotaCrossed(AccountEvent, frozen=True, kw_only=True):
    """The account's use of the API crossed a share of its daily quota."""

    once_per: ClassVar[tuple[str, ...]] = ("day", "percent")
    day: Annotated[str, member("the day in UTC, YYYY-MM-DD", "2026-11-21")]
    used: Annotated[int, member("requests counted that day", 8000)]
    limit: Annotated[int, member("requests the plan allows a day", 10000)]
    percent: Annotated[int, member("the share of the quota that was crossed", 80)]


class UsageThreshold(QuotaCrossed, frozen=True, kw_only=True):
    """Your API usage crossed 80 % or 90 % of the daily quota."""

    type: ClassVar[str] = "usage.threshold"


class QuotaWarning(QuotaCrossed, frozen=True, kw_only=True):
    """Your API usage crossed 80 % of the daily quota; at most once a day."""

    type: ClassVar[str] = "quota.threshold_warning"


class QuotaExceeded(QuotaCrossed, frozen=True, kw_only=True):
    """Your API usage crossed 90 % of the daily quota; at most once a day."""

    type: ClassVar[str] = "quota.exceeded"
