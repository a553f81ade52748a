"""The OpenAPI document: what FastAPI makes of the routes, without the answers it invents."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute, iter_route_contexts
from pydantic.alias_generators import to_camel

from api import links
from api.http.routes import accesses
from api.security.access import ACCESS_MARK, OPTIONAL_SESSION
from api.webhooks import openapi as webhooks

_INVENTED = ("HTTPValidationError", "ValidationError")
# Of every answer to a caller whose credential is valid; others are not counted for an account.
_LIMIT_HEADERS: dict[str, dict[str, Any]] = {
    "X-RateLimit-Limit": {
        "description": "Requests that the daily quota allows; with a 429 for the rate, requests at once.",
        "schema": {"type": "integer"},
    },
    "X-RateLimit-Remaining": {"description": "How many of them are left.", "schema": {"type": "integer"}},
    "X-RateLimit-Reset": {
        "description": "When they are renewed, in unix seconds.",
        "schema": {"type": "integer"},
    },
    "RateLimit-Policy": {
        "description": "The limits by name: q requests in w seconds (IETF draft, structured fields).",
        "schema": {"type": "string"},
        "example": '"rate";q=50;w=2, "day";q=100000;w=86400',
    },
    "RateLimit": {
        "description": "What is left of them: r requests, renewed in t seconds.",
        "schema": {"type": "string"},
        "example": '"rate";r=49;t=1, "day";r=99999;t=43200',
    },
}
_DESCRIPTION = """A registry of token symbols across chains: search, heartbeats, registrations and claims.

Every error answer holds `error` (words) and `code`; every answer carries `X-Request-Id`. Figures that are not known
are `null`, never 0. A query parameter that takes one value, or a member of a body, that is given twice is answered 400.

Requests are counted by API key, or by account for wallet sessions: so many a second and a day, by plan. Beyond that the
answer is 429 with `Retry-After`."""


def operation_id(route: APIRoute) -> str:
    """The name of a route's function in camel case: what a generated client calls its method."""
    return to_camel(route.name)


def _takes_or_leaves_a_session(route: APIRoute) -> bool:
    """Whether a credential may be sent and need not be: FastAPI would describe it as one that is needed."""
    names = [getattr(dependency.call, ACCESS_MARK) for dependency in accesses(route.dependant)]
    return names == [OPTIONAL_SESSION]


def install(app: FastAPI, *, public_url: str) -> None:
    """Let the application describe itself through ``build``."""

    def describe() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = build(app, public_url)
        return app.openapi_schema

    app.openapi = describe  # type: ignore[method-assign]


def build(app: FastAPI, public_url: str) -> dict[str, Any]:
    """The document. A request that is not valid is answered by the group's 400, so FastAPI's own 422 is taken out."""
    document = get_openapi(
        title=app.title,
        version=app.version,
        description=_DESCRIPTION,
        routes=app.routes,
        servers=[{"url": public_url}],
    )
    for operations in document["paths"].values():
        for operation in operations.values():
            responses = operation["responses"]
            if _INVENTED[0] in str(responses.get("422", "")):
                del responses["422"]
            for response in responses.values():
                headers = response.setdefault("headers", {})
                headers["X-Request-Id"] = {
                    "description": "Names this request in the service's logs.",
                    "schema": {"type": "string"},
                }
                if operation.get("security"):
                    headers.update({name: {"$ref": f"#/components/headers/{name}"} for name in _LIMIT_HEADERS})
    for context in iter_route_contexts(app.routes):
        route = context.original_route
        if isinstance(route, APIRoute) and route.include_in_schema and _takes_or_leaves_a_session(route):
            for method in route.methods or ():
                document["paths"][route.path_format][method.lower()]["security"].append({})
    links.add_to(document)
    webhooks.add_to(document)
    document.setdefault("components", {})["headers"] = _LIMIT_HEADERS
    schemas = document["components"].get("schemas", {})
    for name in _INVENTED:
        schemas.pop(name, None)
    return document
