"""What followers wrote is in Dagster's history, once; without engines, runs and sensors say what to start."""

from pathlib import Path

import dagster as dg
import pytest

from pipelines import lineage
from pipelines.ingestion.reports import read_indexed
from pipelines.ingestion.reports import unreported as reports_of_facts
from pipelines.ingestion.schedules import run_unless_followed
from pipelines.notices import watch_service
from pipelines.partitions import window_key
from pipelines.reports import known_times, last_runs, report_runs, unreported
from pipelines.resources import EngineAccess
from pipelines.run_log import RunLog, StepRun
from warehouse.chains import facts
from warehouse.postgres import Connection, Jsonb

BUILTIN = facts.load(None).by_key


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


def index_unit(store: Connection, chain_id: int, first: int, last: int, **rows: int) -> None:
    store.execute(
        "INSERT INTO ingest_unit"
        " (unit_id, chain_id, first_block, last_block, last_hash, status, row_counts, finished_at)"
        " VALUES ((SELECT coalesce(max(unit_id), 0) + 1 FROM ingest_unit), %s, %s, %s, '0x', 'published', %s, now())",
        (chain_id, first, last, Jsonb({"raw_block": last - first + 1, **rows})),
    )
    store.execute(
        "INSERT INTO chain_checkpoint (chain_id, generation, block_number, head_block) VALUES (%s, 1, %s, %s)"
        " ON CONFLICT (chain_id) DO UPDATE SET block_number = excluded.block_number,"
        " head_block = excluded.head_block, updated_at = now()",
        (chain_id, last, last + 2),
    )


def report_indexed(instance: dg.DagsterInstance, store: Connection) -> dict[tuple[str, str | None], dict[str, object]]:
    """Report as the daemon does; the metadata by asset and partition."""
    indexed = read_indexed(store, [BUILTIN["base"], BUILTIN["gnosis"]])
    known = known_times(instance, [*lineage.INDEXED, "head_base", "head_gnosis"])
    events = list(reports_of_facts(known, indexed))
    for event in events:
        instance.report_runless_asset_event(event)
    return {
        (event.asset_key.to_user_string(), event.partition): {name: one.value for name, one in event.metadata.items()}
        for event in events
    }


def test_what_followers_index_is_reported_for_each_table_window_and_head(store: Connection) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        index_unit(store, 8453, 9_990, 9_999, fact_transfer=7)
        index_unit(store, 8453, 10_000, 10_004, fact_transfer=2)
        index_unit(store, 100, 5, 5, fact_swap=3)
        index_unit(store, 1, 1, 1)  # not configured here
        found = report_indexed(instance, store)
        assert found["fact_transfer", None] == {"rows": 9, "blocks": "base 9990..10004, gnosis 5..5"}
        assert found["fact_swap", None]["rows"] == 3
        assert found["fact_pool", None]["rows"] == 0
        assert "rows" not in found["agg_balance_day", None]
        windows = {key: rows["rows"] for (asset, key), rows in found.items() if asset == "raw_block"}
        assert windows == {window_key("base", 0): 10, window_key("base", 10_000): 5, window_key("gnosis", 0): 1}
        assert found["head_base", None] == {"block": 10_004, "head": 10_006}
        assert report_indexed(instance, store) == {}
        index_unit(store, 100, 6, 6)
        again = report_indexed(instance, store)
        assert again["fact_transfer", None] == {"rows": 0, "blocks": "gnosis 6..6"}
        assert {asset for asset, _ in again} == {*lineage.INDEXED, "head_gnosis"}


def test_a_quiet_chain_that_is_followed_stays_fresh(store: Connection) -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        index_unit(store, 8453, 1, 1)
        report_indexed(instance, store)
        store.execute("UPDATE chain_checkpoint SET updated_at = now() + interval '6 minutes'")
        assert report_indexed(instance, store)["raw_block", None]["blocks"] == "nothing new"


@pytest.mark.usefixtures("dagster_environment")
def test_a_chain_that_is_followed_needs_no_repair(store: Connection) -> None:
    chain = BUILTIN["base"]
    index_unit(store, chain.chain_id, 1, 1)
    context = dg.build_schedule_context()
    assert isinstance(run_unless_followed(chain, context), dg.SkipReason)
    store.execute("UPDATE chain_checkpoint SET updated_at = now() - interval '2 minutes'")
    assert isinstance(run_unless_followed(chain, context), dg.RunRequest)


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
