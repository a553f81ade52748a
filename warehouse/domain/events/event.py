"""The base class of events, and an event with what the log records about it."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, ClassVar, Literal, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, inspect

_ENCODE = msgspec.json.Encoder(decimal_format="number").encode
FieldType = Literal["string", "boolean", "integer", "number", "object", "string[]", "object[]"]
"""The JSON types of members."""
_JSON_TYPES: dict[type[inspect.Type], str] = {
    inspect.StrType: "string",
    inspect.BoolType: "boolean",
    inspect.IntType: "integer",
    inspect.DecimalType: "number",
    inspect.StructType: "object",
}


class Audience(StrEnum):
    """Who may receive an event."""

    SUBSCRIBERS = "subscribers"
    """Public facts: every subscription to the type whose filter matches."""
    ACCOUNT = "account"
    """Matters of one account: that account's subscriptions to the type, whatever their filter."""
    SERVICE = "service"
    """Recorded for the service and its operators: nobody can subscribe."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an event's ``data``. ``type`` is a JSON type; ``string[]`` and ``object[]`` are arrays."""

    name: str
    type: str
    description: str
    optional: bool
    example: Any


def member(description: str, example: Any = None, **schema: Any) -> Meta:
    """Describe a member, for use in ``Annotated``; ``schema`` is what its JSON schema says besides its type. A member
    that is a list of structs takes its example from them."""
    examples = None if example is None else [example]
    return Meta(description=description, examples=examples, extra_json_schema=schema or None)


def given(value: str | None) -> str | UnsetType:
    """The value of an optional member; None leaves it out."""
    return UNSET if value is None else value


class Event(Struct, frozen=True, kw_only=True):
    """An event; its fields are the members of ``data`` as receivers get them. The docstring of a class is the
    description that users read.

    Class attributes:
        type: the name that users subscribe to.
        once_per: what makes an event unique within its type: names of members, or of facts given when it is recorded.
        audience: who may receive it.
        plan: the lowest plan that may receive it, where it is higher than the plan webhooks need.
        produced: whether this version of the service records it.
    """

    type: ClassVar[str]
    once_per: ClassVar[tuple[str, ...]] = ()
    audience: ClassVar[Audience] = Audience.SUBSCRIBERS
    plan: ClassVar[str | None] = None
    produced: ClassVar[bool] = True

    @classmethod
    def description(cls) -> str:
        """What happened, in a sentence."""
        return " ".join((cls.__doc__ or "").split())

    @classmethod
    def members(cls) -> tuple[Member, ...]:
        """The members of ``data``, in the order in which they are documented."""
        return _members(cls)

    @classmethod
    def example(cls) -> Self:
        """The event with the example of every member."""
        return msgspec.convert({one.name: one.example for one in cls.members()}, cls)

    def data(self) -> bytes:
        """The event's ``data`` as JSON. Decimals keep their digits."""
        return _ENCODE(self)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An event as the log records it.

    Args:
        key: what is recorded under the same key again is the same event and is ignored.
        subject: the symbol, or whatever else the event is about.
        chain_id, token_id: the registration it is about; filters of subscriptions match them.
        account_id: the only account that may receive it; null: every subscriber.
        happened_at: unix seconds; null: the moment it is recorded.
    """

    event: Event
    key: str
    subject: str
    chain_id: int | None = None
    token_id: int | None = None
    account_id: UUID | None = None
    happened_at: int | None = None


def unique_key(event: Event, *scope: object, **facts: object) -> str:
    """The key of an event: its type, the scope it belongs to, and the values of ``once_per``."""
    parts = [facts[name] if name in facts else getattr(event, name) for name in event.once_per]
    return ":".join(map(str, (event.type, *scope, *parts)))


def of_account(event: Event, account_id: UUID, **facts: object) -> Occurrence:
    """An event for one account, recorded once for each account and combination of ``once_per``."""
    key = unique_key(event, account_id, **facts)
    return Occurrence(event, key, str(account_id), account_id=account_id)


@cache
def _members(cls: type[Event]) -> tuple[Member, ...]:
    described = inspect.type_info(cls)
    assert isinstance(described, inspect.StructType)  # noqa: S101 - an event is a struct
    return tuple(_member(field) for field in described.fields)


def _member(field: inspect.Field) -> Member:
    assert isinstance(field.type, inspect.Metadata)  # noqa: S101 - every member is annotated
    about = field.type.extra_json_schema or {}
    kind = field.type.type
    if isinstance(kind, inspect.VarTupleType):
        item = kind.item_type
        example = [_example_of(item)] if isinstance(item, inspect.StructType) else about["examples"][0]
        name = f"{_JSON_TYPES[type(item)]}[]"
    else:
        example, name = about["examples"][0], _JSON_TYPES[type(kind)]
    return Member(field.encode_name, name, about["description"], not field.required, example)


def _example_of(struct: inspect.StructType) -> dict[str, Any]:
    return {one.name: one.example for one in map(_member, struct.fields)}
