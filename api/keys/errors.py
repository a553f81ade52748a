"""Refusals of the routes of keys."""

from collections.abc import Mapping
from typing import Any, ClassVar
from uuid import UUID

from pydantic import Field

from api.http.errors import Conflict, Forbidden, NotFound
from api.http.rendering import Wire
from api.limits.schemas import PlanLimit


class Replacement(Wire):
    """The key that a key was rolled to."""

    replaced_by: UUID = Field(description="Id of the new key.")


class KeyLimit(Forbidden):
    """The account has as many API keys as its plan allows."""

    code = "KEY_LIMIT"
    text = "plan free allows 2 API keys, this account has 2"
    details_schema = PlanLimit
    example_details: ClassVar[Mapping[str, Any]] = {"plan": "free", "limit": 2}


class KeyRevoked(Conflict):
    """A revoked key is not changed any more."""

    text = "the key is revoked and cannot be changed"


class KeyHasExpired(Conflict):
    """An expired key is not changed any more, so it cannot be made valid again."""

    code = "KEY_EXPIRED"
    text = "the key has expired and cannot be changed; make a new one"


class KeyReplaced(Conflict):
    """A rolled key works until its grace period ends, and can only be revoked before."""

    code = "KEY_REPLACED"
    text = "the key was rolled; change its replacement"
    details_schema = Replacement
    example_details: ClassVar[Mapping[str, Any]] = {"replacedBy": "01980a5e-7c00-7000-8000-000000000003"}

    def __init__(self, replaced_by: UUID) -> None:
        super().__init__(details={"replacedBy": str(replaced_by)})


class KeyNotFound(NotFound):
    """The account has no API key of this id."""

    text = "id: this account has no such API key"
