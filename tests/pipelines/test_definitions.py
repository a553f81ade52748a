import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from indexer.chains.facts import Chain
from indexer.devchain.world import World
from indexer.run import advance
from pipelines.holders.checks import compare_balances
from pipelines.ingestion.windows import audit_window
from pipelines.partitions import window_blocks, window_key
from tests.factories.ledger import CHAINS_TOML, Ledger
from tests.fixtures.indexing import indexing
from tests.pipelines.test_refresh import build_market
from warehouse.clickhouse import Warehouse

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, warehouse_url: str, store_url: str, tmp_path: Path) -> None:
    """Dagster's runs find the test's engines the way they find any."""
    path = tmp_path / "chains.toml"
    path.write_text(CHAINS_TOML.replace('rpc_urls = ["http://127.0.0.1:1"]\n', ""))
    monkeypatch.setenv("REGALIA_CLICKHOUSE_URL", warehouse_url)
    monkeypatch.setenv("REGALIA_DATABASE_URL", store_url)
    monkeypatch.setenv("REGALIA_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("REGALIA_CHAINS", str(path))


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


@pytest.mark.usefixtures("environment")
def test_assets_do_what_refresh_does_and_checks_pass(ledger: Ledger, warehouse: Warehouse) -> None:
    from pipelines.definitions import defs

    build_market(ledger)
    job = defs.resolve_job_def("refresh")
    with dg.DagsterInstance.ephemeral() as instance:
        result = job.execute_in_process(instance=instance)
        assert result.success
        event = result.asset_materializations_for_node("agg_token")[0]
        assert event.metadata["rows"].value == 3
        assert event.metadata["seconds"].value > 0
        checked = [evaluation for evaluation in result.get_asset_check_evaluations() if not evaluation.passed]
    assert checked == []
    assert warehouse.scalar("SELECT count() FROM serve_publication") >= 1


@pytest.mark.usefixtures("environment")
def test_an_hour_backfilled_twice_is_the_same(ledger: Ledger, warehouse: Warehouse) -> None:
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


def test_windows_of_blocks_have_reversible_names() -> None:
    assert window_blocks(window_key(12_345)) == (10_000, 19_999)
    assert window_key(9_999) == window_key(0)


def test_indexed_blocks_and_balances_are_held_against_the_chain(
    living_world: World, living_chain: Chain, warehouse: Warehouse, store_url: str
) -> None:
    with indexing(warehouse, store_url) as context:
        done = advance(context, living_chain)
        client = context.session(living_chain).client
        assert done.published is not None
        audit = audit_window(warehouse, client, living_chain, 0, done.published)
        assert audit.holds
        assert audit.compared == done.published + 1
        differences, compared = compare_balances(warehouse, client, living_chain, done.published, sample=200)
        assert compared > 50
        honest = [found for found in differences if found.summed_raw >= 0]
        assert len(honest) <= compared // 10, honest[:5]
        warehouse.command("DELETE FROM raw_block WHERE block_number = 3")
        assert audit_window(warehouse, client, living_chain, 0, 10).missing == (3,)
