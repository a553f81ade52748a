"""How errors are written: the body's members and the codes of a route group, on the wire and in OpenAPI."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from pydantic import BaseModel, Field

from api.http.errors import ApiError
from api.http.rendering import JsonResponse

CODES: Final[Mapping[int, str]] = {
    401: "UNAUTHORIZED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    408: "REQUEST_TIMEOUT",
    409: "CONFLICT",
    413: "PAYLOAD_TOO_LARGE",
    414: "URI_TOO_LONG",
    415: "UNSUPPORTED_MEDIA_TYPE",
    429: "RATE_LIMITED",
    431: "HEADERS_TOO_LARGE",
    500: "INTERNAL_ERROR",
    503: "UNAVAILABLE",
}
LOWER_CODES: Final[Mapping[int, str]] = {
    **{status: code.lower() for status, code in CODES.items() if status not in (401, 403)},
    401: "UNAUTHORIZED",
    403: "FORBIDDEN",
    429: "rate_limit_exceeded",
}
"""Codes of the groups that write them in lower case; the specification has UNAUTHORIZED and FORBIDDEN everywhere."""
_HEADERS: Final[Mapping[int, Mapping[str, Any]]] = {
    401: {
        "WWW-Authenticate": {
            "description": "How to send a credential; what is wrong with the token that was sent (RFC 6750).",
            "schema": {"type": "string"},
        }
    },
    429: {"Retry-After": {"description": "Seconds to wait before trying again.", "schema": {"type": "integer"}}},
    503: {"Retry-After": {"description": "Seconds to wait before trying again.", "schema": {"type": "integer"}}},
}


_REF: Final = "#/components/schemas/{model}"


class ErrorBody(BaseModel):
    """The body of error answers."""

    error: str = Field(description="What is wrong, in words; names the field where one is wrong.")
    code: str = Field(description="What is wrong, for programs.")


class SearchErrorBody(BaseModel):
    """The body of error answers of searches."""

    error: str = Field(description="What is wrong, in words; names the field where one is wrong.")
    code: str = Field(description="What is wrong, for programs.")


class PublicErrorBody(BaseModel):
    """The body of error answers of the public reads."""

    error: str = Field(description="The status in words.")
    code: str = Field(description="What is wrong, for programs.")
    message: str = Field(description="What is wrong, in words; names the field where one is wrong.")


_LOWER_BODIES: Final = (SearchErrorBody.__name__, PublicErrorBody.__name__)


@dataclass(frozen=True, slots=True)
class ErrorShape:
    """The error bodies of a route group.

    Args:
        invalid_code: code of a 400.
        codes: codes by status, of errors that have none of their own.
        with_message: the body has the words in ``message``, and the status's phrase in ``error``.
    """

    invalid_code: str = "INVALID_REQUEST"
    codes: Mapping[int, str] = field(default_factory=lambda: CODES)
    with_message: bool = False

    def render(self, error: ApiError) -> JsonResponse:
        """The answer to a request that failed with ``error``."""
        body = self._body(error.status, self.code_of(error), error.message, error.details)
        return JsonResponse(body, status_code=error.status, headers=error.headers)

    def code_of(self, error: ApiError | type[ApiError]) -> str:
        """The code of an error, or of a class of errors."""
        if error.code is not None:
            return error.code
        return (self.invalid_code if error.status == 400 else self.codes.get(error.status)) or HTTPStatus(
            error.status
        ).name

    def responses(self, *errors: type[ApiError]) -> dict[int | str, dict[str, Any]]:
        """Error answers for OpenAPI, by status."""
        found: dict[int, list[type[ApiError]]] = {}
        for error in dict.fromkeys(errors):
            found.setdefault(error.status, []).append(error)
        return {status: self._response(status, classes) for status, classes in sorted(found.items())}

    def _response(self, status: int, errors: Sequence[type[ApiError]]) -> dict[str, Any]:
        examples = {}
        for error in errors:
            code = self.code_of(error)
            value = self._body(status, code, error.text, error.example_details)
            examples[code] = {"summary": code, "value": value}
        schema = either(*({"$ref": _REF.format(model=self._schema_name(error))} for error in errors))
        response: dict[str, Any] = {
            "description": "; ".join(f"{self.code_of(error)}: {error.text}" for error in errors),
            "content": {"application/json": {"schema": schema, "examples": examples}},
        }
        if status in _HEADERS:
            response["headers"] = dict(_HEADERS[status])
        return response

    def _body(self, status: int, code: str, message: str, details: Mapping[str, Any]) -> dict[str, Any]:
        if self.with_message:
            return {"error": HTTPStatus(status).phrase, "code": code, "message": message, **details}
        return {"error": message, "code": code, **details}

    def _body_class(self) -> type[BaseModel]:
        if self.with_message:
            return PublicErrorBody
        return SearchErrorBody if self.codes is LOWER_CODES else ErrorBody

    def _schema_name(self, error: type[ApiError]) -> str:
        if error.details_schema is None:
            return self._body_class().__name__
        # Searches share the bodies of errors whose code is the same in all groups.
        if self.with_message or (error.code is None and self._body_class() is not ErrorBody):
            raise ValueError(f"{error.__name__}: this group has no body with its further members")
        return f"{error.__name__}Body"


def either(*schemas: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a value that fits one of them; those with further members come first."""
    kinds = [kind for schema in schemas for kind in schema.get("anyOf", [schema])]
    references = sorted({kind["$ref"] for kind in kinds}, key=lambda one: (one.endswith("ErrorBody"), one))
    found = [{"$ref": reference} for reference in references]
    return found[0] if len(found) == 1 else {"anyOf": found}


def add_schemas(document: dict[str, Any]) -> None:
    """Add the schemas of error bodies, and of their codes, to a document that has all error answers."""
    schemas: dict[str, Any] = document["components"]["schemas"]
    upper, lower = set(CODES.values()), set(LOWER_CODES.values())  # also of what precedes every route: 405, 414, 431
    for operations in document["paths"].values():
        for operation in operations.values():
            for status, answer in operation["responses"].items():
                if status >= "400":
                    content = answer["content"]["application/json"]
                    is_lower = any(name in str(content["schema"]) for name in _LOWER_BODIES)
                    (lower if is_lower else upper).update(content["examples"])
    schemas["ErrorCode"] = _codes("ErrorCode", upper)
    schemas["LowerErrorCode"] = _codes("LowerErrorCode", lower)
    schemas["ErrorBody"] = _schema_of(ErrorBody, "ErrorCode")
    for body in (SearchErrorBody, PublicErrorBody):
        schemas[body.__name__] = _schema_of(body, "LowerErrorCode")
    for error in _detailed(ApiError):
        schemas.update(_detailed_schemas(error))


def _detailed(error: type[ApiError]) -> Iterator[type[ApiError]]:
    """The error and those below it, of those whose bodies have further members."""
    if error.details_schema is not None:
        yield error
    for below in error.__subclasses__():
        yield from _detailed(below)


def _codes(name: str, codes: set[str]) -> dict[str, Any]:
    return {"title": name, "description": "What is wrong, for programs.", "type": "string", "enum": sorted(codes)}


def _schema_of(body: type[BaseModel], codes: str) -> dict[str, Any]:
    schema = body.model_json_schema(ref_template=_REF)
    code = schema["properties"]["code"]
    schema["properties"]["code"] = {
        "$ref": _REF.format(model=codes),
        "description": code["description"],
    }
    return schema


def _detailed_schemas(error: type[ApiError]) -> dict[str, Any]:
    """The schema of an error's body, and those that it refers to."""
    assert error.details_schema is not None  # noqa: S101 - the caller has seen to it
    schema = error.details_schema.model_json_schema(ref_template=_REF, mode="serialization")
    plain = _schema_of(ErrorBody, "ErrorCode")
    name = f"{error.__name__}Body"
    whole = {
        "title": name,
        "description": " ".join((error.__doc__ or "").split()),
        "type": "object",
        "properties": {**plain["properties"], **schema["properties"]},
        "required": [*plain["required"], *schema.get("required", ())],
    }
    return {**schema.get("$defs", {}), name: whole}
