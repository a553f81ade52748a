import pytest

from pipelines import publication
from pipelines.documents import derive as documents
from pipelines.documents.requests import request_documents
from pipelines.locks import RefreshBusy
from pipelines.refresh import publish_new_tokens, refresh
from pipelines.refresh_run import open_refresh_run
from pipelines.step import ChainStep
from pipelines.steps import STEPS
from tests.factories.ledger import Ledger
from tests.factories.markets import build_market
from tests.fixtures.derived import served
from warehouse import postgres
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection


def versions(warehouse: Warehouse) -> int:
    count: int = warehouse.scalar("SELECT count() FROM serve_publication")
    return count


def test_rows_are_visible_once_their_version_is_published(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    build_market(ledger)
    chain = chains.by_key["base"]
    with open_refresh_run(warehouse, store, chains) as run:
        for step in STEPS:
            if isinstance(step, ChainStep):
                step.derive(run, chain)
        assert warehouse.scalar("SELECT count() FROM serve_token") == 3
        assert served(warehouse) == {}
        publication.publish(run)
    assert len(served(warehouse)) == 3


def test_a_run_that_died_before_publishing_is_published_by_the_next(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    build_market(ledger)
    chain = chains.by_key["base"]
    with open_refresh_run(warehouse, store, chains) as run:
        for step in STEPS:
            if isinstance(step, ChainStep):
                step.derive(run, chain)
    assert served(warehouse) == {}
    refresh(warehouse, store, chains, full=False)
    assert len(served(warehouse)) == 3


def test_a_dead_run_is_not_finished_while_another_requests_documents(
    ledger: Ledger, warehouse: Warehouse, store: Connection, store_url: str, chains: Chains
) -> None:
    token, _ = build_market(ledger)
    chain = chains.by_key["base"]
    with open_refresh_run(warehouse, store, chains) as run:
        for step in STEPS:
            if isinstance(step, ChainStep):
                step.derive(run, chain)

    def seen() -> int:
        row = store.execute("SELECT details FROM derive_checkpoint WHERE subject = 'documents'").fetchone()
        return int(row["details"]["version"]) if row else 0

    with (
        postgres.connect(store_url, autocommit=True) as other,
        open_refresh_run(warehouse, other, chains) as metrics_run,
    ):
        publish_new_tokens(warehouse, store, chains, chain)
        request_documents(metrics_run, chain.chain_id, [token.removeprefix("0x")], "prices")
        assert seen() < metrics_run.version
    assert served(warehouse) == {}
    publish_new_tokens(warehouse, store, chains, chain)
    assert len(served(warehouse)) == 3
    assert seen() > metrics_run.version


def test_the_publication_names_its_last_block(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    build_market(ledger)
    refresh(warehouse, store, chains)
    newest = "SELECT as_of_blocks[8453] FROM serve_publication ORDER BY version DESC LIMIT 1"
    assert warehouse.scalar(newest) == ledger.block
    ledger.mine()
    ledger.publish()
    refresh(warehouse, store, chains)
    assert warehouse.scalar(newest) == ledger.block
    before = versions(warehouse)
    refresh(warehouse, store, chains)
    assert versions(warehouse) == before


def test_superseded_rows_outlive_every_cursor_and_are_then_removed(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, _ = build_market(ledger)
    refresh(warehouse, store, chains)
    ledger.mine()
    ledger.read(token, "FROG")
    ledger.publish()
    refresh(warehouse, store, chains)
    shown = served(warehouse)
    assert set(shown) == {"WETH", "USDC", "FROG"}
    rows = warehouse.scalar("SELECT count() FROM serve_token")
    with open_refresh_run(warehouse, store, chains) as run:
        publication.clean(run)
    assert warehouse.scalar("SELECT count() FROM serve_token") == rows

    def grow_older(seconds: int) -> None:
        warehouse.command("CREATE OR REPLACE TABLE older AS serve_publication")
        warehouse.command(
            "INSERT INTO older SELECT version, published_at - toIntervalSecond({seconds:UInt32}), as_of_blocks"
            " FROM serve_publication",
            {"seconds": seconds},
        )
        warehouse.command("EXCHANGE TABLES older AND serve_publication")
        with open_refresh_run(warehouse, store, chains) as run:
            publication.clean(run)

    grow_older(630)  # a cursor may have ended just now, and still be read
    assert warehouse.scalar("SELECT count() FROM serve_token") == rows
    grow_older(60)
    assert served(warehouse) == shown
    assert warehouse.scalar("SELECT count() FROM serve_token") == 3
    assert warehouse.scalar("SELECT count() FROM serve_symbol") == 3
    assert warehouse.scalar("SELECT count() FROM agg_document_request") == 0


def test_two_refresh_runs_exclude_each_other(
    warehouse: Warehouse, store: Connection, store_url: str, chains: Chains
) -> None:
    with (
        postgres.connect(store_url, autocommit=True) as other,
        open_refresh_run(warehouse, other, chains),
        pytest.raises(RefreshBusy),
        open_refresh_run(warehouse, store, chains, wait_seconds=0.1),
    ):
        pass


def test_holders_of_a_chain_being_written_are_unknown_until_the_next_refresh(
    ledger: Ledger, warehouse: Warehouse, store: Connection, store_url: str, chains: Chains
) -> None:
    build_market(ledger)
    with postgres.connect(store_url, autocommit=True) as writer:
        writer.execute("SELECT pg_advisory_lock(821, 8453)")
        runs = refresh(warehouse, store, chains, writer_wait_seconds=0.1)
        assert [run.note for run in runs if run.step == "holders"] == ["the chain is being written"]
        shown = served(warehouse)
        assert len(shown) == 3
        assert (shown["PEPE"]["holders"], shown["PEPE"]["top10_share"]) == (None, None)
        assert shown["PEPE"]["price_usd"] == 2
    refresh(warehouse, store, chains)
    assert served(warehouse)["PEPE"]["holders"] == 2


def test_a_half_summed_unit_is_not_counted_among_the_holders(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    build_market(ledger)
    store.execute("""UPDATE chain_checkpoint SET pending = '{"unit_id": 99, "phase": "sums"}'""")
    refresh(warehouse, store, chains)
    assert warehouse.scalar("SELECT count() FROM agg_token_hour") == 0
    store.execute("UPDATE chain_checkpoint SET pending = NULL")
    refresh(warehouse, store, chains)
    assert served(warehouse)["PEPE"]["holders"] == 2


def test_a_chain_stays_as_published_while_blocks_are_reverted(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    build_market(ledger)
    store.execute("""UPDATE chain_checkpoint SET pending = '{"change_id": 99, "phase": "revert"}'""")
    refresh(warehouse, store, chains)
    assert served(warehouse) == {}
    store.execute("UPDATE chain_checkpoint SET pending = NULL")
    refresh(warehouse, store, chains)
    assert len(served(warehouse)) == 3


def test_steps_run_one_by_one_give_the_same_rows(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    build_market(ledger)
    for step in STEPS:
        refresh(warehouse, store, chains, steps=[step.name])
    assert served(warehouse)["PEPE"]["price_usd"] == 2
    assert documents.STEP in STEPS
    account = store.execute("SELECT DISTINCT asset FROM asset_run").fetchall()
    assert {"tokens", "holders", "prices", "documents"} <= {row["asset"] for row in account}
