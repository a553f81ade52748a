"""Pages of the configured site may call the routes that take a session; pages of other origins may not."""

import pytest

from api.http.sharing import site_origin
from tests.fixtures.service import Serve, Service
from tests.fixtures.sign_in import API, SITE

NONCE = "/api/v2/auth/nonce"
LOGIN = "/api/v2/auth/login/siwe"
STRANGERS = (
    "https://evil.example", "http://crowns.example", "https://crowns.example:8443", "https://crowns.example.evil.example",
    "https://CROWNS.example", "https://sub.crowns.example", "null", "*", "",
)  # fmt: skip


def preflight(origin: str, method: str) -> dict[str, str]:
    return {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization,content-type",
    }


async def test_the_sites_pages_sign_in(serve: Serve) -> None:
    async with serve(site_url=SITE, base_url=API) as service:
        http = service.anonymous
        asked = await http.options(LOGIN, headers=preflight(SITE, "POST"))
        assert asked.status_code == 204
        assert asked.headers["access-control-allow-origin"] == SITE
        assert "POST" in asked.headers["access-control-allow-methods"]
        allowed = asked.headers["access-control-allow-headers"].lower()
        assert {"authorization", "content-type"} <= set(allowed.split(", "))
        nonce = await http.get(NONCE, headers={"Origin": SITE})
        refused = await http.post(LOGIN, json={}, headers={"Origin": SITE})
        for answer, status in ((nonce, 200), (refused, 400)):
            assert answer.status_code == status
            assert answer.headers["access-control-allow-origin"] == SITE
            assert "Origin" in answer.headers["vary"]
            assert "access-control-allow-credentials" not in answer.headers
            assert "Retry-After" in answer.headers["access-control-expose-headers"]


@pytest.mark.parametrize("origin", STRANGERS)
async def test_pages_of_other_origins_read_nothing(serve: Serve, origin: str) -> None:
    async with serve(site_url=SITE, base_url=API) as service:
        http = service.anonymous
        for answer in (
            await http.options(LOGIN, headers=preflight(origin, "POST")),
            await http.get(NONCE, headers={"Origin": origin}),
            await http.delete("/api/v2/auth/sessions", headers={"Origin": origin}),
        ):
            assert "access-control-allow-origin" not in answer.headers
            assert "Origin" in answer.headers["vary"]


async def test_a_preflight_is_answered_for_the_method_it_names(serve: Serve) -> None:
    """One path can have a route for keys and another for sessions."""
    async with serve(site_url=SITE, base_url=API) as service:
        http = service.anonymous
        page = "/api/v2/account/keys/01980a5e-7c00-7000-8000-000000000002"
        assert (await http.options(page, headers=preflight(SITE, "PATCH"))).status_code == 204
        assert (await http.options("/api/v2/search", headers=preflight(SITE, "GET"))).status_code == 405
        assert (await http.options(LOGIN, headers={"Origin": SITE})).status_code == 405  # not a preflight


async def test_public_reads_stay_open_to_every_origin(service: Service) -> None:
    answer = await service.anonymous.get("/api/v2/public/nothing", headers={"Origin": "https://evil.example"})
    assert answer.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Crowns.Example/", "https://crowns.example"),
        ("https://crowns.example:443/app", "https://crowns.example"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://[::1]:3000", "http://[::1]:3000"),
        ("ftp://crowns.example", None),
        ("https://", None),
        ("https://crowns.example:port", None),
    ],
)
def test_the_sites_origin_is_written_as_browsers_do(url: str, origin: str | None) -> None:
    assert site_origin(url) == origin
