"""Wire shapes of the routes of keys."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BeforeValidator, ConfigDict, Field, StrictInt
from pydantic.alias_generators import to_camel

from api.http.members import Count, Timestamp
from api.http.rendering import Wire
from api.keys.rules import MAX_NAME_LENGTH, MAX_NETWORKS
from api.security.scopes import KeyScope

DEFAULT_GRACE_SECONDS = 24 * 3600


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
Scopes = Annotated[
    list[KeyScope] | None,
    Field(
        min_length=1,
        max_length=len(KeyScope),
        description="What the key may do; null: all except audit. Each operation names the scope that it needs.",
    ),
]
Networks = Annotated[
    list[str] | None,
    Field(
        min_length=1,
        max_length=MAX_NETWORKS,
        description="Networks in CIDR notation, or addresses, IPv4 or IPv6, that the key may be used from; null: "
        "anywhere.",
    ),
]
Expiry = Annotated[
    Timestamp | None,
    Field(
        description="When the key expires, ISO 8601; null: as late as the service allows, which may be never.",
    ),
]


def _body(**example: Any) -> ConfigDict:
    # Unknown members are refused: a key whose restriction is misspelt would be unrestricted.
    return ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        frozen=True,
        extra="forbid",
        json_schema_extra={"examples": [example]},
    )


class CreateKey(Wire):
    """A new key."""

    model_config = _body(
        name="build server",
        scopes=["read", "claim"],
        allowedAddresses=["203.0.113.0/24", "2001:db8::/48"],
        expiresAt="2026-12-31T00:00:00Z",
    )
    name: KeyName
    scopes: Scopes = None
    allowed_addresses: Networks = None
    expires_at: Expiry = None


class UpdateKey(Wire):
    """What to change of a key; members that are left out stay as they are."""

    model_config = _body(name="build server", scopes=["read"], allowedAddresses=None)
    name: KeyName | None = None
    scopes: Scopes = None
    allowed_addresses: Networks = None
    expires_at: Expiry = None


class RollKey(Wire):
    """How a key is replaced."""

    model_config = _body(graceSeconds=86_400)
    grace_seconds: StrictInt = Field(
        default=DEFAULT_GRACE_SECONDS,
        ge=0,
        description="How long the old key still works; 0 revokes it at once. A day by default.",
    )
    expires_at: Expiry = None


class ApiKeyEntry(Wire):
    """An API key, without its secret."""

    id: UUID = Field(description="Id of the key.")
    name: str = Field(description="What its owner calls it.")
    prefix: str = Field(description="How the key begins.")
    created_at: datetime = Field(description="When it was made, ISO 8601 in UTC.")
    last_used_at: datetime | None = Field(description="To within half a minute; null: never.")
    revoked_at: datetime | None = Field(description="When it was revoked, ISO 8601 in UTC; null: it is not.")
    scopes: list[KeyScope] | None = Field(description="What it may do; null: all except audit.")
    allowed_addresses: list[str] | None = Field(description="The networks it may be used from; null: anywhere.")
    expires_at: datetime | None = Field(description="When it expires, or expired; null: never.")
    replaced_by: UUID | None = Field(description="The key that it was rolled to; it works until it expires.")


class NewApiKey(ApiKeyEntry):
    """An API key just made."""

    key: str = Field(description="The key. It is not shown again.")


class RolledApiKey(NewApiKey):
    """An API key that replaces another."""

    previous: ApiKeyEntry = Field(description="The replaced key, which works until its `expiresAt`.")


class ApiKeyList(Wire):
    """An account's keys."""

    keys: list[ApiKeyEntry] = Field(description="Oldest first; revoked and expired ones for 90 days.")
    limit: Count = Field(description="Keys that the plan allows at a time.")
