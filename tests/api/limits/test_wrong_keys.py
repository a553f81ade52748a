"""API keys that are not valid, by address: refused beyond a limit, and never at the expense of valid keys."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from api.accounts.service import Accounts
from tests.fixtures.clocks import ManualClock
from tests.fixtures.limits import ServeLimited
from tests.fixtures.service import HOLDER, Serve, Service
from tests.fixtures.waiting import wait_until_async
from warehouse.postgres import Connection

OTHER = "0x00000000000000000000000000000000000ca12e"


async def send(service: Service, key: str) -> int:
    answer = await service.anonymous.get("/api/v2/config/fees", headers={"X-API-Key": key})
    if answer.status_code == 429:
        assert answer.json()["code"] == "RATE_LIMITED"
        assert 1 <= int(answer.headers["retry-after"]) <= 60
    return answer.status_code


@pytest.fixture
async def strict(serve_limited: ServeLimited) -> AsyncIterator[Service]:
    """A service that answers three invalid keys a minute."""
    async with serve_limited(public="wrong_keys_per_minute = 3") as service:
        yield service


async def test_an_address_may_send_a_limited_number_of_invalid_keys_a_minute(
    strict: Service, clock: ManualClock
) -> None:
    sent = await asyncio.gather(*(send(strict, f"rgl_live_{number}") for number in range(9)))
    assert sorted(sent) == [403] * 3 + [429] * 6
    clock.advance(seconds=60)
    assert [await send(strict, "rgl_live_x") for _ in range(4)] == [403] * 3 + [429]


async def test_valid_keys_are_never_refused_for_invalid_ones(strict: Service, store_url: str) -> None:
    new = Accounts(store_url).create_key(HOLDER).key
    await asyncio.gather(*(send(strict, f"rgl_live_{number}") for number in range(9)))
    assert await send(strict, strict.key) == 200
    assert await send(strict, new) == 200, "a key that this process has not seen yet"
    assert await send(strict, "rgl_live_x") == 429


async def test_a_revocation_forgets_one_key(strict: Service, store_url: str) -> None:
    """Customers behind the address of someone who guesses keys go on, whoever's key is revoked."""
    accounts = Accounts(store_url)
    revoked = accounts.create_key(OTHER).key
    assert [await send(strict, key) for key in (strict.key, revoked)] == [200, 200]
    await asyncio.gather(*(send(strict, f"rgl_live_{number}") for number in range(9)))
    accounts.revoke_key(revoked)
    await until_refused(strict, revoked)
    assert strict.services.api_keys.known(strict.key) is not None
    assert await send(strict, strict.key) == 200


async def test_a_change_of_plan_forgets_the_account_alone(serve: Serve, store_url: str) -> None:
    async with serve(api_key_cache_seconds=60) as service:
        accounts = Accounts(store_url)
        other = accounts.create_key(OTHER).key
        keys = service.services.api_keys
        assert [await send(service, key) for key in (service.key, other)] == [200, 200]
        accounts.set_plan(OTHER, "pro")
        await wait_until_async(lambda: (known := keys.known(other)) is None or known.plan == "pro")
        assert keys.known(service.key) is not None


async def test_what_is_remembered_is_forgotten_once_notifications_may_be_missed(
    serve: Serve, store: Connection
) -> None:
    async with serve(api_key_cache_seconds=60) as service:
        assert await send(service, service.key) == 200
        ended = store.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = 'regalia-listener'"
        ).fetchall()
        assert ended, "a service that has started listens"
        await wait_until_async(lambda: service.services.api_keys.known(service.key) is None, "it listens again")


async def test_invalid_keys_do_not_displace_valid_ones(serve: Serve) -> None:
    async with serve(api_key_cache_seconds=60) as service:
        keys = service.services.api_keys
        keys._known.limit = 5
        assert await send(service, service.key) == 200
        for number in range(10):
            assert await keys.find(f"rgl_live_{number}") is None
        assert keys.known(service.key) is not None


async def until_refused(service: Service, key: str) -> None:
    deadline = time.monotonic() + 20
    while await send(service, key) == 200:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)
