"""Wire shapes of the alert routes."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, StrictBool, StrictInt

from api.http import fields, members
from api.http.members import Count, Timestamp, Uuid, one_of
from api.http.rendering import Number, Wire
from warehouse.domain.alerts import (
    ALERT_TYPES,
    DEFAULT_COOLDOWN_MINUTES,
    DEFAULT_WINDOW_MINUTES,
    MAX_MINUTES,
    MIN_MINUTES,
    Operator,
)

_MOST = 10**30
_CREATE: Mapping[str, Any] = {
    "chainId": "eip155:8453",
    "tokenAddress": "0x6982508145454Ce325dDbE47a25d4ec3d2311933",
    "alertType": "price_change",
    "thresholdValue": 20,
    "thresholdOperator": "pct_drop",
    "timeWindowMinutes": 60,
}
TypeName = Annotated[str, one_of("AlertType", "What the rule watches.", ALERT_TYPES)]
OperatorName = Annotated[str, one_of("ThresholdOperator", "How a reading is compared with the threshold.", Operator)]
Threshold = Annotated[float, Field(strict=True, gt=0, lt=_MOST, allow_inf_nan=False)]
AlertChannel = Literal["inapp", "push", "email", "sms", "telegram", "discord"]
Channels = Annotated[list[AlertChannel], Field(min_length=1, max_length=6)]
Minutes = Annotated[StrictInt, Field(ge=MIN_MINUTES, le=MAX_MINUTES)]


class _Body(Wire):
    model_config = ConfigDict(extra="forbid")


class CreateAlertRule(_Body):
    """A rule on one token. Members that are not known are refused."""

    model_config = ConfigDict(json_schema_extra={"examples": [dict(_CREATE)]})

    chain_id: str = Field(description="The chain by CAIP-2, such as eip155:8453.", max_length=64)
    token_address: str = Field(
        description="The token's contract or mint.", max_length=64, json_schema_extra=fields.WALLET
    )
    alert_type: TypeName = Field(description="What the rule watches.")
    threshold_value: Threshold = Field(description="In the unit of the reading, or in percent.")
    threshold_operator: OperatorName = Field(
        description="`gt`, `lt`: the reading is greater or less than the threshold. `pct_drop`, `pct_spike`: it fell "
        "or rose by that many percent or more within the time window."
    )
    time_window_minutes: Minutes | None = Field(
        default=None, description=f"Default: {DEFAULT_WINDOW_MINUTES}, or a day where a type has daily readings."
    )
    cooldown_minutes: Minutes = Field(
        default=DEFAULT_COOLDOWN_MINUTES, description="The rule fires at most once in so many minutes."
    )
    enabled: StrictBool = Field(default=True, description="Whether it is evaluated.")
    channels: Channels = Field(
        default=["inapp"],
        description="How its owner is told; must include `inapp`. The others need a confirmed contact.",
    )


class UpdateAlertRule(_Body):
    """What to change of a rule; members that are left out stay as they are. Its token does not change."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"thresholdValue": 30, "cooldownMinutes": 120}]})

    alert_type: TypeName | None = Field(default=None, description="What the rule watches.")
    threshold_value: Threshold | None = Field(default=None, description="In the unit of the reading, or in percent.")
    threshold_operator: OperatorName | None = Field(default=None, description="How a reading is compared.")
    time_window_minutes: Minutes | None = Field(default=None, description="The time window.")
    cooldown_minutes: Minutes | None = Field(default=None, description="The rule fires at most once in this time.")
    enabled: StrictBool | None = Field(default=None, description="Whether it is evaluated.")
    channels: Channels | None = Field(default=None, description="How its owner is told; must include `inapp`.")


class AlertRule(Wire):
    """A rule."""

    id: Uuid = Field(description="Id of the rule.")
    wallet: members.Address = Field(description="The wallet that created it.")
    chain_id: members.Caip2 = Field(description="The chain by CAIP-2.")
    token_address: members.Address = Field(description="The token.")
    symbol: members.Symbol = Field(description="The token's symbol when the rule was created.")
    alert_type: TypeName
    threshold_value: Number = Field(description="In the unit of the reading, or in percent.")
    threshold_operator: OperatorName
    time_window_minutes: Count = Field(description="The time window.")
    cooldown_minutes: Count = Field(description="The rule fires at most once in so many minutes.")
    enabled: bool = Field(description="Whether its owner has it on.")
    channels: list[AlertChannel] = Field(description="How its owner is told of alerts and recoveries.")
    paused: bool = Field(
        description="It is on, but the account's plan does not cover it: the plan is too low for the type, or covers "
        "fewer rules and this is not among the oldest."
    )
    created_at: Timestamp = Field(description="When it was created.")
    updated_at: Timestamp = Field(description="When it was last changed.")


PreviewReason = Literal["no_history", "too_much_history", "unavailable"]


class AlertPreview(Wire):
    """What the rule would have done in the last 30 days, by the evaluation that also judges it from now on."""

    begin: Timestamp | None = Field(alias="from", description="The first moment; null if there is no preview.")
    end: Timestamp | None = Field(alias="to", description="The last moment: the newest that the chain's data reached.")
    moments: Count = Field(description="How many moments there were, one every 15 minutes.")
    judged: Count = Field(description="How many of them had readings; the others neither fire nor recover.")
    firings: Count | None = Field(description="How often it would have fired; null: it is not known.")
    fired_at: list[Timestamp] | None = Field(description="When, oldest first: the last 100 times; null: not known.")
    reason: PreviewReason | None = Field(
        default=None,
        description="Why there is no preview. `no_history`: no readings are kept. `too_much_history`: there are too "
        "many. `unavailable`: they could not be read now.",
    )

    @classmethod
    def without(cls, reason: PreviewReason) -> Self:
        """No preview, for a reason."""
        return cls(begin=None, end=None, moments=0, judged=0, firings=None, fired_at=None, reason=reason)


class AlertRuleData(Wire):
    """A rule."""

    rule: AlertRule = Field(description="The rule.")


class CreatedAlertRuleData(AlertRuleData):
    """A rule that was created."""

    preview: AlertPreview = Field(description="What it would have done in the last 30 days.")


class CreatedAlertRuleAnswer(Wire):
    """A rule that was created."""

    success: Literal[True] = Field(default=True, description="Always true.")
    data: CreatedAlertRuleData = Field(description="The rule, and what it would have done.")


class AlertPreviewData(Wire):
    """A preview."""

    preview: AlertPreview = Field(description="What the rule would have done in the last 30 days.")


class AlertPreviewAnswer(Wire):
    """The preview of a rule. Nothing was created."""

    success: Literal[True] = Field(default=True, description="Always true.")
    data: AlertPreviewData = Field(description="The preview.")


class AlertRuleAnswer(Wire):
    """A rule that was changed."""

    success: Literal[True] = Field(default=True, description="Always true.")
    data: AlertRuleData = Field(description="The rule.")


class AlertRuleList(Wire):
    """Rules, oldest first."""

    rules: list[AlertRule] = Field(description="The account's rules.")
    limit: Count = Field(description="How many rules the plan allows.")


class AlertRulesAnswer(Wire):
    """The account's rules."""

    success: Literal[True] = Field(default=True, description="Always true.")
    data: AlertRuleList = Field(description="The rules.")


class DeletedRule(Wire):
    """A rule that was deleted."""

    id: Uuid = Field(description="Id of the rule.")
    deleted: Literal[True] = Field(default=True, description="Always true.")


class DeletedRuleAnswer(Wire):
    """A rule that was deleted."""

    success: Literal[True] = Field(default=True, description="Always true.")
    data: DeletedRule = Field(description="The rule.")
