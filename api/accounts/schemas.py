"""Wire shapes of the account routes."""

from datetime import date, datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from api.http.members import Address, ChainNumber, Count, PlanName
from api.http.rendering import Wire


class AccountLimits(Wire):
    """What the plan allows: of each key, and of all sessions together; and how many keys there may be."""

    requests_per_second: Count = Field(description="Requests per second, on average.")
    burst: Count = Field(description="Requests at once, after a pause.")
    requests_per_day: Count = Field(description="From 00:00 to 24:00 UTC.")
    keys: Count = Field(description="Keys at a time.")
    new_keys_per_day: Count = Field(description="Keys made within any 24 hours, revoked ones included.")


class AccountWalletEntry(Wire):
    """A wallet that may sign in to the account."""

    wallet: Address = Field(description="The wallet.")
    linked_at: datetime = Field(description="When it was linked to the account, ISO 8601 in UTC.")
    chain_id: ChainNumber | None = Field(
        description="The chain that a contract wallet signs in on, and counts on; null for one that signs with its "
        "key, and for one that has not signed in yet."
    )


class AccountAnswer(Wire):
    """An account."""

    id: UUID = Field(description="Id of the account.")
    plan: PlanName = Field(description="The plan of the account.")
    created_at: datetime = Field(description="When it was made, ISO 8601 in UTC.")
    wallets: list[AccountWalletEntry] = Field(description="The first one first.")
    limits: AccountLimits = Field(description="What the plan allows.")


class CallerUsage(Wire):
    """What one key, or all sessions together, used today."""

    kind: Literal["key", "sessions"] = Field(description="A key, or all sessions together.")
    key_id: UUID | None = Field(description="Null for sessions.")
    name: str | None = Field(description="Name of the key; null for sessions.")
    prefix: str | None = Field(description="How the key begins; null for sessions.")
    used: Count = Field(description="Requests counted today.")
    remaining: Count = Field(description="Requests that are left today.")


class DayUsage(Wire):
    """What an account used on a day, all callers together."""

    day: date = Field(description="The day, in UTC.")
    used: Count = Field(description="Requests counted on that day.")


class UsageAnswer(Wire):
    """What an account used of its quotas."""

    day: date = Field(description="Today, in UTC.")
    resets_at: datetime = Field(description="When the quotas are renewed.")
    plan: PlanName = Field(description="The plan of the account.")
    limits: AccountLimits = Field(description="What the plan allows.")
    callers: list[CallerUsage] = Field(description="Who asked today; each has a quota of its own.")
    days: list[DayUsage] = Field(description="Days on which something was used, oldest first.")
