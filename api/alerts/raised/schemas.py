"""Wire shapes of alerts. Members are named as the specification has them: in lower case with underscores."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from api.alerts.schemas import OperatorName, TypeName
from api.http import members
from api.http.members import Count, Omittable, Timestamp, Uri, Uuid, one_of
from api.http.rendering import Number, Wire
from warehouse.domain.alerts import Severity

MAX_IDS = 100
Status = Literal["active", "acknowledged", "resolved"]
ResolvedReason = Literal["manual", "auto_recovered"]
SeverityName = Annotated[str, one_of("AlertSeverity", "How urgent it is.", Severity)]


class Snake(Wire):
    """Base of these shapes."""

    model_config = ConfigDict(alias_generator=None)


class AlertReading(Snake):
    """A reading that an alert rests on."""

    value: Number = Field(description="What was read.")
    read_at: Timestamp = Field(description="When it was so.")
    url: Omittable[Uri] = Field(
        default=None,
        description="The route that shows it: the history of the day before, or the token or the search as they are "
        "now where no history is served. Left out while the chain is not served.",
    )
    mart: str = Field(
        description="Where analysts find its history: mart and column.", examples=["prices_hourly.price_close_usd"]
    )


class Alert(Snake):
    """An alert: a rule's threshold was breached."""

    id: Uuid = Field(description="Id of the alert.")
    rule_id: Uuid = Field(description="The rule that fired; it may be gone.")
    symbol: members.Symbol = Field(description="The token's symbol.")
    chain_id: members.Caip2 = Field(description="The chain by CAIP-2.")
    chain: members.ChainKey = Field(description="Key of the chain, as routes take it.")
    token_address: members.Address = Field(description="The token.")
    alert_type: TypeName
    status: Status = Field(
        description="`active`, `acknowledged`: the breach lasts, as far as is known. `resolved`: it recovered, or its "
        "owner resolved it."
    )
    severity: SeverityName
    metric_value: Number = Field(description="The reading that breached the threshold.")
    threshold_value: Number = Field(description="The rule's threshold when it fired.")
    threshold_operator: OperatorName
    time_window_minutes: Count = Field(description="The rule's time window when it fired.")
    readings: list[AlertReading] = Field(
        description="The readings that the alert rests on: the one that breached, and the one it is compared with."
    )
    triggered_at: Timestamp = Field(description="The moment at which the breach was judged.")
    acknowledged_at: Timestamp | None = Field(description="When its owner acknowledged it.")
    resolved_at: Timestamp | None = Field(description="When it was resolved.")
    resolved_reason: ResolvedReason | None = Field(description="Why it was resolved.")
    notification_sent: bool = Field(description="Whether `alert.triggered` was queued for the account's webhooks.")


class AlertList(Snake):
    """Alerts, newest first."""

    alerts: list[Alert] = Field(description="The alerts.")


class AlertsAnswer(Snake):
    """The alerts that are firing."""

    success: Literal[True] = Field(default=True, description="Always true.")
    data: AlertList = Field(description="The alerts.")


class AlertPage(AlertList):
    """A page of alerts, newest first."""

    limit: Count = Field(description="How many were asked for.")
    offset: Count = Field(description="How many newer ones come before.")


class AlertHistoryAnswer(Snake):
    """A page of all alerts."""

    success: Literal[True] = Field(default=True, description="Always true.")
    data: AlertPage = Field(description="The page.")


class AlertCounts(Snake):
    """How many alerts there are, by status."""

    active: Count = Field(description="Firing, not acknowledged.")
    acknowledged: Count = Field(description="Firing, acknowledged.")
    resolved: Count = Field(description="Resolved.")
    total: Count = Field(description="All of them.")


class AlertSummaryAnswer(Snake):
    """How many alerts there are."""

    success: Literal[True] = Field(default=True, description="Always true.")
    data: AlertCounts = Field(description="The counts.")


class AlertData(Snake):
    """An alert."""

    alert: Alert = Field(description="The alert.")


class AlertAnswer(Snake):
    """An alert as it is now."""

    success: Literal[True] = Field(default=True, description="Always true.")
    data: AlertData = Field(description="The alert.")


class AlertIds(Snake):
    """Alerts to acknowledge or resolve."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"ids": ["01980000-0000-7000-8000-000000000002"]}]}
    )

    ids: list[str] = Field(min_length=1, max_length=MAX_IDS, description="Ids of alerts.")


class AlertOutcome(Snake):
    """What became of one of the alerts."""

    id: str = Field(description="The id as it was sent.")
    success: bool = Field(description="Whether the alert is now as asked.")
    status: Omittable[Status] = Field(default=None, description="The alert's status; left out if there is none.")
    error: Omittable[str] = Field(default=None, description="Why not.")


class AlertOutcomes(Snake):
    """What became of each of the alerts."""

    results: list[AlertOutcome] = Field(description="One for each id, in the order in which they were sent.")


class AlertOutcomesAnswer(Snake):
    """What became of each of the alerts."""

    success: Literal[True] = Field(default=True, description="Always true; see each result.")
    data: AlertOutcomes = Field(description="The results.")
