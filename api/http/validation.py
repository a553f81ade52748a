"""What FastAPI found wrong with a request, in the service's own words: the field first, then what it must be."""

from collections.abc import Callable, Mapping
from typing import Any

from fastapi.exceptions import RequestValidationError

from api.http.errors import InvalidInput

_Words = Callable[[Mapping[str, Any]], str]
# By pydantic's kind of problem; its context has the bounds and the values that are allowed.
_WORDS: Mapping[str, _Words] = {
    "missing": lambda _: "is required",
    "extra_forbidden": lambda _: "is not a known member",
    "int_type": lambda _: "must be a whole number",
    "int_parsing": lambda _: "must be a whole number",
    "int_parsing_size": lambda _: "must be a whole number of fewer digits",
    "int_from_float": lambda _: "must be a whole number",
    "bool_type": lambda _: "must be true or false",
    "bool_parsing": lambda _: "must be true or false",
    "string_type": lambda _: "must be text",
    "string_unicode": lambda _: "must be text",
    "string_too_short": lambda bound: f"must have at least {_counted(bound['min_length'], 'character')}",
    "string_too_long": lambda bound: f"must have at most {_counted(bound['max_length'], 'character')}",
    "string_pattern_mismatch": lambda bound: f"must match {bound['pattern']}",
    "greater_than_equal": lambda bound: f"must be at least {bound['ge']}",
    "less_than_equal": lambda bound: f"must be at most {bound['le']}",
    "literal_error": lambda allowed: f"must be one of {_listed(allowed['expected'])}",
    "enum": lambda allowed: f"must be one of {_listed(allowed['expected'])}",
    "list_type": lambda _: "must be a list",
    "too_short": lambda bound: f"must have at least {_counted(bound['min_length'], 'item')}",
    "too_long": lambda bound: f"must have at most {_counted(bound['max_length'], 'item')}",
    "dict_type": lambda _: "must be a JSON object",
    "model_type": lambda _: "must be a JSON object",
    "model_attributes_type": lambda _: "must be a JSON object",
}
_PLACES = ("body", "query", "path", "header")


def from_validation(error: RequestValidationError) -> InvalidInput:
    """The first problem that FastAPI found."""
    first = error.errors()[0]
    kind, context = first["type"], first.get("ctx", {})
    if kind in ("too_short", "too_long") and isinstance(first.get("input"), str):
        kind = f"string_{kind}"  # text whose length is checked behind a validator of ours
    if kind == "json_invalid":
        return InvalidInput("body", "cannot be read as JSON")
    place, *rest = [str(part) for part in first.get("loc", ())] or ["body"]
    name = ".".join(rest if place in _PLACES else (place, *rest)) or "body"
    words = _WORDS.get(kind)
    if words is not None:
        return InvalidInput(name, words(context))
    problem = str(first["msg"]).removeprefix("Value error, ").removeprefix("Input ").replace("should be", "must be")
    return InvalidInput(name, problem[:1].lower() + problem[1:])


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _listed(expected: str) -> str:
    """Pydantic's list of values, such as ``'hour', 'day' or 'week'``, without quotes."""
    return ", ".join(part.strip().strip("'") for part in expected.replace(" or ", ", ").split(","))
