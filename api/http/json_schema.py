"""Finishes the schemas of an OpenAPI document, for readers and for generators of clients.

* A closed set of values becomes a schema of its own, so that it has one name in every client.
* A member that may be null is described by its type, where it has no description of its own.
* A member's title, which repeats its name, and a default of null, which says nothing, are left out.
"""

from collections.abc import Iterator
from typing import Any, Final

Schema = dict[str, Any]
NAME: Final = "x-name"
"""The name of a closed set that is written in place; ``api/http/members.py`` writes it."""
_DATA: Final = frozenset({"const", "default", "enum", "example", "examples"})
"""Keywords whose values are not schemas."""


def finish(document: Schema) -> None:
    """Finish all schemas of a document.

    Raises:
        ValueError: two sets of values have one name.
    """
    schemas: dict[str, Schema] = document["components"]["schemas"]
    for place in list(_places(document)):
        for member in place.get("properties", {}).values():
            _finish_member(member)
        if NAME in place:
            _move(place, schemas)


def _places(part: Any) -> Iterator[Schema]:
    """Every object of a document, itself included."""
    if isinstance(part, dict):
        yield part
        for name, below in part.items():
            if name not in _DATA:
                yield from _places(below)
    elif isinstance(part, list):
        for below in part:
            yield from _places(below)


def _finish_member(member: Schema) -> None:
    member.pop("title", None)
    if "default" in member and member["default"] is None:
        del member["default"]
    if "description" not in member:
        for choice in member.get("anyOf", ()):
            if "description" in choice:
                member["description"] = choice.pop("description")
                break


def _move(place: Schema, schemas: dict[str, Schema]) -> None:
    """Replace a set of values by a reference to a schema of its own."""
    name, values = place.pop(NAME), place.pop("enum")
    kind = place.pop("type")
    schema = schemas.setdefault(name, {"title": name, "type": kind, "enum": values})
    if schema["enum"] != values:
        raise ValueError(f"{name} has two sets of values")
    place["$ref"] = f"#/components/schemas/{name}"
