"""Where Dagster does not run, the worker reports halted chains to operators and sends what others recorded."""

from pathlib import Path

from api.health.tasks import notify_operators
from api.services import Services
from api.settings import ApiSettings
from tests.fixtures.receiver import Receiver
from warehouse.notices import ledger
from warehouse.notices.conditions import Condition
from warehouse.postgres import Connection


def test_the_worker_reports_halted_chains_and_sends(
    store: Connection, store_url: str, receiver: Receiver, data_dir: Path
) -> None:
    settings = ApiSettings(
        data_dir=data_dir,
        database_url=store_url,
        clickhouse_url="http://127.0.0.1:9/unused",
        alert_webhook_url=receiver.url,
    )
    services = Services.of(settings)
    ledger.report(store, Condition("check_failed", "a.b", "warning", "check b of a failed", {}))
    store.execute("INSERT INTO chain_checkpoint (chain_id, generation, halted) VALUES (8453, 1, 'beyond finality')")
    notify_operators(services)
    notify_operators(services)
    assert receiver.events() == [("firing", "check_failed:a.b"), ("firing", "chain_halted:base")]
