"""Liveness, readiness and metrics."""

from tests.fixtures.service import Serve, Service
from warehouse.postgres import Connection


async def test_alive_and_ready_with_migrated_stores(service: Service) -> None:
    assert (await service.anonymous.get("/health/live")).json() == {"status": "ok"}
    ready = await service.anonymous.get("/health/ready")
    assert (ready.status_code, ready.json()) == (
        200,
        {"status": "ready", "circuits": {"store": "closed", "warehouse": "closed"}},
    )


async def test_readiness_names_an_unreachable_warehouse(serve: Serve) -> None:
    async with serve(clickhouse_url="http://nobody:secret@127.0.0.1:9/regalia") as service:
        answer = await service.anonymous.get("/health/ready")
    assert answer.status_code == 503
    assert answer.json()["reasons"] == {"warehouse": "does not answer"}
    assert answer.headers["retry-after"] == "1"
    assert "secret" not in answer.text


async def test_readiness_names_missing_migrations(service: Service, store: Connection) -> None:
    store.execute("DELETE FROM alembic_version")
    answer = await service.anonymous.get("/health/ready")
    assert answer.status_code == 503
    assert "0001" in answer.json()["reasons"]["migrations"]


async def test_metrics_show_latency_by_route_and_chain_lag(service: Service, store: Connection) -> None:
    store.execute(
        "INSERT INTO chain_checkpoint (chain_id, generation, block_number, block_hash, block_time, head_block) "
        "VALUES (8453, 1, 90, '0x00', now(), 100)"
    )
    await service.get("/config/fees")
    text = await service.metrics()
    assert 'regalia_chain_lag_blocks{chain="base"} 10.0' in text
    counted = 'regalia_requests_total{method="GET",route="/api/v2/config/fees",status="200"} 1.0'
    assert counted in text
    assert 'regalia_cache_reads_total{cache="api_key",result="miss"} 1.0' in text
