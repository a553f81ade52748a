"""Reads without a credential, by address."""

from typing import Any

import httpx
import pytest

from tests.fixtures.clocks import ManualClock
from tests.fixtures.limits import ServeLimited
from tests.fixtures.service import Serve, Service

BACKENDS = pytest.mark.parametrize("backend", ["process", "store"])
PROXY = {"trusted_proxies": "127.0.0.1/32"}


COINS = "/api/v2/public/coins/base/NONE"
HOLDINGS = f"/api/v2/public/holdings/base/0x{'69' * 20}/0x{'70' * 20}"
FOUND_NOTHING = 404
"""The answer of both: nothing is registered, and no chain is enabled."""


async def ask(service: Service, path: str, requests: int, **headers: str) -> list[int]:
    return [(await service.anonymous.get(path, headers=headers)).status_code for _ in range(requests)]


@BACKENDS
async def test_an_address_may_ask_400_times_a_minute(
    serve_limited: ServeLimited, clock: ManualClock, backend: str
) -> None:
    async with serve_limited(backend) as service:
        assert set(await ask(service, COINS, 400)) == {FOUND_NOTHING}
        refused = await service.anonymous.get(COINS)
    assert (refused.status_code, refused.json()["message"]) == (
        429,
        "more than 400 requests a minute from this address",
    )
    assert 50 <= int(refused.headers["retry-after"]) <= 60
    assert not any(name.startswith("x-ratelimit") for name in refused.headers)


@BACKENDS
async def test_an_address_may_read_60_holdings_a_minute(serve_limited: ServeLimited, backend: str) -> None:
    async with serve_limited(backend, public="per_minute = 70") as service:
        assert await ask(service, HOLDINGS, 61) == [FOUND_NOTHING] * 60 + [429]
        assert await ask(service, COINS, 11) == [FOUND_NOTHING] * 10 + [429]


async def test_holdings_are_refused_when_the_address_is_over_its_limit(serve_limited: ServeLimited) -> None:
    async with serve_limited(public="per_minute = 3") as service:
        assert await ask(service, COINS, 3) == [FOUND_NOTHING] * 3
        assert await ask(service, HOLDINGS, 1) == [429]


async def test_the_next_minute_begins_after_retry_after(serve_limited: ServeLimited, clock: ManualClock) -> None:
    async with serve_limited(public="per_minute = 2\nholdings_per_minute = 1") as service:
        assert await ask(service, COINS, 1) == [FOUND_NOTHING]
        clock.advance(seconds=20)
        assert await ask(service, COINS, 1) == [FOUND_NOTHING]
        refused = await service.anonymous.get(COINS)
        wait = int(refused.headers["retry-after"])
        assert wait == 40
        clock.advance(seconds=wait)
        assert await ask(service, COINS, 3) == [FOUND_NOTHING, FOUND_NOTHING, 429]


async def test_clients_behind_a_trusted_proxy_are_counted_separately(serve: Serve, limits_file: Any) -> None:
    limits_file.write_text("[public]\nper_minute = 2\n")
    async with serve(limits=limits_file, **PROXY) as service:
        for client in ("198.51.100.1", "198.51.100.2"):
            named = {"X-Forwarded-For": f"1.2.3.4, {client}"}
            assert await ask(service, COINS, 3, **named) == [FOUND_NOTHING, FOUND_NOTHING, 429]


async def test_x_forwarded_for_of_others_is_ignored(serve: Serve, limits_file: Any) -> None:
    limits_file.write_text("[public]\nper_minute = 2\n")
    async with serve(limits=limits_file) as service:
        asked = [await ask(service, COINS, 1, **{"X-Forwarded-For": f"1.2.3.{n}"}) for n in range(3)]
    assert asked == [[FOUND_NOTHING], [FOUND_NOTHING], [429]]


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
