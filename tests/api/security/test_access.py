"""API keys: checks, caching and revocation."""

import pytest

from api.accounts.service import Accounts
from tests.fixtures.service import HOLDER, Serve, Service
from warehouse.postgres import Connection


async def test_a_missing_key_is_401(service: Service) -> None:
    answer = await service.anonymous.get("/api/v2/config/fees")
    assert (answer.status_code, answer.json()["code"]) == (401, "UNAUTHORIZED")
    assert "X-API-Key" in answer.json()["error"]
    assert answer.headers["www-authenticate"] == "ApiKey"


async def test_an_unknown_key_is_403(service: Service) -> None:
    for wrong in ("rgl_live_unknown", "x" * 5000):
        answer = await service.anonymous.get("/api/v2/config/fees", headers={"X-API-Key": wrong})
        assert (answer.status_code, answer.json()["code"]) == (403, "FORBIDDEN")


async def test_a_revoked_key_stops_working(serve: Serve, store_url: str) -> None:
    async with serve(api_key_cache_seconds=0) as service:
        assert (await service.get("/config/fees")).status_code == 200
        Accounts(store_url).revoke_key(service.key)
        assert (await service.get("/config/fees")).status_code == 403


async def test_key_use_is_recorded_without_a_write_per_request(serve: Serve, store: Connection) -> None:
    async with serve() as service:
        for _ in range(3):
            await service.get("/config/fees")
        assert store.execute("SELECT last_used_at FROM api_key").fetchone() == {"last_used_at": None}
    row = store.execute("SELECT last_used_at FROM api_key").fetchone()
    assert row is not None
    assert row["last_used_at"] is not None


async def test_a_key_is_cached(service: Service) -> None:
    for _ in range(5):
        await service.get("/config/fees")
    text = await service.metrics()
    assert 'regalia_cache_reads_total{cache="api_key",result="hit"} 4.0' in text


def test_keys_are_stored_as_hashes(store_url: str, store: Connection) -> None:
    accounts = Accounts(store_url)
    made = accounts.create_key(HOLDER.upper().replace("0X", "0x"), "pro", "laptop")
    assert made.key.startswith("rgl_live_")
    kept = store.execute("SELECT name, prefix, key_hash FROM api_key").fetchone()
    assert kept is not None
    assert made.key.encode() not in bytes(kept["key_hash"])
    assert made.key.startswith(kept["prefix"])
    assert [(key.wallet, key.plan, key.name) for key in accounts.list_keys(HOLDER)] == [(HOLDER, "pro", "laptop")]


def test_a_second_key_changes_the_plan_of_the_same_account(store_url: str) -> None:
    accounts = Accounts(store_url)
    accounts.create_key(HOLDER, "free")
    accounts.create_key(HOLDER, "developer")
    assert [key.plan for key in accounts.list_keys()] == ["developer", "developer"]


async def test_the_key_is_checked_before_the_parameters(service: Service) -> None:
    for path in ("/claim", "/claim/verify", "/registration/check-qualify", "/verify/symbol"):
        answer = await service.anonymous.post(f"/api/v2{path}", json={})
        assert (answer.status_code, answer.json()["code"]) == (401, "UNAUTHORIZED")
    assert (await service.anonymous.get("/api/v2/registration/PEPE/nowhere")).status_code == 401


@pytest.mark.parametrize("path", ["/claim", "/claim/message", "/claim/verify", "/verify/symbol"])
@pytest.mark.parametrize(
    ("content", "media_type"),
    [(b"{", "application/json"), (b"\xff", "application/json"), (b"symbol=PEPE", "text/plain")],
)
async def test_the_key_is_checked_before_the_body(service: Service, path: str, content: bytes, media_type: str) -> None:
    headers = {"content-type": media_type}
    missing = await service.anonymous.post(f"/api/v2{path}", content=content, headers=headers)
    assert (missing.status_code, missing.json()["code"]) == (401, "UNAUTHORIZED")
    headers["X-API-Key"] = "rgl_live_unknown"
    wrong = await service.anonymous.post(f"/api/v2{path}", content=content, headers=headers)
    assert (wrong.status_code, wrong.json()["code"]) == (403, "FORBIDDEN")
