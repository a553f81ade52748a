"""Wire shapes of the account routes."""

from datetime import date, datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from api.accounts.service import MAX_NAME_LENGTH
from api.http.members import Address, ChainNumber, Count, PlanName
from api.http.rendering import Wire


def _name(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError("must be text")
    if not 1 <= len(value) <= MAX_NAME_LENGTH or not value.isprintable() or value.isspace():
        raise ValueError(f"must be 1 to {MAX_NAME_LENGTH} printable characters")
    return value


KeyName = Annotated[
    str,
    BeforeValidator(_name),
    Field(min_length=1, max_length=MAX_NAME_LENGTH, description="Distinguishes keys."),
]


class NameRequest(Wire):
    """The name of a key."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        frozen=True,
        json_schema_extra={"examples": [{"name": "build server"}]},
    )
    name: KeyName


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


class ApiKeyEntry(Wire):
    """An API key, without its secret."""

    id: UUID = Field(description="Id of the key.")
    name: str = Field(description="What its owner calls it.")
    prefix: str = Field(description="How the key begins.")
    created_at: datetime = Field(description="When it was made, ISO 8601 in UTC.")
    last_used_at: datetime | None = Field(description="To within half a minute; null: never.")
    revoked_at: datetime | None = Field(description="When it was revoked, ISO 8601 in UTC; null while it is valid.")


class NewApiKey(ApiKeyEntry):
    """An API key just made."""

    key: str = Field(description="The key. It is not shown again.")


class ApiKeyList(Wire):
    """An account's keys."""

    keys: list[ApiKeyEntry] = Field(description="Oldest first; revoked ones for 90 days.")
    limit: Count = Field(description="Keys that the plan allows at a time.")


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
