"""What the OpenAPI document says of deliveries, derived from the event classes: a schema of the data of each event, the
envelope as a union discriminated by ``type``, and the request that receivers get."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from api.webhooks.schemas import Envelope
from warehouse.domain.events.catalogue import EVENTS
from warehouse.domain.events.event import Event

_REF: Final = "#/components/schemas/{name}"
_DECIMAL: Final = {"type": "string", "format": "decimal"}
_HEADERS: Final = {
    "webhook-id": "The envelope's id; the same in every attempt.",
    "webhook-timestamp": "When the attempt was made, in unix seconds.",
    "webhook-signature": "Standard Webhooks: v1,<base64>, one for each valid secret.",
    "X-Webhook-Event": "The envelope's type.",
    "X-Webhook-Delivery": "The envelope's id.",
    "X-Webhook-Timestamp": "The envelope's created_at.",
    "X-Webhook-Signature": "HMAC-SHA256 of the raw body in hexadecimal, keyed with the whole secret.",
}


def add_to(document: dict[str, Any]) -> None:
    """Add the schemas of events and the webhook request to an OpenAPI document."""
    schemas = document["components"]["schemas"]
    events = tuple(EVENTS.values())
    _, data = msgspec.json.schema_components(events, ref_template=_REF)
    schemas.update({name: _with_numbers(schema) for name, schema in data.items()})
    schemas.update({_envelope_name(event): _envelope(event) for event in events})
    schemas[Envelope.__name__] = {
        "title": "Envelope",
        "description": "An event as it is sent.",
        "oneOf": [{"$ref": _reference(event)} for event in events],
        "discriminator": {
            "propertyName": "type",
            "mapping": {event.type: _reference(event) for event in events},
        },
    }
    document["webhooks"] = {"event": {"post": _request()}}


def _envelope_name(event: type[Event]) -> str:
    return f"{event.__name__}Envelope"


def _reference(event: type[Event]) -> str:
    return _REF.format(name=_envelope_name(event))


def _envelope(event: type[Event]) -> dict[str, Any]:
    return {
        "title": _envelope_name(event),
        "description": event.description(),
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "The same for every delivery of the event."},
            "type": {"const": event.type, "description": "Type of the event."},
            "created_at": {"type": "string", "format": "date-time", "description": "When it happened."},
            "data": {"$ref": _REF.format(name=event.__name__), "description": "What the event says."},
        },
        "required": ["id", "type", "created_at", "data"],
    }


def _request() -> dict[str, Any]:
    return {
        "summary": "An event for a webhook",
        "description": "Sent to every active webhook that subscribes to the event. Answer 2xx within five seconds.",
        "operationId": "receiveEvent",
        "tags": ["webhooks"],
        "security": [],
        "parameters": list(_headers()),
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": _REF.format(name=Envelope.__name__)}}},
        },
        "responses": {
            "2XX": {"description": "The event arrived."},
            "410": {"description": "No more events are wanted: the webhook is disabled."},
            "default": {"description": "The delivery failed and is tried again."},
        },
    }


def _headers() -> Iterator[dict[str, Any]]:
    for name, description in _HEADERS.items():
        yield {
            "name": name,
            "in": "header",
            "required": True,
            "description": description,
            "schema": {"type": "string"},
        }


def _with_numbers(schema: Any) -> Any:
    """The schema with decimals as the numbers that they are sent as."""
    if isinstance(schema, dict):
        found = {key: _with_numbers(value) for key, value in schema.items()}
        return {**found, "type": "number"} if _DECIMAL.items() <= found.items() else found
    return [_with_numbers(item) for item in schema] if isinstance(schema, list) else schema
