"""Errors that reach a client, and the one place that writes them.

    ApiError                    500
    ├── InvalidInput            400, names the field
    ├── Unauthorized            401, a credential is missing or has ended
    ├── Forbidden               403, a credential is not valid or not sufficient
    ├── NotFound                404
    ├── MethodNotAllowed        405
    ├── Conflict                409
    ├── PreconditionFailed      412
    ├── PayloadTooLarge         413
    ├── UnsupportedMediaType    415
    ├── Unprocessable           422
    ├── TooManyRequests         429 with Retry-After
    ├── BadGateway              502
    └── Unavailable             503 with Retry-After

Domains subclass these; see :class:`ApiError`. A route group declares its wire shape once (``RouteGroup``). The group of
a request follows from its path, so a request that never reaches a route (unknown path, wrong method, body too large) is
answered in the group's shape too.
"""

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, ClassVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import Scope

from api.http.rendering import JsonResponse
from api.security.signing_keys import SigningKeyError
from warehouse.errors import StoreUnavailable, WarehouseUnavailable

LOG = logging.getLogger(__name__)

Case = tuple[str, str] | tuple[str, str, Mapping[str, Any]]
"""A code, its words, and what else the body holds: for the OpenAPI document."""

CODES: Mapping[int, str] = {
    401: "UNAUTHORIZED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    409: "CONFLICT",
    413: "PAYLOAD_TOO_LARGE",
    415: "UNSUPPORTED_MEDIA_TYPE",
    429: "RATE_LIMITED",
    500: "INTERNAL_ERROR",
    503: "UNAVAILABLE",
}
# The groups that write codes in lower case still say FORBIDDEN: the specification has it for every keyed route.
LOWER_CODES: Mapping[int, str] = {
    **{status: code.lower() for status, code in CODES.items() if status not in (401, 403)},
    401: "UNAUTHORIZED",
    403: "FORBIDDEN",
    429: "rate_limit_exceeded",
}
# pydantic's kinds of problems whose own words say little to a client.
_PROBLEMS: Mapping[str, str] = {
    "missing": "is required",
    "extra_forbidden": "is not a known member",
    "model_attributes_type": "must be a JSON object",
    "model_type": "must be a JSON object",
}
RETRY_SECONDS = 5


class ErrorBody(BaseModel):
    """What every error answer holds."""

    error: str = Field(description="What is wrong, in words; names the field where one is wrong.")
    code: str = Field(description="What is wrong, for programs.")


class ApiError(Exception):
    """An answer other than success, and the base of every error of a domain.

    A domain names its errors: a subclass of one of those below with its ``code``, raised in the service and given to
    ``RouteGroup.responses`` where the route is declared, so that OpenAPI and the answer cannot disagree.

        class SymbolTaken(Conflict):
            code = "CLAIM_DUPLICATE"
            text = "symbol: PEPE is already registered on Base"

    Class attributes:
        status: of the answer.
        code: for programs; None means the code that the route group has for the status.
        text: the message that OpenAPI shows, and of an error raised without a message of its own.
        example_details: further members of the body that OpenAPI shows.

    Args:
        message: for people; names the field where one is wrong.
        details: further members of the body.
    """

    status: int = 500
    code: str | None = None
    text: ClassVar[str] = "something went wrong on our side"
    example_details: ClassVar[Mapping[str, Any]] = {}

    def __init__(
        self,
        message: str | None = None,
        *,
        status: int | None = None,
        code: str | None = None,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.message = type(self).text if message is None else message
        super().__init__(self.message)
        self.status = type(self).status if status is None else status
        self.code = type(self).code if code is None else code
        self.details = dict(details or {})
        self.headers = dict(headers or {})


class InvalidInput(ApiError):
    """The request is malformed; the message begins with the field's name."""

    status = 400
    text = "symbol: must be text"

    def __init__(self, field_name: str, problem: str, *, code: str | None = None) -> None:
        super().__init__(f"{field_name}: {problem}", code=code)
        self.field = field_name


class Unauthorized(ApiError):
    """A credential is needed and none was sent. ``challenge`` says how to send one (RFC 9110, 11.6.1)."""

    status = 401
    text = "header X-API-Key is missing"

    def __init__(self, message: str | None = None, *, challenge: str = "Bearer") -> None:
        super().__init__(message, headers={"WWW-Authenticate": challenge})


class Forbidden(ApiError):
    """The credential is not valid, or not sufficient."""

    status = 403
    text = "the API key is not valid"


class NotFound(ApiError):
    """There is nothing at this path."""

    status = 404
    text = "nothing was found"


class MethodNotAllowed(ApiError):
    """The path exists, but not with this method."""

    status = 405
    text = "the method is not offered here"


class Conflict(ApiError):
    """The request contradicts the present state."""

    status = 409
    text = "this is not possible now"


class PreconditionFailed(ApiError):
    """``If-Match`` names another version than the present one."""

    status = 412
    text = "If-Match: this was changed since it was read"


class PayloadTooLarge(ApiError):
    """The body has more bytes than the route accepts."""

    status = 413
    text = "body: is larger than 65536 bytes"


class UnsupportedMediaType(ApiError):
    """The body's media type is not one that the route accepts."""

    status = 415
    text = "Content-Type must be application/json"


class Unprocessable(ApiError):
    """The request is well-formed, and a rule of the domain refuses it."""

    status = 422
    text = "this is not accepted"


class TooManyRequests(ApiError):
    """The caller exceeded a limit, and may ask again after ``wait_seconds``."""

    status = 429
    text = "more than 50 requests a second"

    def __init__(self, message: str | None = None, wait_seconds: float = 1) -> None:
        super().__init__(message, headers={"Retry-After": str(max(1, math.ceil(wait_seconds)))})


class BadGateway(ApiError):
    """A service that this one depends on answered something that cannot be right."""

    status = 502
    text = "a service behind this one answered wrongly"


class Unavailable(ApiError):
    """The request cannot be answered now. Never means "no"."""

    status = 503
    text = "a part of the service does not answer now, try again"

    def __init__(
        self,
        message: str | None = None,
        *,
        code: str | None = None,
        retry_after_seconds: int = RETRY_SECONDS,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, code=code, details=details, headers={"Retry-After": str(retry_after_seconds)})


_ERRORS: tuple[type[ApiError], ...] = (
    ApiError,
    InvalidInput,
    Unauthorized,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    Conflict,
    PreconditionFailed,
    PayloadTooLarge,
    UnsupportedMediaType,
    Unprocessable,
    TooManyRequests,
    BadGateway,
    Unavailable,
)
STANDARD: Mapping[int, type[ApiError]] = {error.status: error for error in _ERRORS}
"""The error of each status, for those that frameworks raise."""


@dataclass(frozen=True, slots=True)
class RouteGroup:
    """How the routes under ``prefix`` say that something is wrong.

    Args:
        prefix: full path the group's routes begin with; the longest prefix that fits a path is its group.
        invalid_code: code of a 400.
        codes: codes by status.
        with_message: whether a body also has ``message``.
        body_types: media types a request body may have.
    """

    prefix: str
    invalid_code: str = "INVALID_REQUEST"
    codes: Mapping[int, str] = field(default_factory=lambda: CODES)
    with_message: bool = False
    body_types: tuple[str, ...] = ("application/json",)

    def render(self, error: ApiError) -> JsonResponse:
        """The answer that tells of ``error``."""
        code = error.code or (self.invalid_code if error.status == 400 else self.codes.get(error.status))
        if code is None:
            code = HTTPStatus(error.status).name
        body: dict[str, Any] = {"error": error.message, "code": code, **error.details}
        if self.with_message:
            body = {"error": HTTPStatus(error.status).phrase, "code": code, "message": error.message, **error.details}
        return JsonResponse(body, status_code=error.status, headers=error.headers)

    def responses(
        self, *errors: int | type[ApiError], also: Mapping[int, Sequence[Case]] | None = None
    ) -> dict[int | str, dict[str, Any]]:
        """The group's error answers for OpenAPI. Whoever needs a credential is counted, so that 429 goes with 401.

        Args:
            errors: classes that the route raises, or statuses.
        """
        classes: list[type[ApiError]] = [STANDARD[error] if isinstance(error, int) else error for error in errors]
        statuses = {error.status for error in classes} | set(also or {})
        if Unauthorized in classes and 429 not in statuses:
            classes.append(TooManyRequests)
        classes.append(ApiError)
        cases: dict[int, list[Case]] = {}
        for error in dict.fromkeys(classes):
            code = error.code or (self.invalid_code if error.status == 400 else self.codes.get(error.status))
            words = code or HTTPStatus(error.status).name, error.text, error.example_details
            cases.setdefault(error.status, []).append(words)
        for status, pairs in (also or {}).items():
            cases.setdefault(status, []).extend(pairs)
        return {status: self._response(status, found) for status, found in sorted(cases.items())}

    def _response(self, status: int, cases: Sequence[Case]) -> dict[str, Any]:
        examples = {}
        for case in cases:
            code, text = case[0], case[1]
            details = case[2] if len(case) > 2 else {}
            value: dict[str, Any] = {"error": text, "code": code, **details}
            if self.with_message:
                value = {"error": HTTPStatus(status).phrase, "code": code, "message": text, **details}
            examples[code] = {"summary": code, "value": value}
        answer: dict[str, Any] = {
            "description": "; ".join(f"{case[0]}: {case[1]}" for case in cases),
            "model": ErrorBody,
            "content": {"application/json": {"examples": examples}},
        }
        if status == 401:
            answer["headers"] = {
                "WWW-Authenticate": {
                    "description": "How to send a credential; what is wrong with the token that was sent (RFC 6750).",
                    "schema": {"type": "string"},
                }
            }
        if status in (429, 503):
            answer["headers"] = {
                "Retry-After": {"description": "Seconds to wait before trying again.", "schema": {"type": "integer"}}
            }
        return answer


DEFAULT_GROUP = RouteGroup(prefix="")


@dataclass(frozen=True, slots=True)
class RouteGroups:
    """All groups; finds the one of a path."""

    groups: tuple[RouteGroup, ...]

    def of(self, scope: Scope) -> RouteGroup:
        """The group with the longest prefix of the request's path, cut at a slash."""
        path = scope.get("path", "")
        best = DEFAULT_GROUP
        for group in self.groups:
            fits = path == group.prefix or path.startswith(group.prefix.rstrip("/") + "/")
            if fits and len(group.prefix) > len(best.prefix):
                best = group
        return best


def from_validation(error: RequestValidationError) -> InvalidInput:
    """The first problem FastAPI found, in our words: the field and what is wrong with it."""
    first = error.errors()[0]
    kind = first["type"]
    location = [str(part) for part in first.get("loc", ()) if part not in ("body", "query", "path", "header")]
    if kind == "json_invalid":
        return InvalidInput("body", "cannot be read as JSON")
    name = ".".join(location) or "body"
    problem = _PROBLEMS.get(kind) or str(first["msg"]).removeprefix("Value error, ")
    return InvalidInput(name, problem[:1].lower() + problem[1:])


def install(app: FastAPI, groups: RouteGroups) -> None:
    """Render every exception that carries an answer; what carries none is left to the outermost middleware."""
    app.state.route_groups = groups

    def render(request: Request, error: ApiError) -> JsonResponse:
        return groups.of(request.scope).render(error)

    async def on_api_error(request: Request, error: Exception) -> JsonResponse:
        assert isinstance(error, ApiError)  # noqa: S101 - registered for this type alone
        return render(request, error)

    async def on_invalid(request: Request, error: Exception) -> JsonResponse:
        assert isinstance(error, RequestValidationError)  # noqa: S101
        return render(request, from_validation(error))

    async def on_http(request: Request, error: Exception) -> JsonResponse:
        assert isinstance(error, HTTPException)  # noqa: S101
        if isinstance(error.__cause__, ApiError):  # what reads bodies said so, and FastAPI put it in other words
            return render(request, error.__cause__)
        if error.status_code == 400:  # only what reads bodies says so: not UTF-8, or a number of thousands of digits
            return render(request, InvalidInput("body", "cannot be read as JSON"))
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = ", ".join(_methods(request))
        text = str(error.detail)
        if error.status_code in STANDARD and error.status_code != 413:
            text = STANDARD[error.status_code].text
        return render(request, ApiError(text, status=error.status_code, headers=headers))

    async def on_outage(request: Request, error: Exception) -> JsonResponse:
        what = "store" if isinstance(error, StoreUnavailable) else "warehouse"
        LOG.warning("%s not available: %s", what, error)
        return render(request, Unavailable(f"the {what} does not answer now, try again"))

    async def on_no_keys(request: Request, error: Exception) -> JsonResponse:
        LOG.error("nobody can sign in, and no session can be checked: %s", error)
        return render(request, Unavailable("sessions cannot be checked now, try again"))

    app.add_exception_handler(ApiError, on_api_error)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(StoreUnavailable, on_outage)
    app.add_exception_handler(WarehouseUnavailable, on_outage)
    app.add_exception_handler(SigningKeyError, on_no_keys)


def _methods(request: Request) -> list[str]:
    """Every method that is offered at the request's path. Routing knows those of the first route that fits alone."""
    template, found = None, set()
    for context in iter_route_contexts(request.app.routes):
        route = context.original_route
        if isinstance(route, Route) and (route.path == template or route.path_regex.match(request.url.path)):
            template = template or route.path
            if route.path == template:
                found |= route.methods or set()
    return sorted(found)
