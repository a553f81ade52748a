"""The API under twice the load it can serve: what it sheds, how fast it answers the rest, how soon it is itself again.

``python -m tests.bench.overload FILE`` is the load, in a process of its own: it reads an order as JSON from standard
input, sends requests at the given times whether or not earlier ones were answered, and writes the results to the file.
"""

import asyncio
import contextlib
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvloop

from api.accounts.service import Accounts
from tests.bench.directories import new_directory
from tests.bench.result import Result, percentile
from tests.bench.serving import serve
from tests.factories.generated import generate_world, insert_world
from tests.factories.registrations import add_registration, add_token, address, scored
from warehouse import engines, postgres
from warehouse.clickhouse import Warehouse
from warehouse.settings import EngineSettings

ROOT = Path(__file__).resolve().parents[2]
SEED = 1
TOKENS = 50_000
REGISTERED = 200
CONNECTIONS = 16
WARM_SECONDS, STEADY_SECONDS, OVERLOAD_SECONDS, AFTER_SECONDS = 2.0, 8.0, 10.0, 5.0
STEADY = 0.8
"""Part of its capacity at which a service is expected to run: the latency that overload is compared with."""
OVERLOAD = 2.0
CLAIMS_A_SECOND = 10.0
WALLET = "0x00000000000000000000000000000000000ca11e"
CHAINS = '[chains.base]\nrpc_urls = ["http://127.0.0.1:1"]\n[chains.eth]\nrpc_urls = ["http://127.0.0.1:1"]\n'
CLAIM_PATH = f"/api/v2/claim/status/0x{'ab' * 32}"


@dataclass(frozen=True, slots=True)
class Seen:
    """One request: when it was due, seconds until its answer, the status, whether a 503 said Retry-After, and whether
    it was a search."""

    due: float
    seconds: float
    status: int
    retry: bool
    search: bool


@dataclass(frozen=True, slots=True)
class OverloadFigures:
    """Results, and what the plots are drawn from."""

    results: list[Result]
    latencies_ms: dict[str, list[float]]
    course: list[tuple[str, float, list[tuple[float, float, int]]]]
    """Of each phase its name and seconds, and its requests: when due, seconds until the answer, status."""


class Line:
    """One connection; a request at a time."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self.port = port
        self.head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str) -> tuple[int, bool]:
        """GET; the status, and whether there is a Retry-After. The body is read and dropped."""
        if self.streams is not None:
            try:
                return await self._ask(path, *self.streams)
            except (asyncio.IncompleteReadError, ConnectionError):
                self.streams = None  # the server closes a connection that was idle for some seconds
        self.streams = await asyncio.open_connection("127.0.0.1", self.port, limit=2**24)
        return await self._ask(path, *self.streams)

    async def _ask(self, path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[int, bool]:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: bench\r\n{self.head}\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        at = head.index(b"content-length:") + 15
        await reader.readexactly(int(head[at : head.index(b"\r", at)]))
        return int(head[9:12]), b"\r\nretry-after: " in head


async def _load(order: dict[str, Any]) -> list[tuple[float, float, int, bool, bool]]:
    paths, seen, idle = order["paths"], [], []
    started = time.perf_counter()

    async def ask(path: str, due: float) -> Line:
        line = idle.pop() if idle else Line(order["port"], order["headers"])
        status, retry = await line.get(path)
        seen.append((due - started, time.perf_counter() - due, status, retry, "/search" in path))
        return line

    async def arrive(path: str, due: float) -> None:
        idle.append(await ask(path, due))

    async def keep_asking(source: random.Random) -> None:
        while time.perf_counter() - started < order["seconds"]:
            await arrive(source.choice(paths), time.perf_counter())

    async with asyncio.TaskGroup() as tasks:
        if "connections" in order:
            for number in range(order["connections"]):
                tasks.create_task(keep_asking(random.Random(number)))
        else:
            for path, due in _arrivals(order, started):
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                tasks.create_task(arrive(path, due))
    return seen


def _arrivals(order: dict[str, Any], started: float) -> Iterator[tuple[str, float]]:
    """Requests at random times, as those of many independent clients, and claims in between at fixed ones."""
    source = random.Random(SEED)
    due, claim_due, ends = 0.0, 0.0, order["seconds"]
    while (due := due + source.expovariate(order["rate"])) < ends:
        while claim_due < due and order.get("claims"):
            yield order["claims"], started + claim_due
            claim_due += 1 / CLAIMS_A_SECOND
        yield source.choice(order["paths"]), started + due


def run(**order: Any) -> list[Seen]:
    """Put load on a server from a process of its own.

    Keys of the order: ``port``, ``paths``, ``headers``, ``seconds``, ``connections`` or ``rate``, and ``claims``, a
    path asked for beside.
    """
    with tempfile.NamedTemporaryFile(suffix=".json") as seen:
        command = [sys.executable, "-m", "tests.bench.overload", seen.name]
        subprocess.run(command, cwd=ROOT, input=json.dumps(order), text=True, check=True)
        return [Seen(*values) for values in json.loads(Path(seen.name).read_text())]


def measure(directory: Path, progress: Callable[[str], None]) -> OverloadFigures:
    """Find the capacity, offer 0.8 of it, then twice as much, then 0.8 again."""
    data_dir = new_directory(directory, "overload")
    with engines.ensure(EngineSettings(data_dir=data_dir, clickhouse_url=None, database_url=None)) as urls:
        paths = _fill(urls)
        accounts = Accounts(urls.database_url)
        headers = {"X-API-Key": accounts.create_key(WALLET, "enterprise").key}
        chains_file = data_dir / "chains.toml"
        chains_file.write_text(CHAINS)
        with serve(data_dir, chains_file) as port:
            order = {"port": port, "paths": paths, "headers": headers}
            run(**order, seconds=WARM_SECONDS, connections=CONNECTIONS)
            full = run(**order, seconds=STEADY_SECONDS, connections=CONNECTIONS)
            capacity = _accepted_rate(full, STEADY_SECONDS)
            progress(f"capacity: {capacity:,.0f} requests a second")
            steady = run(**order, seconds=STEADY_SECONDS, rate=STEADY * capacity)
            crowded = run(**order, seconds=OVERLOAD_SECONDS, rate=OVERLOAD * capacity, claims=CLAIM_PATH)
            after = run(**order, seconds=AFTER_SECONDS, rate=STEADY * capacity)
    return _figures(full, steady, crowded, after, progress)


def _figures(
    full: Sequence[Seen],
    steady: Sequence[Seen],
    crowded: Sequence[Seen],
    after: Sequence[Seen],
    progress: Callable[[str], None],
) -> OverloadFigures:
    capacity = _accepted_rate(full, STEADY_SECONDS)
    claims = [one for one in crowded if one.status == 404]
    others = [one for one in crowded if one.status != 404]
    accepted = [1000 * one.seconds for one in others if one.status == 200]
    refused = [1000 * one.seconds for one in others if one.status == 503]
    usual = [1000 * one.seconds for one in steady if one.status == 200]
    searches = _accepted_rate([one for one in others if one.search], OVERLOAD_SECONDS)
    searches /= _accepted_rate([one for one in full if one.search], STEADY_SECONDS)
    wrong = [
        one for one in (*full, *steady, *others, *after) if one.status != 200 and not (one.status == 503 and one.retry)
    ]
    goodput = _accepted_rate(others, OVERLOAD_SECONDS)
    progress(
        f"at {STEADY} of it: p95 {percentile(usual, 95):.0f} ms; at {OVERLOAD}: {goodput:,.0f} a second answered, "
        f"p95 {percentile(accepted, 95):.0f} ms; refusals p95 {percentile(refused, 95):.0f} ms"
    )
    recovery = _recovery(usual, after)
    results = [
        Result("overload: capacity of a mix of reads", capacity, "1/s"),
        Result("overload: p95 at 0.8 of capacity", percentile(usual, 95), "ms"),
        Result("overload: share shed at twice the capacity", len(refused) / len(others), "ratio"),
        Result("overload: answers other than 200, and 503 with Retry-After", len(wrong), "answers", "== 0"),
        Result(
            "overload: p95 of accepted requests / p95 at 0.8 of capacity",
            percentile(accepted, 95) / percentile(usual, 95),
            "ratio",
            "<= 3",
        ),
        Result("overload: answered a second / capacity", goodput / capacity, "ratio", ">= 0.8"),
        Result("overload: searches answered a second / at capacity", searches, "ratio"),
        Result("overload: p95 of a refusal", percentile(refused, 95), "ms"),
        Result(
            "overload: share of claims' steps shed",
            1 - len(claims) / (OVERLOAD_SECONDS * CLAIMS_A_SECOND),
            "ratio",
            "<= 0.02",
        ),
        Result("overload: seconds to recover", recovery, "s"),
        Result("overload: seconds to recover / seconds of overload", recovery / OVERLOAD_SECONDS, "ratio", "<= 0.3"),
    ]
    latencies = {"at 0.8 of capacity": usual, "accepted at twice": accepted, "refused": refused}
    phases = (
        (f"{STEADY:g} of capacity", STEADY_SECONDS, steady),
        (f"{OVERLOAD:g} times capacity", OVERLOAD_SECONDS, crowded),
        (f"{STEADY:g} of capacity", AFTER_SECONDS, after),
    )
    course = [
        (name, seconds, [(one.due, one.seconds, one.status) for one in requests]) for name, seconds, requests in phases
    ]
    return OverloadFigures(results, latencies, course)


def _recovery(usual_ms: Sequence[float], after: Sequence[Seen]) -> float:
    """Seconds after the end of the overload until a second began in which nothing was shed and the median was at most
    what the p95 usually is; infinite where there was none."""
    limit = percentile(usual_ms, 95)
    for second in range(int(AFTER_SECONDS)):
        within = [one for one in after if second <= one.due < second + 1]
        latencies = [1000 * one.seconds for one in within if one.status == 200]
        if len(latencies) == len(within) and percentile(latencies, 50) <= limit:
            return float(second)
    return float("inf")


def _accepted_rate(seen: Sequence[Seen], seconds: float) -> float:
    return sum(one.status == 200 for one in seen) / seconds


def _fill(urls: engines.EngineUrls) -> list[str]:
    """Tokens and registrations; the answer is what is asked: half of it searches that read the warehouse, a fifth
    searches that are remembered, the rest rows of the store."""
    with contextlib.closing(Warehouse.connect(urls.clickhouse_url)) as warehouse:
        world = generate_world(TOKENS, SEED, prolific=100)
        insert_world(warehouse, world)
    with postgres.connect(urls.database_url, autocommit=True) as store:
        for number in range(REGISTERED):
            symbol, token = f"REG{number}", address(0x70000 + number)
            add_token(store, symbol, address=token, **scored("80"))
            add_registration(store, symbol, token_id=number + 1, token_address=token, log_index=number)
    source = random.Random(SEED)
    known = [symbol for symbol in world.symbols.column("symbol_key").to_pylist() if symbol.isascii()]
    known = [symbol for symbol in known if symbol.isalnum() and len(symbol) <= 12]
    paths = [f"/api/v2/search?symbol={source.choice(known)}&refresh=true" for _ in range(500)]
    paths += [f"/api/v2/search?symbol={source.choice(world.popular[:20])}" for _ in range(200)]
    paths = [path for path in paths if path.isascii()]
    paths += [f"/api/v2/registration/REG{source.randrange(REGISTERED)}/base" for _ in range(150)]
    return paths + [f"/api/v2/heartbeat/REG{source.randrange(REGISTERED)}/base" for _ in range(150)]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(uvloop.run(_load(json.load(sys.stdin)))))
