"""The read-only user."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import clickhouse_connect
import pytest
from clickhouse_connect.driver.exceptions import DatabaseError

from warehouse.clickhouse import Warehouse
from warehouse.embedded.clickhouse.server import url
from warehouse.embedded.clickhouse_server import ANALYST, DATABASE
from warehouse.embedded.layout import Layout
from warehouse.engines import EngineUrls
from warehouse.errors import WarehouseError
from warehouse.marts import MARTS
from warehouse.marts.database import MARTS_DATABASE, MARTS_PATTERN
from warehouse.settings import EngineSettings


@pytest.fixture
def analyst(engines: EngineUrls, engine_settings: EngineSettings) -> Iterator[Warehouse]:
    port = urlsplit(engines.clickhouse_url).port or 0
    password = Layout.of(engine_settings.data_dir).password("clickhouse-analyst")
    with Warehouse.connect(url(ANALYST, password, port, MARTS_DATABASE)) as connection:
        yield connection


def test_an_analyst_reads_the_marts(analyst: Warehouse) -> None:
    assert analyst.rows("SELECT count() AS n FROM tokens WHERE chain_id = {c:UInt32}", {"c": 1}) == [{"n": 0}]
    assert analyst.scalar("SELECT sum(number) FROM numbers(10)") == 45


def test_an_analyst_sees_the_marts_alone(analyst: Warehouse) -> None:
    assert {row["name"] for row in analyst.rows("SHOW TABLES")} == {mart.name for mart in MARTS}
    seen = {row["name"] for row in analyst.rows("SHOW DATABASES")}
    assert "marts" in seen
    assert all(re.fullmatch(MARTS_PATTERN, name) for name in seen)
    assert analyst.rows("SHOW TABLES FROM regalia") == []
    assert analyst.scalar("SELECT count() FROM system.tables WHERE database = 'regalia'") == 0
    assert analyst.scalar("SELECT count() FROM information_schema.columns WHERE table_schema = 'regalia'") == 0


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count() FROM regalia.serve_token",
        "SELECT count() FROM `regalia`.serve_token",
        'SELECT count() FROM "regalia" . serve_token',
        "SELECT 1 WHERE 1 IN (SELECT 1 FROM regalia /* */ . serve_token)",
        "SELECT count() FROM merge('regalia', 'serve_token')",
        "SELECT count() FROM {d:Identifier}.serve_token",
        "DESCRIBE TABLE regalia.serve_token",
        "SHOW CREATE TABLE regalia.serve_token",
        "SELECT count() FROM system.tables SETTINGS additional_table_filters = {}",
    ],
)
def test_an_analyst_reads_no_internals(analyst: Warehouse, sql: str) -> None:
    with pytest.raises(WarehouseError):
        analyst.rows(sql, {"d": "regalia"})


@pytest.mark.parametrize(
    "sql",
    ["SHOW PROCESSLIST", "SELECT * FROM processes", "SELECT * FROM `errors`", "SELECT name FROM backups"],
)
def test_an_analyst_sees_nothing_of_what_others_run(
    sql: str, analyst: Warehouse, engines: EngineUrls, engine_settings: EngineSettings
) -> None:
    with pytest.raises(WarehouseError):  # such as an error that quotes a statement
        analyst.rows("SELECT throwIf(1, 'quoted')")
    port = urlsplit(engines.clickhouse_url).port or 0
    password = Layout.of(engine_settings.data_dir).password("clickhouse-analyst")
    with Warehouse.connect(url(ANALYST, password, port, "system")) as connection:
        assert connection.rows(sql) == []


def test_an_analyst_connects_to_no_internals(engines: EngineUrls, engine_settings: EngineSettings) -> None:
    port = urlsplit(engines.clickhouse_url).port or 0
    password = Layout.of(engine_settings.data_dir).password("clickhouse-analyst")
    with pytest.raises(WarehouseError, match="not open to analysts"):
        Warehouse.connect(url(ANALYST, password, port, DATABASE))


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE x (a UInt8) ENGINE = Memory",
        "CREATE TEMPORARY TABLE x (a UInt8)",
        "DROP TABLE serve_token",
        "INSERT INTO serve_symbol_form VALUES ('a', 'b')",
        "TRUNCATE TABLE serve_token",
        "KILL QUERY WHERE 1",
        "SYSTEM STOP MERGES",
        "SELECT file('/etc/hostname')",
        "SELECT * FROM file('/etc/hostname', 'LineAsString')",
        "SELECT * FROM default.`/etc/hostname`",
        "SELECT * FROM url('http://127.0.0.1:1/', 'TSV', 'a String')",
        "SELECT * FROM s3('http://127.0.0.1:1/b/k', 'TSV', 'a String')",
        "SELECT * FROM remote('127.0.0.1', 'system', 'one')",
        "SELECT * FROM postgresql('127.0.0.1:1', 'd', 't', 'u', 'p')",
        "SELECT * FROM executable('ls', 'TSV', 'a String')",
        "SELECT * FROM python('x')",
        "SELECT * FROM system.processes",
        "SELECT 1 SETTINGS max_execution_time = 100000",
        "SELECT 1 SETTINGS readonly = 0",
        "SET readonly = 0",
        "WITH x AS (SELECT 1) INSERT INTO serve_symbol_form SELECT 'a', 'b'",
        "EXPLAIN SELECT file('/etc/hostname')",
    ],
)
def test_an_analyst_only_reads(analyst: Warehouse, sql: str) -> None:
    with pytest.raises(WarehouseError):
        analyst.command(sql)


def test_the_url_cannot_lift_an_analysts_limits(engines: EngineUrls, engine_settings: EngineSettings) -> None:
    port = urlsplit(engines.clickhouse_url).port or 0
    password = Layout.of(engine_settings.data_dir).password("clickhouse-analyst")
    request = Request(
        f"http://127.0.0.1:{port}/?max_execution_time=100000&max_memory_usage=0&readonly=0",
        b"SELECT getSetting('max_execution_time'), getSetting('max_memory_usage'), getSetting('readonly')",
        {"X-ClickHouse-User": "analyst", "X-ClickHouse-Key": password},
    )
    with urlopen(request) as answer:
        assert answer.read().split() == [b"60", b"2147483648", b"1"]


def test_clickhouse_connect_works_for_an_analyst(engines: EngineUrls, engine_settings: EngineSettings) -> None:
    port = urlsplit(engines.clickhouse_url).port or 0
    password = Layout.of(engine_settings.data_dir).password("clickhouse-analyst")
    with clickhouse_connect.get_client(host="127.0.0.1", port=port, username="analyst", password=password) as client:
        assert client.query("SELECT 1").result_rows == [(1,)]
        client.http.clear()
    with pytest.raises(DatabaseError):
        clickhouse_connect.get_client(host="127.0.0.1", port=port, username="analyst", password="wrong")


@pytest.mark.parametrize(("sql", "position"), [("SELEC 1", 1), ("SELECT (1 + ) FROM tokens", 15), ("sumthing", 1)])
def test_a_syntax_error_is_told_in_clickhouses_words(analyst: Warehouse, sql: str, position: int) -> None:
    with pytest.raises(WarehouseError, match=f"failed at position {position}") as refused:
        analyst.command(sql)
    assert refused.value.code == 62
    assert "formatQuery" not in str(refused.value)


def test_show_grants_names_what_the_analyst_reads(analyst: Warehouse) -> None:
    for statement in ("SHOW GRANTS", "show grants", "SHOW GRANTS FOR CURRENT_USER", "SHOW GRANTS FOR analyst"):
        grants = [row["GRANTS FOR analyst"] for row in analyst.rows(statement)]
        # Other tests' databases come and go between two statements; what everybody may read stands last.
        assert "GRANT SHOW, SELECT ON marts.* TO analyst" in grants[:-2]
        assert not [grant for grant in grants if "regalia" in grant or "INSERT" in grant or "*.*" in grant]
        assert grants[-2:] == [f"GRANT SELECT ON {name}.* TO analyst" for name in ("information_schema", "system")]
    with pytest.raises(WarehouseError, match="only its own grants"):
        analyst.rows("SHOW GRANTS FOR default")
