"""The Dagster assets of the refresh, made from the declarations of its steps."""

from collections.abc import Callable
from typing import Any

import dagster as dg

from pipelines.resources import Engines
from pipelines.running import DERIVE_POOL, FRESH, OWNERS, RETRY, run_steps
from pipelines.steps import asset_names, dependencies_of, steps_of


def declared_asset(
    asset: str,
    *,
    partitions_def: dg.PartitionsDefinition[Any] | None = None,
    freshness_policy: dg.FreshnessPolicy | None = None,
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """Decorator for the function of an asset whose name, dependencies and description its steps declare."""
    steps = steps_of(asset)
    kinds = {"clickhouse" for step in steps if step.tables} | {"postgres" for step in steps if step.store_tables}
    return dg.asset(
        name=asset,
        deps=dependencies_of(asset),
        description=" ".join(step.description for step in steps),
        group_name=steps[0].name,
        kinds=kinds,
        retry_policy=RETRY,
        pool=DERIVE_POOL,
        owners=OWNERS,
        partitions_def=partitions_def,
        freshness_policy=freshness_policy,
    )


def refresh_asset(asset: str) -> dg.AssetsDefinition:
    """The asset that runs the steps declared for it, for all chains."""
    names = [step.name for step in steps_of(asset)]

    @declared_asset(asset, freshness_policy=FRESH)
    def materialize(engines: Engines) -> dg.MaterializeResult[None]:
        return run_steps(engines, names)

    return materialize


refresh_assets = [refresh_asset(name) for name in asset_names() if not any(step.hourly for step in steps_of(name))]
"""One asset for each main table, except those that Dagster computes by the hour."""
