"""The OpenAPI document describes what receivers get."""

import orjson
import pytest
from jsonschema import Draft202012Validator

from api.app import create_app
from api.settings import ApiSettings
from warehouse.domain.events.catalogue import EVENTS
from warehouse.domain.events.event import Event


@pytest.fixture(scope="module")
def document() -> dict[str, object]:
    return create_app(ApiSettings()).openapi()


def test_the_envelope_is_a_union_of_all_events(document: dict) -> None:
    schemas = document["components"]["schemas"]
    mapping = schemas["Envelope"]["discriminator"]["mapping"]
    assert list(mapping) == list(EVENTS)
    for name, reference in mapping.items():
        assert schemas[reference.rpartition("/")[2]]["properties"]["type"]["const"] == name
    body = document["webhooks"]["event"]["post"]["requestBody"]["content"]["application/json"]
    assert body["schema"] == {"$ref": "#/components/schemas/Envelope"}


@pytest.mark.parametrize("event", EVENTS.values(), ids=list(EVENTS))
def test_examples_match_the_schema_of_their_event_alone(document: dict, event: type[Event]) -> None:
    schema = {**document["components"]["schemas"]["Envelope"], "components": document["components"]}
    data = orjson.loads(event.example().data())
    envelope = {"id": "evt_1", "type": event.type, "created_at": "2026-11-21T09:30:00.000Z", "data": data}
    validator = Draft202012Validator(schema)
    assert [error.message for error in validator.iter_errors(envelope)] == []
    required = [member.name for member in event.members() if not member.optional]
    for name in required:
        without = {**envelope, "data": {key: value for key, value in data.items() if key != name}}
        assert not validator.is_valid(without), name
    assert not validator.is_valid({**envelope, "type": "no.such"})
