"""Reads without a credential, by address."""

from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from api.limits.public import PublicHolding, PublicRead
from tests.fixtures.clocks import ManualClock
from tests.fixtures.limits import ServeLimited
from tests.fixtures.service import Serve, Service

BACKENDS = pytest.mark.parametrize("backend", ["process", "store"])
PROXY = {"trusted_proxies": "127.0.0.1/32"}


def with_routes(app: FastAPI) -> None:
    """Two routes that do nothing but count."""

    @app.get("/bench/coins")
    async def coins(access: PublicRead) -> dict[str, str]:
        return {}

    @app.get("/bench/holdings")
    async def holdings(access: PublicHolding) -> dict[str, str]:
        return {}


async def ask(service: Service, path: str, requests: int, **headers: str) -> list[int]:
    return [(await service.anonymous.get(path, headers=headers)).status_code for _ in range(requests)]


@BACKENDS
async def test_an_address_may_ask_400_times_a_minute(
    serve_limited: ServeLimited, clock: ManualClock, backend: str
) -> None:
    async with serve_limited(backend) as service:
        with_routes(service.app)
        assert set(await ask(service, "/bench/coins", 400)) == {200}
        refused = await service.anonymous.get("/bench/coins")
    assert (refused.status_code, refused.json()["error"]) == (429, "more than 400 requests a minute from this address")
    assert 50 <= int(refused.headers["retry-after"]) <= 60
    assert not any(name.startswith("x-ratelimit") for name in refused.headers)


@BACKENDS
async def test_60_of_them_may_be_for_holdings(serve_limited: ServeLimited, backend: str) -> None:
    async with serve_limited(backend, public="per_minute = 70") as service:
        with_routes(service.app)
        assert await ask(service, "/bench/holdings", 61) == [200] * 60 + [429]
        assert await ask(service, "/bench/coins", 11) == [200] * 10 + [429]


async def test_holdings_are_refused_where_the_address_asked_for_enough_else(serve_limited: ServeLimited) -> None:
    async with serve_limited(public="per_minute = 3") as service:
        with_routes(service.app)
        assert await ask(service, "/bench/coins", 3) == [200] * 3
        assert await ask(service, "/bench/holdings", 1) == [429]


async def test_the_next_minute_begins_when_it_says(serve_limited: ServeLimited, clock: ManualClock) -> None:
    async with serve_limited(public="per_minute = 2\nholdings_per_minute = 1") as service:
        with_routes(service.app)
        assert await ask(service, "/bench/coins", 1) == [200]
        clock.advance(seconds=20)
        assert await ask(service, "/bench/coins", 1) == [200]
        refused = await service.anonymous.get("/bench/coins")
        wait = int(refused.headers["retry-after"])
        assert wait == 40
        clock.advance(seconds=wait)
        assert await ask(service, "/bench/coins", 3) == [200, 200, 429]


async def test_clients_behind_a_trusted_proxy_are_told_apart(serve: Serve, limits_file: Any) -> None:
    limits_file.write_text("[public]\nper_minute = 2\n")
    async with serve(limits=limits_file, **PROXY) as service:
        with_routes(service.app)
        for client in ("198.51.100.1", "198.51.100.2"):
            named = {"X-Forwarded-For": f"1.2.3.4, {client}"}
            assert await ask(service, "/bench/coins", 3, **named) == [200, 200, 429]


async def test_nobody_else_says_whom_to_count(serve: Serve, limits_file: Any) -> None:
    limits_file.write_text("[public]\nper_minute = 2\n")
    async with serve(limits=limits_file) as service:
        with_routes(service.app)
        asked = [await ask(service, "/bench/coins", 1, **{"X-Forwarded-For": f"1.2.3.{n}"}) for n in range(3)]
    assert asked == [[200], [200], [429]]


async def test_sign_in_is_counted_by_address(serve_limited: ServeLimited) -> None:
    async with serve_limited(public="per_minute = 3") as service:
        answers: list[httpx.Response] = [
            await service.anonymous.get("/api/v2/auth/nonce"),
            await service.anonymous.get("/api/v2/apps/jwks"),
            await service.anonymous.post("/api/v2/auth/login/siwe", json={}),
            await service.anonymous.post("/api/v2/auth/login/siws", json={}),
        ]
    assert [answer.status_code for answer in answers] == [200, 200, 400, 429]
    assert answers[-1].json()["code"] == "RATE_LIMITED"
