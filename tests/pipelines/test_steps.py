"""The declarations of steps: their order, their assets, and the table in the documentation."""

from pathlib import Path

import dagster as dg

from pipelines.definitions import defs
from pipelines.step import ChainStep, GlobalStep, Phase
from pipelines.steps import FACTS_ASSET, STEPS, AnyStep, steps_of
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

DOCS = Path(__file__).parents[2] / "docs" / "pipelines.md"


def run_order() -> list[AnyStep]:
    """Steps in the order in which a refresh of one chain runs them: by phase, those that pause the writer first."""
    return sorted(STEPS, key=lambda step: (list(Phase).index(step.phase), not step.pauses_writer))


def test_names_are_unique() -> None:
    assert len({step.name for step in STEPS}) == len(STEPS)


def test_steps_come_after_those_they_read() -> None:
    done: set[str] = set()
    for step in STEPS:
        assert set(step.after) <= done, f"{step.name} comes before {set(step.after) - done}"
        done.add(step.name)


def test_a_refresh_runs_steps_in_their_declared_order() -> None:
    assert run_order() == list(STEPS)


def test_steps_for_all_chains_run_after_those_for_one_chain() -> None:
    for phase in (Phase.IDENTITY, Phase.METRICS):
        assert not [step for step in STEPS if isinstance(step, GlobalStep) and step.phase is phase]
    serving = [isinstance(step, ChainStep) for step in STEPS if step.phase is Phase.SERVING]
    assert serving == sorted(serving, reverse=True)


def test_assets_depend_on_what_their_steps_read() -> None:
    graph = defs.resolve_asset_graph()
    for asset in {step.asset for step in STEPS}:
        expected = set()
        for step in steps_of(asset):
            expected |= {other.asset for other in STEPS if other.name in step.after} or {FACTS_ASSET}
        node = graph.get(dg.AssetKey(asset))
        assert {key.to_user_string() for key in node.parent_keys} == expected - {asset}
        assert node.description == " ".join(step.description for step in steps_of(asset))


def test_the_refresh_job_runs_every_step_that_is_not_hourly() -> None:
    selected = {key.to_user_string() for key in defs.resolve_job_def("refresh").asset_layer.selected_asset_keys}
    assert selected == {step.asset for step in STEPS if not step.hourly}


def test_an_asset_is_named_after_a_table_that_it_writes() -> None:
    for step in STEPS:
        tables = {table for other in steps_of(step.asset) for table in (*other.tables, *other.store_tables)}
        names = {step.asset, f"{step.asset}_version"}  # the token list is the newest of its versions
        assert tables & names


def test_declared_tables_exist(warehouse: Warehouse, store: Connection) -> None:
    tables = warehouse.rows("SELECT name FROM system.tables WHERE database = currentDatabase()")
    store_tables = store.execute("SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p')").fetchall()
    in_warehouse, in_store = ({row["name"] for row in rows} for rows in (tables, store_tables))
    for step in STEPS:
        assert set(step.tables) <= in_warehouse
        assert set(step.store_tables) <= in_store


def test_every_derived_table_belongs_to_a_step(warehouse: Warehouse) -> None:
    declared = {name for step in STEPS for name in step.tables}
    elsewhere = {
        "agg_balance_day",  # summed by the indexer with each unit
        "agg_document_request",  # a queue between steps
        "serve_publication",  # written when a run publishes
    }
    query = (
        "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'"
        " AND match(name, '^(agg|serve)_')"
    )
    assert {row["name"] for row in warehouse.rows(query)} == declared | elsewhere


def test_the_documentation_lists_the_steps() -> None:
    rows = ["| step | after | writes | lock | what |", "|---|---|---|---|---|"]
    for step in STEPS:
        written = [f"`{table}`" for table in step.tables] + [f"store `{table}`" for table in step.store_tables]
        lock = step.phase.value + (", writer paused" if step.pauses_writer else "")
        rows.append(
            f"| {step.name} | {', '.join(step.after) or 'facts'} | {', '.join(written)} | {lock} | {step.description} |"
        )
    assert "\n".join(rows) in DOCS.read_text(), "docs/pipelines.md should have this table:\n" + "\n".join(rows)
