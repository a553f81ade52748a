"""Wire shapes of webhooks. Members are named as the specification has them: in lower case with underscores."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import ConfigDict, Field, StrictBool, StrictInt
from pydantic.config import JsonDict

from api.http.rendering import Wire

_EXAMPLE_FILTER: JsonDict = {"crown_ids": [17], "chains": ["eip155:8453"]}
Types = Annotated[list[str], Field(min_length=1, max_length=100)]


class Snake(Wire):
    """Base of these shapes."""

    model_config = ConfigDict(alias_generator=None)


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

    type: str | None = Field(default=None, description="A type of event. Default: the first that is subscribed to.")


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
    only: str = Field(default="all", description="all, or undelivered: what was never delivered to this webhook.")


class EventField(Snake):
    """A member of an event's data."""

    name: str
    type: str
    description: str
    optional: bool


class EventInfo(Snake):
    """A type of event."""

    type: str
    description: str
    audience: str = Field(description="subscribers: everybody who subscribes; account: only the account it is about.")
    produced: bool = Field(description="Whether this version of the service sends events of the type.")
    fields: list[EventField] = Field(description="The members of data.")


class EventList(Snake):
    """The events that can be subscribed to."""

    events: list[EventInfo]


class ShownFilter(Snake):
    """The filter of a subscription; null matches everything."""

    crown_ids: list[int] | None
    chains: list[str] | None


class Webhook(Snake):
    """A subscription."""

    id: str
    url: str
    events: list[str]
    filter: ShownFilter
    status: str = Field(description="active or disabled.")
    disabled_reason: str | None = Field(
        description="failures: three deliveries in a row; gone: the receiver answered 410; owner: switched off."
    )
    disabled_at: str | None
    consecutive_failures: int = Field(description="Deliveries that failed since the last that arrived.")
    previous_secret_ends_at: str | None = Field(description="Until when the previous secret is valid too.")
    created_at: str
    updated_at: str


class CreatedWebhook(Webhook):
    """A new subscription. The secret is not shown again."""

    secret: str


class WebhookList(Snake):
    """The account's subscriptions, oldest first."""

    webhooks: list[Webhook]
    limit: int = Field(description="How many the plan allows.")


class RotatedSecret(Snake):
    """The new secret, which is not shown again."""

    id: str
    secret: str
    previous_secret_ends_at: str


class Deleted(Snake):
    """What was deleted."""

    id: str
    deleted: bool


class Envelope(Snake):
    """An event as it is sent."""

    id: str
    type: str
    created_at: str
    data: Mapping[str, Any]


class TypeCount(Snake):
    """How many events of a type; with ``at_least`` there are more."""

    type: str
    count: int
    at_least: bool


class Preview(Snake):
    """What a subscription would have received."""

    begin: str = Field(alias="from")
    end: str = Field(alias="to")
    total: int
    counts: list[TypeCount]
    latest: list[Envelope] = Field(description="The newest, at most 20.")


class Delivery(Snake):
    """An event on its way to a receiver, delivered, or given up."""

    id: str
    event_id: str = Field(description="The id of the envelope.")
    type: str
    cause: str = Field(description="event, replay or test.")
    status: str = Field(description="pending, delivered, or exhausted.")
    attempts: int
    next_attempt_at: str | None = Field(description="When the next attempt is made; null: it is over.")
    last_status_code: int | None = Field(description="The status of the last answer; null: there was none.")
    last_problem: str | None = Field(description="Why the last attempt failed.")
    created_at: str
    finished_at: str | None


class DeliveryPage(Snake):
    """Deliveries, newest first."""

    deliveries: list[Delivery]
    has_more: bool
    next_cursor: str | None


class AttemptTiming(Snake):
    """Seconds; null for steps that did not happen, as on a reused connection."""

    dns_seconds: float | None
    connect_seconds: float | None
    answer_seconds: float | None
    total_seconds: float


class AttemptResponse(Snake):
    """What the receiver answered."""

    status_code: int
    headers: Mapping[str, str]
    body: str = Field(description="Its beginning.")
    body_complete: bool


class Attempt(Snake):
    """One request."""

    number: int
    started_at: str
    url: str
    request_headers: Mapping[str, str]
    response: AttemptResponse | None
    failure: str | None = Field(
        description="refused, dns, connect, tls, timeout, disconnected, protocol, redirect or status; null: it arrived."
    )
    problem: str | None
    timing: AttemptTiming


class DeliveryDetail(Delivery):
    """A delivery with its request and every attempt."""

    request_body: str = Field(description="The body, byte for byte the same in every attempt.")
    history: list[Attempt]


class Queued(Snake):
    """How many events are sent again; those already queued are not counted."""

    queued: int
