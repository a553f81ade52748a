"""Wire shapes of webhooks. Members are named as the specification has them: in lower case with underscores."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import ConfigDict, Field, StrictBool, StrictInt
from pydantic.config import JsonDict

from api.http.members import Caip2, Count, NextCursor, Timestamp, TokenId, Uri, Uuid, one_of
from api.http.rendering import Snake
from api.outbound.answers import Failure
from warehouse.domain.events.catalogue import EVENTS
from warehouse.domain.events.event import Audience, FieldType

_EXAMPLE_FILTER: JsonDict = {"crown_ids": [17], "chains": ["eip155:8453"]}
EventType = Annotated[str, one_of("EventType", "Type of the event.", EVENTS)]
Types = Annotated[list[EventType], Field(min_length=1, max_length=100)]
Status = Literal["active", "disabled"]
DisabledReason = Literal["failures", "gone", "owner"]
Cause = Literal["event", "replay", "test"]
DeliveryStatus = Literal["pending", "delivered", "exhausted"]
ReplayScope = Literal["all", "undelivered"]


class Body(Snake):
    """Base of requests. Unknown members are refused: a filter with a misspelt name would match everything."""

    model_config = ConfigDict(extra="forbid")


class Filter(Body):
    """Which events match. A member that is left out, or null, matches everything; if both are given, both must match.
    Events about no registration always match."""

    crown_ids: list[Annotated[StrictInt, Field(ge=1, lt=2**63)]] | None = Field(
        default=None, min_length=1, max_length=1000, description="Ids of registrations."
    )
    chains: list[str] | None = Field(
        default=None, min_length=1, max_length=100, description="Chains by CAIP-2, such as eip155:8453."
    )


class CreateRequest(Body):
    """A new subscription."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"url": "https://example.com/hooks", "events": ["token.minted"], "filter": _EXAMPLE_FILTER},
            ]
        }
    )

    url: str = Field(description="Where events are sent: https, a public host, no redirects.")
    events: Types = Field(description="Types of events; GET /api/v2/webhooks/events lists them.")
    filter: Filter | None = Field(default=None, description="Narrows the events; without it all of the types are sent.")


class UpdateRequest(Body):
    """What to change; members that are left out stay as they are."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"events": ["token.minted", "token.released"], "filter": None}]}
    )

    url: str | None = Field(default=None, description="Another address.")
    events: Types | None = Field(default=None, description="All types of events from now on.")
    filter: Filter | None = Field(default=None, description="Another filter as a whole; null: none.")
    enabled: StrictBool | None = Field(default=None, description="false stops deliveries, true starts them again.")


class PreviewRequest(Body):
    """A subscription to try out."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"events": ["trade.large"], "filter": _EXAMPLE_FILTER}]})

    events: Types = Field(description="Types of events.")
    filter: Filter | None = Field(default=None, description="Narrows them.")


class TestRequest(Body):
    """Which event the test looks like."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"type": "token.minted"}]})

    type: EventType | None = Field(
        default=None, description="A type of event. Default: the first that is subscribed to."
    )


class ReplayRequest(Body):
    """Which events to send again."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"from": "2026-11-20T00:00:00Z", "to": "2026-11-21T00:00:00Z", "only": "undelivered"}]
        }
    )

    begin: str = Field(alias="from", description="ISO 8601: events from this moment on, 30 days ago at most.")
    end: str | None = Field(default=None, alias="to", description="ISO 8601, exclusive. Default: now.")
    events: Types | None = Field(default=None, description="Only these types, of those subscribed to.")
    only: Annotated[str, one_of("ReplayScope", "Which events.", get_args(ReplayScope))] = Field(
        default="all", description="undelivered: what was never delivered to this webhook."
    )


class EventField(Snake):
    """A member of an event's data."""

    name: str = Field(description="Name of the member.")
    type: FieldType = Field(description="Its JSON type; `[]` marks an array.")
    description: str = Field(description="What it says.")
    optional: bool = Field(description="Whether it may be absent.")


class EventInfo(Snake):
    """A type of event."""

    type: EventType
    description: str = Field(description="What happened, in a sentence.")
    audience: Audience = Field(description="Everybody who subscribes, or only the account that it is about.")
    produced: bool = Field(description="Whether this version of the service sends events of the type.")
    fields: list[EventField] = Field(description="The members of data.")


class EventList(Snake):
    """The events that can be subscribed to."""

    events: list[EventInfo] = Field(description="The types, in the order of the catalogue.")


class ShownFilter(Snake):
    """The filter of a subscription; null matches everything."""

    crown_ids: list[TokenId] | None = Field(description="Ids of registrations; null: all.")
    chains: list[Caip2] | None = Field(description="Chains by CAIP-2; null: all.")


class Webhook(Snake):
    """A subscription."""

    id: Uuid = Field(description="Id of the subscription.")
    url: Uri = Field(description="Where events are sent.")
    events: list[EventType] = Field(description="The types that it receives.")
    filter: ShownFilter = Field(description="Which events of these types.")
    status: Status = Field(description="Whether events are sent.")
    disabled_reason: DisabledReason | None = Field(
        description="failures: three deliveries in a row; gone: the receiver answered 410; owner: switched off."
    )
    disabled_at: Timestamp | None = Field(description="When it was disabled; null while it is active.")
    consecutive_failures: Count = Field(description="Deliveries that failed since the last that arrived.")
    previous_secret_ends_at: Timestamp | None = Field(description="Until when the previous secret is valid too.")
    created_at: Timestamp = Field(description="When it was made, ISO 8601 in UTC.")
    updated_at: Timestamp = Field(description="When it was last changed, ISO 8601 in UTC.")


class CreatedWebhook(Webhook):
    """A new subscription. The secret is not shown again."""

    secret: str = Field(description="The signing secret, by Standard Webhooks.")


class WebhookList(Snake):
    """The account's subscriptions, oldest first."""

    webhooks: list[Webhook] = Field(description="The subscriptions, oldest first.")
    limit: Count = Field(description="How many the plan allows.")


class RotatedSecret(Snake):
    """The new secret, which is not shown again."""

    id: Uuid = Field(description="Id of the subscription.")
    secret: str = Field(description="The new signing secret, by Standard Webhooks.")
    previous_secret_ends_at: Timestamp = Field(
        description="Until when the previous secret is valid too, ISO 8601 in UTC."
    )


class Deleted(Snake):
    """What was deleted."""

    id: Uuid = Field(description="Id of the subscription.")
    deleted: Literal[True] = Field(description="Always true.")


class Envelope(Snake):
    """An event as it is sent."""

    id: str = Field(description="Id of the event; the same in every delivery.")
    type: EventType
    created_at: Timestamp = Field(description="When it happened, ISO 8601 in UTC.")
    data: Mapping[str, Any] = Field(description="The event.")


class TypeCount(Snake):
    """How many events of a type; with ``at_least`` there are more."""

    type: EventType
    count: Count = Field(description="Events of the type.")
    at_least: bool = Field(description="Whether there are more.")


class Preview(Snake):
    """What a subscription would have received."""

    begin: Timestamp = Field(alias="from", description="Beginning of the time looked at, ISO 8601 in UTC.")
    end: Timestamp = Field(alias="to", description="End of the time looked at, ISO 8601 in UTC.")
    total: Count = Field(description="Events of all types.")
    counts: list[TypeCount] = Field(description="Events by type.")
    latest: list[Envelope] = Field(description="The newest, at most 20.")


class Delivery(Snake):
    """An event on its way to a receiver, delivered, or given up."""

    id: Uuid = Field(description="Id of the delivery.")
    event_id: str = Field(description="The id of the envelope.")
    type: EventType
    cause: Cause = Field(description="Why it is sent.")
    status: DeliveryStatus = Field(description="exhausted: no attempt is left.")
    attempts: Count = Field(description="Requests made so far.")
    next_attempt_at: Timestamp | None = Field(description="When the next attempt is made; null: it is over.")
    last_status_code: int | None = Field(description="The status of the last answer; null: there was none.")
    last_problem: str | None = Field(description="Why the last attempt failed.")
    created_at: Timestamp = Field(description="When it was queued, ISO 8601 in UTC.")
    finished_at: Timestamp | None = Field(description="When it was delivered or given up; null while it is pending.")


class DeliveryPage(Snake):
    """Deliveries, newest first."""

    deliveries: list[Delivery] = Field(description="The deliveries of this page, newest first.")
    has_more: bool = Field(description="Whether older ones follow.")
    next_cursor: NextCursor


class AttemptTiming(Snake):
    """Seconds; null for steps that did not happen, as on a reused connection."""

    dns_seconds: float | None = Field(description="Looking up the host, in seconds.")
    connect_seconds: float | None = Field(description="Connecting, TLS included, in seconds.")
    answer_seconds: float | None = Field(description="Waiting for the answer, in seconds.")
    total_seconds: float = Field(description="The whole attempt, in seconds.")


class AttemptResponse(Snake):
    """What the receiver answered."""

    status_code: int = Field(description="HTTP status.")
    headers: Mapping[str, str] = Field(description="Its headers.")
    body: str = Field(description="Its beginning.")
    body_complete: bool = Field(description="Whether `body` is all of it.")


class Attempt(Snake):
    """One request."""

    number: Count = Field(description="Number of the attempt, from 1.")
    started_at: Timestamp = Field(description="When it began, ISO 8601 in UTC.")
    url: Uri = Field(description="Where it was sent.")
    request_headers: Mapping[str, str] = Field(description="The headers sent; signatures are hidden.")
    response: AttemptResponse | None = Field(description="What the receiver answered; null: nothing.")
    failure: Failure | None = Field(description="The kind of failure; null: it arrived.")
    problem: str | None = Field(description="The failure in words; null: it arrived.")
    timing: AttemptTiming = Field(description="How long its steps took.")


class DeliveryDetail(Delivery):
    """A delivery with its request and every attempt."""

    request_body: str = Field(description="The body, byte for byte the same in every attempt.")
    history: list[Attempt] = Field(description="Every attempt, the first one first.")


class Queued(Snake):
    """How many events are sent again; those already queued are not counted."""

    queued: Count = Field(description="Events that are sent again.")
