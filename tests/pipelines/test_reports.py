"""What followers wrote is in Dagster's history, once; without engines, runs and sensors say what to start."""

from pathlib import Path

import dagster as dg
import pytest

from pipelines.notices import watch_service
from pipelines.reports import last_runs, report_runs, unreported
from pipelines.resources import EngineAccess
from pipelines.run_log import RunLog, StepRun
from warehouse.postgres import Connection


def report(instance: dg.DagsterInstance, store: Connection) -> dict[str, int]:
    """Report as the daemon does; the rows of each table."""
    events = unreported(instance, last_runs(store))
    for event in events:
        instance.report_runless_asset_event(event)
    return {event.asset_key.to_user_string(): int(str(event.metadata["rows"].value)) for event in events}


def test_a_run_of_a_follower_is_reported_once_for_each_table(store: Connection) -> None:
    log = RunLog(store)
    with dg.DagsterInstance.ephemeral() as instance:
        log.record(StepRun("tokens", 8453, 0.0, 3, "1", "9"))
        log.record(StepRun("tokens", 1, 0.0, 4, "1", "9"))
        assert report(instance, store) == {"agg_token": 7, "agg_account_token": 7}
        assert report(instance, store) == {}
        log.record(StepRun("tokens", 8453, 0.0, 5, "9", "12"))
        assert report(instance, store) == {"agg_token": 5, "agg_account_token": 5}


def test_a_run_that_dagster_made_is_not_reported_again(store: Connection) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        RunLog(store).record(StepRun("publication", None, 0.0, 2, "1", "2"))
        instance.report_runless_asset_event(dg.AssetMaterialization("serve_publication"))
        assert report(instance, store) == {}


@pytest.fixture
def no_engines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REGALIA_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("REGALIA_CLICKHOUSE_URL", "http://nobody:x@127.0.0.1:1/regalia")
    monkeypatch.setenv("REGALIA_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/regalia")


@pytest.mark.usefixtures("no_engines")
def test_a_run_without_engines_says_in_one_line_what_to_start() -> None:
    with pytest.raises(dg.Failure) as raised, EngineAccess().connect():
        pass
    assert "regalia up" in str(raised.value.description)
    assert "\n" not in str(raised.value.description)


@pytest.mark.usefixtures("no_engines")
@pytest.mark.parametrize("sensor", [report_runs, watch_service])
def test_a_sensor_without_engines_says_in_one_line_what_to_start(sensor: dg.SensorDefinition) -> None:
    from pipelines.definitions import defs

    with dg.DagsterInstance.ephemeral() as instance:
        context = dg.build_sensor_context(instance=instance, repository_def=defs.get_repository_def())
        message = sensor.evaluate_tick(context).skip_message
    assert message is not None
    assert "regalia up" in message
    assert "\n" not in message
