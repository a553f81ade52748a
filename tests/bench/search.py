"""Search over a million generated tokens: uncached at fixed arrivals; cached, compared with an empty endpoint; and read
page by page while versions are published."""

import contextlib
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

import httpx

from tests.api.search.reference import order_rows
from tests.bench import load
from tests.bench.machine import Machine, compare, sampled
from tests.bench.result import Result, percentile
from tests.bench.world import EMPTY, SEED, Served, serve_world
from warehouse.clickhouse import Warehouse
from warehouse.domain.addresses import address_text
from warehouse.domain.symbols import fold

QUERIES = 500
SECONDS = 5.0
CONNECTIONS = 8
ARRIVALS = 40
ARRIVAL_SECONDS = 12.0
SLICES = 6
"""Of these seconds; the machine is sampled before each."""
WALK = 10_000
PUBLICATIONS = 3.0
"""Versions published a second while a walk goes on."""
CHANGED = 300
"""Tokens of the walked symbol that each of these versions changes."""


@dataclass(frozen=True, slots=True)
class SearchFigures:
    """Results, and the latencies the plot is drawn from."""

    results: list[Result]
    latencies_ms: dict[str, list[float]]


def measure(directory: Path, tokens: int, progress: Callable[[str], None]) -> SearchFigures:
    """Put load on the API over so many generated tokens."""
    with serve_world(directory, tokens, progress) as served, sampled(served.urls.clickhouse_url) as machine:
        asked = _asked(served.popular, served.symbols)
        uncached = [_path(symbol=symbol, refresh="true") for symbol in asked]
        cached = [_path(symbol=symbol) for symbol in asked[:50]]
        _settle(served, [*uncached[:100], *cached])
        steady = _steady(served, machine, uncached)
        figures = {
            name: load.run(port=served.port, paths=paths, headers=sent, seconds=SECONDS, connections=CONNECTIONS)
            for name, paths, sent in (
                ("empty", [EMPTY], {}),
                ("search, cached", cached, served.headers),
                ("search, uncached", uncached, served.headers),
            )
        }
        for name, figure in figures.items():
            progress(f"{name}: {figure['rate']:,.0f} requests a second")
        walked = _walk(served, progress)
    empty = figures["empty"]["rate"]
    at = f"at {ARRIVALS} arrivals a second, {tokens:,} tokens"
    results = [
        *compare(
            f"search: p95 uncached {at}",
            percentile(steady, 95),
            "ms",
            "<= 12",
            "p95 of a bare request",
            machine.request_ms(95),
        ),
        *compare(
            f"search: p99 uncached {at}",
            percentile(steady, 99),
            "ms",
            "<= 25",
            "p99 of a bare request",
            machine.request_ms(99),
        ),
        *machine.results("search"),
        Result("search: cached / empty endpoint", figures["search, cached"]["rate"] / empty, "ratio", ">= 0.5"),
        Result("search: uncached / empty endpoint", figures["search, uncached"]["rate"] / empty, "ratio"),
        Result("search: empty endpoint", empty, "1/s"),
        *walked,
    ]
    latencies = {name: figure["latencies_ms"] for name, figure in figures.items()}
    return SearchFigures(results, latencies | {f"search, {ARRIVALS} a second": steady})


def _steady(served: Served, machine: Machine, paths: list[str]) -> list[float]:
    """Latencies at fixed arrivals, in slices with samples of the machine before each."""
    latencies: list[float] = []
    share = len(paths) // SLICES
    for number in range(SLICES):
        machine.sample()
        asked = paths[number * share :][:share]
        order = {"port": served.port, "headers": served.headers, "rate": ARRIVALS}
        latencies += load.run(**order, paths=asked, seconds=ARRIVAL_SECONDS / SLICES)["latencies_ms"]
    return latencies


def _path(**parameters: object) -> str:
    return f"/api/v2/search?{urlencode(parameters)}"


def _settle(served: Served, paths: list[str]) -> None:
    """Warm connections, prepared statements and the symbol index."""
    load.run(port=served.port, paths=paths, headers=served.headers, seconds=3, connections=2)


def _asked(popular: Sequence[str], all_symbols: Sequence[str]) -> list[str]:
    """Queries as people type them: popular symbols, any symbol, misspelt ones, prefixes, and unknown ones."""
    source = random.Random(SEED)
    latin = [symbol for symbol in all_symbols if symbol.isascii() and symbol.isalnum() and len(symbol) <= 12]
    known = [symbol for symbol in popular if symbol in set(latin)]
    asked = []
    for number in range(QUERIES):
        symbol = source.choice(known if number % 2 else latin)
        match number % 10:
            case 6 if len(symbol) > 5:
                at = source.randrange(len(symbol))
                symbol = symbol[:at] + symbol[at + 1 :]
            case 7:
                symbol = symbol[: max(2, len(symbol) - 2)]
            case 8:
                symbol = f"Q{source.randrange(10**6)}X"
        asked.append(symbol)
    return asked


def _walk(served: Served, progress: Callable[[str], None]) -> list[Result]:
    """Walk a popular symbol by cursor while its tokens change, and hold the pages against the whole list."""
    symbol = next(symbol for symbol in served.popular if symbol.isascii() and symbol.isalnum())
    seen: list[tuple[int, str]] = []
    pages: list[float] = []
    versions = 0
    parameters: dict[str, object] = {"symbol": symbol, "pageSize": 100, "includeInactive": "true"}
    cursor: str | None = None
    total = 0
    with (
        httpx.Client(base_url=f"http://127.0.0.1:{served.port}", headers=served.headers, timeout=30) as client,
        _publishing(served, symbol) as published,
    ):
        while len(seen) < WALK:
            began = time.perf_counter()
            given = parameters | ({"cursor": cursor} if cursor else {"refresh": "true"})
            answer = client.get("/api/v2/search", params=httpx.QueryParams(given)).raise_for_status().json()
            pages.append(1000 * (time.perf_counter() - began))
            seen += [(result["chainId"], result["token"]["address"]) for result in answer["results"]]
            total, cursor = answer["pagination"]["total"], answer["pagination"]["nextCursor"]
            if cursor is None:
                break
        versions = published()
        version = answer["meta"]["asOf"]["version"]
    expected = _expected(served, [symbol, *answer["meta"]["expansionQueries"]], version)[:WALK]
    pairs = min(len(seen), len(expected))
    misplaced = sum(found != wanted for found, wanted in zip(seen[:pairs], expected[:pairs], strict=True))
    progress(f"walked {len(seen):,} of {total:,} results of version {version} while {versions} were published")
    return [
        Result("search: results repeated across pages", len(seen) - len(set(seen)), "results", "== 0"),
        Result("search: paged results out of order", misplaced, "results", "== 0"),
        Result("search: results missing from the pages", len(set(expected) - set(seen)), "results", "== 0"),
        Result("search: results of the walk", len(seen), "results", f">= {min(WALK, total)}"),
        Result("search: versions published during the walk", versions, "versions", ">= 3"),
        Result("search: p95 of a page of the walk", percentile(pages, 95), "ms"),
    ]


def _expected(served: Served, symbols: Sequence[str], version: int) -> list[tuple[int, str]]:
    """Everything the walk has to show, in order: the rows of the version, ordered by the tests' own slow way."""
    with Warehouse.connect(served.urls.clickhouse_url) as warehouse:
        rows = warehouse.rows(
            "SELECT symbol_key, chain_id, lower(hex(address)) AS address, deleted, is_copy, copy_of_chain_id, "
            "lower(hex(copy_of_address)) AS copy_of_address, registration_token_id, registration_expired, "
            "registered_at, heartbeat_score, market_score FROM serve_token "
            "WHERE symbol_key IN {symbols:Array(String)} AND version <= {version:UInt64} "
            "ORDER BY version DESC LIMIT 1 BY symbol_key, chain_id, address",
            {"symbols": list(symbols), "version": version},
        )
    for row in rows:
        row |= {name: bytes.fromhex(row[name]) for name in ("address", "copy_of_address")}
    standing = [row for row in rows if not row["deleted"]]
    present = {(row["chain_id"], row["address"]) for row in standing}
    shown = [
        row
        for row in standing
        if fold(row["symbol_key"]) == fold(symbols[0])
        or not row["is_copy"]
        or (row["copy_of_chain_id"], row["copy_of_address"]) in present
    ]
    ordered = order_rows(shown, symbols[0], symbols, fold, "relevance", "desc", datetime.now(UTC))
    return [(row["chain_id"], address_text(row["address"].hex())) for row in ordered]


@contextlib.contextmanager
def _publishing(served: Served, symbol: str) -> Iterator[Callable[[], int]]:
    """Publish versions in which tokens of the symbol change, come and go. Yields how many there were so far."""
    done = threading.Event()
    count = 0
    failures: list[BaseException] = []

    def publish() -> None:
        nonlocal count
        try:
            with contextlib.closing(Warehouse.connect(served.urls.clickhouse_url)) as warehouse:
                while not done.wait(1 / PUBLICATIONS):
                    publish_changes(warehouse, symbol, CHANGED)
                    count += 1
        except BaseException as error:  # carried over to the thread that measures
            failures.append(error)

    thread = threading.Thread(target=publish)
    thread.start()
    try:
        yield lambda: count
    finally:
        done.set()
        thread.join()
        if failures:
            raise failures[0]


def publish_changes(warehouse: Warehouse, symbol: str, count: int) -> int:
    """Publish a version in which ``count`` tokens of the symbol have another market score, and each tenth is gone; the
    version."""
    version = int(warehouse.scalar("SELECT max(version) FROM serve_publication")) + 1
    names = [
        row["name"]
        for row in warehouse.rows(
            "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'serve_token' "
            "AND default_kind = '' AND name NOT IN ('version', 'deleted', 'market_score') ORDER BY position"
        )
    ]
    columns = ", ".join(names)
    warehouse.command(
        f"INSERT INTO serve_token ({columns}, version, deleted, market_score) SELECT {columns}, "
        "{version:UInt64}, if(rand() % 10 = 0, 1, 0), toDecimal64((rand() % 1000) / 1000, 9) FROM "
        "(SELECT * FROM serve_token WHERE symbol_key = {symbol:String} ORDER BY rand() LIMIT 1 BY chain_id, address "
        "LIMIT {count:UInt32})",
        {"version": version, "symbol": symbol, "count": count},
    )
    warehouse.command(
        "INSERT INTO serve_publication SELECT {version:UInt64}, now64(3), as_of_blocks FROM serve_publication "
        "ORDER BY version DESC LIMIT 1",
        {"version": version},
    )
    return version
