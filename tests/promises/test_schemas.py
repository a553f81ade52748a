"""The OpenAPI document tells the truth: its schemas are named, described and closed, and its examples fit them."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tests.fixtures.openapi import Document, document

MEMBERS_OF_CLOSED_SETS = re.compile(
    r"status|reason|method|code|level|kind|cause|failure|state|rating|audience|plan|source|order|sort|interval"
)
"""Words of the names of members whose values are closed sets."""
OPEN = {
    # What an operator writes, what a receiver answered, or what a contact was sent.
    "Attestation.kind",
    "Deal.failure_reason",
    "OfferRequest.payment_method",
    "AttemptResponse.status_code",
    "CodeGiven.code",
    "Delivery.last_status_code",
    "DeliveryDetail.last_status_code",
    "SymbolVerdict.blockedReason",
}


@pytest.fixture(scope="module")
def described() -> Document:
    return document()


def schemas(described: Document) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = described.content["components"]["schemas"]
    return found


def members(described: Document) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every member of an object in the document, by its schema's name and its own."""

    def below(name: str, part: Any) -> Iterator[tuple[str, dict[str, Any]]]:
        if isinstance(part, dict):
            for member, schema in part.get("properties", {}).items():
                yield f"{name}.{member}", schema
            for key, value in part.items():
                if key not in ("example", "examples"):
                    yield from below(f"{name}.{key}" if key != "properties" else name, value)
        elif isinstance(part, list):
            for value in part:
                yield from below(name, value)

    for name, schema in schemas(described).items():
        yield from below(name, schema)
    for place, operation in described.operations():
        yield from below(" ".join(place[1:]), operation)


def resolved(described: Document, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema, or the one that it refers to."""
    reference = schema.get("$ref")
    return schemas(described)[reference.rpartition("/")[2]] if reference else schema


def kinds(described: Document, schema: dict[str, Any]) -> list[dict[str, Any]]:
    """What a value may be, other than null: the schema, or its choices."""
    found = resolved(described, schema)
    choices = [resolved(described, one) for one in found.get("anyOf", [found])]
    return [one for one in choices if one.get("type") != "null"]


def test_no_two_schemas_share_a_title(described: Document) -> None:
    titles = Counter(schema.get("title") for schema in schemas(described).values())
    assert {title: count for title, count in titles.items() if count > 1} == {}
    assert {name for name, schema in schemas(described).items() if schema["title"] != name} == set()


def test_every_member_is_described(described: Document) -> None:
    assert [
        name
        for name, schema in members(described)
        if not schema.get("description") and not resolved(described, schema).get("description")
    ] == []


def test_every_example_fits_its_schema(described: Document) -> None:
    found = list(described.examples())
    assert len(found) > 600
    wrong = {"/".join(place): problems for place, schema, one in found if (problems := described.problems(schema, one))}
    assert wrong == {}


def test_members_of_closed_sets_name_their_values(described: Document) -> None:
    untold = []
    for name, schema in members(described):
        words = re.sub(r"([A-Z])", r"_\1", name.rpartition(".")[2]).lower().split("_")
        if name not in OPEN and MEMBERS_OF_CLOSED_SETS.fullmatch(words[-1]):
            texts = [one for one in kinds(described, schema) if one.get("type") == "string"]
            untold += [name for one in texts if not one.keys() & {"enum", "const"}]
    assert untold == []


def test_times_and_addresses_have_their_formats(described: Document) -> None:
    wrong = []
    for name, schema in members(described):
        member = name.rpartition(".")[2]
        for one in kinds(described, schema):
            if one.get("type") != "string":
                continue
            if (
                re.search(r"(At|_at|Time|Since|Until|lastUpdated|timestamp)$", member)
                and one.get("format") != "date-time"
            ):
                wrong.append(name)
            if re.search(r"([aA]ddress|[wW]allet|owner|manager)$", member) and "pattern" not in one:
                wrong.append(name)
    assert wrong == []


def test_members_of_answers_that_may_be_null_are_required(described: Document) -> None:
    """An answer has them all: what can be left out is never null."""
    answers = {
        reference.rpartition("/")[2]
        for _, operation in described.operations()
        for status, answer in operation["responses"].items()
        if status.startswith("2")
        for reference in re.findall(r"'\$ref': '([^']+)'", str(answer.get("content", {})))
    }
    open_names, seen = list(answers), set(answers)
    while open_names:
        for reference in re.findall(r"'\$ref': '([^']+)'", str(schemas(described)[open_names.pop()])):
            name = reference.rpartition("/")[2]
            if name not in seen:
                seen.add(name)
                open_names.append(name)
    neither = [
        f"{name}.{member}"
        for name in sorted(seen - {"MetadataDocument"})  # what was uploaded is served as it is
        for member, schema in schemas(described)[name].get("properties", {}).items()
        if {"type": "null"} in schema.get("anyOf", ()) and member not in schemas(described)[name].get("required", ())
    ]
    assert neither == []
