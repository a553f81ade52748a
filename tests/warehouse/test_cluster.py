"""Statements for a cluster. The engine parses all of them; none runs, because the embedded engine has no Keeper."""

import re
from pathlib import Path

import pytest

from indexer.comparison import Comparison
from indexer.write import FACT_TABLES
from warehouse import migrate, sql
from warehouse.clickhouse import Warehouse
from warehouse.cluster import LOCAL_SUFFIX, Cluster
from warehouse.errors import MigrationError, WarehouseError
from warehouse.marts import MARTS
from warehouse.marts import views as marts

CLUSTER = Cluster("main", "regalia", shards=2, replicas=3)
GOLDEN = Path(__file__).with_name("cluster_statements")
_CREATED = re.compile(r"CREATE (?:OR REPLACE )?TABLE (?:IF NOT EXISTS )?(\w+)")
_DISTRIBUTED = re.compile(r"CREATE TABLE IF NOT EXISTS (\w+) .*\n.*cityHash64\(([^)]*)\)")
_COPIED = re.compile(r"\nAS SELECT \*\nFROM \w+(\nSETTINGS .*)?\Z")
_PARAMETER = re.compile(r"\{\w+:[^}]+\}")


def single_statements() -> list[str]:
    """Everything that makes or changes tables, as for a single server."""
    made = [statement for one in migrate.warehouse_migrations() for statement in one.statements()]
    found = [path.read_text() for path in sorted((sql.directory() / "transforms").rglob("*.sql"))]
    return [
        migrate.RECORD_TABLE,
        *map(migrate.repeatable, made),
        *(marts.view(mart, "marts") for mart in MARTS),
        *(text for text in found if "DELETE FROM" in text),
        "DELETE FROM fact_transfer IN PARTITION ID '1-202401' WHERE chain_id = 1",
        "TRUNCATE TABLE agg_token",
        "ALTER TABLE work_token DROP PARTITION 8453",
        "OPTIMIZE TABLE agg_balance_day FINAL",
        "DROP VIEW `marts`.`tokens`",
        "CREATE DATABASE IF NOT EXISTS `marts` COMMENT 'For analysts'",
        "ALTER DATABASE `regalia` MODIFY COMMENT 'Of operators, too'",
        "ALTER TABLE `published_balance` COMMENT COLUMN `token` 'an address', MODIFY COMMENT 'balances'",
    ]


def local_tables() -> dict[str, str]:
    """The last statement that makes each replicated table."""
    made = {}
    for statement in single_statements():
        for one in CLUSTER.statements(statement):
            created = _CREATED.match(one)
            if created and created[1].endswith(LOCAL_SUFFIX):
                made[created[1].removesuffix(LOCAL_SUFFIX).removesuffix("_copy")] = one
    return made


def sort_key(statement: str) -> list[str]:
    found = re.search(r"ORDER BY \(?([\w, ]+)\)?", statement)
    assert found is not None
    return found[1].split(", ")


def test_the_engine_parses_every_statement(warehouse_server: Warehouse) -> None:
    for statement in single_statements():
        for one in CLUSTER.statements(statement):
            assert warehouse_server.rows(f"EXPLAIN AST {_PARAMETER.sub('1', one)}"), one


def test_a_replicated_table_has_the_columns_and_the_keys_of_the_single_servers(warehouse_server: Warehouse) -> None:
    def formatted(statement: str) -> str:
        return str(warehouse_server.scalar("SELECT formatQuery({text:String})", {"text": statement}))

    for statement in single_statements():
        created = _CREATED.search(statement)
        if created is None:
            continue
        local = next(one for one in CLUSTER.statements(statement) if f"{LOCAL_SUFFIX} ON CLUSTER" in one and "(" in one)
        single = _COPIED.sub("", formatted(statement))
        restored = re.sub(r"ENGINE = Replicated(\w+)\('[^']+', '{replica}'(?:, )?([^)]*)\)", _single_engine, local)
        restored = re.sub(r"replicated_deduplication_window = 0(, )?", "", restored.replace("_copy_local", "_local"))
        restored = re.sub(r", replicated_deduplication_window_seconds = \d+", "", restored)
        restored = restored.replace(" replicated_dedup", " non_replicated_dedup").replace("\nSETTINGS \n", "\n")
        restored = re.sub(r"\nSETTINGS (?=COMMENT|\Z)", "\n", restored)
        name = created[1]
        restored = re.sub(rf"CREATE TABLE IF NOT EXISTS {name}_local ON CLUSTER `main`", created[0], restored)
        assert formatted(restored) == single


def _single_engine(found: re.Match[str]) -> str:
    return f"ENGINE = {found[1]}" + (f"({found[2]})" if found[2] else "")


@pytest.mark.parametrize("table", ["fact_transfer", "agg_token"])
def test_two_tables_as_they_are_made(table: str) -> None:
    made = next(
        statement
        for statement in reversed(single_statements())
        if (created := _CREATED.search(statement)) and created[1] == table
    )
    assert ";\n".join(CLUSTER.statements(made)) + ";\n" == (GOLDEN / f"{table}.sql").read_text()


def test_rows_that_replace_each_other_are_on_one_shard() -> None:
    distributed = {
        found[1].removesuffix("_copy"): found[2].split(", ")
        for statement in single_statements()
        for one in CLUSTER.statements(statement)
        if (found := _DISTRIBUTED.match(one))
    }
    tables = local_tables()

    assert distributed.keys() == tables.keys()
    for table, columns in distributed.items():
        assert set(columns) <= set(sort_key(tables[table])), table
    assert distributed["fact_transfer"] == ["chain_id", "token"]
    assert distributed["fact_swap"] == ["chain_id", "pool"]
    assert distributed["serve_token"] == ["chain_id", "address"]
    assert distributed["raw_block"] == ["chain_id"]


@pytest.mark.parametrize("table", ["agg_balance_day", "agg_wallet_transfer"])
def test_rows_that_speak_for_their_insert_are_on_the_shard_of_their_chain(table: str) -> None:
    made = next(one for one in single_statements() if f"CREATE TABLE IF NOT EXISTS {table}\n" in one)
    assert CLUSTER.statements(made)[1].endswith("cityHash64(chain_id))")


def test_tokens_are_remembered_where_a_single_server_remembers_them_and_nowhere_else() -> None:
    tables = local_tables()
    for table in (*FACT_TABLES, "fact_change", "agg_balance_day"):
        assert "replicated_deduplication_window = 1000, replicated_deduplication_window_seconds = 3153" in tables[table]
    for table in ("work_token", "agg_token", "serve_publication", "schema_migration"):
        assert "replicated_deduplication_window = 0" in tables[table]


def test_a_copy_begins_anew_and_is_made_once_for_all_hosts() -> None:
    copied = CLUSTER.statements(
        "CREATE OR REPLACE TABLE t\n(\n    chain_id UInt32\n)\nENGINE = MergeTree ORDER BY chain_id\n"
        "AS SELECT * FROM t\nSETTINGS max_execution_time = 0"
    )
    assert [one.split(" `main`")[0].split("\n")[0] for one in copied] == [
        "DROP TABLE IF EXISTS t_copy ON CLUSTER",
        "DROP TABLE IF EXISTS t_copy_local ON CLUSTER",
        "CREATE TABLE IF NOT EXISTS t_copy_local ON CLUSTER",
        "CREATE TABLE IF NOT EXISTS t_copy ON CLUSTER",
        "INSERT INTO t_copy SELECT * FROM t",
        "EXCHANGE TABLES t_local AND t_copy_local ON CLUSTER",
        "DROP TABLE IF EXISTS t_copy ON CLUSTER",
        "DROP TABLE IF EXISTS t_copy_local ON CLUSTER",
    ]


def test_columns_change_in_both_tables_and_indexes_where_the_rows_are() -> None:
    local, distributed = CLUSTER.statements(
        "ALTER TABLE t\n    ADD COLUMN a Enum8('x, (' = 1) COMMENT 'it''s', ADD INDEX i a TYPE set(0)"
    )
    assert local.endswith(
        "t_local ON CLUSTER `main`\n" + distributed.partition("\n")[2] + ",\nADD INDEX i a TYPE set(0)"
    )
    assert distributed == "ALTER TABLE t ON CLUSTER `main`\nADD COLUMN a Enum8('x, (' = 1) COMMENT 'it''s'"
    assert len(CLUSTER.statements("ALTER TABLE t MATERIALIZE INDEX i")) == 1


def test_comments_are_those_of_what_readers_see() -> None:
    assert CLUSTER.statements("ALTER TABLE `v` COMMENT COLUMN a 'one, two', MODIFY COMMENT 'x'") == [
        "ALTER TABLE `v` ON CLUSTER `main`\nCOMMENT COLUMN a 'one, two',\nMODIFY COMMENT 'x'"
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE t AS other",
        "CREATE TABLE t\n(\n    a UInt8\n)\nENGINE = Log",
        "CREATE TABLE t\n(\n    a UInt8\n)\nENGINE = MergeTree ORDER BY tuple()",
        "CREATE TABLE t\n(\n    a UInt8\n)\nENGINE = MergeTree ORDER BY a\nAS SELECT * FROM t\n",
        "CREATE MATERIALIZED VIEW v TO t AS SELECT 1",
        "ALTER TABLE t ATTACH PARTITION 1",
        "ALTER TABLE t ADD COLUMN a UInt8, FREEZE",
        "RENAME TABLE a TO b",
        "SYSTEM STOP MERGES t",
    ],
)
def test_an_unknown_form_is_refused(statement: str) -> None:
    with pytest.raises(MigrationError):
        CLUSTER.statements(statement)


def test_inserts_and_queries_stay_as_they_are() -> None:
    for statement in ("INSERT INTO t SELECT 1", "-- why\nSELECT 1", "WITH 1 AS a SELECT a"):
        assert CLUSTER.statements(statement) == [statement]


def test_the_tables_of_a_comparison_are_on_the_host_that_makes_them() -> None:
    statement = Comparison("fact_transfer", "work_fresh_1_fact_transfer", "1", "1").create_fresh
    assert CLUSTER.statements(statement) == [statement]


def test_a_cluster_that_the_server_does_not_know_is_an_error(warehouse_url: str) -> None:
    with pytest.raises(WarehouseError, match="no cluster elsewhere"):
        Warehouse.connect(f"{warehouse_url}?cluster=elsewhere")


def test_the_engine_knows_every_setting_of_a_cluster(warehouse_server: Warehouse) -> None:
    known = warehouse_server.rows("SELECT name FROM system.settings")
    assert CLUSTER.settings.keys() <= {row["name"] for row in known}
    assert CLUSTER.settings["insert_quorum"] == CLUSTER.replicas
