"""Search over generated tokens against an endpoint of the same app that does nothing."""

import contextlib
import os
import random
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from api.accounts.service import Accounts
from api.stack import ports
from tests.bench import load
from tests.bench.result import Result
from tests.factories.tokens import generate_tokens, publish_tables
from warehouse import engines
from warehouse.clickhouse import Warehouse
from warehouse.settings import EngineSettings

ROOT = Path(__file__).resolve().parents[2]
SEED = 1
QUERIES = 500
SECONDS = 6.0
CONNECTIONS = 8
ARRIVALS = 40
WALLET = "0x00000000000000000000000000000000000ca11e"
CHAINS = '[chains.base]\nrpc_urls = ["http://127.0.0.1:1"]\n[chains.eth]\nrpc_urls = ["http://127.0.0.1:1"]\n'


@dataclass(frozen=True, slots=True)
class SearchFigures:
    """Results, and the latencies the plot is drawn from."""

    results: list[Result]
    latencies_ms: dict[str, list[float]]


def measure(directory: Path, tokens: int, progress: Callable[[str], None]) -> SearchFigures:
    """Fill a warehouse with ``tokens`` tokens and put load on the API over it."""
    data_dir = directory / "search"
    shutil.rmtree(data_dir, ignore_errors=True)
    settings = EngineSettings(data_dir=data_dir, clickhouse_url=None, database_url=None)
    with engines.ensure(settings) as urls:
        with contextlib.closing(Warehouse.connect(urls.clickhouse_url)) as warehouse:
            world = generate_tokens(tokens, SEED)
            publish_tables(warehouse, world.tokens, world.symbols, world.forms, version=1)
        progress(f"filled a warehouse with {tokens:,} tokens of {world.symbols.num_rows:,} symbols")
        with contextlib.closing(Accounts(urls.database_url)) as accounts:
            headers = {"X-API-Key": accounts.create_key(WALLET, "enterprise").key}
        chains_file = data_dir / "chains.toml"
        chains_file.write_text(CHAINS)
        symbols = _asked(world.popular, world.symbols.column("symbol_key").to_pylist())
        with _api(data_dir, chains_file) as port:
            empty_paths = ["/api/v2/bench/empty"]
            uncached = [f"/api/v2/search?{urlencode({'symbol': symbol, 'refresh': 'true'})}" for symbol in symbols]
            cached = [f"/api/v2/search?{urlencode({'symbol': symbol})}" for symbol in symbols[:50]]
            load.run(port=port, paths=[*uncached[:50], *cached], headers=headers, seconds=2, connections=4)
            figures = {
                name: load.run(port=port, paths=paths, headers=sent, seconds=SECONDS, connections=CONNECTIONS)
                for name, paths, sent in (
                    ("empty", empty_paths, {}),
                    ("search, uncached", uncached, headers),
                    ("search, cached", cached, headers),
                )
            }
            for name, figure in figures.items():
                progress(f"{name}: {figure['rate']:,.0f} requests a second")
            steady = load.run(port=port, paths=uncached, headers=headers, seconds=SECONDS, rate=ARRIVALS)
    shutil.rmtree(data_dir, ignore_errors=True)
    empty = figures["empty"]["rate"]
    results = [
        Result(
            f"search: uncached over {tokens:,} tokens / empty endpoint",
            figures["search, uncached"]["rate"] / empty,
            "ratio",
        ),
        Result("search: cached / empty endpoint", figures["search, cached"]["rate"] / empty, "ratio"),
        Result(f"search: p95 uncached at {ARRIVALS} arrivals a second", _percentile(steady["latencies_ms"], 95), "ms"),
        Result(f"search: p99 uncached at {ARRIVALS} arrivals a second", _percentile(steady["latencies_ms"], 99), "ms"),
        Result("search: empty endpoint", empty, "1/s"),
    ]
    latencies = {name: figure["latencies_ms"] for name, figure in figures.items()}
    return SearchFigures(results, latencies | {f"search, {ARRIVALS} a second": steady["latencies_ms"]})


def _asked(popular: Sequence[str], all_symbols: Sequence[str]) -> list[str]:
    """What people type: popular symbols, any symbol, misspelt ones, beginnings of one, and ones that do not exist."""
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


def _percentile(values: Sequence[float], percent: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


@contextlib.contextmanager
def _api(data_dir: Path, chains_file: Path) -> Iterator[int]:
    """The API in one process, started as the service starts it."""
    port = ports.claim("127.0.0.1", None, "the measured API", "REGALIA_PORT")
    environment = os.environ | {
        "REGALIA_DATA_DIR": str(data_dir),
        "REGALIA_CHAINS": str(chains_file),
        "PYTHONPATH": str(ROOT),
    }
    command = [
        *(sys.executable, "-m", "uvicorn", "tests.bench.search_app:create", "--factory", "--port", str(port)),
        *("--log-level", "warning", "--no-access-log"),
    ]
    process = subprocess.Popen(command, env=environment, cwd=data_dir)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v2/bench/empty", timeout=5).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit("the measured API does not start") from None
                time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait(30)
