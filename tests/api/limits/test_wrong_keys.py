"""API keys that are not valid, by address: each would cost a look-up in the store."""

import asyncio

from api.accounts.service import Accounts
from tests.fixtures.clocks import ManualClock
from tests.fixtures.limits import ServeLimited
from tests.fixtures.service import HOLDER, Service


async def send(service: Service, key: str) -> int:
    answer = await service.anonymous.get("/api/v2/config/fees", headers={"X-API-Key": key})
    if answer.status_code == 429:
        assert answer.json()["code"] == "RATE_LIMITED"
        assert 1 <= int(answer.headers["retry-after"]) <= 60
    return answer.status_code


async def test_an_address_may_send_60_invalid_keys_a_minute(
    serve_limited: ServeLimited, clock: ManualClock, store_url: str
) -> None:
    async with serve_limited(public="wrong_keys_per_minute = 3") as service:
        other = Accounts(store_url).create_key(HOLDER).key
        assert await send(service, service.key) == 200
        sent = await asyncio.gather(*(send(service, f"rgl_live_{number}") for number in range(9)))
        assert sorted(sent) == [403] * 3 + [429] * 6
        # A key known to be valid is let through; a new one waits.
        assert await send(service, service.key) == 200
        assert await send(service, other) == 429
        clock.advance(seconds=60)
        # Valid keys do not count towards the limit.
        assert [await send(service, other) for _ in range(5)] == [200] * 5
        assert [await send(service, "rgl_live_x") for _ in range(4)] == [403] * 3 + [429]
