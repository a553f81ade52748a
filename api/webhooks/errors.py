"""Errors of webhooks."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from api.http.errors import Conflict, Forbidden, NotFound
from api.limits.schemas import PlanLimit


class NoSuchWebhook(NotFound):
    """The account has no webhook with this id."""

    text = "this account has no such webhook"


class NoSuchDelivery(NotFound):
    """The webhook has no delivery with this id."""

    text = "this webhook has no such delivery"


class WebhookLimit(Forbidden):
    """The account has as many webhooks as its plan allows."""

    code = "WEBHOOK_LIMIT"
    text = "plan developer allows 5 webhooks, this account has 5"
    details_schema = PlanLimit
    example_details: ClassVar[Mapping[str, Any]] = {"plan": "developer", "limit": 5}

    @classmethod
    def of(cls, plan: str, limit: int, others: int) -> Self:
        """The error for an account of a plan."""
        message = f"plan {plan} allows {limit} webhooks, this account has {others}"
        return cls(message, details={"plan": plan, "limit": limit})


class WebhookIsDisabled(Conflict):
    """Events are replayed only to active webhooks."""

    text = "the webhook is disabled; reactivate it first"


class TestNotReplayed(Conflict):
    """Test events are not in the log."""

    text = "a test is not replayed; send another one"
