"""The declarations of steps: their order, their assets, and the table in the documentation."""

from pathlib import Path

from pipelines.step import ChainStep, GlobalStep, Phase
from pipelines.steps import STEPS, AnyStep
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
        " AND match(name, '^(agg|serve|mirror)_')"
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
