"""The rules that are evaluated, in columns."""

import io

import polars as pl

from warehouse import sql
from warehouse.domain.alerts import ALERT_TYPES, RULES_OF_PLAN, covers
from warehouse.postgres import Connection

_COLUMNS = pl.Schema(
    {
        "id": pl.String(),
        "chain_id": pl.Int64(),
        "token_address": pl.String(),
        "alert_type": pl.String(),
        "operator": pl.String(),
        "threshold": pl.Float64(),
        "window_seconds": pl.Int64(),
        "cooldown_seconds": pl.Int64(),
        "revision": pl.Int64(),
        "judged": pl.String(),
        "fired": pl.String(),
        "last_fired": pl.Int64(),
        "place": pl.Int64(),
        "plan": pl.String(),
    }
)


def read_rules(store: Connection) -> pl.DataFrame:
    """Enabled rules that their account's plan covers. They are copied out as text: a million rows as Python objects
    would take gigabytes."""
    text, query = io.BytesIO(), sql.load("store/alerts/list_running")
    with store.cursor().copy(f"COPY ({query}) TO STDOUT (FORMAT csv)") as rows:
        for part in rows:
            text.write(part)
    if not text.tell():
        return _covered(pl.DataFrame(schema=_COLUMNS))
    text.seek(0)
    return _covered(pl.read_csv(text, has_header=False, new_columns=list(_COLUMNS), schema_overrides=_COLUMNS))


def _covered(rules: pl.DataFrame) -> pl.DataFrame:
    included = [
        (plan, type.name, RULES_OF_PLAN[plan])
        for plan in RULES_OF_PLAN
        for type in ALERT_TYPES.values()
        if covers(plan, type)
    ]
    plans = pl.DataFrame(included, ["plan", "alert_type", "most"], orient="row")
    return (
        rules.join(plans, on=["plan", "alert_type"])
        .filter(pl.col("place") <= pl.col("most"))
        .with_columns(pl.col("judged", "fired") == "t")
        .drop("place", "plan", "most")
    )
