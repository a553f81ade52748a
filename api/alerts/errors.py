"""Refusals of alert rules."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from pydantic import Field

from api.http.errors import ApiError, Conflict, Forbidden, NotFound, TooManyRequests, Unavailable
from api.http.members import Count, PlanName, Uri
from api.http.rendering import Wire
from warehouse.domain.alerts import FEEDS_OF_PLAN, RULES_OF_PLAN, AlertType
from warehouse.domain.plans import DEFAULT_PLAN

_UPGRADE = "https://example.com/pricing"


class UpgradeNeeded(Wire):
    """The plan that is needed, and where to get it."""

    required_plan: PlanName = Field(description="The lowest plan that includes it.")
    plan: PlanName = Field(description="The plan of the account.")
    upgrade_url: Uri = Field(alias="upgrade_url", description="Where plans are changed.")


class RulesOfPlan(Wire):
    """How many a plan allows, and where to get another plan."""

    plan: PlanName = Field(description="The plan of the account.")
    limit: Count = Field(description="How many it allows.")
    upgrade_url: Uri = Field(alias="upgrade_url", description="Where plans are changed.")


class RuleRefused(ApiError):
    """A rule that could never fire."""

    status = 400


class InvalidAlertType(RuleRefused):
    """The catalogue has no such type of alert."""

    code = "INVALID_ALERT_TYPE"
    text = "invalid alertType: must be one of heartbeat_score, price_change"

    @classmethod
    def of(cls, accepted: Iterable[str]) -> Self:
        """The error that names the types."""
        return cls(f"invalid alertType: must be one of {', '.join(accepted)}")


class InvalidThresholdOperator(RuleRefused):
    """There is no such operator, or the type of alert refuses it."""

    code = "INVALID_THRESHOLD_OPERATOR"
    text = "invalid thresholdOperator: top10_concentration accepts gt, pct_spike"

    @classmethod
    def of(cls, type: AlertType) -> Self:
        """The error that names the type's operators."""
        return cls(f"invalid thresholdOperator: {type.name} accepts {', '.join(type.operators)}")


class ThresholdOutOfReach(RuleRefused):
    """No reading can reach the threshold."""

    code = "THRESHOLD_OUT_OF_REACH"
    text = "thresholdValue: no reading of heartbeat_score can be greater than 100"


class ChainUnsupported(RuleRefused):
    """The alert type has no data source on that chain."""

    code = "chain_unsupported"
    text = "chainId: heartbeat_score has no data source on this chain"


class TokenNotIndexed(RuleRefused):
    """The token is not indexed, so it has no readings."""

    code = "TOKEN_NOT_INDEXED"
    text = "tokenAddress: this token is not indexed on the chain"


class CrownRequired(RuleRefused):
    """The alert type needs a registration, and the token has none."""

    code = "crown_required"
    text = "tokenAddress: heartbeat_score needs a registration on the token"


class TierRequired(Forbidden):
    """The account's plan does not include the type of alert."""

    code = "TIER_REQUIRED"
    text = "Tier subscription required: price_change needs plan pro or higher"
    details_schema = UpgradeNeeded
    example_details: ClassVar[Mapping[str, Any]] = {"requiredPlan": "pro", "plan": "free", "upgrade_url": _UPGRADE}

    @classmethod
    def of(cls, type: AlertType, plan: str, upgrade_url: str) -> Self:
        """The error that names the plan."""
        message = f"Tier subscription required: {type.name} needs plan {type.plan} or higher"
        return cls(message, details={"requiredPlan": type.plan, "plan": plan, "upgrade_url": upgrade_url})


class RuleLimit(Forbidden):
    """The account has as many rules as its plan allows."""

    code = "RULE_LIMIT"
    text = "Free tier limited to 3 alert rules"
    details_schema = RulesOfPlan
    example_details: ClassVar[Mapping[str, Any]] = {"plan": "free", "limit": 3, "upgrade_url": _UPGRADE}

    @classmethod
    def of(cls, plan: str, upgrade_url: str) -> Self:
        """The error that names the number."""
        limit = RULES_OF_PLAN[plan]
        whose = "Free tier" if plan == DEFAULT_PLAN else f"{plan} plan"
        details = {"plan": plan, "limit": limit, "upgrade_url": upgrade_url}
        return cls(f"{whose} limited to {limit} alert rules", details=details)


class FeedLimit(Forbidden):
    """The account has as many feeds as its plan allows."""

    code = "FEED_LIMIT"
    text = "free plan limited to 1 feeds"
    details_schema = RulesOfPlan
    example_details: ClassVar[Mapping[str, Any]] = {"plan": "free", "limit": 1, "upgrade_url": _UPGRADE}

    @classmethod
    def of(cls, plan: str, upgrade_url: str) -> Self:
        """The error that names the number."""
        limit = FEEDS_OF_PLAN[plan]
        details = {"plan": plan, "limit": limit, "upgrade_url": upgrade_url}
        return cls(f"{plan} plan limited to {limit} feeds", details=details)


class TooManyStreams(TooManyRequests):
    """The account has as many streams open as it may have."""

    code = "TOO_MANY_STREAMS"
    text = "too many streams are open for this account"


class NoSuchFeed(NotFound):
    """The account has no feed with this id."""

    text = "this account has no such feed"


class TokenUnchecked(Unavailable):
    """The token and its registration could not be looked up."""

    text = "could not check this token's page, nothing was created; try again"


class RulesUncounted(Unavailable):
    """The account's rules could not be counted."""

    text = "could not check how many rules you have; try again"


class RuleBeingCreated(Unavailable):
    """Another request of the account is creating a rule."""

    code = "RULE_BEING_CREATED"
    text = "another rule from this wallet is still being created, nothing was created; try again"


class NoSuchRule(NotFound):
    """The account has no rule with this id."""

    text = "this account has no such alert rule"


class NoSuchAlert(NotFound):
    """The account has no alert with this id."""

    text = "this account has no such alert"


class AlertIsResolved(Conflict):
    """A resolved alert is not acknowledged."""

    code = "ALERT_RESOLVED"
    text = "the alert is resolved"
