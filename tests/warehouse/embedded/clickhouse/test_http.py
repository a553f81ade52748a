"""The HTTP protocol, byte by byte over a socket."""

import gzip
import json
import secrets
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import quote

import lz4.frame
import pyarrow as pa
import pytest
import zstandard

from .conftest import PASSWORD, Server


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


class Wire:
    """One connection for each request; the password as a header."""

    def __init__(self, port: int, database: str) -> None:
        self.address = ("127.0.0.1", port)
        self.database = database

    def open(self) -> socket.socket:
        return socket.create_connection(self.address, timeout=30)

    def head(self, method: str, query: str, headers: dict[str, str]) -> bytes:
        database = "" if "database=" in query else f"&database={self.database}"
        lines = [f"{method} /?{query}{database} HTTP/1.1", "Host: x", "Connection: close"]
        all_headers = {"X-ClickHouse-User": "default", "X-ClickHouse-Key": PASSWORD, **headers}
        lines += [f"{name}: {value}" for name, value in all_headers.items()]
        return "\r\n".join(lines).encode() + b"\r\n\r\n"

    def __call__(self, sql: str = "", query: str = "", method: str = "POST", body: bytes | None = None,
                 headers: dict[str, str] | None = None) -> Answer:  # fmt: skip
        data = sql.encode() if body is None else body
        if method == "GET":
            query, data = f"query={quote(sql)}&{query}", b""
        with self.open() as connection:
            connection.sendall(self.head(method, query, {"Content-Length": str(len(data)), **(headers or {})}) + data)
            return receive(connection)


def receive(connection: socket.socket) -> Answer:
    raw = b""
    while piece := connection.recv(65536):
        raw += piece
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if headers.get("transfer-encoding") == "chunked":
        body = unchunk(body)
    return Answer(int(first.split()[1]), headers, body)


def unchunk(body: bytes) -> bytes:
    whole = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        whole += body[: int(size, 16)]
        body = body[int(size, 16) + 2 :]
    return whole


@pytest.fixture
def wire(server: Server) -> Iterator[Wire]:
    """Sends to the shared server, in an empty database."""
    database = f"wire_{secrets.token_hex(6)}"
    Wire(server.port, "shop")(f"CREATE DATABASE {database}")
    yield Wire(server.port, database)
    Wire(server.port, "shop")(f"DROP DATABASE {database}")


@pytest.fixture
def table(wire: Wire) -> str:
    wire(
        "CREATE TABLE t (a UInt64, s String) ENGINE = MergeTree ORDER BY a "
        "SETTINGS non_replicated_deduplication_window = 100"
    )
    return "t"


def test_ping_needs_no_password(wire: Wire) -> None:
    with wire.open() as connection:
        connection.sendall(b"GET /ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answer = receive(connection)

    assert (answer.status, answer.body) == (200, b"Ok.\n")


def test_a_wrong_password_is_reported_with_its_code(wire: Wire) -> None:
    answer = wire("SELECT 1", headers={"X-ClickHouse-Key": "wrong"})

    assert answer.status == 403
    assert answer.headers["x-clickhouse-exception-code"] == "516"
    assert answer.body.startswith(b"Code: 516. DB::Exception: default: Authentication failed")


def test_answers_carry_the_headers_clients_read(wire: Wire) -> None:
    answer = wire("SELECT 1 AS x", query="query_id=abc&default_format=JSONEachRow")

    assert answer.status == 200
    assert json.loads(answer.body) == {"x": 1}
    assert answer.headers["x-clickhouse-query-id"] == "abc"
    assert answer.headers["x-clickhouse-format"] == "JSONEachRow"
    assert answer.headers["x-clickhouse-timezone"] == "Etc/UTC"


@pytest.mark.parametrize(
    ("sql", "code", "status"),
    [
        ("SELEC 1", "62", 400),
        ("", "62", 400),
        ("SELECT * FROM nowhere", "60", 404),
        ("SELECT nothing", "47", 404),
        ("SELECT throwIf(1)", "395", 500),
        ("SELECT 1; SELECT 2", "62", 400),
        ("SELECT 1 INTO OUTFILE 'x'", "48", 501),
        ("INSERT INTO t FROM INFILE 'x' FORMAT CSV", "48", 501),
        ("SYSTEM SHUTDOWN", "48", 501),
        ("SELECT {x:UInt8}", "456", 400),
    ],
)
def test_errors_carry_code_and_status(wire: Wire, sql: str, code: str, status: int) -> None:
    answer = wire(sql)

    assert (answer.headers.get("x-clickhouse-exception-code"), answer.status) == (code, status)
    assert answer.body.startswith(f"Code: {code}. DB::Exception: ".encode())
    assert b"(version " in answer.body


def test_unknown_database_and_setting_are_errors(wire: Wire) -> None:
    assert wire("SELECT 1", query="database=absent").headers["x-clickhouse-exception-code"] == "81"
    assert wire("SELECT 1", query="no_such_setting=1").headers["x-clickhouse-exception-code"] == "115"


def test_other_paths_are_not_found(wire: Wire) -> None:
    with wire.open() as connection:
        connection.sendall(b"GET /play HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert receive(connection).status == 404


def test_parameters_reach_the_statement_as_they_are(wire: Wire) -> None:
    value = "it's \\ a\ttab"
    escaped = value.replace("\\", "\\\\").replace("\t", "\\t")
    answer = wire(
        "SELECT {x:String} AS x, {n:UInt8} AS n FORMAT JSONEachRow", query=f"param_x={quote(escaped)}&param_n=7"
    )

    assert json.loads(answer.body) == {"x": value, "n": 7}


def test_long_statements_and_parameters_come_as_a_form(wire: Wire) -> None:
    parts = {"query": "SELECT length({x:String}) AS n", "param_x": "y" * 100_000}
    body = b"".join(
        f'--B\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in parts.items()
    )
    answer = wire(body=body + b"--B--\r\n", headers={"Content-Type": "multipart/form-data; boundary=B"})

    assert answer.body == b"100000\n"


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("encoding", "compress"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("lz4", lz4.frame.compress),
        ("zstd", zstandard.ZstdCompressor().compress),
    ],
)
def test_compressed_bodies_are_read(wire: Wire, encoding: str, compress: Callable[[bytes], bytes]) -> None:
    body = compress(b"INSERT INTO t FORMAT TSV\n" + b"".join(b"%d\tx\n" % number for number in range(1000)))
    assert wire(body=body, headers={"Content-Encoding": encoding}).status == 200

    assert wire("SELECT sum(a) FROM t").body == b"499500\n"


def test_broken_or_unknown_compression_is_an_error(wire: Wire) -> None:
    assert wire(body=b"nonsense", headers={"Content-Encoding": "gzip"}).headers["x-clickhouse-exception-code"] == "271"
    assert wire(body=b"x", headers={"Content-Encoding": "br"}).status == 501
    assert wire("SELECT 1", query="compress=1").status == 501


@pytest.mark.usefixtures("table")
def test_data_may_follow_the_statement_in_the_body_or_stand_alone(wire: Wire) -> None:
    wire("INSERT INTO t FORMAT TSV\n1\ta\n")
    wire(query="query=" + quote("INSERT INTO t FORMAT TSV"), body=b"2\tb\n")
    wire(query="query=" + quote("INSERT INTO t VALUES"), body=b"(3, 'c;d')")
    wire('INSERT INTO t FORMAT JSONEachRow {"a": 4, "s": "e"}')
    answer = wire("INSERT INTO t (a) VALUES (5)")

    assert json.loads(answer.headers["x-clickhouse-summary"])["written_rows"] == "1"
    assert wire("SELECT * FROM t ORDER BY a").body == b"1\ta\n2\tb\n3\tc;d\n4\te\n5\t\n"


@pytest.mark.usefixtures("table")
def test_an_insert_streams_in_chunks(wire: Wire) -> None:
    with wire.open() as connection:
        head = wire.head("POST", "query=" + quote("INSERT INTO t FORMAT TSV"), {"Transfer-Encoding": "chunked"})
        connection.sendall(head)
        for start in range(0, 300_000, 10_000):
            piece = b"".join(b"%d\tabc\n" % number for number in range(start, start + 10_000))
            connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
        connection.sendall(b"0\r\n\r\n")
        assert receive(connection).status == 200

    assert wire("SELECT count(), sum(a) FROM t").body == b"300000\t44999850000\n"


@pytest.mark.usefixtures("table")
def test_an_insert_whose_client_leaves_midway_writes_nothing(
    wire: Wire, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    with wire.open() as connection:
        connection.sendall(
            wire.head("POST", "query=" + quote("INSERT INTO t FORMAT TSV"), {"Content-Length": "99999999"})
        )
        connection.sendall(b"".join(b"%d\tabc\n" % number for number in range(300_000)))
    eventually(lambda: wire("SELECT count() FROM system.processes WHERE query LIKE 'INSERT INTO t%'").body == b"0\n")

    assert wire("SELECT count() FROM t").body == b"0\n"


@pytest.mark.usefixtures("table")
def test_malformed_data_is_an_error_and_writes_nothing(wire: Wire) -> None:
    answer = wire("INSERT INTO t FORMAT TSV\n1\ta\nx\ty\n")

    assert (answer.status, answer.headers["x-clickhouse-exception-code"]) == (400, "27")
    assert wire("SELECT count() FROM t").body == b"0\n"


def test_an_error_during_the_answer_is_sent_in_the_tagged_block(wire: Wire) -> None:
    answer = wire("SELECT throwIf(number = 3000000) FROM numbers(4000000)", query="max_threads=1")

    tag = answer.headers["x-clickhouse-exception-tag"].encode()
    assert answer.status == 200
    rows, _, trailer = answer.body.partition(b"\r\n__exception__\r\n" + tag + b"\r\n")
    text, _, length = trailer.removesuffix(b"\r\n__exception__\r\n").rpartition(b"\n")
    assert set(rows) <= set(b"0\n")
    assert text.startswith(b"Code: 395. DB::Exception")
    assert length == b"%d %b" % (len(text) + 1, tag)


def test_arrow_streams_are_one_stream(wire: Wire) -> None:
    answer = wire("SELECT number FROM numbers(300000) FORMAT ArrowStream")
    nothing = wire("SELECT number FROM numbers(0) FORMAT ArrowStream")

    assert pa.ipc.open_stream(answer.body).read_all()["number"].to_pylist() == list(range(300_000))
    assert pa.ipc.open_stream(nothing.body).schema.names == ["number"]


@pytest.mark.usefixtures("table")
def test_a_get_request_only_reads(wire: Wire) -> None:
    assert wire("SELECT 1", method="GET").body == b"1\n"
    assert wire("DROP TABLE t", method="GET").headers["x-clickhouse-exception-code"] == "164"
    assert wire("DROP TABLE t", method="GET", query="session_id=g").headers["x-clickhouse-exception-code"] == "164"
    assert wire("SELECT count() FROM t").status == 200


def test_sessions_keep_temporary_tables_and_settings(wire: Wire) -> None:
    session = "session_id=keeps"
    wire("CREATE TEMPORARY TABLE scratch (a UInt8)", query=session)
    wire("SET max_threads = 3", query=session)
    assert wire("SELECT getSetting('max_threads')", query=session + "&max_threads=5").body == b"5\n"

    assert wire("SELECT getSetting('max_threads')", query=session).body == b"3\n"
    assert wire("SELECT count() FROM scratch", query=session).body == b"0\n"
    assert wire("SELECT count() FROM scratch").status == 404
    assert wire("SELECT 1", query="session_id=never&session_check=1").headers["x-clickhouse-exception-code"] == "372"


def test_sessions_expire(wire: Wire) -> None:
    wire("CREATE TEMPORARY TABLE scratch (a UInt8)", query="session_id=short&session_timeout=1")
    time.sleep(1.2)

    assert wire("SELECT 1", query="session_id=short&session_check=1").headers["x-clickhouse-exception-code"] == "372"


def test_a_session_serves_one_request_at_a_time(wire: Wire, eventually: Callable[[Callable[[], bool]], None]) -> None:
    slow = threading.Thread(target=wire, args=("SELECT sleepEachRow(1) FROM numbers(2) FORMAT Null", "session_id=one"))
    slow.start()
    running = "SELECT count() FROM system.processes WHERE query LIKE 'SELECT sleepEachRow%'"
    eventually(lambda: wire(running).body == b"1\n")
    locked = wire("SELECT 1", query="session_id=one")
    slow.join()

    assert locked.headers["x-clickhouse-exception-code"] == "373"
    assert wire("SELECT 1", query="session_id=one").status == 200


def test_settings_of_one_request_do_not_reach_another(wire: Wire) -> None:
    wire("SELECT 1", query="max_threads=7")

    assert wire("SELECT getSetting('max_threads') = 7").body == b"0\n"


def test_a_statement_ends_at_its_deadline(wire: Wire) -> None:
    answer = wire("SELECT count() FROM numbers(1000000000000) WHERE sin(number) > 2", query="max_execution_time=1")

    assert (answer.status, answer.headers["x-clickhouse-exception-code"]) == (408, "159")


@pytest.mark.parametrize("query", ["", "default_format=Native"], ids=["whole", "streamed"])
def test_a_statement_is_cancelled_when_its_client_disconnects(
    wire: Wire, query: str, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    name = f"left_{secrets.token_hex(6)}"
    sql = f"SELECT count() AS {name} FROM numbers(1000000000000) WHERE sin(number) > 2".encode()
    running = f"SELECT count() FROM system.processes WHERE query LIKE 'SELECT count() AS {name}%'"
    with wire.open() as connection:
        connection.sendall(wire.head("POST", query, {"Content-Length": str(len(sql))}) + sql)
        eventually(lambda: wire(running).body == b"1\n")

    eventually(lambda: wire(running).body == b"0\n")


def test_times_are_utc(wire: Wire) -> None:
    assert wire("SELECT toDateTime(0)").body == b"1970-01-01 00:00:00\n"


def test_requests_run_concurrently(wire: Wire) -> None:
    answers: list[bytes] = []
    threads = [
        threading.Thread(
            target=lambda n=n: answers.append(wire(f"SELECT {n} + sum(number) FROM numbers(1000000)").body)
        )
        for n in range(24)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(int(body) for body in answers) == [499999500000 + n for n in range(24)]
