"""The current heartbeat, from the store."""

from datetime import UTC, datetime, timedelta

from tests.factories.registrations import add_registration, add_token, address, scored
from tests.fixtures.service import Service
from warehouse.domain.addresses import checksum_address
from warehouse.postgres import Connection


async def test_a_heartbeat_has_score_status_and_components(service: Service, store: Connection) -> None:
    add_token(
        store,
        score="81.50",
        timestamp_score="90",
        volume_score="80",
        holders_score="70.25",
        confidence_score="100",
        weights_version=1,
        scored_at=datetime(2026, 5, 1, 12, tzinfo=UTC),
    )
    assert (await service.get("/heartbeat/pepe/8453")).json() == {
        "symbol": "PEPE", "chainId": 8453, "score": 81.5, "status": "healthy",
        "lastUpdated": "2026-05-01T12:00:00.000Z",
        "components": {"timestamp": 90, "volume": 80, "holders": 70.25, "confidence": 100},
        "tokenAddress": checksum_address("0x00000000000000000000000000000000000070ce"), "asOfBlock": 5,
    }  # fmt: skip


async def test_statuses_follow_the_thresholds(service: Service, store: Connection) -> None:
    given = {
        "80": "healthy",
        "79.99": "moderate",
        "70": "moderate",
        "69.99": "at_risk",
        "60": "at_risk",
        "59.99": "inactive",
    }
    for number, (score, status) in enumerate(given.items(), 1):
        add_token(store, f"T{number}", address=address(number), **scored(score))
        assert (await service.get(f"/heartbeat/T{number}/base")).json()["status"] == status


async def test_the_first_thirty_days_of_a_registration_are_grace(service: Service, store: Connection) -> None:
    now = datetime.now(UTC)
    add_token(store, **scored("10"))
    add_registration(store, minted_at=now - timedelta(days=29))
    assert (await service.get("/heartbeat/PEPE/base")).json()["status"] == "grace_period"
    store.execute("UPDATE registration SET minted_at = %s", [now - timedelta(days=30, seconds=1)])
    assert (await service.get("/heartbeat/PEPE/base")).json()["status"] == "inactive"
    store.execute("UPDATE registration SET minted_at = %s, expired_at = %s", [now, now])
    assert (await service.get("/heartbeat/PEPE/base")).json()["status"] == "inactive"


async def test_a_symbol_selects_the_named_then_registered_then_original_token(
    service: Service, store: Connection
) -> None:
    add_token(store, address=address(1), precedence=1, **scored("11"))
    add_token(store, address=address(2), precedence=0, **scored("22"))
    assert (await service.get("/heartbeat/PEPE/base")).json()["score"] == 22
    add_registration(store, token_address=address(1))
    assert (await service.get("/heartbeat/PEPE/base")).json()["score"] == 11
    assert (await service.get("/heartbeat/PEPE/base", tokenAddress=address(2))).json()["score"] == 22


async def test_without_a_score_the_answer_is_404(indexed: Service, store: Connection) -> None:
    add_token(store)
    for path in ("/heartbeat/PEPE/base", "/heartbeat/NONE/base", f"/heartbeat/PEPE/base?tokenAddress={address(9)}"):
        response = await indexed.client.get(f"/api/v2{path}")
        assert (response.status_code, response.json()["code"]) == (404, "NOT_FOUND")


async def test_bad_input_is_named(service: Service) -> None:
    for path, field in (
        ("/heartbeat/PEPE/solana", "chain"),
        ("/heartbeat/PEPE/sol", "chain"),
        ("/heartbeat/PEPE/robinhood", "chain"),
        ("/heartbeat/PE.PE/base", "symbol"),
        ("/heartbeat/PEPE/base?tokenAddress=0xzz", "tokenAddress"),
        ("/heartbeat/PEPE/base/history?interval=minute", "interval"),
        ("/heartbeat/PEPE/base/history?limit=1001", "limit"),
        ("/heartbeat/PEPE/base/history?from=yesterday", "from"),
        ("/heartbeat/PEPE/base/history?to=0", "from"),
        ("/heartbeat/PEPE/base/history?from=0001-01-01T00:00:00%2B23:59", "from"),
        ("/heartbeat/PEPE/base/history?to=9999-12-31T23:59:59-23:59", "to"),
        ("/heartbeat/PEPE/base/history?from=2026-05-02&to=2026-05-01", "from"),
        ("/heartbeat/at-risk?level=dead", "level"),
        ("/heartbeat/at-risk?page=0", "page"),
        ("/heartbeat/at-risk?pageSize=101", "pageSize"),
        ("/heartbeat/at-risk?chain=solana", "chain"),
    ):
        response = await service.client.get(f"/api/v2{path}")
        assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST"), path
        assert response.json()["error"].startswith(f"{field}: "), path


async def test_a_key_is_needed(service: Service) -> None:
    for path in ("/heartbeat/PEPE/base", "/heartbeat/PEPE/base/history", "/heartbeat/at-risk"):
        assert (await service.anonymous.get(f"/api/v2{path}")).status_code == 401
