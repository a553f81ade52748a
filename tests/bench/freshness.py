"""How soon a block is in the facts and a token is found, while a local chain mines 20 blocks a second.

The follower and the API run as ``regalia up`` starts them.
"""

import contextlib
import http.client
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from api.accounts.service import Accounts
from api.ops.supervisor import ports
from indexer.devchain import bulk
from indexer.devchain.anvil import Anvil
from indexer.devchain.bulk import BulkChain
from tests.bench.directories import new_directory
from tests.bench.machine import compare, sampled
from tests.bench.mining import Pace, mine
from tests.bench.result import Result, percentile
from tests.bench.serving import LIMITS
from warehouse import engines, postgres
from warehouse.clickhouse import Warehouse
from warehouse.settings import EngineSettings

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 35.0
SAMPLE_SECONDS = 3.0
"""Of the machine, before and after."""
BLOCKS_A_SECOND = 20
MOVES_A_BLOCK = 100
BLOCKS_A_TOKEN = 12
CHAIN = "base"
_TRANSFERS, _TOKENS, _SWAPS = 6_000, 60, 600
_PROBE_SECONDS = 0.1
_WATCH_SECONDS = 0.02
_MAX_SECONDS = 30.0
_WALLET = "0x00000000000000000000000000000000000f4e54"


@dataclass(slots=True)
class Observed:
    """What was seen, in seconds of one clock: when each block was mined, and when more was published or found."""

    mined: dict[int, float] = field(default_factory=dict)
    published: list[tuple[float, int]] = field(default_factory=list)
    deployed: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Address of each new token: its symbol and block."""
    found: dict[str, float] = field(default_factory=dict)

    def facts_seconds(self) -> list[float]:
        """Of each block, from mined to published."""
        seconds, position = [], 0
        for block, mined in sorted(self.mined.items()):
            while position < len(self.published) and self.published[position][1] < block:
                position += 1
            at = self.published[position][0] if position < len(self.published) else mined + _MAX_SECONDS
            seconds.append(max(0.0, at - mined))
        return seconds

    def search_seconds(self) -> list[float]:
        """Of each new token, from mined to searchable."""
        return [
            self.found.get(address, self.mined[block] + _MAX_SECONDS) - self.mined[block]
            for address, (_, block) in self.deployed.items()
        ]


@dataclass(frozen=True, slots=True)
class FreshnessFigures:
    """Results, and the seconds the plot is drawn from."""

    results: list[Result]
    latencies_ms: dict[str, list[float]]
    over_time: dict[str, list[tuple[float, float]]]
    """Seconds of each block and of each new token, by when its block was mined."""


def measure(directory: Path, progress: Callable[[str], None]) -> FreshnessFigures:
    """Mine for a while beside the service and see how soon it shows what was mined."""
    data_dir = new_directory(directory, "freshness")
    settings = EngineSettings(data_dir=data_dir, clickhouse_url=None, database_url=None)
    with Anvil.start(state_roots=False) as anvil, engines.ensure(settings) as urls:
        chain = bulk.create(anvil, transfers=_TRANSFERS, tokens=_TOKENS, swaps=_SWAPS)
        chains_file = data_dir / "chains.toml"
        chains_file.write_text(chain.chain_toml(CHAIN))
        accounts = Accounts(urls.database_url)
        key = accounts.create_key(_WALLET, "enterprise").key
        with (
            _service(data_dir, chains_file) as port,
            sampled(urls.clickhouse_url) as machine,
            postgres.connect(urls.database_url, autocommit=True) as store,
            Warehouse.connect(urls.clickhouse_url) as warehouse,
        ):
            _await_head(port, key, store, chain)
            before = _stored(warehouse)
            progress(f"a chain of {before:,} events is indexed and served; mining {BLOCKS_A_SECOND} blocks a second")
            observed = Observed()
            machine.sample(SAMPLE_SECONDS)
            seconds = _run(chain, store, port, key, observed)
            last = max(observed.mined)
            _await(lambda: _published(store) >= last, "the last block is not in the facts")
            events = _stored(warehouse) - before
            machine.sample(SAMPLE_SECONDS)
    facts, searched = observed.facts_seconds(), observed.search_seconds()
    progress(
        f"{len(facts)} blocks and {events:,} events in {seconds:.1f} s; facts p50 {percentile(facts, 50):.2f} s, "
        f"search p50 {percentile(searched, 50):.2f} s over {len(searched)} tokens"
    )
    bare = machine.mean_request_ms() / 1000
    results = [
        *compare("freshness: from mined to indexed, p95", percentile(facts, 95), "s", "<= 250", "a bare request", bare),
        *compare(
            "freshness: from mined to searchable, p95", percentile(searched, 95), "s", "<= 500", "a bare request", bare
        ),
        *machine.results("freshness"),
        Result("freshness: blocks a second", len(facts) / seconds, "1/s"),
        Result("freshness: events a second", events / seconds, "1/s"),
        Result("freshness: from mined to indexed, worst", max(facts), "s"),
        Result("freshness: from mined to searchable, worst", max(searched), "s"),
    ]
    latencies = {"in the facts": facts, "found by search": searched}
    first = min(observed.mined.values())
    mined = [at - first for _, at in sorted(observed.mined.items())]
    deployed = [observed.mined[block] - first for _, block in observed.deployed.values()]
    over_time = {
        "in the facts": list(zip(mined, facts, strict=True)),
        "found by search": list(zip(deployed, searched, strict=True)),
    }
    milliseconds = {name: [value * 1000 for value in values] for name, values in latencies.items()}
    return FreshnessFigures(results, milliseconds, over_time)


def _run(chain: BulkChain, store: postgres.Connection, port: int, key: str, observed: Observed) -> float:
    """Mine at the rate, and watch; how long mining took."""
    stop = threading.Event()
    watching = [
        threading.Thread(target=_sample, args=(store, observed, stop)),
        threading.Thread(target=_search, args=(port, key, observed, stop)),
    ]
    for thread in watching:
        thread.start()
    try:
        started = time.monotonic()
        _mine(chain, observed)
        seconds = time.monotonic() - started
        with contextlib.suppress(TimeoutError):
            _await(lambda: len(observed.found) == len(observed.deployed), "not all are found")
        return seconds
    finally:
        stop.set()
        for thread in watching:
            thread.join()


def _mine(chain: BulkChain, observed: Observed) -> None:
    """Blocks at their times, with what is seen of each."""
    pace = Pace(SECONDS, BLOCKS_A_SECOND, MOVES_A_BLOCK, BLOCKS_A_TOKEN)
    for block in mine(chain, pace):
        observed.mined[block.number] = block.at
        if block.token is not None:
            observed.deployed[block.token] = (block.symbol, block.number)


def _sample(store: postgres.Connection, observed: Observed, stop: threading.Event) -> None:
    """Note when the published block moves on: its rows are all there from then on."""
    newest = -1
    while not stop.wait(_WATCH_SECONDS):
        block = _published(store)
        if block > newest:
            newest = block
            observed.published.append((time.monotonic(), block))


def _search(port: int, key: str, observed: Observed, stop: threading.Event) -> None:
    """Ask for each new token's symbol, past the cache, until the token is found."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    while not stop.wait(_PROBE_SECONDS):
        for address, (symbol, _) in list(observed.deployed.items()):
            if address in observed.found:
                continue
            if any(item["token"]["address"] == address for item in _asked(connection, key, symbol)):
                observed.found[address] = time.monotonic()
    connection.close()


def _asked(connection: http.client.HTTPConnection, key: str, symbol: str) -> list[dict[str, Any]]:
    """Search results, their addresses in lower case; none while the service cannot answer."""
    connection.request("GET", f"/api/v2/search?symbol={symbol}&refresh=true", headers={"X-API-Key": key})
    answer = connection.getresponse()
    body = json.loads(answer.read())
    if answer.status != 200:
        return []
    for item in body["results"]:
        item["token"]["address"] = (item["token"]["address"] or "").lower()
    return list(body["results"])


def _published(store: postgres.Connection) -> int:
    row = store.execute("SELECT max(block_number) AS block FROM chain_checkpoint").fetchone()
    return -1 if row is None or row["block"] is None else int(row["block"])


def _stored(warehouse: Warehouse) -> int:
    tables = ("fact_transfer", "fact_swap", "fact_pool_state", "fact_liquidity", "fact_pool")
    return sum(int(warehouse.scalar(f"SELECT count() FROM {table}")) for table in tables)


def _await_head(port: int, key: str, store: postgres.Connection, chain: BulkChain) -> None:
    head = chain.anvil.block_number()
    _await(lambda: _published(store) >= head, "the chain's history is not indexed")
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    known = chain.tokens[-1]
    _await(
        lambda: any(
            item["token"]["address"] == known and item["token"]["holders"]
            for item in _asked(connection, key, f"BULK{_TOKENS - 1}")
        ),
        "the chain's tokens are not served",
    )
    connection.close()


def _await(holds: Callable[[], bool], otherwise: str) -> None:
    deadline = time.monotonic() + _MAX_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(otherwise)
        time.sleep(0.2)


@contextlib.contextmanager
def _service(data_dir: Path, chains_file: Path) -> Iterator[int]:
    """The follower and the API, each in a process, as the service starts them; the API's port."""
    port = ports.claim("127.0.0.1", None, "the measured API", "REGALIA_PORT")
    environment = os.environ | {
        "REGALIA_DATA_DIR": str(data_dir),
        "REGALIA_CHAINS": str(chains_file),
        "REGALIA_LIMITS": str(LIMITS),
        "PYTHONPATH": str(ROOT),
    }
    commands = (
        ("follower", ["pipelines", "follow", "--chain", CHAIN]),
        ("api", ["uvicorn", "api.app:create_app", "--factory", "--port", str(port), "--log-level", "warning"]),
    )
    with contextlib.ExitStack() as held:
        for name, command in commands:
            output = held.enter_context((data_dir / f"{name}.log").open("wb"))
            process = subprocess.Popen(
                [sys.executable, "-m", *command], env=environment, cwd=data_dir, stdout=output, stderr=output
            )
            held.callback(process.wait, 30)
            held.callback(process.terminate)
        deadline = time.monotonic() + 60
        while True:
            with contextlib.suppress(OSError), contextlib.closing(http.client.HTTPConnection("127.0.0.1", port)) as one:
                one.request("GET", "/health/live")
                if one.getresponse().status == 200:
                    break
            if time.monotonic() > deadline:
                raise TimeoutError("the measured API does not start")
            time.sleep(0.2)
        yield port
