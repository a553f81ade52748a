from base64 import b64encode

import pytest

from warehouse.embedded.clickhouse.access import Role, Users, analyst_settings, authenticate, check_analyst
from warehouse.embedded.clickhouse.errors import ClickHouseError

USERS = Users("o:wn", "anal", owner_names=("default", "regalia"))
FUNCTIONS = frozenset({"file", "url", "s3", "numbers", "merge", "remote", "python"})


def basic(user: str, password: str) -> dict[str, str]:
    return {"authorization": "Basic " + b64encode(f"{user}:{password}".encode()).decode()}


@pytest.mark.parametrize(
    ("headers", "parameters", "role"),
    [
        (basic("regalia", "o:wn"), {}, Role.OWNER),
        (basic("default", "o:wn"), {}, Role.OWNER),
        (basic("analyst", "anal"), {}, Role.ANALYST),
        ({"x-clickhouse-user": "regalia", "x-clickhouse-key": "o:wn"}, {}, Role.OWNER),
        ({}, {"user": "analyst", "password": "anal"}, Role.ANALYST),
        ({}, {"password": "o:wn"}, Role.OWNER),
    ],
)
def test_right_credentials_give_the_role(headers: dict[str, str], parameters: dict[str, str], role: Role) -> None:
    assert authenticate(headers, parameters, USERS) is role


@pytest.mark.parametrize(
    ("headers", "parameters"),
    [
        ({}, {}),
        (basic("regalia", ""), {}),
        (basic("regalia", "anal"), {}),
        (basic("analyst", "o:wn"), {}),
        (basic("somebody", "o:wn"), {}),
        ({"authorization": "Basic !!"}, {}),
        ({"authorization": "Bearer o:wn"}, {}),
        ({}, {"user": "regalia"}),
        (basic("regalia", "pässword"), {}),
    ],
)
def test_wrong_credentials_are_refused(headers: dict[str, str], parameters: dict[str, str]) -> None:
    with pytest.raises(ClickHouseError) as caught:
        authenticate(headers, parameters, USERS)

    assert (caught.value.code, caught.value.status) == (516, 403)


def test_empty_passwords_are_refused() -> None:
    with pytest.raises(ValueError, match="passwords"):
        Users("", "x")


@pytest.mark.parametrize(
    "sql",
    [
        b"INSERT INTO t VALUES (1)",
        b"KILL QUERY WHERE 1",
        b"SET max_threads = 1",
        b"SELECT file('/etc/passwd')",
        b"SELECT FILE ('/etc/passwd')",
        b"SELECT `file`('/etc/passwd')",
        b"SELECT \"file\" /* */ ('/etc/passwd')",
        b"SELECT `fi\\x6ce`('/etc/passwd')",
        b"SELECT * FROM url('http://127.0.0.1/', 'TSV', 'a String')",
        b"SELECT * FROM (SELECT * FROM s3('http://x/y'))",
        b"WITH x AS (SELECT * FROM remote('h', 'd', 't')) SELECT * FROM x",
        b"SELECT * FROM python(x)",
        b"SELECT * FROM system.processes",
        b"SELECT * FROM `system` . `query_log`",
        "SELECT ‘x’".encode(),
    ],
)
def test_analysts_reach_no_files_or_hosts(sql: bytes) -> None:
    with pytest.raises(ClickHouseError) as caught:
        check_analyst(sql, FUNCTIONS)

    assert caught.value.code == 497


@pytest.mark.parametrize(
    "sql",
    [
        b"SELECT count() FROM serve_token",
        b"SELECT file, url FROM t WHERE url = 'file(x)' -- url(",
        b"SELECT number FROM numbers(10)",
        b"SHOW TABLES",
        b"EXPLAIN SELECT 1",
        b"SELECT name FROM system.tables",
        "SELECT 'ünïcode'".encode(),
    ],
)
def test_analysts_may_read(sql: bytes) -> None:
    check_analyst(sql, FUNCTIONS)


def test_settings_cannot_lift_an_analysts_limits() -> None:
    settings = analyst_settings(
        {
            "max_execution_time": "100000",
            "max_memory_usage": "0",
            "readonly": "0",
            "output_format_json_quote_64bit_integers": "1",
        }
    )

    assert settings["max_execution_time"] == "60"
    assert settings["max_memory_usage"] != "0"
    assert "readonly" not in settings
    assert settings["output_format_json_quote_64bit_integers"] == "1"


def test_analysts_may_set_a_shorter_time_limit() -> None:
    assert analyst_settings({"max_execution_time": "5"})["max_execution_time"] == "5"
