"""Limits of requests with a key or a session, and their headers."""

import asyncio
import time
from datetime import timedelta
from typing import Any

import httpx
import pytest

from api.accounts.service import Accounts
from tests.factories.token_lists import add_listed, publish_list
from tests.factories.tokens import publish, token_row
from tests.fixtures.clocks import ManualClock
from tests.fixtures.limits import ServeLimited
from tests.fixtures.service import HOLDER, Serve, Service
from tests.fixtures.sign_in import API, SITE, SignInClient, authorized, new_wallet
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

FIELDS = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "ratelimit-policy", "ratelimit")
BACKENDS = pytest.mark.parametrize("backend", ["process", "store"])


def said(answer: httpx.Response) -> tuple[int, int, int]:
    """The older headers: limit, remaining, reset."""
    return tuple(int(answer.headers[name]) for name in FIELDS[:3])  # type: ignore[return-value]


async def statuses(service: Service, requests: int) -> list[int]:
    return [(await service.get("/config/fees")).status_code for _ in range(requests)]


@BACKENDS
async def test_a_burst_is_granted_and_the_next_request_refused(serve_limited: ServeLimited, backend: str) -> None:
    async with serve_limited(backend, per_second=1, burst=3) as service:
        assert await statuses(service, 3) == [200, 200, 200]
        refused = await service.get("/config/fees")
    assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMITED")
    assert refused.json()["error"] == "more than 1 requests a second"
    assert refused.headers["retry-after"] == "1"
    assert said(refused)[:2] == (3, 0)
    assert refused.headers["ratelimit"].startswith('"rate";r=0;t=3, "day";r=9997;')


@BACKENDS
async def test_concurrent_requests_get_exactly_the_quota(serve_limited: ServeLimited, backend: str) -> None:
    async with serve_limited(backend, per_second=1_000, burst=1_000, per_day=7) as service:
        answers = await asyncio.gather(*(service.get("/config/fees") for _ in range(40)))
    assert sorted(answer.status_code for answer in answers) == [200] * 7 + [429] * 33
    left = sorted(said(answer)[1] for answer in answers if answer.status_code == 200)
    assert left == list(range(7))  # each answer has a different count


async def test_the_bucket_refills_with_time(serve_limited: ServeLimited, clock: ManualClock) -> None:
    async with serve_limited(per_second=2, burst=2) as service:
        assert await statuses(service, 3) == [200, 200, 429]
        clock.advance(seconds=0.5)
        assert await statuses(service, 2) == [200, 429]
        clock.advance(seconds=3600)
        assert await statuses(service, 3) == [200, 200, 429]


@BACKENDS
async def test_a_used_up_quota_resets_at_midnight_utc(
    serve_limited: ServeLimited, clock: ManualClock, backend: str
) -> None:
    async with serve_limited(backend, per_day=3) as service:
        assert await statuses(service, 3) == [200, 200, 200]
        refused = await service.get("/config/fees")
        assert refused.status_code == 429
        assert "daily quota of 3 requests" in refused.json()["error"]
        assert refused.headers["retry-after"] == str(12 * 3600)
        midnight = int(clock.now().timestamp()) + 12 * 3600
        assert said(refused) == (3, 0, midnight)
        clock.advance(hours=11, minutes=59, seconds=59.5)
        assert (await service.get("/config/fees")).headers["retry-after"] == "1"
        clock.advance(seconds=1)
        renewed = await service.get("/config/fees")
    assert renewed.status_code == 200
    assert said(renewed) == (3, 2, midnight + 86_400)


async def test_refused_requests_are_not_counted(serve_limited: ServeLimited, store: Connection) -> None:
    async with serve_limited(per_second=1, burst=2) as service:
        await statuses(service, 9)
    assert store.execute("SELECT used, per_day FROM api_usage").fetchall() == [{"used": 2, "per_day": 10_000}]


async def test_each_key_has_its_own_limits(serve_limited: ServeLimited, store_url: str) -> None:
    async with serve_limited(per_second=1, burst=2) as service:
        assert await statuses(service, 3) == [200, 200, 429]
        other = {"X-API-Key": Accounts(store_url).create_key(HOLDER).key}
        assert (await service.anonymous.get("/api/v2/config/fees", headers=other)).status_code == 200


@BACKENDS
async def test_every_answer_to_a_key_has_limit_headers(serve_limited: ServeLimited, backend: str) -> None:
    async with serve_limited(backend) as service:
        asked: list[tuple[int, Any]] = [
            (200, service.get("/config/fees")),
            (400, service.get("/search", symbol="")),
            (400, service.post("/verify/symbol", {"symbol": 7})),
            (403, service.get("/webhooks")),
            (404, service.get("/registration/NOPE")),
            (415, service.client.post("/api/v2/verify/symbol", content=b"x")),
        ]
        for number, (status, asking) in enumerate(asked):
            answer = await asking
            assert answer.status_code == status, answer.text
            assert said(answer)[1] == 10_000 - 1 - number, answer.url
            assert answer.headers["ratelimit-policy"] == '"rate";q=20;w=2, "day";q=10000;w=86400'
            assert f'"day";r={10_000 - 1 - number};t=43200' in answer.headers["ratelimit"]


async def test_answers_without_a_valid_credential_have_no_limit_headers(serve_limited: ServeLimited) -> None:
    async with serve_limited() as service:
        missing = await service.anonymous.get("/api/v2/config/fees")
        wrong = await service.anonymous.get("/api/v2/config/fees", headers={"X-API-Key": "rgl_live_none"})
        health = await service.anonymous.get("/health/live")
    for answer in (missing, wrong, health):
        assert not any(name in answer.headers for name in FIELDS)


async def test_a_cached_search_is_counted(
    serve: Serve, warehouse_url: str, warehouse: Warehouse, clock: ManualClock
) -> None:
    publish(warehouse, [token_row("PEPE", address=1)])
    async with serve(clickhouse_url=warehouse_url, clock=clock, limits=None) as service:
        answers = [await service.get("/search", symbol="PEPE") for _ in range(20)]
        refused = await service.get("/search", symbol="PEPE")
        text = await service.metrics()
    assert len({answer.content for answer in answers}) == 1
    assert [said(answer)[1] for answer in answers] == list(range(9_999, 9_979, -1))
    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limit_exceeded")
    assert 'regalia_requests_refused_total{limit="rate"} 1.0' in text


async def test_a_304_is_counted(serve_limited: ServeLimited, store: Connection) -> None:
    add_listed(store, "PEPE", 1)
    publish_list(store)
    async with serve_limited() as service:
        first = await service.get("/tokenlist")
        again = await service.client.get("/api/v2/tokenlist", headers={"If-None-Match": first.headers["etag"]})
    assert (first.status_code, again.status_code) == (200, 304)
    assert [said(answer)[1] for answer in (first, again)] == [9_999, 9_998]


async def test_a_changed_plan_takes_effect_at_once(
    serve_limited: ServeLimited, store_url: str, clock: ManualClock
) -> None:
    """The store notifies the API within milliseconds; without that, plans are cached for three seconds."""
    async with serve_limited(per_second=1, burst=1) as service:
        assert await statuses(service, 2) == [200, 429]
        Accounts(store_url).set_plan(HOLDER, "enterprise")
        asked = time.monotonic()
        while (answer := await service.get("/config/fees")).status_code != 200:
            assert time.monotonic() - asked < 20
            await asyncio.sleep(0.02)
            clock.advance(seconds=0.001)  # a request more for the new plan, a thousandth of one for the old
    assert said(answer)[0] == 50_000_000


async def test_a_session_is_counted_for_its_account_and_not_for_its_keys(
    serve: Serve, clock: ManualClock, store_url: str
) -> None:
    wallet = new_wallet()
    async with serve(clock=clock, site_url=SITE, base_url=API, limits=None) as service:
        sign_in = SignInClient(service, clock)
        first, second = await sign_in.token(wallet), await sign_in.token(wallet)
        answers = [
            await service.anonymous.get("/api/v2/auth/sessions", headers=authorized(token))
            for token in (first, second, first)
        ]
        key = {"X-API-Key": Accounts(store_url).create_key(wallet.address).key}
        by_key = await service.anonymous.get("/api/v2/config/fees", headers=key)
    assert [said(answer)[1] for answer in answers] == [9_999, 9_998, 9_997]
    assert said(by_key)[1] == 9_999


async def test_the_account_routes_work_after_the_quota_is_used_up(
    serve: Serve, clock: ManualClock, tmp_path: Any
) -> None:
    file = tmp_path / "few.toml"
    file.write_text("[plans.free]\nper_day = 2\n")
    async with serve(clock=clock, site_url=SITE, base_url=API, limits=file) as service:
        sign_in = SignInClient(service, clock)
        bearer = authorized(await sign_in.token())
        made = await service.anonymous.post("/api/v2/account/keys", json={"name": "leaked"}, headers=bearer)
        assert made.status_code == 201, made.text
        for _ in range(3):
            usage = await service.anonymous.get("/api/v2/account/usage", headers=bearer)
            assert usage.status_code == 200
        assert said(usage)[1] == 0
        gone = await service.anonymous.delete(f"/api/v2/account/keys/{made.json()['id']}", headers=bearer)
        assert gone.status_code == 200
        elsewhere = await service.anonymous.get(
            "/api/v2/registration/claimable", headers={**bearer, "X-API-Key": service.key}
        )
    assert elsewhere.status_code != 429  # the key is counted there


async def test_without_a_limiter_there_are_no_refusals_or_headers(serve_limited: ServeLimited) -> None:
    async with serve_limited("none", per_second=1, burst=1) as service:
        answers = [await service.get("/config/fees") for _ in range(3)]
    assert {answer.status_code for answer in answers} == {200}
    assert not any(name in answers[0].headers for name in FIELDS)


async def test_limits_follow_the_file(serve_limited: ServeLimited, limits_file: Any, clock: ManualClock) -> None:
    async with serve_limited(per_second=1, burst=1) as service:
        assert await statuses(service, 2) == [200, 429]
        limits_file.write_text("[plans.free]\nper_second = 7\nburst = 7\n")
        await service.services.limiter.keep()
        clock.advance(seconds=1)
        assert await statuses(service, 8) == [200] * 7 + [429]


async def test_days_follow_the_services_clock(
    serve_limited: ServeLimited, clock: ManualClock, store: Connection
) -> None:
    today = clock.now().date()
    async with serve_limited() as service:
        await statuses(service, 2)
        clock.advance(days=1)
        await statuses(service, 3)
    rows = store.execute("SELECT day, used FROM api_usage ORDER BY day").fetchall()
    assert [(row["day"], row["used"]) for row in rows] == [(today, 2), (today + timedelta(days=1), 3)]
