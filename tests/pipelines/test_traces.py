"""What a collector gets about units of the indexer and about refreshes."""

from pipelines.refresh import refresh
from tests.factories.ledger import Ledger
from tests.factories.markets import build_market
from tests.fixtures.collector import Collector
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection


def test_a_refresh_is_one_trace_of_its_steps_and_their_statements(
    warehouse: Warehouse, store: Connection, chains: Chains, ledger: Ledger, traced: Collector
) -> None:
    build_market(ledger)
    runs = refresh(warehouse, store, chains, chain_ids=[8453])
    found = traced.trace_of("refresh")
    assert found["refresh"].attributes == {"chains": "base", "full": True}
    steps = {run.step for run in runs if run.rows and run.step != "publication"}
    assert steps >= {"tokens", "holders", "prices", "documents"}
    assert {found[step].parent for step in steps} == {found["refresh"].id}
    assert {found[step].attributes["chain"] for step in ("tokens", "holders")} == {"base"}
    assert found["tokens"].attributes["rows"] == next(run.rows for run in runs if run.step == "tokens")
    touched = found["transforms/holders/hours"]
    assert (touched.parent, touched.attributes["db.system.name"]) == (found["holders"].id, "clickhouse")
