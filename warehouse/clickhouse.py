"""ClickHouse over HTTP: a synchronous client for pipelines and commands, an asynchronous one for the API.

Statements have ``{name:Type}`` parameters, which the server fills in. Read columns that hold bytes (addresses, hashes)
as ``lower(hex(column))``: drivers would read them as text.
"""

import asyncio
import io
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import parse_qs, unquote, urlsplit

import clickhouse_connect
from clickhouse_connect.driver import httputil
from clickhouse_connect.driver.exceptions import ClickHouseError, OperationalError
from clickhouse_connect.driver.summary import QuerySummary

from warehouse import tracing
from warehouse.errors import WarehouseError, WarehouseUnavailable

# Commands that read a few rows need none of Polars, Arrow and aiohttp, which take a second of CPU to import.
if TYPE_CHECKING:
    import polars
    from pyarrow.lib import ArrowInvalid

    from warehouse.cluster import Cluster

Parameters = Mapping[str, Any] | None
Settings = Mapping[str, Any] | None
ArrowTable: TypeAlias = Any  # pyarrow.Table, which carries no types
ArrowBatch: TypeAlias = Any  # pyarrow.RecordBatch

UNKNOWN_CODE = 1002
# Timeouts, overload, lost connections, memory limits, statements cancelled by a server that stops.
_UNAVAILABLE_CODES = frozenset({159, 160, 202, 203, 209, 210, 236, 241, 279, 394, 425})
_POOL_SIZE = 32
_LOOPBACK = ("127.0.0.1", "localhost", "::1")

# With a token, repeating an insert changes nothing, in the table and in every view that depends on it. This holds for
# inserts of a single block, so a block may be of any size and is made by one thread.
_ONCE: Mapping[str, Any] = {
    "async_insert": 0,
    "insert_deduplicate": 1,
    "deduplicate_blocks_in_dependent_materialized_views": 1,
    "max_insert_threads": 1,
    "min_insert_block_size_rows": 1 << 40,
    "min_insert_block_size_bytes": 1 << 50,
    # Left to merges: they would add a fifth to the CPU of inserting transfers.
    "exclude_materialize_skip_indexes_on_insert": "from_text, to_text, holder_text",
}
_CLUSTER_SIZE = """
SELECT max(shard_num) AS shards, max(replica_num) AS replicas FROM system.clusters WHERE cluster = {cluster:String}
"""


@dataclass(frozen=True, slots=True)
class SentTable:
    """A table that is sent along with a query, for lists that are too long for a parameter.

    Args:
        structure: names and types of the columns, as in CREATE TABLE.
        rows: numbers, and texts without tabs, line breaks, backslashes and dollar signs.
    """

    structure: str
    rows: Iterable[Sequence[str | int]]


class Warehouse:
    """A synchronous connection, safe to share between threads."""

    def __init__(self, client: Any, cluster: "Cluster | None" = None) -> None:
        self._client = client
        self.cluster = cluster

    @classmethod
    def connect(cls, url: str) -> "Warehouse":
        """Connect to ``http(s)://user:password@host:port/database``, with ``?cluster=NAME`` to a cluster.

        Raises:
            WarehouseUnavailable: the server does not answer.
            WarehouseError: the credentials, the database or the cluster are wrong.
        """
        with _translated():
            pool = httputil.get_pool_manager(maxsize=_POOL_SIZE, num_pools=2)
            client = clickhouse_connect.get_client(**_arguments(url), pool_mgr=pool)
        name = _cluster_name(url)
        if name is None:
            return cls(client)
        with _translated():
            found = client.query(_CLUSTER_SIZE, parameters={"cluster": name})
        cluster = _cluster(url, name, found)
        for setting, value in cluster.settings.items():
            client.set_client_setting(setting, value)
        return cls(client, cluster)

    def close(self) -> None:
        """Close the connection."""
        self._client.close()
        self._client.http.clear()

    def __enter__(self) -> "Warehouse":
        """Use as a block that closes the connection at its end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        self.close()

    def command(self, sql: str, parameters: Parameters = None, settings: Settings = None) -> int:
        """Run a statement; returns the number of rows written, where the server reports it.

        On a cluster, statements that change tables or delete rows are rewritten for it.
        """
        written = 0
        for statement in self.cluster.statements(sql) if self.cluster else (sql,):
            with _running(statement):
                done = self._client.command(statement, parameters=_plain(parameters), settings=_plain(settings))
            written = int(done.written_rows) if isinstance(done, QuerySummary) else 0
        return written

    def rows(self, sql: str, parameters: Parameters = None, settings: Settings = None) -> list[dict[str, Any]]:
        """The result as a list of dictionaries; times are aware and in UTC."""
        with _running(sql):
            result = self._client.query(sql, parameters=_plain(parameters), settings=_plain(settings), tz_mode="aware")
        return _dictionaries(result)

    def scalar(self, sql: str, parameters: Parameters = None, settings: Settings = None) -> Any:
        """The first value of the first row, or None where there is no row."""
        with _running(sql):
            result = self._client.query(sql, parameters=_plain(parameters), settings=_plain(settings), tz_mode="aware")
        return result.result_rows[0][0] if result.result_rows else None

    def arrow(
        self, sql: str, parameters: Parameters = None, settings: Settings = None, *, strings: bool = True
    ) -> ArrowTable:
        """The result as an Arrow table. ``strings=False`` gives String columns as binary, for those that hold bytes."""
        with _running(sql):
            return self._client.query_arrow(
                sql, parameters=_plain(parameters), settings=_plain(settings), use_strings=strings
            )

    @contextmanager
    def arrow_batches(
        self, sql: str, parameters: Parameters = None, settings: Settings = None, *, strings: bool = True
    ) -> Iterator[Iterator[ArrowBatch]]:
        """The result as Arrow record batches, one at a time in memory.

        Raises:
            WarehouseUnavailable: the stream broke off, also while the batches are read.
        """
        from pyarrow.lib import ArrowInvalid

        with (
            _running(sql),
            self._client.query_arrow_stream(
                sql, parameters=_plain(parameters), settings=_plain(settings), use_strings=strings
            ) as stream,
        ):
            try:
                yield stream
            except ArrowInvalid as error:
                raise _broken_off(error) from error

    @contextmanager
    def stream(self, sql: str, form: str) -> Iterator[Iterator[bytes]]:
        """The result in one of ClickHouse's formats, in pieces as it comes.

        Raises:
            WarehouseError: ClickHouse refuses the statement.
        """
        with _running(sql):
            source = self._client.raw_stream(sql, fmt=form)
            try:
                yield iter(lambda: source.read(1 << 20), b"")
            finally:
                source.close()

    def polars(self, sql: str, parameters: Parameters = None, settings: Settings = None) -> "polars.DataFrame":
        """The result as a polars frame."""
        import polars

        frame = polars.from_arrow(self.arrow(sql, parameters, settings))
        if not isinstance(frame, polars.DataFrame):
            raise TypeError("a table becomes a frame")
        return frame

    def insert_native(self, table: str, block: memoryview | bytes, *, token: str, every_shard: bool = False) -> None:
        """Insert one block of the Native format (``writer.native_block``); a repeated token changes nothing.

        ``every_shard`` inserts it into each shard of a cluster, not by its keys.
        """
        settings = {**_ONCE, "insert_deduplication_token": token}
        shards = range(1, self.cluster.shards + 1) if every_shard and self.cluster else ()
        for chosen in [{"insert_shard_id": shard} for shard in shards] or [{}]:
            self._insert(table, None, memoryview(block), "Native", {**settings, **chosen})

    def insert_arrow(self, table: str, data: ArrowTable, *, token: str | None = None) -> None:
        """Insert an Arrow table; a repeated token changes nothing. Without a token, rows must replace themselves."""
        settings = {**_ONCE, "insert_deduplication_token": token} if token is not None else {"async_insert": 0}
        sink = io.BytesIO()
        stream = _arrow_ipc().new_stream(sink, data.schema)
        with stream:
            stream.write_table(data)
        self._insert(table, data.column_names, sink.getbuffer(), "ArrowStream", settings)

    def _insert(
        self, table: str, columns: Sequence[str] | None, body: memoryview, kind: str, settings: Mapping[str, Any]
    ) -> None:
        """Send a body without the copy that the driver makes of bytes. Like the driver, retry once when the server had
        closed a kept connection."""
        for again in (True, False):
            try:
                with _running(f"INSERT INTO {table}"):
                    self._client.raw_insert(
                        table, column_names=columns, insert_block=body, fmt=kind, settings=dict(settings)
                    )
                return
            except WarehouseUnavailable as error:
                if not (again and _was_closed(error)):
                    raise

    def insert_select(self, sql: str, parameters: Parameters = None, settings: Settings = None, *, token: str) -> None:
        """Run ``INSERT INTO … SELECT``; a repeated token changes nothing."""
        once = {**_ONCE, "insert_deduplication_token": token}
        with _running(sql):
            self._client.command(sql, parameters=_plain(parameters), settings={**once, **(settings or {})})


class AsyncWarehouse:
    """An asynchronous connection for the API."""

    def __init__(self, client: Any) -> None:
        self._client = client

    @classmethod
    async def connect(cls, url: str) -> "AsyncWarehouse":
        """Connect to ``http(s)://user:password@host:port/database``.

        Raises:
            WarehouseUnavailable: the server does not answer.
            WarehouseError: the credentials or the database are wrong.
        """
        with _translated():
            client = await clickhouse_connect.get_async_client(**_arguments(url))
            if name := _cluster_name(url):
                found = await client.query(_CLUSTER_SIZE, parameters={"cluster": name})
                for setting, value in _cluster(url, name, found).settings.items():
                    client.set_client_setting(setting, value)
        return cls(client)

    async def close(self) -> None:
        """Close the connection."""
        await self._client.close()

    async def rows(
        self,
        sql: str,
        parameters: Parameters = None,
        *,
        timeout_seconds: float = 10.0,
        settings: Settings = None,
    ) -> list[dict[str, Any]]:
        """The result as a list of dictionaries; times are aware and in UTC."""
        return _dictionaries(await self._query(sql, parameters, timeout_seconds, settings))

    async def scalar(
        self,
        sql: str,
        parameters: Parameters = None,
        *,
        timeout_seconds: float = 10.0,
        settings: Settings = None,
    ) -> Any:
        """The first value of the first row, or None where there is no row."""
        result = await self._query(sql, parameters, timeout_seconds, settings)
        return result.result_rows[0][0] if result.result_rows else None

    async def arrow(
        self,
        sql: str,
        parameters: Parameters = None,
        *,
        timeout_seconds: float = 10.0,
        settings: Settings = None,
        strings: bool = True,
        tables: Mapping[str, SentTable] | None = None,
    ) -> ArrowTable:
        """The result as an Arrow table.

        Args:
            strings: false gives String columns as binary, for those that hold bytes.
            tables: sent along with the query, which reads them by their names and does not begin with WITH.
        """
        from pyarrow.lib import ArrowInvalid

        # The driver's own query_arrow spends more time on receiving the answer than the server on computing it.
        text = _with_tables(sql, tables)
        with _running(sql):
            async with asyncio.timeout(timeout_seconds + 0.5):
                stream = await self._client.raw_query(
                    text,
                    parameters=_plain(parameters),
                    settings={
                        **_limited(settings, timeout_seconds),
                        "output_format_arrow_string_as_string": int(strings),
                        "output_format_arrow_compression_method": "none",
                        **({"max_query_size": 2 * len(text)} if tables else {}),
                    },
                    fmt="ArrowStream",
                )
        try:
            return _arrow_ipc().open_stream(stream).read_all()
        except ArrowInvalid as error:
            raise _broken_off(error) from error

    async def _query(self, sql: str, parameters: Parameters, timeout_seconds: float, settings: Settings) -> Any:
        # The server stops at the limit. Ours is a moment later, for a server that does not answer.
        with _running(sql):
            async with asyncio.timeout(timeout_seconds + 0.5):
                return await self._client.query(
                    sql,
                    parameters=_plain(parameters),
                    settings=_limited(settings, timeout_seconds),
                    tz_mode="aware",
                )


def _limited(settings: Settings, timeout_seconds: float) -> dict[str, Any]:
    return {"max_execution_time": timeout_seconds, **(settings or {})}


def _arguments(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("a ClickHouse URL looks like http://user:password@host:8123/database")
    return {
        "interface": parts.scheme,
        "host": parts.hostname,
        "port": parts.port or (8443 if parts.scheme == "https" else 8123),
        "username": unquote(parts.username or "default"),
        "password": unquote(parts.password or ""),
        "database": unquote(parts.path.strip("/")) or "regalia",
        # Threads share the client; a session admits one statement at a time.
        "autogenerate_session_id": False,
        # The driver sends parameters as a form only where they are too long for a URL: it sends a packet for each part
        # of a form, which costs a short statement more than everything else.
        "form_encode_query_params": False,
        "compress": parts.hostname not in _LOOPBACK,
        "connect_timeout": 10,
        "send_receive_timeout": 1800,
    }


def _cluster_name(url: str) -> str | None:
    return parse_qs(urlsplit(url).query).get("cluster", [None])[0]


def _cluster(url: str, name: str, found: Any) -> "Cluster":
    from warehouse.cluster import Cluster  # its templates take longer to compile than a short command may

    shards, replicas = found.result_rows[0]
    if not shards:
        raise WarehouseError(UNKNOWN_CODE, f"the server's configuration has no cluster {name}")
    return Cluster(name, _arguments(url)["database"], shards, replicas)


def _was_closed(error: BaseException | None) -> bool:
    """Whether the server closed the connection, by any of the error's causes."""
    while error is not None:
        if isinstance(error, ConnectionResetError | BrokenPipeError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _plain(values: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return dict(values) if values else None


def _with_tables(sql: str, tables: Mapping[str, SentTable] | None) -> str:
    """The statement with the tables it is sent along with, each as one literal that the server parses as rows."""
    if not tables:
        return sql
    named = []
    for name, table in tables.items():
        text = "".join("\t".join(map(str, row)) + "\n" for row in table.rows)
        if "$" in text:
            raise ValueError(f"{name}: a row contains a dollar sign")
        rows = f"format(TabSeparated, '{table.structure}', $rows${text}$rows$)"
        named.append(f"{name} AS (SELECT * FROM {rows})")  # noqa: S608 - the names are ours, and rows end at a dollar
    return f"WITH {', '.join(named)}\n{sql}"


def _dictionaries(result: Any) -> list[dict[str, Any]]:
    names = result.column_names
    return [dict(zip(names, row, strict=True)) for row in result.result_rows]


def _broken_off(error: "ArrowInvalid") -> WarehouseUnavailable:
    return WarehouseUnavailable(UNKNOWN_CODE, f"ClickHouse broke off its answer: {error}")


@contextmanager
def _running(sql: str) -> Iterator[None]:
    """A statement that runs: traced, and its errors as ours."""
    with tracing.statement("clickhouse", sql), _translated():
        yield


@contextmanager
def _translated() -> Iterator[None]:
    """Raise the driver's errors as ours."""
    try:
        yield
    except ClickHouseError as error:
        code = getattr(error, "code", None)
        # An error without a code is not from the server: the connection failed, or our call was wrong.
        if code in _UNAVAILABLE_CODES or (code is None and isinstance(error, OperationalError)):
            raise WarehouseUnavailable(code or UNKNOWN_CODE, str(error)) from error
        raise WarehouseError(code or UNKNOWN_CODE, str(error)) from error
    except _connection_errors() as error:
        raise WarehouseUnavailable(
            UNKNOWN_CODE, f"ClickHouse does not answer: {error or type(error).__name__}"
        ) from error


def _connection_errors() -> tuple[type[Exception], ...]:
    """What the drivers raise when a connection fails; aiohttp's errors only where the asynchronous one is used."""
    aiohttp = sys.modules.get("aiohttp")
    return (OSError, TimeoutError) if aiohttp is None else (OSError, TimeoutError, aiohttp.ClientError)


def _arrow_ipc() -> Any:
    import pyarrow.ipc as ipc

    return ipc
