"""Every route declares who may call it, and OpenAPI says everything about it."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from api.app import create_app
from api.http.groups import TAKE_KEYS, Credential, Origins, Quota, RouteGroup
from api.http.route_table import RouteTable
from api.http.routes import BodyRoute, QueryRoute, accesses, single_parameters
from api.router import ROUTERS
from api.security.access import ACCESS_MARK
from api.security.scopes import KeyScope
from api.settings import ApiSettings

ANSWERS = ("application/json", "text/plain", "text/event-stream")


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return create_app(ApiSettings())


@pytest.fixture(scope="module")
def document(app: FastAPI) -> dict[str, Any]:
    return app.openapi()


def routes() -> Iterator[APIRoute]:
    for router in ROUTERS:
        for route in router.routes:
            assert isinstance(route, APIRoute)
            yield route


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def access_names(route: APIRoute) -> list[str]:
    return [getattr(dependency.call, ACCESS_MARK) for dependency in accesses(route.dependant)]


def test_every_route_declares_its_access_once() -> None:
    undeclared = {route.path: access_names(route) for route in routes()}
    assert {path: found for path, found in undeclared.items() if len(found) != 1} == {}


# These need no credential.
PUBLIC = {
    "/health/live",
    "/health/ready",
    "/openapi.json",
    "/api/v2/apps/jwks",
    "/api/v2/auth/nonce",
    "/api/v2/auth/login/siwe",
    "/api/v2/auth/login/siws",
}


def is_public(path: str) -> bool:
    return path in PUBLIC or path.startswith("/api/v2/public/")


def test_only_these_routes_need_no_credential() -> None:
    for route in routes():
        needs_none = any(name.startswith(("public", "optional_session")) for name in access_names(route))
        assert needs_none == is_public(route.path), route.path


def test_every_body_is_read_after_the_credential() -> None:
    unguarded = {route.path for route in routes() if route.body_field and not isinstance(route, BodyRoute)}
    assert unguarded == set()


def test_no_parameter_is_taken_twice() -> None:
    """Routes that read the query string themselves are searches, and see to it, too."""
    unguarded = {
        route.path
        for route in routes()
        if set(single_parameters(route.dependant)) and not isinstance(route, QueryRoute)
    }
    assert unguarded == set()


def test_every_route_belongs_to_one_group_which_covers_its_path() -> None:
    table, owners = RouteTable(ROUTERS), defaultdict(set)
    for router in ROUTERS:
        for route in router.routes:
            assert isinstance(route, APIRoute)
            assert route.path.startswith(router.group.prefix), route.path
            for method in route.methods:
                owners[method, route.path].add(router.group)
                assert table.find(method, route.path) is router.group, route.path
    assert {place for place, groups in owners.items() if len(groups) != 1} == set()


def test_every_operation_that_takes_a_key_names_its_scope(document: dict[str, Any]) -> None:
    table, found = RouteTable(ROUTERS), set()
    for name, operation in operations(document):
        method, path = name.split()
        takes_key = table.find(method, path).credential in TAKE_KEYS
        scopes = [scope for one in operation.get("security", ()) for scope in one.get("ApiKey", ())]
        assert len(scopes) == int(takes_key), name
        if takes_key:
            assert "KEY_SCOPE_MISSING" in operation["responses"]["403"]["content"]["application/json"]["examples"], name
            found |= set(scopes)
    assert found == set(KeyScope)


def test_a_group_that_takes_keys_must_declare_a_scope() -> None:
    with pytest.raises(ValueError, match="key_scope"):
        RouteGroup(prefix="/api/v2/new")
    with pytest.raises(ValueError, match="key_scope"):
        RouteGroup(prefix="/api/v2/new", credential=Credential.SESSION, key_scope=KeyScope.READ)


def test_groups_declare_the_credential_and_quota_of_their_routes() -> None:
    by_address = (Quota.ADDRESS, Quota.ADDRESS_HOLDINGS)
    for router in ROUTERS:
        for route in router.routes:
            assert isinstance(route, APIRoute)
            (name,) = access_names(route)
            credential, _, rest = name.partition(", ")
            assert credential == router.group.credential, route.path
            if credential == Credential.NONE:
                expected: tuple[Quota, ...] = by_address if rest == "by address" else (Quota.NONE,)
            else:
                expected = (Quota.ACCOUNT, Quota.ACCOUNT_RATE)
            assert router.group.quota in expected, route.path


def test_the_site_may_call_every_route_that_takes_a_session() -> None:
    with_session = set(Credential) - {Credential.API_KEY, Credential.NONE}
    closed = {
        router.group.prefix
        for router in ROUTERS
        if router.group.credential in with_session and router.group.origins is not Origins.SITE
    }
    assert closed == set()


def test_groups_with_one_prefix_answer_unknown_paths_alike() -> None:
    shapes = defaultdict(set)
    for router in ROUTERS:
        shapes[router.group.prefix].add((router.group.errors.with_message, router.group.origins is Origins.ANY))
    assert {prefix for prefix, found in shapes.items() if len(found) != 1} == set()


def test_operation_ids_are_unique_and_read_like_methods(document: dict[str, Any]) -> None:
    found = [operation["operationId"] for _, operation in operations(document)]
    assert len(found) == len(set(found))
    assert all(re.fullmatch(r"[a-z]+[A-Za-z0-9]+", name) for name in found)


def test_every_operation_is_described_with_its_answers(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        assert operation.get("description"), name
        assert operation.get("tags"), name
        refusals = str(operation["responses"].get("422", ""))
        codes = ("TOKEN_NOT_REGISTRABLE", "CHAIN_NOT_INDEXED", "CHALLENGE_REFUSED", "LINK_BLOCKED")
        assert not refusals or any(code in refusals for code in codes), name
        for parameter in operation.get("parameters", ()):
            assert parameter.get("description") or parameter["name"] == "X-API-Key", (name, parameter["name"])
        if "/api/" not in name:
            continue
        if is_public(name.split()[1]):
            continue
        assert operation.get("security"), name
        refusals = {"401", "403"} if any("ApiKey" in one for one in operation["security"]) else {"401"}
        assert refusals | {"500", "503"} <= set(operation["responses"]), name
        if "requestBody" in operation:
            assert {"400", "413", "415"} <= set(operation["responses"]), name


def test_every_counted_operation_says_so(document: dict[str, Any]) -> None:
    """All but health and metrics are counted, and those with a credential tell what is left of its limits."""
    limit_headers = {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit-Policy", "RateLimit"}
    for name, operation in operations(document):
        if not operation.get("security") and "/api/" not in name:
            continue
        assert "429" in operation["responses"], name
        for response in operation["responses"].values():
            assert limit_headers & set(response["headers"]) == (
                limit_headers if operation.get("security") else set()
            ), name


def test_every_error_answer_has_an_example_of_its_code(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        for status, response in operation["responses"].items():
            if status.startswith("2") or status == "304":
                continue
            content = response["content"]["application/json"]
            assert "ErrorBody" in str(content["schema"]) or status in ("403", "404", "409", "422", "503"), (
                name,
                status,
            )
            for code, example in content["examples"].items():
                assert example["value"]["code"] == code
            if status in ("429", "503"):
                assert "Retry-After" in response["headers"], (name, status)


def test_every_request_body_has_an_example(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    for name, operation in operations(document):
        if "requestBody" not in operation:
            continue
        reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        assert schemas[reference.rpartition("/")[2]].get("examples"), name


def test_every_successful_answer_has_a_schema(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        made = next(answer for status, answer in operation["responses"].items() if status.startswith("2"))
        if "204" in operation["responses"]:
            continue
        success = made["content"]
        assert any(success[one].get("schema") for one in ANSWERS if one in success), name


def test_every_successful_answer_has_examples() -> None:
    """``test_schemas.py`` checks that they fit."""
    for route in routes():
        if not route.include_in_schema or route.status_code == 204:
            continue
        content = route.responses.get(route.status_code or 200, {}).get("content", {})
        shown = content.get("application/json", content.get("text/event-stream", {}))
        assert shown.get("examples") or "example" in shown, route.path


def test_every_answer_names_the_request_id(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        for response in operation["responses"].values():
            assert "X-Request-Id" in response["headers"], name
