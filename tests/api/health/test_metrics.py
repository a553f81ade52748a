"""/metrics describes the service and always answers."""

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from api.health import exposition
from api.health.observer import PATIENCE_SECONDS
from api.ops.supervisor import state
from indexer.counting import DEPTHS
from tests.factories.registrations import add_registration
from tests.fixtures.service import Serve, Service
from warehouse import postgres, sql
from warehouse.clickhouse import Warehouse
from warehouse.engines import EngineUrls
from warehouse.postgres import Connection, Jsonb

DOCUMENT = (Path(__file__).resolve().parents[3] / "docs" / "operating.md").read_text()

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


WITHIN_SECONDS = 8.0
"""Less than the time limit of a read of the store, and than what the fixture below allows."""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits for slow answers on a busy machine; another test checks how long a scraper waits."""
    monkeypatch.setattr("api.health.observer.PATIENCE_SECONDS", 10.0)


async def scrape(service: Service) -> Samples:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(await service.metrics())
        for sample in family.samples
    }


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples[f"regalia_{name}", tuple(sorted(labels.items()))]


def fill(store: Connection) -> None:
    store.execute(
        "INSERT INTO chain_checkpoint (chain_id, generation, block_number, block_time, head_block, final_block, halted)"
        " VALUES (8453, 1, 90, now() - interval '7 seconds', 100, 88, NULL),"
        " (1, 1, 5, now(), 5, 1, 'another block 1: see `regalia index --chain eth --rewind BLOCK`')"
    )
    counts = {"units": 3, "requests": 40, "status_429": 2, "reorganised_blocks": 70}
    counts |= {"reorganisations_to_4": 2, "reorganisations_to_inf": 1}
    store.execute(sql.load("store/counters/add").encode(), {"chain_id": 8453, "counts": Jsonb(counts)})
    store.execute(
        "INSERT INTO asset_total (asset, chain_id, runs, seconds, row_count, failures, last_started_at, last_seconds)"
        " VALUES ('holders', 8453, 4, 2.5, 1000, 1, now() - interval '1 minute', 0.5)"
    )
    store.execute("SET search_path = public, jobs")
    store.execute(
        "INSERT INTO jobs.procrastinate_jobs (queue_name, task_name, status, scheduled_at) VALUES"
        " ('mail', 'send', 'todo', now() - interval '2 minutes'), ('mail', 'send', 'todo', now() + interval '1 hour'),"
        " ('mail', 'send', 'failed', NULL), ('watch', 'look', 'todo', NULL)"
    )
    store.execute("UPDATE jobs.procrastinate_events SET at = now() - interval '30 seconds'")


async def test_one_scrape_has_the_state_of_the_whole_service(
    serve: Serve, store: Connection, warehouse: Warehouse, warehouse_url: str
) -> None:
    fill(store)
    add_registration(store)
    warehouse.command("INSERT INTO serve_publication VALUES (7, now64(3), map(8453, 86))")
    async with serve(clickhouse_url=warehouse_url) as service:
        await service.get("/config/fees")
        samples = await scrape(service)

    def found(name: str, **labels: str) -> float:
        return value(samples, name, **labels)

    assert found("engine_up", engine="store") == found("engine_up", engine="warehouse") == 1
    assert (found("chain_head_block", chain="base"), found("chain_lag_blocks", chain="base")) == (100, 10)
    assert 7 <= found("chain_lag_seconds", chain="base") < 60
    assert found("chain_halted", chain="base", reason="") == 0
    reason = "another block 1: see `regalia index --chain eth --rewind BLOCK`"
    assert found("chain_halted", chain="eth", reason=reason) == 1
    assert (found("derived_block", chain="base"), found("derive_lag_blocks", chain="base")) == (86, 4)
    assert (found("index_units_total", chain="base"), found("node_requests_total", chain="base")) == (3, 40)
    assert (found("node_rate_limited_total", chain="base"), found("node_retries_total", chain="base")) == (2, 0)
    depth = "index_reorganisation_depth_blocks"
    assert [found(f"{depth}_bucket", chain="base", le=bound) for bound in ("2.0", "4.0", "64.0", "+Inf")] == [
        0,
        2,
        2,
        3,
    ]
    assert (found(f"{depth}_count", chain="base"), found(f"{depth}_sum", chain="base")) == (3, 70)
    assert found("step_run_seconds_total", step="holders", chain="base") == 2.5
    assert found("step_failures_total", step="holders", chain="base") == 1
    assert 60 <= found("step_age_seconds", step="holders", chain="base") < 120
    assert (found("queue_jobs", queue="mail", state="waiting"), found("queue_jobs", queue="mail", state="failed")) == (
        2,
        1,
    )
    assert 120 <= found("queue_oldest_seconds", queue="mail") < 180
    assert 30 <= found("queue_oldest_seconds", queue="watch") < 90
    assert found("cache_entries", cache="api_key") == 1
    route = "/api/v2/config/fees"
    assert found("requests_total", route=route, method="GET", status="200") == 1
    assert found("request_seconds_count", route=route, method="GET") == 1
    assert found("requests_in_flight") == 0


async def test_an_engine_that_is_down_is_reported_without_delay(serve: Serve) -> None:
    async with serve(clickhouse_url="http://nobody:secret@127.0.0.1:9/none") as service:
        began = time.monotonic()
        samples = await scrape(service)
        assert time.monotonic() - began < WITHIN_SECONDS
    assert (value(samples, "engine_up", engine="store"), value(samples, "engine_up", engine="warehouse")) == (1, 0)
    assert not any(name == "regalia_publication_version" for name, _ in samples)


async def test_metrics_of_a_stopped_store_disappear(
    service: Service, store: Connection, engines: EngineUrls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.health.observer.GOOD_FOR_SECONDS", 0.0)
    fill(store)
    assert value(await scrape(service), "chain_lag_blocks", chain="base") == 10
    name = store.info.dbname
    with postgres.connect(engines.database_url, autocommit=True) as server:
        server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())  # as a server that refuses everyone
        server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
        samples = await scrape(service)
        assert value(samples, "engine_up", engine="store") == 0
        assert not any(name.startswith("regalia_chain_lag") for name, _ in samples)
        server.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())
    assert value(await scrape(service), "chain_lag_blocks", chain="base") == 10


async def test_a_store_without_tables_is_up(service: Service, store: Connection) -> None:
    store.execute("DROP TABLE service_counter")
    assert value(await scrape(service), "engine_up", engine="store") == 1


async def test_a_scrape_waits_half_a_second_for_a_silent_engine(
    service: Service, store: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    await scrape(service)
    monkeypatch.setattr("api.health.observer.PATIENCE_SECONDS", PATIENCE_SECONDS)
    with store.transaction():
        store.execute("LOCK TABLE chain_checkpoint IN ACCESS EXCLUSIVE MODE")
        service.services.observer.store._asked_at = float("-inf")
        began = time.monotonic()
        samples = await scrape(service)
        assert time.monotonic() - began < WITHIN_SECONDS
        assert value(samples, "engine_up", engine="store") == 0
        assert value(samples, "engine_up", engine="warehouse") == 1


async def test_a_scrape_shows_the_parts_of_the_stack(service: Service, data_dir: Path) -> None:
    parts: dict[str, Any] = {
        "api": {"phase": "ready", "restarts": 0},
        "worker": {"phase": "failing", "restarts": 4},
        "migrations": {"phase": "done", "restarts": 0},
    }
    file = state.state_file(data_dir)
    file.parent.mkdir(parents=True, exist_ok=True)
    pid = os.getpid()
    file.write_text(json.dumps({"pid": pid, "process_started": state.start_ticks(pid), "parts": parts}))
    samples = await scrape(service)
    assert value(samples, "part_up", part="worker", phase="failing") == 0
    assert value(samples, "part_up", part="api", phase="ready") == 1
    assert value(samples, "part_up", part="migrations", phase="done") == 1
    assert value(samples, "part_restarts_total", part="worker") == 4


async def test_scrapes_query_the_engines_once_a_second(service: Service, store: Connection) -> None:
    fill(store)
    await scrape(service)
    began = time.process_time()
    for _ in range(20):
        await service.metrics()
    assert (time.process_time() - began) / 20 < 0.02


async def test_unknown_methods_share_a_label(service: Service) -> None:
    await service.anonymous.request("BREW", "/nothing")
    samples = await scrape(service)
    assert value(samples, "requests_total", route="unmatched", method="other", status="404") == 1


async def test_every_metric_is_documented_and_every_documented_one_exposed(service: Service) -> None:
    exposed = {
        f"{family.name}_total" if family.type == "counter" else family.name
        for family in text_string_to_metric_families(await service.metrics())
        if not family.name.endswith("_created")
    }
    table = "\n".join(line.split("|")[1] for line in DOCUMENT.splitlines() if line.startswith("| `"))
    documented = set(re.findall(r"`((?:regalia|process)_\w+)`", table))
    assert exposed == documented


def test_reorganisation_depths_keep_their_buckets() -> None:
    assert [*map(str, DEPTHS), "inf"] == list(exposition.DEPTHS)


async def test_a_scrape_tells_disks_tables_parts_and_merges(
    serve: Serve, store: Connection, warehouse: Warehouse, warehouse_url: str
) -> None:
    for version in (1, 2):
        warehouse.command(f"INSERT INTO serve_publication VALUES ({version}, now64(3), map(8453, 86))")
    for number in range(20):
        add_registration(store, f"T{number}", token_id=number, log_index=number)
    store.execute("ANALYZE registration")
    async with serve(clickhouse_url=warehouse_url) as service:
        samples = await scrape(service)
    for disk in ("data_dir", "warehouse_default"):
        free, total = (value(samples, f"disk_{name}_bytes", disk=disk) for name in ("free", "total"))
        assert 0 < free < total
    assert value(samples, "table_rows", engine="warehouse", table="serve_publication") == 2
    assert value(samples, "table_rows", engine="store", table="registration") == 20
    for engine, table in (("warehouse", "serve_publication"), ("store", "registration")):
        assert value(samples, "table_bytes", engine=engine, table=table) > 0
    assert value(samples, "store_bytes") > 1_000_000
    assert value(samples, "warehouse_parts", table="serve_publication") in (1, 2)
    assert value(samples, "warehouse_merges") >= 0
    assert value(samples, "warehouse_merge_seconds") >= 0
