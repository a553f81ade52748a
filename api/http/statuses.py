"""The errors that a route's declaration implies, for OpenAPI.

    always                          500
    its group is admitted           503, also for engines that are down and requests that take too long
    its group is counted            429
    a dependency declares errors    those: 401 and 403 of credentials, 404 of what a path names
    a body                          400, 413, 415
    parameters that can be invalid  400

Only errors that the endpoint itself raises are left to list in a route's ``responses``.
"""

from collections.abc import Iterator
from typing import Any

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from api.http.error_shapes import either
from api.http.errors import (
    ERRORS_MARK,
    ApiError,
    InvalidInput,
    PayloadTooLarge,
    TooManyRequests,
    Unavailable,
    UnsupportedMediaType,
)
from api.http.groups import Quota, RouteGroup
from api.http.routes import BodyRoute


def implied_errors(route: APIRoute, group: RouteGroup) -> list[type[ApiError]]:
    """The errors that follow from a route's signature and from its group."""
    errors: dict[type[ApiError], None] = {ApiError: None}
    if group.admission is not None:
        errors[Unavailable] = None
    if group.quota is not Quota.NONE:
        errors[TooManyRequests] = None
    for dependant in _all(route.dependant):
        errors |= dict.fromkeys(getattr(dependant.call, ERRORS_MARK, ()))
        if dependant.query_params or dependant.header_params or dependant.cookie_params:
            errors[InvalidInput] = None
    if route.body_field is not None:
        errors |= dict.fromkeys((InvalidInput, PayloadTooLarge))
        if isinstance(route, BodyRoute):
            errors[UnsupportedMediaType] = None
    return list(errors)


def add_implied(operation: dict[str, Any], route: APIRoute, group: RouteGroup) -> None:
    """Add the implied errors to a route's operation; what the route itself lists for a status comes after."""
    responses = operation["responses"]
    for status, implied in group.errors.responses(*implied_errors(route, group)).items():
        listed = responses.get(str(status))
        responses[str(status)] = implied if listed is None else _merged(implied, listed)
    operation["responses"] = dict(sorted(responses.items()))


def _merged(implied: dict[str, Any], listed: dict[str, Any]) -> dict[str, Any]:
    examples = {
        **implied["content"]["application/json"]["examples"],
        **listed["content"]["application/json"]["examples"],
    }
    schema = either(*(one["content"]["application/json"]["schema"] for one in (implied, listed)))
    content = {"application/json": {"schema": schema, "examples": examples}}
    texts = dict.fromkeys((*implied["description"].split("; "), *listed["description"].split("; ")))
    return {**implied, "description": "; ".join(texts), "content": content}


def _all(dependant: Dependant) -> Iterator[Dependant]:
    yield dependant
    for dependency in dependant.dependencies:
        yield from _all(dependency)
