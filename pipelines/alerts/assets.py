"""Alerts as Dagster evaluates them: every 15 minutes."""

import dagster as dg

from pipelines.alerts.evaluation import evaluate
from pipelines.assets import column_schema
from pipelines.resources import Engines
from pipelines.running import DERIVE_POOL, OWNERS, RETRY, result
from pipelines.step import Group
from warehouse import settings


@dg.asset(
    name="alert_instance",
    deps=["agg_token_candle", "agg_token_hour", "agg_heartbeat", "agg_top_day", "indexed_token"],
    group_name=Group.STORE.value,
    kinds={"postgres", "table"},
    owners=OWNERS,
    metadata={
        "dagster/table_name": "public.alert_instance",
        "dagster/column_schema": column_schema("alert_instance"),
    },
    retry_policy=RETRY,
    pool=DERIVE_POOL,
)
def alert_instance(context: dg.AssetExecutionContext, engines: Engines) -> dg.MaterializeResult[None]:
    """Alerts that users' rules raised, and the recoveries of their readings."""
    with engines.connect() as connections:
        return result(
            evaluate(connections.warehouse, connections.store, connections.chains, settings.load().public_site_url)
        )
