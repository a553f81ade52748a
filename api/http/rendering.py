"""JSON out: decimals as numbers of at most 15 digits, and the base of every wire schema.

FastAPI would pass a Decimal through a string or a float on its way out. Endpoints therefore hand their schema to
``respond`` and return the response themselves; ``response_model`` in the decorator is what OpenAPI shows.
"""

from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, WithJsonSchema
from pydantic.alias_generators import to_camel
from starlette.responses import Response

_DIGITS = Context(prec=15, rounding=ROUND_HALF_EVEN, Emin=-999999, Emax=999999)
"""Nearly every client reads a JSON number into a double, which keeps any 15 significant digits and no more."""

Number = Annotated[Decimal, WithJsonSchema({"type": "number"}, mode="serialization")]


class Wire(BaseModel):
    """Base of request and response bodies: camelCase on the wire, snake_case here.

    Answers have every member, null where there is no value, except those declared ``Omittable`` (``members.py``).
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        frozen=True,
        json_schema_serialization_defaults_required=True,
    )


class Snake(Wire):
    """Base of bodies whose members are written as here, in snake_case."""

    model_config = ConfigDict(alias_generator=None)


def _json_form(value: object) -> Any:
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise TypeError("a figure that is not finite has no JSON form")
        return orjson.Fragment(plain(value).encode())
    if isinstance(value, BaseModel):
        return value.model_dump(by_alias=True)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def plain(value: Decimal) -> str:
    """The decimal in at most 15 significant digits, without exponent or trailing zeros: 25.00 is 25, 1E-8 is
    0.00000001."""
    text = format(_DIGITS.plus(value), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def dumps(value: object) -> bytes:
    """JSON text; decimals are numbers of at most 15 significant digits, times are ISO 8601 in UTC with a Z."""
    return orjson.dumps(value, default=_json_form, option=orjson.OPT_UTC_Z)


class JsonResponse(Response):
    """A response whose body ``dumps`` writes."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        """The body."""
        return dumps(content)


def respond(body: Wire, *, headers: Mapping[str, str] | None = None) -> JsonResponse:
    """Answer 200 with the schema."""
    return JsonResponse(body.model_dump(by_alias=True), headers=dict(headers or {}))
