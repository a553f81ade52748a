"""The tables as Dagster's assets, made from the declarations of the steps and of the facts.

One run of the refresh writes all derived tables: that is one process, one pass of the steps and one publication. So
one op makes all of them, and whoever selects some of them runs their steps only.
"""

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

import dagster as dg

from pipelines import lineage
from pipelines.events.derive import EventsFailed
from pipelines.refresh import refresh
from pipelines.resources import Connections, Engines
from pipelines.run_log import StepRun
from pipelines.running import DERIVE_POOL, FRESH, OWNERS, RETRY, run_metadata
from pipelines.step import Group
from warehouse import postgres, settings, sql
from warehouse.catalogue import column_comment, table_comment
from warehouse.columns import columns_of
from warehouse.domain.chains import Chain
from warehouse.marts import MARTS, Mart
from warehouse.marts.database import database_of

MARTS_PREFIX = "marts"
"""Of the keys of marts: some are named as a table of the store is."""


def node_of(chain: Chain) -> str:
    """The asset that stands for a chain's nodes."""
    return f"node_{chain.key}"


def head_of(chain: Chain) -> str:
    """The asset that stands for a chain being indexed to its head."""
    return f"head_{chain.key}"


def node_spec(chain: Chain) -> dg.AssetSpec:
    """The nodes of a chain, where the lineage begins."""
    return dg.AssetSpec(
        node_of(chain),
        group_name=Group.CHAIN_FACTS.value,
        description=f"The nodes of {chain.name}: where its blocks come from.",
        kinds={"json_rpc"},
        owners=OWNERS,
    )


def table_spec(
    table: str,
    *,
    deps: Sequence[str] = (),
    partitions_def: dg.PartitionsDefinition[Any] | None = None,
    freshness_policy: dg.FreshnessPolicy | None = None,
) -> dg.AssetSpec:
    """A table: its lineage, group, kind, columns and description. ``deps`` are assets it has besides other tables."""
    steps = lineage.steps_writing(table)
    stored = lineage.in_store(table)
    return dg.AssetSpec(
        table,
        deps=[*deps, *lineage.parents_of(table)],
        description=table_comment(table) or " ".join(step.description for step in steps),
        group_name=lineage.group_of(table).value,
        kinds={"postgres" if stored else "clickhouse", "table"},
        owners=OWNERS,
        metadata={
            "dagster/table_name": f"{'public' if stored else _database()}.{table}",
            "dagster/column_schema": column_schema(table),
        },
        tags={f"step/{step.name}": "" for step in steps},
        partitions_def=partitions_def,
        freshness_policy=freshness_policy,
    )


def column_schema(table: str) -> dg.TableSchema:
    """The columns of a table, with what they hold."""
    return dg.TableSchema(
        [dg.TableColumn(name, kind, column_comment(table, name) or None) for name, kind in columns_of(table).items()]
    )


def _database() -> str:
    """The warehouse's database, as its URL names it."""
    url = settings.load().clickhouse_url
    return (urlsplit(url).path.strip("/") if url else "") or "regalia"


fact_specs = [table_spec(table, freshness_policy=FRESH) for table in lineage.INDEXED if table != lineage.BLOCKS]
"""What the indexer writes besides blocks. Its followers write them, so Dagster has nothing to run for them."""


def mart_spec(mart: Mart) -> dg.AssetSpec:
    """A view for analysts, made of the tables that its declaration names. It is as fresh as they are."""
    tables = {*lineage.INDEXED, *lineage.derived_tables()}
    return dg.AssetSpec(
        dg.AssetKey([MARTS_PREFIX, mart.name]),
        deps=[table for table in mart.internals if table in tables],
        description=f"{mart.comment} A row is {mart.grain}.",
        group_name=Group.SERVING.value,
        kinds={"clickhouse", "view"},
        owners=OWNERS,
        metadata={
            "dagster/table_name": f"{database_of(_database())}.{mart.name}",
            "dagster/column_schema": dg.TableSchema(
                [dg.TableColumn(column.name, column.type, column.comment) for column in mart.columns]
            ),
        },
    )


mart_specs = [mart_spec(mart) for mart in MARTS]


def is_hourly(table: str) -> bool:
    """Whether Dagster computes the table by the hour instead of with the others."""
    return any(step.hourly for step in lineage.steps_writing(table))


_EVENTS = "event_log"
refreshed_tables = [table for table in lineage.derived_tables() if not is_hourly(table)]


@dg.multi_asset(
    name="refresh_tables",
    specs=[table_spec(table, freshness_policy=FRESH) for table in refreshed_tables],
    can_subset=True,
    retry_policy=RETRY,
    pool=DERIVE_POOL,
)
def refresh_tables(context: dg.AssetExecutionContext, engines: Engines) -> Iterator[dg.MaterializeResult[None]]:
    """Run the steps that write the selected tables, for all chains, and publish what they wrote."""
    selected = [table for table in refreshed_tables if dg.AssetKey(table) in context.selected_asset_keys]
    steps = [step.name for table in selected for step in lineage.steps_writing(table)]
    runs: list[StepRun] = []
    failure: EventsFailed | None = None
    with engines.connect() as connections:
        try:
            refresh(connections.warehouse, connections.store, connections.chains, steps=steps, on_step_run=runs.append)
        except EventsFailed as error:  # everything else is done and published
            failure = error
        counts = row_counts(connections)
    for table in selected:
        if failure is not None and table == _EVENTS:
            continue
        metadata = {
            **run_metadata(runs_of(table, runs)),
            "dagster/row_count": dg.MetadataValue.int(counts.get(table, 0)),
        }
        yield dg.MaterializeResult(asset_key=table, metadata=metadata)
    if failure is not None:
        raise dg.Failure(f"{failure}: {failure.__cause__}", allow_retries=False)


def row_counts(connections: Connections) -> dict[str, int]:
    """How many rows each table has: exact in the warehouse, the server's estimate in the store."""
    in_store = postgres.run(connections.store, "schema/list_row_estimates", {"schema": "public"})
    in_warehouse = connections.warehouse.rows(sql.load("transforms/maintenance/table_rows"))
    return {row["name"]: int(row["row_count"]) for row in (*in_store, *in_warehouse)}


def runs_of(table: str, runs: Sequence[StepRun]) -> list[StepRun]:
    """The runs of the steps that write a table."""
    names = lineage.run_names(table)
    return [run for run in runs if run.step in names]
