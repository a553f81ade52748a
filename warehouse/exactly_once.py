"""Whether an engine inserts what carries a token once: tried on the engine itself, and read from its configuration.

``docs/decisions/0001-exactly-once.md`` says what depends on it. ``regalia doctor`` refuses an engine with any of these
problems.
"""

import re
import secrets
from collections.abc import Iterator

import numpy as np

from warehouse.clickhouse import Warehouse
from warehouse.cluster import LOCAL_SUFFIX, Cluster
from warehouse.domain.facts import FACT_TABLES
from warehouse.writer import native_block

TESTED_CLICKHOUSE = (26, 9)
"""The release that the tests run on."""
TABLES = (*FACT_TABLES, "fact_change", "agg_balance_day")
"""Those whose inserts must count once."""

_BREAKING = {
    "async_insert": "1",
    "insert_deduplicate": "0",
    "deduplicate_insert": "disable",
    "deduplicate_insert_select": "disable",
}
_WINDOW = re.compile(r"(?<!\w)(?:non_)?replicated_deduplication_window = ([1-9]\d*)")
_SETTINGS = "SELECT name, toString(value) AS value FROM system.settings"
_ENGINES = """
SELECT name, engine, engine_full FROM system.tables
WHERE database = currentDatabase() AND name IN {names:Array(String)} ORDER BY name
"""
_SHARDS_COPIED_BY_US = """
SELECT DISTINCT shard_num FROM system.clusters WHERE cluster = {cluster:String} AND internal_replication = 0
"""
_TRIAL = """CREATE TABLE {name}
(
    chain_id UInt32,
    attempt UInt64
)
ENGINE = MergeTree ORDER BY (chain_id, attempt)
SETTINGS non_replicated_deduplication_window = 10"""


def problems(warehouse: Warehouse) -> Iterator[str]:
    """Everything because of which an insert could count twice; nothing where the engine is safe.

    Tables that are not there yet are no problem. The trial makes a table of its own and drops it.

    Raises:
        WarehouseError: the engine does not answer, or its user may not make a table.
    """
    version = str(warehouse.scalar("SELECT version()"))
    if tuple(int(number) for number in version.split(".")[:2]) < TESTED_CLICKHOUSE:
        tested = ".".join(map(str, TESTED_CLICKHOUSE))
        yield f"ClickHouse {version} is older than {tested}, which the tests run on"
    settings = {row["name"]: row["value"] for row in warehouse.rows(_SETTINGS)}
    for name, value in _BREAKING.items():
        if settings.get(name) == value:
            yield f"the setting {name} is {value}"
    yield from _tables(warehouse)
    if warehouse.cluster is not None:
        yield from _cluster(warehouse, warehouse.cluster, settings)
    yield from _trial(warehouse)


def _tables(warehouse: Warehouse) -> Iterator[str]:
    suffix = LOCAL_SUFFIX if warehouse.cluster else ""
    family = "Replicated" if warehouse.cluster else ""
    for row in warehouse.rows(_ENGINES, {"names": [table + suffix for table in TABLES]}):
        if row["engine"].startswith("Replicated") != bool(family):
            yield f"{row['name']} is a {row['engine']}: REGALIA_CLICKHOUSE_CLUSTER says otherwise"
        elif not _WINDOW.search(row["engine_full"]):
            yield f"{row['name']} has no deduplication window"


def _cluster(warehouse: Warehouse, cluster: Cluster, settings: dict[str, str]) -> Iterator[str]:
    for name, value in cluster.settings.items():
        if settings.get(name) != str(value):
            yield f"the setting {name} is {settings.get(name)}, not {value}: the user's profile overrides it"
    for row in warehouse.rows(_SHARDS_COPIED_BY_US, {"cluster": cluster.name}):
        yield f"shard {row['shard_num']} of {cluster.name} has internal_replication = false"


def _trial(warehouse: Warehouse) -> Iterator[str]:
    """Insert twice with one token, by rows and by query, and count. The rows differ: the token alone says repeat."""
    name = f"work_exactly_once_{secrets.token_hex(6)}"
    warehouse.command(_TRIAL.format(name=name))
    try:
        for attempt in (1, 2):
            block = native_block(
                [("chain_id", "UInt32", np.ones(1, np.uint32)), ("attempt", "UInt64", np.full(1, attempt, np.uint64))]
            )
            warehouse.insert_native(name, block, token=f"{name}:rows")
            select = f"INSERT INTO {name} SELECT 2, {{attempt:UInt64}}"
            warehouse.insert_select(select, {"attempt": attempt}, token=f"{name}:query")
        for chain_id, insert in ((1, "an insert of rows"), (2, "an insert of a query")):
            rows = warehouse.scalar(f"SELECT count() FROM {name} WHERE chain_id = {chain_id}")  # noqa: S608
            if rows != 1:
                yield f"{insert} that was repeated with its token left {rows} rows instead of one"
    finally:
        warehouse.command(f"DROP TABLE IF EXISTS {name} SYNC")
