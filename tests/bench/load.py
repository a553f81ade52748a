"""Load on an HTTP server over kept-alive connections: as fast as it answers, or at fixed arrivals a second.

``python -m tests.bench.load`` reads an order as JSON from standard input and prints what it measured. It runs in a
process of its own and speaks just enough HTTP to cost little beside the server.
"""

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import uvloop

ROOT = Path(__file__).resolve().parents[2]


class Connection:
    """One connection; a request at a time."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self.port = port
        self.head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def get(self, path: str) -> int:
        """GET; the status. The body is read and dropped. A kept connection that the server gave up is replaced."""
        kept = self.reader is not None
        try:
            return await self._get(path)
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            if not kept or (isinstance(error, asyncio.IncompleteReadError) and error.partial):
                raise
            self.reader = self.writer = None
            return await self._get(path)

    async def _get(self, path: str) -> int:
        if self.reader is None or self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, limit=2**24)
        self.writer.write(f"GET {path} HTTP/1.1\r\nHost: bench\r\n{self.head}\r\n".encode())
        head = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        if head[9:12] == b"304":
            return 304  # it has no body, and no length
        at = head.index(b"content-length:") + 15
        await self.reader.readexactly(int(head[at : head.index(b"\r", at)]))
        return int(head[9:12])


async def closed(order: dict[str, Any]) -> dict[str, Any]:
    """Every connection asks again as soon as it was answered."""
    paths, statuses, latencies = order["paths"], {}, []
    ends = time.perf_counter() + order["seconds"]
    position = iter(range(10**9))

    async def keep_asking() -> None:
        connection = Connection(order["port"], order["headers"])
        while (started := time.perf_counter()) < ends:
            status = await connection.get(paths[next(position) % len(paths)])
            statuses[status] = statuses.get(status, 0) + 1
            latencies.append(time.perf_counter() - started)

    started = time.perf_counter()
    await asyncio.gather(*(keep_asking() for _ in range(order["connections"])))
    return _result(statuses, latencies, time.perf_counter() - started)


async def opened(order: dict[str, Any]) -> dict[str, Any]:
    """Requests arrive at fixed times whether or not earlier ones were answered; waiting counts as latency."""
    statuses: dict[int, int] = {}
    latencies: list[float] = []
    idle: list[Connection] = []
    started = time.perf_counter()

    async def ask(path: str, due: float) -> None:
        connection = idle.pop() if idle else Connection(order["port"], order["headers"])
        status = await connection.get(path)
        statuses[status] = statuses.get(status, 0) + 1
        latencies.append(time.perf_counter() - due)
        idle.append(connection)

    async with asyncio.TaskGroup() as tasks:
        for number in range(int(order["seconds"] * order["rate"])):
            due = started + number / order["rate"]
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            tasks.create_task(ask(order["paths"][number % len(order["paths"])], due))
    return _result(statuses, latencies, time.perf_counter() - started)


def _result(statuses: dict[int, int], latencies: list[float], seconds: float) -> dict[str, Any]:
    return {
        "rate": len(latencies) / seconds,
        "statuses": {str(status): count for status, count in statuses.items()},
        "latencies_ms": [round(1000 * latency, 3) for latency in latencies],
    }


def run(**order: Any) -> dict[str, Any]:
    """Put load on a server from a process of its own.

    Keys of the order: ``port``, ``paths``, ``headers``, ``seconds``, and ``connections`` or ``rate``.
    """
    command = [sys.executable, "-m", "tests.bench.load"]
    done = subprocess.run(command, cwd=ROOT, input=json.dumps(order), stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    failed = {status: count for status, count in result["statuses"].items() if status not in ("200", "304")}
    if failed:
        raise SystemExit(f"requests such as {order['paths'][0]} were answered with {failed}")
    return result


if __name__ == "__main__":
    given = json.load(sys.stdin)
    print(json.dumps(uvloop.run(opened(given) if "rate" in given else closed(given))))
