"""Failing checks and runs of a real Dagster, and their recovery, reach the operator's webhook once."""

import time

import dagster as dg
import pytest

from pipelines import notices
from pipelines.checks import holds
from pipelines.notices import note_recovered_runs, record_failed_runs, watch_service
from pipelines.running import STALE_AFTER
from tests.factories.ledger import Ledger, address
from tests.factories.markets import build_market
from tests.fixtures.receiver import Receiver
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

SECRET = "f00d-secret"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, dagster_environment: None, receiver: Receiver) -> None:
    monkeypatch.setenv("REGALIA_ALERT_WEBHOOK_URL", receiver.url)
    monkeypatch.setenv("REGALIA_ALERT_WEBHOOK_SECRET", SECRET)


def definitions() -> dg.Definitions:
    from pipelines.definitions import defs

    return defs


class Watch:
    """The sensor as the daemon runs it: with the cursor it left."""

    def __init__(self, instance: dg.DagsterInstance) -> None:
        self.instance = instance
        self.cursor: str | None = None

    def look(self) -> None:
        context = dg.build_sensor_context(
            instance=self.instance, cursor=self.cursor, definitions=definitions(), sensor_name="watch_service"
        )
        watch_service(context)
        self.cursor = context.cursor


def run_checks(instance: dg.DagsterInstance) -> None:
    definitions().resolve_job_def("checks").execute_in_process(instance=instance, raise_on_error=False)


def fail_run(instance: dg.DagsterInstance, job: dg.JobDefinition) -> None:
    result = job.execute_in_process(instance=instance, raise_on_error=False)
    context = dg.build_run_status_sensor_context(
        sensor_name="record_failed_runs",
        dagster_instance=instance,
        dagster_run=result.dagster_run,
        dagster_event=result.get_run_failure_event() if not result.success else result.get_run_success_event(),
    )
    if result.success:
        note_recovered_runs(context)
    else:
        record_failed_runs(context.for_run_failure())


def test_a_failing_check_and_its_recovery_are_reported_once(
    ledger: Ledger, warehouse: Warehouse, store: Connection, receiver: Receiver
) -> None:
    build_market(ledger)
    with dg.DagsterInstance.ephemeral() as instance:
        watch = Watch(instance)
        run_checks(instance)
        watch.look()
        assert receiver.received == []
        warehouse.command(
            "INSERT INTO serve_token (symbol_key, chain_id, address, version, price_usd)"
            f" VALUES ('FREE', {ledger.chain_id}, unhex('{address(0xF7EE)}'), 1, 0)"
        )
        receiver.answers = [500]
        for _ in range(2):
            run_checks(instance)
            watch.look()
            store.execute("UPDATE alert_delivery SET next_attempt_at = now() + interval '1 hour'")
        assert receiver.events() == [("firing", "check_failed:serve_token.unknown_is_not_zero")]
        store.execute("UPDATE alert_delivery SET next_attempt_at = now()")  # its time has come
        watch.look()
        assert receiver.events() == [("firing", "check_failed:serve_token.unknown_is_not_zero")] * 2
        assert receiver.received[0].headers["Idempotency-Key"] == receiver.received[1].headers["Idempotency-Key"]
        warehouse.command("DELETE FROM serve_token WHERE symbol_key = 'FREE'")
        run_checks(instance)
        watch.look()
        watch.look()
    assert receiver.events()[2:] == [("resolved", "check_failed:serve_token.unknown_is_not_zero")]
    alert = receiver.received[0].body["alert"]
    assert (alert["severity"], alert["details"]["check"]) == ("error", "unknown_is_not_zero")
    assert alert["details"]["metadata"]["violations"] > 0
    assert "X-Regalia-Signature" in receiver.received[0].headers


def test_a_check_that_stops_something_is_one_notice(store: Connection, receiver: Receiver) -> None:
    store.execute(
        "INSERT INTO check_failure (check_name, chain_id, part, violations, example, stops)"
        " VALUES ('repeated_logs', 8453, '{}', 3, '{}', 'publication')"
    )
    evaluation = dg.AssetCheckEvaluation(
        asset_key=dg.AssetKey("raw_block"), check_name="repeated_logs", passed=False, metadata={},
        severity=dg.AssetCheckSeverity.ERROR,
    )  # fmt: skip
    override = "INSERT INTO check_override (check_name, reason, ends_at) VALUES ('repeated_logs', 'x', now() + '1 h')"
    for change in ("SELECT 1", override):
        store.execute(change)
        holds.report(store)
        notices.report_checks(store, [evaluation])
    notices.send_due(store)
    assert receiver.events() == [
        ("firing", "check_holds:repeated_logs"),
        ("resolved", "check_holds:repeated_logs"),
        ("firing", "check_failed:raw_block.repeated_logs"),
    ]


def test_a_job_that_keeps_failing_is_one_notice(store: Connection, receiver: Receiver) -> None:
    broken = True

    @dg.op
    def agg_thing() -> None:
        if broken:
            raise dg.Failure("the warehouse is full", allow_retries=False)

    @dg.job
    def thing() -> None:
        agg_thing()

    with dg.DagsterInstance.ephemeral() as instance:
        fail_run(instance, thing)
        fail_run(instance, thing)
        broken = False
        fail_run(instance, thing)
        fail_run(instance, thing)
    assert receiver.events() == [("firing", "run_failed:thing"), ("resolved", "run_failed:thing")]
    assert receiver.received[0].body["alert"]["details"]["steps"] == ["agg_thing"]
    rows = store.execute("SELECT asset, failures FROM asset_total").fetchall()
    assert rows == [{"asset": "agg_thing", "failures": 2}]
    events = store.execute("SELECT subject FROM event_log WHERE type = 'pipeline.failed'").fetchall()
    assert events == [{"subject": "thing"}] * 2


def test_success_of_another_partition_is_no_recovery() -> None:
    first, second = (
        dg.DagsterRun(job_name="heartbeats", run_id=key, tags={"dagster/partition": key}) for key in ("a", "b")
    )
    assert notices.run_subject(first) == "heartbeats[a]" != notices.run_subject(second)


def test_assets_past_their_freshness_are_stale() -> None:
    @dg.asset
    def made() -> None:
        return

    @dg.asset
    def never_made() -> None:
        return

    keys = [made.key, never_made.key]
    with dg.DagsterInstance.ephemeral() as instance:
        assert dg.materialize([made], instance=instance).success
        late = time.time() + STALE_AFTER.total_seconds() + 1
        assert notices.stale_assets(instance, keys, time.time()) == []
        assert [found.key for found in notices.stale_assets(instance, keys, late)] == ["asset_stale:made"]


def test_the_first_check_reports_only_current_failures(receiver: Receiver) -> None:
    passes = False

    @dg.asset_check(asset="thing", name="sound")
    def sound() -> dg.AssetCheckResult:
        return dg.AssetCheckResult(passed=passes)

    @dg.asset
    def thing() -> None:
        return

    with dg.DagsterInstance.ephemeral() as instance:
        dg.materialize([thing, sound], instance=instance)
        passes = True
        dg.materialize([thing, sound], instance=instance)
        found, cursor = notices.new_evaluations(instance, None)
        assert [evaluation.passed for evaluation in found] == [True]
        assert notices.new_evaluations(instance, cursor) == ([], cursor)
        passes = False
        dg.materialize([thing, sound], instance=instance)
        found, after = notices.new_evaluations(instance, cursor)
        assert [evaluation.passed for evaluation in found] == [False]
        assert after is not None
