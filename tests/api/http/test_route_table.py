"""The group of a request, by method and path."""

import pytest
from fastapi.routing import APIRoute
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.routing import Match

from api.http.groups import CLAIMS, READS, SEARCHES, UNKNOWN, UPLOADS, AdmissionClass, Origins, RouteGroup
from api.http.route_table import RouteTable
from api.router import ROUTERS
from api.security.scopes import KeyScope

TABLE = RouteTable(ROUTERS)
ROUTES = [(route, router.group) for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW")
LITERALS = sorted({segment for route, _ in ROUTES for segment in route.path.split("/") if "{" not in segment})


def group_by_routing(method: str, path: str) -> RouteGroup | None:
    """The route that Starlette picks: the first full match, else the first match of the path alone."""
    scope = {"type": "http", "method": method, "path": path, "root_path": ""}
    matches = [(route.matches(scope)[0], group) for route, group in ROUTES]
    for kind in (Match.FULL, Match.PARTIAL):
        for match, group in matches:
            if match is kind:
                return group
    return None


# A parameter may have any value, also one that is a literal of another route.
PARAMETER = st.one_of(st.sampled_from(LITERALS), st.text(max_size=6))


@st.composite
def requests(draw: st.DrawFn) -> tuple[str, str]:
    """A method, and a path made of a route's template; some are of another length."""
    route, _ = draw(st.sampled_from(ROUTES))
    segments = [draw(PARAMETER) if "{" in segment else segment for segment in route.path.split("/")]
    more = draw(st.lists(PARAMETER, max_size=2))
    return draw(st.sampled_from(METHODS)), "/".join([*segments, *more]) + draw(st.sampled_from(("", "/", "\n")))


@given(requests())
@example(("GET", "/health/live\n"))
@example(("GET", "/api/v2/webhooks/events\n"))
@example(("DELETE", "/api/v2/webhooks/events"))
@example(("GET", "/api/v2/tokenlist/export/PEPE/base"))
def test_the_table_agrees_with_routing(request_line: tuple[str, str]) -> None:
    expected, found = group_by_routing(*request_line), TABLE.find(*request_line)
    if expected is None:
        assert found.admission is READS
        assert found not in TABLE.groups
    else:
        assert found is expected


@pytest.mark.parametrize(
    ("path", "method", "admission"),
    [
        ("/health/ready", "GET", None),
        ("/openapi.json", "GET", READS),
        ("/api/v2/claim", "POST", CLAIMS),
        ("/api/v2/claim/status/0xab", "GET", CLAIMS),
        ("/api/v2/registration/check-qualify", "POST", CLAIMS),
        ("/api/v2/registration/7/domains/pepe.example/verify", "POST", CLAIMS),
        ("/api/v2/auth/login/siwe", "POST", CLAIMS),
        ("/api/v2/public/holdings/base/0x1/0x2", "GET", CLAIMS),
        ("/api/v2/search", "GET", SEARCHES),
        ("/api/v2/token/PEPE/base", "GET", SEARCHES),
        ("/api/v2/registration/claimable", "GET", SEARCHES),
        ("/api/v2/heartbeat/PEPE/base/history", "GET", SEARCHES),
        ("/api/v2/heartbeat/PEPE/base", "GET", READS),
        ("/api/v2/tokenlist", "GET", READS),
        ("/api/v2/tokenlist/export/PEPE/base", "GET", READS),
        ("/api/v2/registration/7/history", "GET", READS),
        ("/api/v2/metadata/upload", "POST", UPLOADS),
        ("/nowhere", "GET", READS),
    ],
)
def test_admission_class_of_a_path(path: str, method: str, admission: AdmissionClass | None) -> None:
    """The search class is for routes that read the warehouse; the token list and histories read the store."""
    assert TABLE.find(method, path).admission is admission


def test_an_unknown_path_has_the_shape_of_the_prefix_above_it() -> None:
    assert TABLE.find("GET", "/nowhere") is UNKNOWN
    assert TABLE.find("GET", "nowhere") is UNKNOWN
    below_public = TABLE.find("GET", "/api/v2/public/nothing")
    assert below_public.errors.with_message
    assert below_public.origins is Origins.ANY
    assert TABLE.find("GET", "/api/v2/searching").errors is UNKNOWN.errors
    assert TABLE.find("GET", "/api/v2/search/more").errors.invalid_code == "bad_request"


def test_an_unsupported_method_belongs_to_the_paths_group() -> None:
    assert TABLE.find("POST", "/api/v2/search") is TABLE.find("GET", "/api/v2/search")


def test_a_parameter_that_is_not_a_segment_of_text_is_refused() -> None:
    for template in ("/files/{path:path}", "/items/{id:int}", "/items/item-{id}"):
        router = RouteGroup(prefix="", key_scope=KeyScope.READ).router(tags=["test"])
        router.add_api_route(template, lambda: None)
        with pytest.raises(ValueError, match="whole segment"):
            RouteTable([router])
