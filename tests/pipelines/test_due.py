"""Schedules start no run that would find nothing to do."""

import dagster as dg
import pytest

from pipelines.alerts.schedules import alerts_schedule
from pipelines.documents.schedules import cleaning_schedule
from pipelines.run_log import RunLog, StepRun
from tests.factories.alerts import add_account, add_alert, add_rule
from warehouse.postgres import Connection

pytestmark = pytest.mark.usefixtures("dagster_environment")


def runs(schedule: dg.ScheduleDefinition) -> bool:
    with dg.DagsterInstance.ephemeral() as instance:
        evaluated = schedule.evaluate_tick(dg.build_schedule_context(instance=instance))
    return bool(evaluated.run_requests)


def test_alerts_are_evaluated_while_a_rule_is_enabled_or_an_alert_is_open(store: Connection) -> None:
    assert not runs(alerts_schedule)
    rule = add_rule(store, add_account(store), "price_change", "lt", 3)
    assert runs(alerts_schedule)
    store.execute("UPDATE alert_rule SET enabled = false")
    assert not runs(alerts_schedule)
    add_alert(store, rule)
    assert runs(alerts_schedule)


def test_rows_are_cleaned_after_a_publication(store: Connection) -> None:
    log = RunLog(store)
    assert runs(cleaning_schedule)
    log.record(StepRun("publication", None, 0.0, 1))
    log.record(StepRun("cleaning", None, 0.0, 1))
    assert runs(cleaning_schedule)  # what was superseded just now was left
    store.execute("UPDATE asset_total SET last_started_at = now() - interval '1 hour' WHERE asset = 'publication'")
    assert not runs(cleaning_schedule)
    log.record(StepRun("publication", None, 0.0, 1))
    assert runs(cleaning_schedule)
