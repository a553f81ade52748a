import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest

from indexer.devchain.world import World
from indexer.run import advance
from pipelines.holders.checks import compare_balances
from pipelines.ingestion.assets import head_asset, raw_block
from pipelines.ingestion.windows import audit_window
from pipelines.partitions import block_windows, missing_windows, window_blocks, window_key
from pipelines.resources import EngineAccess
from tests.factories.ledger import Ledger
from tests.factories.markets import build_market
from tests.fixtures.checkout import CHECKOUT
from tests.fixtures.indexing import indexing
from warehouse import postgres
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.postgres import Connection


@pytest.mark.slow
def test_import_contacts_nothing(tmp_path: Path) -> None:
    code = """
import socket
def refuse(*args, **kwargs):
    raise AssertionError("contacted something at import")
socket.socket.connect = refuse
import pipelines.definitions
"""
    subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=CHECKOUT, env={"REGALIA_DATA_DIR": str(tmp_path), "PATH": ""}
    )


def materializations(result: dg.ExecuteInProcessResult) -> list[dg.AssetMaterialization]:
    """What a run of the refresh reported."""
    return list(result.asset_materializations_for_node("refresh_tables"))


@pytest.mark.usefixtures("dagster_environment")
def test_assets_do_what_refresh_does_and_checks_pass(ledger: Ledger, warehouse: Warehouse) -> None:
    from pipelines.definitions import defs

    build_market(ledger)
    job = defs.resolve_job_def("refresh")
    with dg.DagsterInstance.ephemeral() as instance:
        result = job.execute_in_process(instance=instance)
        assert result.success
        made = {event.asset_key.to_user_string(): event for event in materializations(result)}
        event = made["agg_token"]
        assert event.metadata["rows"].value == 3
        assert event.metadata["dagster/row_count"].value == warehouse.scalar("SELECT count() FROM agg_token")
        assert event.metadata["seconds"].value > 0
        checked = [evaluation for evaluation in result.get_asset_check_evaluations() if not evaluation.passed]
        again = job.execute_in_process(instance=instance)  # as it is every five minutes on a quiet chain
        assert again.success
        made = {event.asset_key.to_user_string(): event for event in materializations(again)}
        assert made["agg_token"].metadata["rows"].value == 0
        published = warehouse.scalar("SELECT count() FROM serve_publication")
        assert published == made["serve_publication"].metadata["dagster/row_count"].value
    assert checked == []
    assert warehouse.scalar("SELECT count() FROM serve_publication") >= 1


@pytest.mark.usefixtures("dagster_environment")
def test_backfilling_an_hour_twice_gives_the_same_scores(ledger: Ledger, warehouse: Warehouse) -> None:
    from pipelines.definitions import defs

    build_market(ledger)
    ledger.mine(3_600)
    ledger.publish()
    job = defs.resolve_job_def("heartbeats")
    hour = warehouse.scalar("SELECT formatDateTime(toStartOfHour(min(block_time)), '%F-%H:00') FROM raw_block")
    query = "SELECT hex(token) AS token, toString(score) AS score, inputs FROM agg_heartbeat FINAL ORDER BY token"
    with dg.DagsterInstance.ephemeral() as instance:
        refreshed = defs.resolve_job_def("refresh").execute_in_process(instance=instance)
        assert refreshed.success
        assert job.execute_in_process(instance=instance, partition_key=hour).success
        first = warehouse.rows(query)
        assert job.execute_in_process(instance=instance, partition_key=hour).success
    assert len(first) == 3
    assert warehouse.rows(query) == first


@pytest.mark.usefixtures("dagster_environment")
def test_a_unit_in_progress_is_not_a_violation(ledger: Ledger, warehouse: Warehouse, store: Connection) -> None:
    from pipelines.definitions import defs

    def passed(name: str) -> bool:
        with dg.DagsterInstance.ephemeral() as instance:
            job = defs.resolve_job_def("checks")
            result = job.execute_in_process(instance=instance, raise_on_error=False)
            found = {evaluation.check_name: evaluation.passed for evaluation in result.get_asset_check_evaluations()}
        return found[name]

    build_market(ledger)
    warehouse.command("DELETE FROM raw_block WHERE block_number = {last:UInt64}", {"last": ledger.block})
    store.execute('UPDATE chain_checkpoint SET pending = \'{"phase": "facts", "unit_id": 99}\'')
    assert passed("orphaned_rows")
    store.execute("UPDATE chain_checkpoint SET pending = NULL")
    assert not passed("orphaned_rows")


def test_backfill_windows_appear_while_a_follower_indexes(
    archive_chain: Chain, archive_world: World, warehouse: Warehouse, warehouse_url: str, store_url: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    path = tmp_path / "chains.toml"
    path.write_text(f'[chains.base]\nchain_id = {archive_chain.chain_id}\nrpc_urls = ["{archive_chain.rpc_urls[0]}"]\n')
    for name, value in (("CLICKHOUSE_URL", warehouse_url), ("DATABASE_URL", store_url), ("CHAINS", str(path))):
        monkeypatch.setenv(f"REGALIA_{name}", value)
    monkeypatch.setenv("REGALIA_DATA_DIR", str(tmp_path))
    asset = head_asset(archive_chain)
    window = window_key("base", 0)
    with dg.DagsterInstance.ephemeral() as instance, indexing(warehouse, store_url) as context:
        advance(context, archive_chain, to_block=5)
        with postgres.connect(store_url, autocommit=True) as writer:
            writer.execute("SELECT pg_advisory_lock(821, %s)", (archive_chain.chain_id,))
            assert dg.materialize([asset], instance=instance, resources={"engines": EngineAccess()}).success
            assert instance.get_dynamic_partitions("chain_windows") == [window]
        backfilled = dg.materialize(
            [raw_block], instance=instance, resources={"engines": EngineAccess()}, partition_key=window
        )
        assert (
            backfilled.asset_materializations_for_node("raw_block")[0].metadata["rows"].value
            == archive_world.anvil.block_number() + 1
        )


def test_windows_of_blocks_have_reversible_names() -> None:
    assert window_blocks(window_key("base", 12_345)) == ("base", 10_000, 19_999)
    assert window_key("base", 9_999) == window_key("base", 0)


def test_windows_begin_where_the_chain_begins(archive_chain: Chain) -> None:
    chain = replace(archive_chain, start_block=25_000)
    with dg.DagsterInstance.ephemeral() as instance:
        assert missing_windows(instance, chain, 19_999) == []
        wanted = [window_key(chain.key, block) for block in (20_000, 30_000)]
        assert missing_windows(instance, chain, 31_000) == wanted
        instance.add_dynamic_partitions(str(block_windows.name), wanted[:1])
        assert missing_windows(instance, chain, 31_000) == wanted[1:]


def test_indexed_blocks_and_balances_equal_the_chain(
    archive_world: World, archive_chain: Chain, warehouse: Warehouse, store_url: str
) -> None:
    with indexing(warehouse, store_url) as context:
        done = advance(context, archive_chain)
        source = context.session(archive_chain).source
        assert done.published is not None
        audit = audit_window(warehouse, source, archive_chain, 0, done.published)
        assert audit.holds
        assert audit.compared == done.published + 1
        differences, compared = compare_balances(warehouse, source, archive_chain, done.published, sample=200)
        assert compared > 50
        honest = [found for found in differences if found.summed_raw >= 0]
        assert len(honest) <= compared // 10, honest[:5]
        warehouse.command("DELETE FROM raw_block WHERE block_number = 3")
        assert audit_window(warehouse, source, archive_chain, 0, 10).missing == (3,)
