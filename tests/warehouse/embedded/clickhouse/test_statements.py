import pytest

from warehouse.embedded.clickhouse.errors import ClickHouseError
from warehouse.embedded.clickhouse.statements import check, insert_head, keyword, output_format, tokens


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (b"", b""),
        (b"select 1", b"SELECT"),
        (b"  -- insert\n /* drop */ (select 1)", b"("),
        (b"/* a /* nested */ b */ WITH x AS (SELECT 1) SELECT * FROM x", b"WITH"),
        (b"# note\nSHOW TABLES", b"SHOW"),
    ],
)
def test_keyword_is_the_first_word_outside_comments(sql: bytes, expected: bytes) -> None:
    assert keyword(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (b"SELECT 1", None),
        (b"SELECT 1 FORMAT JSONEachRow", "JSONEachRow"),
        (b"SELECT 1 format CSV;\n", "CSV"),
        (b"SELECT 1 FORMAT CSV SETTINGS max_threads = 1", "CSV"),
        (b"SELECT 'x FORMAT CSV'", None),
        (b"SELECT 1 FORMAT TSV -- not FORMAT CSV", "TSV"),
        (b"SELECT 1 -- FORMAT CSV", None),
    ],
)
def test_output_format_is_the_one_the_statement_names(sql: bytes, expected: str | None) -> None:
    assert output_format(sql) == expected


@pytest.mark.parametrize(
    ("sql", "statement", "format_name", "data"),
    [
        (b"INSERT INTO t FORMAT TSV\n1\t2\n", b"INSERT INTO t ", "TSV", b"1\t2\n"),
        (b"insert into t (a, b) format Native\r\n\x01\x02", b"insert into t (a, b) ", "Native", b"\x01\x02"),
        (b"INSERT INTO t SETTINGS async_insert=1 FORMAT CSV 1", b"INSERT INTO t SETTINGS async_insert=1 ", "CSV", b"1"),
        (b"INSERT INTO t VALUES (1, 'a;b')", b"INSERT INTO t ", "Values", b" (1, 'a;b')"),
        (b"INSERT INTO `format` FORMAT JSONEachRow\n{}", b"INSERT INTO `format` ", "JSONEachRow", b"{}"),
        (b"/* FORMAT x */ INSERT INTO t FORMAT TSV\n;;", b"/* FORMAT x */ INSERT INTO t ", "TSV", b";;"),
    ],
)
def test_insert_head_ends_where_the_data_begins(sql: bytes, statement: bytes, format_name: str, data: bytes) -> None:
    head = insert_head(sql, complete=True)

    assert head is not None
    assert (head.statement, head.format, sql[head.data_start :]) == (statement, format_name, data)


@pytest.mark.parametrize("sql", [b"SELECT 1 FORMAT TSV\n", b"INSERT INTO t SELECT 1 FORMAT TSV\n", b"INSERT INTO t"])
def test_statements_without_data_have_no_insert_head(sql: bytes) -> None:
    assert insert_head(sql, complete=True) is None


def test_insert_head_waits_for_the_rest_of_a_format_name() -> None:
    assert insert_head(b"INSERT INTO t FORMAT JSON", complete=False) is None
    assert insert_head(b"INSERT INTO t FORMAT JSONEachRow\n", complete=False) is not None


@pytest.mark.parametrize(
    "sql",
    [
        b"SELECT 1; SELECT 2",
        b"SELECT 1 /* ; */; DROP TABLE t",
        b"SELECT ';' ; x",
        b"SELECT * FROM t INTO OUTFILE 'x'",
        b"SELECT * FROM t into/**/outfile 'x'",
        b"SYSTEM SHUTDOWN",
        b"system /* now */ kill",
    ],
)
def test_forbidden_statements_are_refused(sql: bytes) -> None:
    for asked in (sql, sql, b" " * 20_000 + sql):  # again, and too long to be remembered
        with pytest.raises(ClickHouseError):
            check(asked)


@pytest.mark.parametrize(
    "sql",
    [
        b"SELECT 1;",
        b"SELECT 1; -- the end",
        b"SELECT ';SELECT 2'",
        b'SELECT `a;b`, "c;d", $$e;f$$, $x$ ; $x$',
        b"SELECT 'it''s; \\'fine;'",
        b"SELECT infile FROM outfile",
    ],
)
def test_semicolons_in_quotes_and_comments_are_allowed(sql: bytes) -> None:
    check(sql)


def test_from_infile_is_refused_in_an_insert() -> None:
    with pytest.raises(ClickHouseError, match="INFILE"):
        insert_head(b"INSERT INTO t FROM INFILE '/etc/passwd' FORMAT CSV\n", complete=True)


def test_tokens_skip_nested_comments() -> None:
    assert [token.text for token in tokens(b"a /* /* */ */ b")] == [b"a", b"b"]
