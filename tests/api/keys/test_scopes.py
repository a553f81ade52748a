"""What a key may do: each route needs one scope, and a key without a list has all that keys had before."""

import asyncio
from collections.abc import Iterator

import pytest
from fastapi.routing import APIRoute

from api.accounts.service import Accounts
from api.router import ROUTERS
from api.security.scopes import DESCRIPTIONS, UNRESTRICTED, KeyScope
from tests.fixtures.owners import Owner, ServeOwner

NIL = "00000000-0000-0000-0000-000000000000"


def keyed_routes() -> Iterator[tuple[str, str, KeyScope]]:
    """Method, path and scope of every route that takes a key."""
    for router in ROUTERS:
        scope = router.group.key_scope
        for route in router.routes:
            assert isinstance(route, APIRoute)
            if scope is not None:
                path = route.path_format
                for name in route.param_convertors:
                    path = path.replace("{" + name + "}", NIL)
                yield from ((method, path, scope) for method in sorted(route.methods) if method != "HEAD")


async def test_a_key_calls_only_routes_of_its_scopes(serve_owner: ServeOwner, store_url: str) -> None:
    """Every route, with a key of each single scope."""
    async with serve_owner() as owner:
        Accounts(store_url).set_plan(owner.wallet.address, "enterprise")
        for scope in KeyScope:
            key = (await owner.made(scopes=[scope]))["key"]
            for method, path, needed in keyed_routes():
                answer = await owner.service.anonymous.request(method, path, json={}, headers={"X-API-Key": key})
                refused = answer.status_code == 403 and answer.json()["code"] == "KEY_SCOPE_MISSING"
                assert refused is (needed is not scope), (method, path, scope, answer.text)
                if refused:
                    assert answer.json()["requiredScope"] == needed
                    assert answer.json()["scopes"] == [scope]
                    assert "x-ratelimit-limit" in answer.headers, "a refused request is counted"


async def test_a_key_without_a_list_keeps_what_keys_could_do(owner: Owner) -> None:
    made = await owner.made()
    assert made["scopes"] is None
    assert await owner.use(made["key"], "/account/usage") == 200
    assert await owner.use(made["key"], "/registry/info") == 200
    refused = await owner.call(made["key"], "/account/audit")
    assert (refused.status_code, refused.json()["requiredScope"]) == (403, "audit")
    assert frozenset(KeyScope) - {KeyScope.AUDIT} == UNRESTRICTED
    assert set(DESCRIPTIONS) == set(KeyScope)


async def test_scopes_can_be_narrowed_and_widened(owner: Owner) -> None:
    made = await owner.made()
    path = f"/keys/{made['id']}"
    narrowed = await owner.ask("PATCH", path, json={"scopes": ["claim", "claim"]})
    assert (narrowed.status_code, narrowed.json()["scopes"]) == (200, ["claim"])
    assert await owner.use(made["key"]) == 403
    assert (await owner.ask("PATCH", path, json={"name": "other"})).json()["scopes"] == ["claim"]
    assert (await owner.ask("PATCH", path, json={"scopes": None})).json()["scopes"] is None
    assert await owner.use(made["key"]) == 200


@pytest.mark.parametrize("scopes", [[], ["admin"], ["READ"], "read", [None], ["read"] * 7])
async def test_invalid_scopes_are_refused_by_field(owner: Owner, scopes: object) -> None:
    for answer in (await owner.make(scopes=scopes), await owner.ask("PATCH", f"/keys/{NIL}", json={"scopes": scopes})):
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"].startswith("scopes")


async def test_a_misspelt_restriction_is_refused(owner: Owner) -> None:
    for member in ("scope", "expires", "allowedAdresses", "allowedIps"):
        answer = await owner.make(**{member: ["read"]})
        assert answer.status_code == 400
        assert member in answer.json()["error"]


async def test_concurrent_changes_do_not_undo_each_other(owner: Owner) -> None:
    made = await owner.made()
    path = f"/keys/{made['id']}"
    await asyncio.gather(
        owner.ask("PATCH", path, json={"scopes": ["read"]}),
        owner.ask("PATCH", path, json={"allowedAddresses": ["127.0.0.1"]}),
        owner.ask("PATCH", path, json={"name": "three"}),
    )
    [key] = (await owner.ask("GET", "/keys")).json()["keys"]
    assert (key["scopes"], key["allowedAddresses"], key["name"]) == (["read"], ["127.0.0.1/32"], "three")
