"""A receiver of webhooks that costs little: it notes when each request was complete and answers 204 at once."""

import asyncio
import multiprocessing
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

_HEAD = re.compile(rb"POST /(\S+) .*?\r\nwebhook-id: (\S+)\r\n", re.DOTALL | re.IGNORECASE)
_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)
_ANSWER = b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n"
SILENT = "silent"
"""A path whose requests are never answered."""

Arrivals = dict[str, dict[str, float]]
"""For each path, when each event arrived first, in seconds of the system's clock."""


@dataclass(frozen=True, slots=True)
class Sink:
    """A running receiver."""

    port: int
    _pipe: "Connection[Any, Any]"

    def url(self, path: str) -> str:
        """Where to send."""
        return f"http://127.0.0.1:{self.port}/{path}"

    def arrivals(self) -> Arrivals:
        """What has come so far."""
        self._pipe.send(None)
        found: Arrivals = self._pipe.recv()
        return found


@contextmanager
def run() -> Iterator[Sink]:
    """A receiver in a process of its own."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield Sink(ours.recv(), ours)
    finally:
        process.kill()
        process.join()


class _Receiver(asyncio.Protocol):
    def __init__(self, arrivals: "defaultdict[str, dict[str, float]]") -> None:
        self._arrivals = arrivals
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while True:
            head, separator, rest = self._buffer.partition(b"\r\n\r\n")
            length, named = _LENGTH.search(head), _HEAD.match(head + b"\r\n")
            if not separator or length is None or named is None or len(rest) < int(length[1]):
                return
            self._buffer = rest[int(length[1]) :]
            path = named[1].decode()
            self._arrivals[path].setdefault(named[2].decode(), time.time())
            if path != SILENT:
                self._transport.write(_ANSWER)


def _serve(pipe: "Connection[Any, Any]") -> None:
    async def run() -> None:
        arrivals: defaultdict[str, dict[str, float]] = defaultdict(dict)
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Receiver(arrivals), "127.0.0.1", 0)

        def tell() -> None:
            pipe.recv()
            pipe.send(dict(arrivals))

        loop.add_reader(pipe.fileno(), tell)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    with suppress(KeyboardInterrupt, EOFError):
        asyncio.run(run())
