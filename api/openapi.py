"""The OpenAPI document: FastAPI's, with the error answers that routes imply and without those it invents."""

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute, iter_route_contexts
from pydantic.alias_generators import to_camel

from api import links
from api.http import error_shapes, json_schema
from api.http.examples import restore_examples
from api.http.groups import Credential, RouteGroup
from api.http.route_table import RouteTable
from api.http.routes import accesses
from api.http.statuses import add_implied
from api.security.access import ACCESS_MARK, KEY_SCHEME, OPTIONAL_SESSION, SCOPE_MARK
from api.webhooks import openapi as webhooks

_INVENTED = ("HTTPValidationError", "ValidationError")
# Sent with every answer to a caller with a valid credential; other requests are not counted for an account.
_LIMIT_HEADERS: dict[str, dict[str, Any]] = {
    "X-RateLimit-Limit": {
        "description": "The daily quota; with a 429 for the rate, the burst that the rate allows.",
        "schema": {"type": "integer"},
    },
    "X-RateLimit-Remaining": {"description": "What is left of it.", "schema": {"type": "integer"}},
    "X-RateLimit-Reset": {
        "description": "When it is renewed, in Unix seconds.",
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

Every error answer holds `error` (words) and `code`; every answer carries `X-Request-Id`. Unknown values are
`null`, never 0. A single-valued query parameter, or a member of a body, that is given twice is answered 400.

Requests are counted by API key, or by account for wallet sessions. The plan sets how many a second and a day are
answered; further requests get 429 with `Retry-After`."""


def operation_id(route: APIRoute) -> str:
    """The name of a route's function in camel case: the method's name in generated clients."""
    return to_camel(route.name)


def _has_optional_session(route: APIRoute) -> bool:
    """Whether a credential is optional: FastAPI would describe it as required."""
    names = [getattr(dependency.call, ACCESS_MARK) for dependency in accesses(route.dependant)]
    return names == [OPTIONAL_SESSION]


def _require_both(operation: dict[str, Any], group: RouteGroup) -> None:
    """Say that a route takes all of its credentials together: FastAPI lists them as alternatives."""
    if group.credential is Credential.KEY_AND_SESSION:
        operation["security"] = [{name: scopes for one in operation["security"] for name, scopes in one.items()}]


def _name_scopes(operation: dict[str, Any], route: APIRoute, group: RouteGroup) -> None:
    """Name the scopes that a route needs beside the scheme of each credential that it takes. OpenAPI 3.1 allows that
    for every kind of scheme."""
    of_session = [scope for one in accesses(route.dependant) if (scope := getattr(one.call, SCOPE_MARK, None))]
    of_key = [] if group.key_scope is None else [str(group.key_scope)]
    for requirement in operation.get("security", ()):
        for scheme in requirement:
            requirement[scheme] = of_key if scheme == KEY_SCHEME else of_session


def _described(app: FastAPI) -> Iterator[APIRoute]:
    for context in iter_route_contexts(app.routes):
        route = context.original_route
        if isinstance(route, APIRoute) and route.include_in_schema:
            yield route


def install(app: FastAPI, table: RouteTable, *, public_url: str) -> None:
    """Let the application describe itself through ``build``."""

    def describe() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = build(app, table, public_url)
        return app.openapi_schema

    app.openapi = describe  # type: ignore[method-assign]


def build(app: FastAPI, table: RouteTable, public_url: str) -> dict[str, Any]:
    """The document, with the error answers that routes imply and without FastAPI's 422: invalid requests are 400."""
    document = get_openapi(
        title=app.title,
        version=app.version,
        description=_DESCRIPTION,
        routes=app.routes,
        servers=[{"url": public_url}],
    )
    for route in _described(app):
        for method in route.methods or ():
            operation = document["paths"][route.path_format][method.lower()]
            if _INVENTED[0] in str(operation["responses"].get("422", "")):
                del operation["responses"]["422"]
            group = table.find(method, route.path_format)
            restore_examples(document, operation, route)
            add_implied(operation, route, group)
            _require_both(operation, group)
            _name_scopes(operation, route, group)
            if _has_optional_session(route):
                operation["security"].append({})
    for operations in document["paths"].values():
        for operation in operations.values():
            responses = operation["responses"]
            for response in responses.values():
                headers = response.setdefault("headers", {})
                headers["X-Request-Id"] = {
                    "description": "Names this request in the service's logs.",
                    "schema": {"type": "string"},
                }
                if operation.get("security"):
                    headers.update({name: {"$ref": f"#/components/headers/{name}"} for name in _LIMIT_HEADERS})
    links.add_to(document)
    webhooks.add_to(document)
    document.setdefault("components", {})["headers"] = _LIMIT_HEADERS
    schemas = document["components"].setdefault("schemas", {})
    error_shapes.add_schemas(document)
    for name in _INVENTED:
        schemas.pop(name, None)
    json_schema.finish(document)
    return document
