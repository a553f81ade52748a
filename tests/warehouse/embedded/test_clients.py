"""Common clients against the shared server."""

import json
import shutil
import subprocess
from urllib.parse import urlsplit

import clickhouse_connect
import pytest
from clickhouse_connect.driver.exceptions import DatabaseError

from indexer.devchain.nodejs import find_node
from tests.fixtures.checkout import CHECKOUT

NODE_CLIENT = CHECKOUT / "node_modules" / "@clickhouse" / "client"


def test_clickhouse_connect_with_its_defaults(warehouse_url: str) -> None:
    parts = urlsplit(warehouse_url)
    with clickhouse_connect.get_client(
        host=parts.hostname,
        port=parts.port,
        username=parts.username,
        password=parts.password or "",
        database=parts.path.strip("/"),
    ) as client:
        client.command("CREATE TABLE t (a UInt64, s String, n Nullable(Float64)) ENGINE = MergeTree ORDER BY a")
        client.insert("t", [[number, f"s{number}", None] for number in range(10_000)], column_names=["a", "s", "n"])
        client.command("CREATE TEMPORARY TABLE mine (a UInt8)")

        assert client.query("SELECT count(), sum(a) FROM t").result_rows == [(10_000, 49_995_000)]
        assert client.command("SELECT count() FROM mine") == 0
        assert client.query("SELECT {x:String}", parameters={"x": "it's\n"}).result_rows == [("it's\n",)]
        with client.query_rows_stream("SELECT number FROM numbers(200000)") as stream:
            assert sum(row[0] for row in stream) == 19_999_900_000
        assert client.query_arrow("SELECT a FROM t").num_rows == 10_000
        assert client.query("SELECT getSetting('max_threads')", settings={"max_threads": 3}).result_rows == [(3,)]
        with pytest.raises(DatabaseError, match="UNKNOWN_TABLE"):
            client.query("SELECT * FROM absent")
        client.http.clear()


async def test_clickhouse_connect_asynchronously(warehouse_url: str) -> None:
    async with await clickhouse_connect.get_async_client(dsn=warehouse_url) as client:
        await client.command("CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
        await client.insert("t", [[number] for number in range(1000)], column_names=["a"])
        result = await client.query("SELECT sum(a) FROM t")

        assert result.result_rows == [(499_500,)]
        with pytest.raises(DatabaseError):
            await client.query("SELEC")


def test_clickhouse_connect_with_a_wrong_password(warehouse_url: str) -> None:
    parts = urlsplit(warehouse_url)
    with pytest.raises(DatabaseError, match="AUTHENTICATION_FAILED"):
        clickhouse_connect.get_client(host=parts.hostname, port=parts.port, username="regalia", password="wrong")


@pytest.mark.skipif(shutil.which("curl") is None, reason="the same is done over a socket in test_http")
def test_curl(warehouse_url: str) -> None:
    parts = urlsplit(warehouse_url)
    base = f"http://127.0.0.1:{parts.port}/?database={parts.path.strip('/')}"

    def curl(*arguments: str, stdin: bytes = b"") -> str:
        user = f"{parts.username}:{parts.password}"
        run = subprocess.run(["curl", "-sS", "-u", user, *arguments], input=stdin, capture_output=True, check=True)
        return run.stdout.decode()

    curl(base, "-d", "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
    curl(f"{base}&query=INSERT%20INTO%20t%20FORMAT%20TSV", "--data-binary", "@-", stdin=b"1\n2\n3\n")

    assert curl(base, "-d", "SELECT sum(a) AS total FROM t FORMAT JSONEachRow") == '{"total":6}\n'
    assert curl(f"{base}&query=SELECT%201") == "1\n"
    assert "Code: 60" in curl(base, "-d", "SELECT * FROM absent")


NODE_SCRIPT = """
const { createClient } = require(process.argv[1]);
(async () => {
  const out = {};
  const client = createClient({ url: process.argv[2], request_timeout: 20000 });
  await client.command({ query: 'CREATE TABLE t (a UInt64, s String) ENGINE = MergeTree ORDER BY a' });
  const rows = Array.from({ length: 5000 }, (_, a) => ({ a, s: 'x' + a }));
  await client.insert({ table: 't', values: rows, format: 'JSONEachRow' });
  const read = async (query, more = {}) =>
    (await client.query({ query, format: 'JSONEachRow', ...more })).json();
  out.total = await read('SELECT count() AS n, sum(a) AS s FROM t');
  out.parameter = await read('SELECT {x: String} AS x', { query_params: { x: "it's\\n" } });
  out.setting = await read("SELECT getSetting('max_threads') AS n", { clickhouse_settings: { max_threads: 3 } });
  let streamed = 0;
  const result = await client.query({ query: 'SELECT number FROM numbers(200000)', format: 'JSONEachRow' });
  for await (const part of result.stream()) streamed += part.length;
  out.streamed = streamed;
  const failure = async (work) => { try { await work(); return null; } catch (e) { return e.code || String(e); } };
  out.absent = await failure(() => read('SELECT * FROM absent'));
  out.midway = await failure(async () => {
    const bad = await client.query({
      query: 'SELECT throwIf(number = 3000000) AS x FROM numbers(4000000)', format: 'JSONEachRow',
      clickhouse_settings: { max_threads: 1 } });
    for await (const part of bad.stream()) part.length;
  });
  const session = createClient({ url: process.argv[2], session_id: 'from-node' });
  await session.command({ query: 'CREATE TEMPORARY TABLE mine (a UInt8)' });
  out.session = await (await session.query({ query: 'SELECT count() AS n FROM mine', format: 'JSONEachRow' })).json();
  const url = new URL(process.argv[2]);
  url.password = 'wrong';
  const wrong = createClient({ url });
  out.wrong = await failure(() => wrong.query({ query: 'SELECT 1' }));
  out.ping = (await client.ping()).success;
  await Promise.all([client.close(), session.close(), wrong.close()]);
  console.log(JSON.stringify(out));
})().catch((e) => { console.error(e); process.exit(1); });
"""


def test_the_node_client(warehouse_url: str) -> None:
    command = [find_node() or "", "-e", NODE_SCRIPT, str(NODE_CLIENT), warehouse_url]
    run = subprocess.run(command, capture_output=True, text=True, timeout=240)

    assert run.returncode == 0, run.stderr
    out = json.loads(run.stdout)
    assert out["total"] in ([{"n": "5000", "s": "12497500"}], [{"n": 5000, "s": 12497500}])
    assert out["parameter"] == [{"x": "it's\n"}]
    assert [int(row["n"]) for row in out["setting"]] == [3]
    assert out["streamed"] == 200_000
    assert out["absent"] == "60"
    assert "395" in out["midway"] or "throwIf" in out["midway"]
    assert [int(row["n"]) for row in out["session"]] == [0]
    assert out["wrong"] == "516"
    assert out["ping"] is True
