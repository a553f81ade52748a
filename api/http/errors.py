"""Errors that reach a client, and the one place that writes them.

    ApiError                status and code of its own, or the code its route group has for the status
    ├── InvalidInput        400, names the field
    ├── Unauthorized        401, no credential
    ├── Forbidden           403, a credential that is not valid or not enough
    ├── NotFound            404
    ├── TooManyRequests     429 with Retry-After
    └── Unavailable         503 with Retry-After

A route group declares its wire shape once (``RouteGroup``). The group of a request follows from its path, so a
request that never reaches a route (unknown path, wrong method, body too large) is answered in the group's shape too.
"""

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

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
_TEXTS: Mapping[int, str] = {
    400: "symbol: must be text",
    401: "header X-API-Key is missing",
    403: "the API key is not valid",
    404: "nothing is there",
    405: "this method is not offered here",
    413: "the body is larger than 65536 bytes",
    415: "Content-Type must be application/json",
    429: "more requests than the plan allows; wait as long as Retry-After says",
    500: "something went wrong on our side",
    503: "cannot be answered now, try again",
}
# pydantic's kinds of problems whose own words say little to a client.
_PROBLEMS: Mapping[str, str] = {
    "missing": "is required",
    "extra_forbidden": "means nothing here",
    "model_attributes_type": "must be a JSON object",
    "model_type": "must be a JSON object",
}
RETRY_SECONDS = 5


class ErrorBody(BaseModel):
    """What every error answer holds."""

    error: str = Field(description="What is wrong, in words; names the field where one is wrong.")
    code: str = Field(description="What is wrong, for programs.")


class ApiError(Exception):
    """An answer other than success. ``details`` are further members of the body."""

    status: int = 500

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = type(self).status if status is None else status
        self.code = code
        self.details = dict(details or {})
        self.headers = dict(headers or {})


class InvalidInput(ApiError):
    """The request says something it may not; the message begins with the field's name."""

    status = 400

    def __init__(self, field_name: str, problem: str, *, code: str | None = None) -> None:
        super().__init__(f"{field_name}: {problem}", code=code)
        self.field = field_name


class Unauthorized(ApiError):
    """No credential where one is needed. ``challenge`` says how to send one (RFC 9110, 11.6.1)."""

    status = 401

    def __init__(self, message: str, *, challenge: str = "Bearer") -> None:
        super().__init__(message, headers={"WWW-Authenticate": challenge})


class Forbidden(ApiError):
    """A credential that is not valid, or does not suffice."""

    status = 403


class NotFound(ApiError):
    """Nothing is there."""

    status = 404


class TooManyRequests(ApiError):
    """The caller asked as often as it may, and may again after ``wait_seconds``."""

    status = 429

    def __init__(self, message: str, wait_seconds: float) -> None:
        super().__init__(message, headers={"Retry-After": str(max(1, math.ceil(wait_seconds)))})


class Unavailable(ApiError):
    """Cannot be answered now. Never means "no"."""

    status = 503

    def __init__(self, message: str, *, code: str | None = None, retry_after_seconds: int = RETRY_SECONDS) -> None:
        super().__init__(message, code=code, headers={"Retry-After": str(retry_after_seconds)})


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
        self, *statuses: int, also: Mapping[int, Sequence[Case]] | None = None
    ) -> dict[int | str, dict[str, Any]]:
        """The group's error answers for OpenAPI: those of ``statuses``, and further ones. Whoever needs a credential
        is counted, so that 429 goes with 401."""
        cases: dict[int, list[Case]] = {}
        counted = 401 in statuses and 429 not in statuses and 429 not in (also or {})
        for status in (*statuses, *((429,) if counted else ()), 500):
            code = self.invalid_code if status == 400 else self.codes[status]
            cases.setdefault(status, []).append((code, _TEXTS[status]))
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
        text = str(error.detail) if error.status_code == 413 else _TEXTS.get(error.status_code, str(error.detail))
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
