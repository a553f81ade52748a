"""How errors are written: the body's members and the codes of a route group, on the wire and in OpenAPI."""

from collections.abc import Mapping, Sequence
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


class ErrorBody(BaseModel):
    """The body of every error answer."""

    error: str = Field(description="What is wrong, in words; names the field where one is wrong.")
    code: str = Field(description="What is wrong, for programs.")


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
        response: dict[str, Any] = {
            "description": "; ".join(f"{self.code_of(error)}: {error.text}" for error in errors),
            "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}, "examples": examples}
            },
        }
        if status in _HEADERS:
            response["headers"] = dict(_HEADERS[status])
        return response

    def _body(self, status: int, code: str, message: str, details: Mapping[str, Any]) -> dict[str, Any]:
        if self.with_message:
            return {"error": HTTPStatus(status).phrase, "code": code, "message": message, **details}
        return {"error": message, "code": code, **details}
