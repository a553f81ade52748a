"""What a collector gets about requests and the jobs that they queue, and that it gets no secrets."""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from api.job_log import observe_job
from api.store.jobs import TASKS, defer, open_queue
from tests.fixtures.collector import Collector, tracing_to
from tests.fixtures.service import Serve
from tests.fixtures.waiting import wait_until
from warehouse.engines import EngineUrls
from warehouse.store import Store

ABOVE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@TASKS.task(name="tests.traced")
async def traced_task() -> None:
    """Nothing to do."""


async def test_a_request_is_traced_with_its_statements_below_the_proxys_trace(serve: Serve, traced: Collector) -> None:
    async with serve(trusted_proxies="127.0.0.1/32") as service:
        headers = {"traceparent": ABOVE, "X-Request-Id": "of-the-proxy"}
        answer = await service.client.get("/api/v2/webhooks", params={"secret": "q1w2e3r4"}, headers=headers)
    route = "GET /api/v2/webhooks"
    found = await asyncio.to_thread(traced.trace_of, route)
    request = found[route]
    assert (request.kind, request.trace, request.parent) == ("SERVER", ABOVE[3:35], ABOVE[36:52])
    assert request.attributes == {
        "http.request.method": "GET",
        "http.route": "/api/v2/webhooks",
        "http.response.status_code": answer.status_code,
        "request_id": "of-the-proxy",
    }
    statements = [one for name, one in found.items() if name != route]
    assert "store/auth/find_api_keys" in {one.name for one in statements}
    assert {one.parent for one in statements} == {request.id}
    assert service.key.encode() not in traced.payloads()
    assert b"q1w2e3r4" not in traced.payloads()


async def test_a_client_cannot_choose_its_trace(serve: Serve, traced: Collector) -> None:
    async with serve() as service:
        await service.anonymous.get("/health/live", headers={"traceparent": ABOVE})
    found = await asyncio.to_thread(traced.trace_of, "GET /health/live")
    assert found["GET /health/live"].trace != ABOVE[3:35]
    assert found["GET /health/live"].parent == ""


async def test_a_job_continues_the_trace_of_the_request_that_queued_it(store_url: str, traced: Collector) -> None:
    from warehouse.tracing import trace

    pool = Store(store_url)
    try:
        with trace("request"):
            async with pool.transaction() as transaction:
                await defer(transaction, traced_task)
    finally:
        await pool.close()
    async with open_queue(store_url) as queue:
        await queue.run_worker_async(wait=False, worker_middleware=[observe_job], queues=["default"])
    found = await asyncio.to_thread(traced.trace_of, "tests.traced")
    assert found["tests.traced"].parent == found["request"].id
    assert found["tests.traced"].kind == "CONSUMER"


async def test_requests_are_answered_while_the_collector_says_nothing(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "10")
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "64")
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "64")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1/traces"
        with tracing_to(url, monkeypatch):
            async with serve() as service:
                answers = await asyncio.gather(*(service.anonymous.get("/health/live") for _ in range(200)))
    assert {answer.status_code for answer in answers} == {200}


@pytest.mark.slow
def test_a_process_sends_its_last_spans_when_it_is_stopped(
    engines: EngineUrls, store_url: str, data_dir: Path, collector: Collector
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = os.environ | {
        "REGALIA_DATA_DIR": str(data_dir),
        "REGALIA_DATABASE_URL": store_url,
        "REGALIA_CLICKHOUSE_URL": engines.clickhouse_url,
        "REGALIA_PORT": str(port),
        "REGALIA_OTLP_URL": collector.url,
        "REGALIA_OTLP_HEADERS": '{"X-Collector-Key": "of-the-operator"}',
        "REGALIA_TRUSTED_PROXIES": "127.0.0.1/32",
        "REGALIA_LOG_FORMAT": "json",
        "REGALIA_LOG_REQUEST_SHARE": "1",
        "OTEL_BSP_SCHEDULE_DELAY": "60000",
    }
    with subprocess.Popen(
        [sys.executable, "-m", "api.server"], env=environment, stderr=subprocess.PIPE, text=True
    ) as process:
        wait_until(lambda: _is_alive(port), "the API answers", 60)
        httpx.get(f"http://127.0.0.1:{port}/health/ready", headers={"traceparent": ABOVE})
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=30)
    assert process.returncode == 0
    found = collector.trace_of("GET /health/ready")
    assert found["GET /health/ready"].trace == ABOVE[3:35]
    assert found["GET /health/ready"].service == "regalia-api"
    assert {httpx.Headers(one.headers)["X-Collector-Key"] for one in collector.receiver.received} == {"of-the-operator"}
    assert f'"trace_id": "{ABOVE[3:35]}"' in log


def _is_alive(port: int) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(f"http://127.0.0.1:{port}/health/live").status_code == 200
    return False
