"""The bounds of connections, over real sockets; and the inner names of uvicorn that they rely on."""

import asyncio
import inspect
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from api.http import protocol
from api.http.metrics import Metrics
from api.server import configuration
from api.settings import ApiSettings
from tests.fixtures.http_server import serving
from tests.fixtures.waiting import wait_until_async

GET = b"GET / HTTP/1.1\r\nHost: service.test\r\n\r\n"
LARGE = 8 << 20
WAIT_SECONDS = 30.0
Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class App:
    """Answers with the body it got and the headers it saw; /slow after a while, /held when ``over`` is set, /large with
    a large body."""

    def __init__(self) -> None:
        self.held = 0
        self.over = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
        if scope["path"] == "/slow":
            await asyncio.sleep(0.5)
        if scope["path"] == "/held":
            self.held += 1
            await self.over.wait()
        names = [name.decode() for name, _ in scope["headers"]]
        content = b"x" * LARGE if scope["path"] == "/large" else json.dumps([names, body.decode()]).encode()
        length = (b"content-length", b"%d" % len(content))
        await send({"type": "http.response.start", "status": 200, "headers": [length]})
        await send({"type": "http.response.body", "body": content})


class Server:
    """A server on a loopback port."""

    def __init__(self, app: App, port: int, metrics: Metrics) -> None:
        self.app = app
        self.port = port
        self.metrics = metrics
        self._writers: list[asyncio.StreamWriter] = []

    async def connect(self, address: str = "127.0.0.1") -> Line:
        line = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0))
        self._writers.append(line[1])
        return line

    async def hold(self, lines: list[Line]) -> None:
        """Send a request over each, which is answered when :attr:`App.over` is set."""
        for _, writer in lines:
            writer.write(GET.replace(b"/ ", b"/held ", 1))
        await wait_until_async(lambda: self.app.held == len(lines))

    async def hang_up(self) -> None:
        for writer in self._writers:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def send(self, data: bytes) -> tuple[int, Any]:
        """Status and JSON of the answer to what a new connection sends."""
        reader, writer = await self.connect()
        writer.write(data)
        answer = await read_answer(reader)
        return answer

    def closed(self, reason: str) -> float | None:
        return self.metrics.registry.get_sample_value("regalia_connections_closed_total", {"reason": reason})

    def open(self) -> float | None:
        return self.metrics.registry.get_sample_value("regalia_connections")


async def read_answer(reader: asyncio.StreamReader) -> tuple[int, Any]:
    async with asyncio.timeout(WAIT_SECONDS):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        status, lines = int(head.split()[1]), head.lower().split("\r\n")
        length = next(int(line.split(": ")[1]) for line in lines if line.startswith("content-length"))
        body = json.loads(await reader.readexactly(length))
    if status >= 400:
        assert {"content-type: application/json", "connection: close"} <= set(lines)
        assert [line for line in lines if line.startswith("x-request-id: ")]
    return status, body


async def is_closed(line: Line) -> bool:
    """Whether the server closes a connection soon."""
    with suppress(ConnectionError):
        async with asyncio.timeout(WAIT_SECONDS):
            return await line[0].read() == b""
    return True


Serve = Callable[..., AbstractAsyncContextManager[Server]]


@pytest.fixture
def serve() -> Serve:
    @asynccontextmanager
    async def start(**settings: Any) -> AsyncIterator[Server]:
        app, metrics = App(), Metrics()
        async with serving(configuration(app, ApiSettings(**settings), metrics)) as port:
            server = Server(app, port, metrics)
            try:
                yield server
            finally:
                await server.hang_up()

    return start


@pytest.fixture
async def server(serve: Serve) -> AsyncIterator[Server]:
    async with serve() as running:
        yield running


async def test_a_request_is_answered(server: Server) -> None:
    assert await server.send(GET) == (200, [["host"], ""])


async def test_a_connection_is_used_again(serve: Serve) -> None:
    async with serve(headers_timeout_seconds=0.5) as server:
        reader, writer = await server.connect()
        for _ in range(2):
            writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi")
            assert await read_answer(reader) == (200, [["host", "content-length"], "hi"])
            await asyncio.sleep(0.7)  # idle for longer than headers may take


async def test_pipelined_requests_are_answered_in_order(server: Server) -> None:
    reader, writer = await server.connect()
    writer.write(GET.replace(b"/ ", b"/slow ", 1) + GET)
    began = time.monotonic()
    assert (await read_answer(reader))[0] == 200
    assert (await read_answer(reader))[0] == 200
    assert time.monotonic() - began >= 0.5


# What takes too long.


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow", GET.replace(b"/ ", b"/slow ") + b"GET / HTTP"],
    ids=["nothing", "first line", "headers", "a second request"],
)
async def test_headers_must_arrive_in_time(serve: Serve, sent: bytes) -> None:
    async with serve(headers_timeout_seconds=0.3) as server:
        reader, writer = await server.connect()
        writer.write(sent)
        if b"slow" in sent:
            assert (await read_answer(reader))[0] == 200
        assert await read_answer(reader) == (
            408,
            {"error": "the request did not arrive in time", "code": "REQUEST_TIMEOUT"},
        )
        assert await is_closed((reader, writer))
        assert server.closed("headers_late") == 1


async def test_bytes_one_at_a_time_win_no_time(serve: Serve) -> None:
    async with serve(headers_timeout_seconds=0.5) as server:
        reader, writer = await server.connect()
        answer = asyncio.create_task(read_answer(reader))
        while not answer.done():
            writer.write(b"\r\n")  # empty lines before a request are ignored
            await asyncio.sleep(0.05)
        assert (await answer)[0] == 408


async def test_empty_lines_do_not_keep_a_used_connection_open(serve: Serve) -> None:
    async with serve(headers_timeout_seconds=0.5, idle_timeout_seconds=1) as server:
        reader, writer = await server.connect()
        writer.write(GET)
        assert (await read_answer(reader))[0] == 200
        writer.write(b"\r\n")
        assert (await read_answer(reader))[0] == 408


async def test_an_idle_connection_is_closed(serve: Serve) -> None:
    async with serve(idle_timeout_seconds=1) as server:
        line = await server.connect()
        line[1].write(GET)
        assert (await read_answer(line[0]))[0] == 200
        assert await is_closed(line)


async def test_a_client_that_reads_nothing_is_disconnected(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.server.NOT_READ_SECONDS", 0.3)
    async with serve() as server:
        reader, writer = await server.connect()
        reader._limit = 1024  # type: ignore[attr-defined]  # the stream stops reading there
        writer.write(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        await wait_until_async(lambda: (server.closed("not_read"), server.open()) == (1, 0))


@pytest.mark.slow
async def test_a_client_that_reads_slowly_gets_everything(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.server.NOT_READ_SECONDS", 1.5)
    async with serve(idle_timeout_seconds=1) as server:
        reader, writer = await server.connect()
        writer.write(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        received = 0
        while received < LARGE:
            received += len(await reader.readexactly(LARGE // 16))
            await asyncio.sleep(0.12)
        assert received == LARGE


# What is too large or malformed.


def with_headers(*lines: str, first: str = "GET / HTTP/1.1") -> bytes:
    return "\r\n".join([first, *lines, "", ""]).encode()


MALFORMED = "request: is not valid HTTP"


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        (b"hello\r\n\r\n", MALFORMED),
        (b"GET / HTTP/9.9\r\nHost: a\r\n\r\n", MALFORMED),
        (with_headers("Host: a", first="GET /caf\xe9 HTTP/1.1"), MALFORMED),
        (with_headers("Host: a", first="CONNECT a:443 HTTP/1.1"), MALFORMED),
        (with_headers("Host: a", "Content-Length: x"), MALFORMED),
        (with_headers("Host: a", "Content-Length: 1", "Transfer-Encoding: chunked"), MALFORMED),
        (with_headers(), "Host: must be sent exactly once"),
        (with_headers("Host: a", "Host: b"), "Host: must be sent exactly once"),
    ],
)
async def test_a_malformed_request_is_400(server: Server, sent: bytes, error: str) -> None:
    assert await server.send(sent) == (400, {"error": error, "code": "INVALID_REQUEST"})


async def test_an_older_request_needs_no_host(server: Server) -> None:
    assert await server.send(b"GET / HTTP/1.0\r\n\r\n") == (200, [[], ""])


async def test_a_malformed_body_is_400(server: Server) -> None:
    body = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnot a length\r\n"
    assert await server.send(body) == (400, {"error": MALFORMED, "code": "INVALID_REQUEST"})


async def test_a_malformed_request_waits_for_the_answer_before_it(server: Server) -> None:
    line = await server.connect()
    line[1].write(GET.replace(b"/ ", b"/slow ", 1) + b"nonsense\r\n\r\n")
    assert (await read_answer(line[0]))[0] == 200
    assert await is_closed(line)


async def test_a_long_target_is_414(server: Server) -> None:
    for length in (8192, 9000, 60_000, 200_000):
        status, body = await server.send(with_headers("Host: a", first=f"GET /{'x' * (length - 1)} HTTP/1.1"))
        assert status == (200 if length == 8192 else 414), body
    assert body == {"error": "the path and query are longer than 8192 bytes", "code": "URI_TOO_LONG"}


@pytest.mark.parametrize(
    "lines",
    [[f"X-Large: {'x' * 100_000}"], [f"X-{number}: {'x' * 100}" for number in range(1000)]],
    ids=["one", "many"],
)
async def test_large_headers_are_431(server: Server, lines: list[str]) -> None:
    expected = {"error": "the headers are larger than 32768 bytes", "code": "HEADERS_TOO_LARGE"}
    assert await server.send(with_headers("Host: a", *lines)) == (431, expected)


async def test_a_header_without_end_is_431(server: Server) -> None:
    """The parser keeps a header until it is whole."""
    reader, writer = await server.connect()
    writer.write(b"GET / HTTP/1.1\r\nHost: a\r\nX-Endless: ")
    answer = asyncio.create_task(read_answer(reader))
    for _ in range(100):
        if answer.done():
            break
        writer.write(b"x" * 4096)
        await asyncio.sleep(0.005)
    assert (await answer)[0] == 431


async def test_trailers_are_not_headers(server: Server) -> None:
    body = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Api-Key: b\r\n\r\n"
    assert await server.send(body) == (200, [["host", "transfer-encoding"], "hi"])


async def test_too_many_pipelined_requests_end_the_connection(server: Server) -> None:
    line = await server.connect()
    line[1].write(GET.replace(b"/ ", b"/slow ", 1) + 200 * GET)
    answered = 0
    with suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            assert (await read_answer(line[0]))[0] == 200
            answered += 1
    assert 1 < answered <= protocol.MAX_PIPELINED + 1


async def test_an_upgrade_is_not_taken_up(server: Server) -> None:
    line = await server.connect()
    line[1].write(with_headers("Host: a", "Connection: Upgrade", "Upgrade: websocket") + GET)
    assert (await read_answer(line[0]))[0] == 200
    assert await is_closed(line)


# Too many connections.


async def test_an_address_has_a_limited_number_of_connections(serve: Serve) -> None:
    async with serve(connections_per_address=2) as server:
        busy = [await server.connect() for _ in range(2)]
        await server.hold(busy)
        expected = {"error": "too many connections are open from this address", "code": "RATE_LIMITED"}
        assert await server.send(b"") == (429, expected)
        other = await server.connect("127.0.0.2")
        other[1].write(GET)
        assert (await read_answer(other[0]))[0] == 200
        server.app.over.set()
        assert [(await read_answer(reader))[0] for reader, _ in busy] == [200, 200]


async def test_a_half_sent_request_gives_way(serve: Serve) -> None:
    async with serve(connections_per_address=2) as server:
        lines = [await server.connect() for _ in range(2)]
        for _, writer in lines:
            writer.write(b"GET / HTTP/1.1\r\nHost")
        await asyncio.sleep(0.1)
        assert (await server.send(GET))[0] == 200
        assert await is_closed(lines[0])
        assert server.closed("gave_way") == 1


async def test_the_process_has_a_limited_number_of_connections(serve: Serve) -> None:
    async with serve(connections=16, connections_per_address=16) as server:
        kept = await server.connect()
        kept[1].write(GET)
        assert (await read_answer(kept[0]))[0] == 200
        half = [await server.connect(f"127.0.0.{2 + number % 5}") for number in range(15)]
        for _, writer in half:
            writer.write(b"GET / HTTP")
        await asyncio.sleep(0.1)
        await wait_until_async(lambda: server.open() == 16)
        assert (await server.send(GET))[0] == 200, "one that never sent a request gives way"
        kept[1].write(GET)
        assert (await read_answer(kept[0]))[0] == 200, "one that did stays"
        await server.hang_up()
        await wait_until_async(lambda: server.open() == 0)


async def test_all_busy_connections_are_kept(serve: Serve) -> None:
    async with serve(connections=16) as server:
        busy = [await server.connect() for _ in range(16)]
        await server.hold(busy)
        status, body = await server.send(b"")
        assert (status, body["code"]) == (503, "UNAVAILABLE")
        server.app.over.set()
        assert [(await read_answer(reader))[0] for reader, _ in busy] == [200] * 16


async def test_connections_of_trusted_proxies_are_not_limited(serve: Serve) -> None:
    async with serve(connections_per_address=1, trusted_proxies="127.0.0.1/32") as server:
        lines = [await server.connect() for _ in range(4)]
        for reader, writer in lines:
            writer.write(GET)
            assert (await read_answer(reader))[0] == 200


# The adapter's hold on uvicorn.


OVERRIDDEN = {
    "connection_made": ["self", "transport"],
    "connection_lost": ["self", "exc"],
    "data_received": ["self", "data"],
    "on_message_begin": ["self"],
    "on_url": ["self", "url"],
    "on_header": ["self", "name", "value"],
    "on_headers_complete": ["self"],
    "on_message_complete": ["self"],
    "on_response_complete": ["self"],
    "pause_writing": ["self"],
    "resume_writing": ["self"],
    "timeout_keep_alive_handler": ["self"],
}
ATTRIBUTES = ("client", "cycle", "flow", "headers", "loop", "parser", "pipeline", "server_state", "transport")


def test_uvicorn_has_the_methods_that_are_overridden() -> None:
    ours = {name for name, found in vars(protocol._BoundedProtocol).items() if inspect.isfunction(found)}
    theirs = {name for name, found in vars(HttpToolsProtocol).items() if inspect.isfunction(found)}
    assert (ours & theirs) - {"__init__"} == set(OVERRIDDEN)
    for name, parameters in OVERRIDDEN.items():
        assert list(inspect.signature(getattr(HttpToolsProtocol, name)).parameters) == parameters, name
    assert inspect.isfunction(HttpToolsProtocol._unset_keepalive_if_required)


async def test_uvicorn_has_the_attributes_that_are_used() -> None:
    made = HttpToolsProtocol(config=Config(App()), server_state=ServerState(), app_state={})
    assert [name for name in ATTRIBUTES if not hasattr(made, name)] == []
    assert ServerState().default_headers == []
    assert STATUS_LINE[431].startswith(b"HTTP/1.1 431 ")
    names = inspect.getsource(RequestResponseCycle.__init__)
    assert all(f"self.{name} = " in names for name in ("keep_alive", "response_started", "response_complete"))


def test_uvicorn_takes_a_protocol_class() -> None:
    config = configuration(App(), ApiSettings(), Metrics())
    config.load()
    assert issubclass(config.http_protocol_class, protocol._BoundedProtocol)
    assert config.ws_protocol_class is None
