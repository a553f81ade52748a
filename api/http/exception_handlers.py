"""Exceptions become answers here, and nowhere else: also those of engines and chains that are down (503)."""

import logging
from collections.abc import Mapping

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.routing import Route

from api.http.errors import (
    ApiError,
    InvalidInput,
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    Unavailable,
    Unprocessable,
    UnsupportedMediaType,
)
from api.http.rendering import JsonResponse
from api.http.route_table import RouteTable
from api.http.validation import from_validation
from api.security.signing_keys import SigningKeyError
from indexer.chains.errors import RpcError
from warehouse.breaker import CircuitOpen
from warehouse.errors import StoreUnavailable, WarehouseUnavailable

LOG = logging.getLogger(__name__)
# What routing and the reading of bodies raise.
_FRAMEWORK_ERRORS: Mapping[int, type[ApiError]] = {
    error.status: error for error in (NotFound, MethodNotAllowed, PayloadTooLarge, UnsupportedMediaType, Unprocessable)
}


def install(app: FastAPI, table: RouteTable) -> None:
    """Answer every expected exception in the shape of the request's group. Others reach the outermost middleware."""

    def render(request: Request, error: ApiError) -> JsonResponse:
        return table.of(request.scope).errors.render(error)

    async def on_api_error(request: Request, error: Exception) -> JsonResponse:
        assert isinstance(error, ApiError)  # noqa: S101 - registered for this type alone
        return render(request, error)

    async def on_invalid(request: Request, error: Exception) -> JsonResponse:
        assert isinstance(error, RequestValidationError)  # noqa: S101
        return render(request, from_validation(error))

    async def on_http(request: Request, error: Exception) -> JsonResponse:
        assert isinstance(error, HTTPException)  # noqa: S101
        if isinstance(error.__cause__, ApiError):  # FastAPI wraps what reading the body raised
            return render(request, error.__cause__)
        if error.status_code == 400:  # the body is not UTF-8, or has a number of thousands of digits
            return render(request, InvalidInput("body", "cannot be read as JSON"))
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = ", ".join(_methods(request))
        kind = _FRAMEWORK_ERRORS.get(error.status_code, ApiError)
        message = error.detail if kind is PayloadTooLarge else None
        return render(request, kind(message, headers=headers))

    async def on_engine_outage(request: Request, error: Exception) -> JsonResponse:
        engine = "store" if isinstance(error, StoreUnavailable) else "warehouse"
        LOG.log(_level(error), "%s not available: %s", engine, error)
        return render(request, Unavailable(f"the {engine} does not answer now, try again"))

    async def on_chain_outage(request: Request, error: Exception) -> JsonResponse:
        LOG.log(_level(error), "%s: a chain could not be read: %s", request.url.path, error)
        return render(request, table.of(request.scope).chain_unavailable())

    async def on_missing_signing_keys(request: Request, error: Exception) -> JsonResponse:
        LOG.error("sign-in and sessions do not work: %s", error)
        return render(request, Unavailable("sessions cannot be checked now, try again"))

    app.add_exception_handler(ApiError, on_api_error)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(StoreUnavailable, on_engine_outage)
    app.add_exception_handler(WarehouseUnavailable, on_engine_outage)
    app.add_exception_handler(RpcError, on_chain_outage)
    app.add_exception_handler(SigningKeyError, on_missing_signing_keys)


def _level(error: Exception) -> int:
    """Of the log: an open circuit was reported once, when it opened."""
    return logging.DEBUG if isinstance(error.__cause__, CircuitOpen) else logging.WARNING


def _methods(request: Request) -> list[str]:
    """Every method that is offered at the request's path, of all routes with the template of the first that fits."""
    template, found = None, set()
    for context in iter_route_contexts(request.app.routes):
        route = context.original_route
        if isinstance(route, Route) and (route.path == template or route.path_regex.match(request.url.path)):
            template = template or route.path
            if route.path == template:
                found |= route.methods or set()
    return sorted(found)
