"""Every table is an asset of Dagster, with its lineage, group and kind."""

import dagster as dg
import pytest

from pipelines import lineage
from pipelines.definitions import defs
from pipelines.step import Group
from pipelines.steps import STEPS
from warehouse.clickhouse import Warehouse
from warehouse.marts import MARTS

NOT_ASSETS = {
    "agg_document_request",  # a queue between steps
    "chain_config",  # what the chains file says
    "chain_publication",  # the checkpoint of each chain, as the warehouse reads it
}


def assets() -> dict[str, dg.AssetSpec]:
    return {spec.key.to_user_string(): spec for spec in defs.resolve_all_asset_specs()}


def test_every_table_of_the_warehouse_is_an_asset(warehouse: Warehouse) -> None:
    query = (
        "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'"
        " AND match(name, '^(raw|fact|agg|serve|mirror|chain)_')"
    )
    assert {row["name"] for row in warehouse.rows(query)} - NOT_ASSETS <= assets().keys()


def test_every_table_that_a_step_writes_is_an_asset() -> None:
    written = {table for step in STEPS for table in (*step.tables, *step.store_tables)}
    assert written <= assets().keys()


def test_an_asset_shows_the_columns_of_its_table() -> None:
    columns = assets()["fact_transfer"].metadata["dagster/column_schema"].columns
    assert [column.name for column in columns][:2] == ["chain_id", "token"]
    assert all(column.description for column in columns)
    for name, spec in assets().items():
        if "table" in spec.kinds:
            assert spec.metadata["dagster/column_schema"].columns, name


@pytest.mark.filterwarnings("ignore:Property `ScheduleDefinition:DeprecationWarning")
def test_the_web_interface_can_be_sent_all_definitions() -> None:
    from dagster._core.remote_representation.external_data import RepositorySnap
    from dagster._serdes import serialize_value

    assert "agg_token" in serialize_value(RepositorySnap.from_def(defs.get_repository_def()))


def test_a_mart_is_an_asset_made_of_the_tables_that_it_reads() -> None:
    found = assets()
    for mart in MARTS:
        spec = found[f"marts/{mart.name}"]
        columns = spec.metadata["dagster/column_schema"].columns
        assert [(column.name, column.description) for column in columns] == [
            (column.name, column.comment) for column in mart.columns
        ]
        assert spec.metadata["dagster/table_name"] == f"marts.{mart.name}"
    trades = {dep.asset_key.to_user_string() for dep in found["marts/trades"].deps}
    assert trades == {"fact_swap", "fact_pool", "agg_token", "agg_quote_minute"}


def test_facts_and_heads_have_a_freshness_policy() -> None:
    for name in lineage.INDEXED:
        assert assets()[name].freshness_policy is not None


def test_an_asset_has_an_owner_a_kind_a_description_and_one_of_five_groups() -> None:
    for name, spec in assets().items():
        assert all((spec.owners, spec.kinds, spec.description)), name
        assert spec.group_name in set(Group), name


def test_every_table_comes_from_blocks() -> None:
    found = {lineage.BLOCKS}
    tables = [*lineage.INDEXED, *lineage.derived_tables()]
    for _ in tables:
        found |= {table for table in tables if found.intersection(lineage.parents_of(table))}
    assert found == set(tables)


@pytest.mark.parametrize(
    ("table", "parents"),
    [
        ("agg_pool_candle", {"fact_pool_state", "fact_swap"}),
        ("agg_heartbeat", {"agg_token", "agg_token_hour", "agg_token_price", "native_price"}),
        ("registration", {"fact_registry_event"}),
        ("token_list_entry", {"registration", "agg_heartbeat"}),
        ("agg_balance_day", {"fact_transfer"}),
    ],
)
def test_a_table_is_made_of_the_tables_that_its_sql_names(table: str, parents: set[str]) -> None:
    assert set(lineage.parents_of(table)) == parents


def test_one_op_makes_all_tables_of_the_refresh() -> None:
    job = defs.resolve_job_def("refresh")
    assert [node.name for node in job.nodes] == ["refresh_tables"]
    selected = {key.to_user_string() for key in job.asset_layer.selected_asset_keys}
    assert selected == set(lineage.derived_tables()) - {"agg_heartbeat"}
