"""Metrics and status of webhooks."""

from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from api.ops.commands import status
from api.settings import ApiSettings
from tests.fixtures.webhooks import Hooks
from warehouse.chains import facts


async def scrape(hooks: Hooks) -> dict[tuple[str, ...], float]:
    text = await hooks.service.metrics()
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_deliveries_are_counted_and_the_queue_is_shown(hooks: Hooks, data_dir: Path, store_url: str) -> None:
    made = await hooks.subscribe("token.minted")
    await hooks.subscribe("token.minted", path="bad")
    hooks.receivers.answers["bad"] = 500
    hooks.record_event()
    await hooks.engine.run_until_idle()
    await hooks.call("PATCH", f"/{made['id']}", {"enabled": False})
    hooks.record_event("trade.large")
    seen = await scrape(hooks)
    assert seen["regalia_webhook_attempts_total", "delivered"] == 1
    assert seen["regalia_webhook_attempts_total", "status"] == 1
    assert seen["regalia_webhook_attempts_total", "timeout"] == 0
    assert seen["regalia_webhook_wait_seconds_count",] == seen["regalia_webhook_attempt_seconds_count",] == 2
    assert seen["regalia_webhook_subscriptions", "active"] == seen["regalia_webhook_subscriptions", "disabled"] == 1
    assert seen["regalia_events_waiting",] == 1
    assert seen["regalia_queue_jobs", "webhooks", "waiting"] == 1
    assert seen["regalia_queue_jobs", "webhooks", "running"] == 0
    settings = ApiSettings(data_dir=data_dir, database_url=store_url, clickhouse_url="http://127.0.0.1:9/unused")
    queues = status.collect(settings, facts.load(None)).queues
    assert [(queue.waiting, queue.running, queue.failed) for queue in queues if queue.queue == "webhooks"] == [
        (1, 0, 0)
    ]
