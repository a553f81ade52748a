"""Serves a recorded chain over JSON-RPC from memory: ``python -m tests.bench.replay FILE``.

Answers are recorded bytes, sent without copying, so the server uses little CPU compared with its client. ``POST
/control`` makes it delay answers, cap the results of ``eth_getLogs`` as providers do, or keep the request bodies it
receives. With ``--long`` the chain is the recording repeated, as many laps as ``POST /control`` sets. With
``--upstream`` it records: it asks the node for what is missing, and records a method that takes a block for all
blocks. State (calls, code, storage) is that of the recorded head at every block. The server ends when its standard
input closes, and so ends with its parent.
"""

import argparse
import asyncio
import contextlib
import http.client
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import uvloop

from tests.bench.history import HEADERS, START, TRACES, LongHistory
from tests.bench.recording import Block, Node, Recording

BLOCK_METHODS = frozenset({"eth_getBlockByNumber", "trace_block", "eth_getBlockReceipts", "debug_traceBlockByNumber"})
STATE_METHODS = {"eth_call": 1, "eth_getCode": 1, "eth_getStorageAt": 2, "eth_getBalance": 1}
FINALITY = 64
JOINED_BYTES = 65_536


class _Call(msgspec.Struct):
    method: str
    id: msgspec.Raw = msgspec.Raw(b"null")
    params: Any = ()


class _LogKeys(msgspec.Struct):
    address: str
    topics: list[str]


class RpcFailure(Exception):
    """An error answer."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.tail = [b'"error":' + msgspec.json.encode({"code": code, "message": message})]


class Chain:
    """The recorded chain as a node. Answers are the bytes after the id, in pieces that are not joined."""

    def __init__(self, recording: Recording, upstream: Node | None) -> None:
        self.recording = recording
        self.upstream = upstream
        self.head = recording.head
        self.cap: int | None = None
        self.misses: list[str] = []
        self._numbers = {block.hash: number for number, block in enumerate(recording.blocks)}
        self._topics = [frozenset(block.topics) for block in recording.blocks]

    def answer(self, method: str, params: list[Any]) -> list[bytes]:
        """The recorded answer, or for a range of logs the answer computed from recorded blocks."""
        try:
            if method == "eth_getLogs":
                return self._logs(params[0])
            if method == "eth_blockNumber":
                return [b'"result":"%s"' % hex(self.head).encode()]
            if method == "eth_chainId":
                return [b'"result":"%s"' % hex(self.recording.chain_id).encode()]
            if method == "eth_getBlockByHash":
                return [self._of_block("eth_getBlockByNumber", [self._number_of(params[0]), *params[1:]])]
            if method in BLOCK_METHODS:
                return [self._of_block(method, [self._number(params[0]), *params[1:]])]
            return [self._other(method, params)]
        except RpcFailure as failure:
            return failure.tail

    def _block(self, number: int) -> tuple[Block, frozenset[str]]:
        """A block with its logs, and the first topics of those logs."""
        return self.recording.blocks[number], self._topics[number]

    def _number_of(self, digest: str) -> int | None:
        return self._numbers.get(digest)

    def _number(self, tag: Any) -> int:
        if tag in ("latest", "pending"):
            return self.head
        if tag in ("safe", "finalized"):
            return max(0, self.head - FINALITY)
        return 0 if tag == "earliest" else int(tag, 16)

    def _of_block(self, method: str, params: list[Any]) -> bytes:
        number, rest = params[0], params[1:]
        if number is None or number > self.head:
            return b'"result":null'
        shape = f"{method} {json.dumps([None, *rest], separators=(',', ':'))}"
        known = self.recording.by_block.get(shape)
        if known is None:
            if self.upstream is None:
                raise self._missing(shape)
            blocks = range(self.recording.head + 1)
            known = self.upstream.answers([(method, [hex(block), *rest]) for block in blocks])
            self.recording.by_block[shape] = known
        return known[number]

    def _other(self, method: str, params: list[Any]) -> bytes:
        at = STATE_METHODS.get(method)
        if at is not None:  # state is recorded as of the head, and answered for any block
            params = [*params[:at], "latest"]
        call = f"{method} {json.dumps(params, separators=(',', ':'))}".lower()
        known = self.recording.by_call.get(call)
        if known is None:
            if self.upstream is None:
                raise self._missing(call)
            known = self.recording.by_call[call] = self.upstream.answers([(method, params)])[0]
        return known

    def _missing(self, call: str) -> RpcFailure:
        self.misses.append(call[:200])
        return RpcFailure(-32601, f"not recorded: {call[:200]}")

    def _logs(self, wanted: Mapping[str, Any]) -> list[bytes]:
        if "blockHash" in wanted:
            number = self._number_of(wanted["blockHash"])
            if number is None:
                raise RpcFailure(-32000, "unknown block")
            first = last = number
        else:
            first, last = self._number(wanted.get("fromBlock", "latest")), self._number(wanted.get("toBlock", "latest"))
        last = min(last, self.head)
        topics = wanted.get("topics") or []
        heads = topics[0] if topics else None
        first_topics = frozenset([heads] if isinstance(heads, str) else heads or ())
        fine = bool(wanted.get("address")) or any(topics[1:])
        parts: list[bytes] = []
        count = 0
        for number in range(first, last + 1):
            block, held = self._block(number)
            if not fine and (not first_topics or held <= first_topics):
                if block.ends:
                    parts.append(block.logs)
                    count += len(block.ends)
            elif not first_topics or held & first_topics:
                chosen = list(_matching(block, first_topics, wanted if fine else None))
                parts += chosen
                count += len(chosen)
            if self.cap is not None and count > self.cap:
                until = max(first, number - 1)
                raise RpcFailure(
                    -32005,
                    f"query returned more than {self.cap} results. "
                    f"Try with this block range [{hex(first)}, {hex(until)}].",
                )
        return [b'"result":[', *_separated(parts), b"]"]


def _separated(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The parts, separated by commas."""
    for at, part in enumerate(parts):
        if at:
            yield b","
        yield part


class LongChain(Chain):
    """The recorded chain repeated in laps, as a node. Answers that depend on no block are the recorded ones."""

    def __init__(self, recording: Recording) -> None:
        super().__init__(recording, None)
        self.history = LongHistory(recording)
        self.head = self.history.head_of(1)

    def _block(self, number: int) -> tuple[Block, frozenset[str]]:
        return self.history.block(number), self._topics[self.history.place(number)[0]]

    def _number_of(self, digest: str) -> int | None:
        return self.history.number_of(digest)

    def _of_block(self, method: str, params: list[Any]) -> bytes:
        number, shape = params[0], f"{method} {json.dumps([None, *params[1:]], separators=(',', ':'))}"
        if number is None or not START <= number <= self.head:
            return b'"result":null'
        if shape == HEADERS:
            return self.history.header(number)
        if shape == TRACES:
            return self.history.traces(number)
        raise self._missing(shape)


def _matching(block: Block, first_topics: frozenset[str], wanted: Mapping[str, Any] | None) -> Iterator[bytes]:
    start = 0
    for topic, end in zip(block.topics, block.ends, strict=True):
        if not first_topics or topic in first_topics:
            text = block.logs[start:end]
            if wanted is None or _matches(msgspec.json.decode(text, type=_LogKeys), wanted):
                yield text
        start = end + 1


def _matches(log: _LogKeys, wanted: Mapping[str, Any]) -> bool:
    addresses = wanted.get("address") or []
    if addresses and log.address.lower() not in {
        one.lower() for one in ([addresses] if isinstance(addresses, str) else addresses)
    }:
        return False
    for at, topic in enumerate(wanted.get("topics") or []):
        allowed = [topic] if isinstance(topic, str) else topic
        if allowed and (at >= len(log.topics) or log.topics[at] not in allowed):
            return False
    return True


class Server:
    """State shared by the connections."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.latency_seconds = 0.0
        self.keep_requests = False
        self.reset()

    def reset(self) -> None:
        """Reset the counters."""
        self.calls: dict[str, int] = {}
        self.requests: list[bytes] = []
        self.request_count = 0
        self.bytes_out = 0
        self.busy_seconds = 0.0
        self.first_at: float | None = None
        self.last_at = 0.0
        self.chain.misses.clear()

    def respond(self, body: bytes) -> list[bytes]:
        """The answer body of one request, a call or a batch, in pieces."""
        started = time.perf_counter()
        if self.first_at is None:
            self.first_at = time.time()
        if self.keep_requests:
            self.requests.append(body)
        if body.lstrip()[:1] == b"[":
            calls = msgspec.json.decode(body, type=list[_Call])
            answer = [b"["]
            for call in calls:
                answer += [b","] * (len(answer) > 1) + self._one(call)
            answer.append(b"]")
        else:
            answer = self._one(msgspec.json.decode(body, type=_Call))
        self.request_count += 1
        self.bytes_out += sum(map(len, answer))
        self.last_at = time.time()
        self.busy_seconds += time.perf_counter() - started
        return answer

    def _one(self, call: _Call) -> list[bytes]:
        self.calls[call.method] = self.calls.get(call.method, 0) + 1
        tail = self.chain.answer(call.method, list(call.params))
        return [b'{"jsonrpc":"2.0","id":%b,' % bytes(call.id), *tail, b"}"]

    def control(self, body: bytes) -> bytes:
        """Change how the server answers. Returns the counters from before the change."""
        order = json.loads(body or b"{}")
        stats = {
            "head": self.chain.head,
            "requests": self.request_count,
            "bytes_out": self.bytes_out,
            "busy_seconds": self.busy_seconds,
            "first_at": self.first_at,
            "last_at": self.last_at,
            "calls": self.calls,
            "misses": self.chain.misses[:20],
            "miss_count": len(self.chain.misses),
            "bodies": [one.decode() for one in self.requests] if order.get("want_requests") else None,
        }
        answer = json.dumps(stats).encode()
        if "latency_ms" in order:
            self.latency_seconds = order["latency_ms"] / 1000
        if "cap" in order:
            self.chain.cap = order["cap"]
        if "laps" in order and isinstance(self.chain, LongChain):
            self.chain.head = self.chain.history.head_of(order["laps"])
        if "keep_requests" in order:
            self.keep_requests = order["keep_requests"]
        if "save" in order:
            self.chain.recording.save(Path(order["save"]))
        if order.get("reset"):
            self.reset()
        return answer


class Connection(asyncio.Protocol):
    """The part of HTTP/1.1 that JSON-RPC needs, with keep-alive."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._received = bytearray()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (end := self._received.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._received[:end])
            length = 0
            for line in head.split(b"\r\n")[1:]:
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if len(self._received) < end + 4 + length:
                return
            body = bytes(self._received[end + 4 : end + 4 + length])
            del self._received[: end + 4 + length]
            if head.startswith(b"POST /control"):
                self._write([self._server.control(body)])
            elif self._server.latency_seconds:
                answer = self._server.respond(body)
                asyncio.get_running_loop().call_later(self._server.latency_seconds, self._write, answer)
            else:
                self._write(self._server.respond(body))

    def _write(self, answer: list[bytes]) -> None:
        if self._transport is not None and not self._transport.is_closing():
            size = sum(map(len, answer))
            head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % size
            if size < JOINED_BYTES:
                self._transport.write(b"".join([head, *answer]))
            else:  # megabytes go out as they lie: to join them costs more than to send them
                self._transport.writelines([head, *answer])


async def serve(chain: Chain, port: int) -> None:
    """Serve on loopback until standard input closes. The port is printed as a line of JSON."""
    loop = asyncio.get_running_loop()
    server = Server(chain)
    listener = await loop.create_server(lambda: Connection(server), "127.0.0.1", port)
    print(json.dumps({"port": listener.sockets[0].getsockname()[1]}), flush=True)
    ended = asyncio.Event()

    def wait_for_parent() -> None:
        while os.read(sys.stdin.fileno(), 4096):
            pass
        loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=wait_for_parent, daemon=True).start()
    await ended.wait()
    listener.close()


class Replay:
    """A replay server in its own process, and a client for its control endpoint."""

    def __init__(self, recording: Path, upstream: str | None = None, *, long: bool = False) -> None:
        command = [sys.executable, "-m", "tests.bench.replay", str(recording)]
        if long:
            command.append("--long")
        if upstream is not None:
            command += ["--upstream", upstream]
        root = Path(__file__).resolve().parents[2]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the replay server ended with status {self.process.wait()}")
        self.port = int(json.loads(line)["port"])
        self.url = f"http://127.0.0.1:{self.port}"

    def control(self, **order: Any) -> dict[str, Any]:
        """Change the server's settings. Returns the counters from before the change."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        with contextlib.closing(connection):
            connection.request("POST", "/control", json.dumps(order))
            stats: dict[str, Any] = json.loads(connection.getresponse().read())
        return stats

    def __enter__(self) -> "Replay":
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=30)
        assert self.process.stdout is not None
        self.process.stdout.close()


def main() -> None:
    """Command line of the server."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording", type=Path)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--long", action="store_true", help="repeat the recording (one lap by default)")
    parser.add_argument("--upstream", help="record what is missing from this node")
    arguments = parser.parse_args()
    recording = Recording.load(arguments.recording)
    upstream = Node(arguments.upstream) if arguments.upstream else None
    chain = LongChain(recording) if arguments.long else Chain(recording, upstream)
    uvloop.run(serve(chain, arguments.port))


if __name__ == "__main__":
    main()
