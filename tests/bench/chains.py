"""One, four and eight chains followed at once, below saturation: the CPU of a chain, and how late it is.

The chains are one local chain under several numbers, so their work is the same. Their followers are processes as
``regalia follow`` starts them; they share a warehouse and a store. What is compared is CPU time: of the followers and
of both engines, without the node's.
"""

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from indexer.devchain import bulk
from indexer.devchain.anvil import Anvil
from indexer.devchain.bulk import BulkChain
from tests.bench.directories import new_directory
from tests.bench.memory import label
from tests.bench.mining import Pace, mine
from tests.bench.result import Result, percentile
from tests.fixtures.faulty_node import Answer, FaultyNode, Request, faulty_node
from warehouse import engines, postgres
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.engines import EngineUrls
from warehouse.settings import EngineSettings

ROOT = Path(__file__).resolve().parents[2]
COUNTS = (1, 4, 8)
PACE = Pace(seconds=30.0, blocks_a_second=0.5, moves_a_block=40, blocks_a_token=10)
"""A block every two seconds, as on Base and Polygon."""
_TRANSFERS, _TOKENS, _SWAPS = 1_500, 20, 150
_WATCH_SECONDS = 0.25
_MAX_SECONDS = 240.0
_SETTLE_SECONDS = 5.0
_NEWEST = "SELECT as_of_blocks FROM serve_publication ORDER BY version DESC LIMIT 1"


@dataclass(slots=True)
class Followed:
    """What was seen of some chains: seconds from mined to indexed and to published, and CPU seconds by process."""

    chains: int
    indexed: list[float] = field(default_factory=list)
    published: list[float] = field(default_factory=list)
    cpu: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def cpu_of_a_chain(self) -> float:
        """CPU seconds of followers and engines, for each chain."""
        return sum(self.cpu.values()) / self.chains


def measure(directory: Path, progress: Callable[[str], None]) -> list[Result]:
    """Follow one, four and eight chains while they are mined."""
    with Anvil.start(state_roots=False) as anvil:
        chain = bulk.create(anvil, transfers=_TRANSFERS, tokens=_TOKENS, swaps=_SWAPS)
        seen = []
        for count in COUNTS:
            seen.append(_follow(new_directory(directory, "chains"), chain, count))
            cores = sum(seen[-1].cpu.values()) / seen[-1].seconds
            shares = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in sorted(seen[-1].cpu.items()))
            progress(f"{count} chains: {cores:.2f} cores busy ({shares})")
    return _results(seen)


def _results(seen: Sequence[Followed]) -> list[Result]:
    one, four = seen[0], seen[1]
    results = [Result(f"chains: CPU of a chain, {each.chains} followed", each.cpu_of_a_chain, "s") for each in seen]
    results.append(
        Result("chains: CPU of a chain, four / one", four.cpu_of_a_chain / one.cpu_of_a_chain, "ratio", "<= 1.1")
    )
    for each in seen:
        for name, seconds in (("indexed", each.indexed), ("published", each.published)):
            for percent in (50, 95):
                figure = f"chains: from mined to {name}, {each.chains} followed, p{percent}"
                results.append(Result(figure, percentile(seconds, percent), "s"))
    return results


def _follow(data_dir: Path, chain: BulkChain, count: int) -> Followed:
    known = facts.load(None).by_key.values()
    numbers = {one.key: one.chain_id for one in known if one.kind == "evm"}
    chosen = dict(list(numbers.items())[:count])
    settings = EngineSettings(data_dir=data_dir, clickhouse_url=None, database_url=None)
    followed = Followed(count)
    with contextlib.ExitStack() as held:
        urls = held.enter_context(engines.ensure(settings))
        nodes = {key: held.enter_context(_node_of(chain.anvil.url, number)) for key, number in chosen.items()}
        chains_file = data_dir / "chains.toml"
        chains_file.write_text("".join(_toml(chain, key, numbers[key], node) for key, node in nodes.items()))
        watch = held.enter_context(_watched(urls, followed))
        for key in chosen:
            held.enter_context(_follower(data_dir, chains_file, key))
        head = chain.anvil.block_number()
        watch.await_block(head, chosen.values())
        time.sleep(_SETTLE_SECONDS)
        before, started = _cpu_seconds(), time.monotonic()
        for block in mine(chain, PACE):
            watch.mined[block.number] = block.at
        watch.await_block(max(watch.mined), chosen.values())
        followed.seconds = time.monotonic() - started
        followed.cpu = {name: seconds - before.get(name, 0.0) for name, seconds in _cpu_seconds().items()}
    return followed


def _toml(chain: BulkChain, key: str, number: int, node: FaultyNode) -> str:
    text = chain.chain_toml(key).replace(chain.anvil.url, node.url)
    return text.replace(
        f"chain_id = {chain.anvil.chain_id}\n", f"chain_id = {number}\nblock_seconds = 2\nclaim_only = false\n"
    )


@contextlib.contextmanager
def _node_of(url: str, number: int) -> Iterator[FaultyNode]:
    """The node, as one of the chain of this number."""

    def renumbered(request: Request, answer: Answer) -> Answer:
        return {**answer, "result": hex(number)} if request["method"] == "eth_chainId" else answer

    with faulty_node(url) as node:
        node.item = renumbered
        yield node


@contextlib.contextmanager
def _follower(data_dir: Path, chains_file: Path, key: str) -> Iterator[None]:
    settings = {"REGALIA_DATA_DIR": str(data_dir), "REGALIA_CHAINS": str(chains_file), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "pipelines", "follow", "--chain", key]
    with (data_dir / f"{key}.log").open("wb") as output:
        process = subprocess.Popen(command, env=os.environ | settings, cwd=data_dir, stdout=output, stderr=output)
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)


@dataclass(slots=True)
class _Watch:
    """Notes when each block of each chain was first seen indexed, and published."""

    followed: Followed
    mined: dict[int, float] = field(default_factory=dict)
    indexed: dict[int, int] = field(default_factory=dict)
    published: dict[int, int] = field(default_factory=dict)

    def see(self, found: dict[int, int], before: dict[int, int], late: list[float]) -> None:
        """Note how late the blocks are that have come since ``before``."""
        now = time.monotonic()
        for number, block in found.items():
            late += [
                now - self.mined[one] for one in range(before.get(number, block) + 1, block + 1) if one in self.mined
            ]
            before[number] = block

    def await_block(self, block: int, numbers: Any) -> None:
        """Wait until all chains are published up to a block.

        Raises:
            TimeoutError: they are not.
        """
        deadline = time.monotonic() + _MAX_SECONDS
        while any(self.published.get(number, -1) < block for number in numbers):
            if time.monotonic() > deadline:
                raise TimeoutError(f"not all chains are published up to block {block}: {self.published}")
            time.sleep(_WATCH_SECONDS)


@contextlib.contextmanager
def _watched(urls: EngineUrls, followed: Followed) -> Iterator[_Watch]:
    watch, stop = _Watch(followed), threading.Event()

    def run() -> None:
        with (
            postgres.connect(urls.database_url, autocommit=True) as store,
            Warehouse.connect(urls.clickhouse_url) as warehouse,
        ):
            while not stop.wait(_WATCH_SECONDS):
                rows = store.execute(
                    "SELECT chain_id, block_number FROM chain_checkpoint WHERE block_number IS NOT NULL"
                ).fetchall()
                found = {row["chain_id"]: row["block_number"] for row in rows}
                watch.see(found, watch.indexed, followed.indexed)
                newest = warehouse.rows(_NEWEST)
                watch.see(dict(newest[0]["as_of_blocks"]) if newest else {}, watch.published, followed.published)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield watch
    finally:
        stop.set()
        thread.join()


def _cpu_seconds() -> dict[str, float]:
    """CPU seconds so far of the followers, the warehouse and the store, with those of their processes that ended."""
    spent: dict[str, float] = {}
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            name = "followers" if "pipelines" in process.cmdline() else label(process, os.getpid())
            if name != "other":
                spent[name] = spent.get(name, 0.0) + sum(process.cpu_times()[:4])
    return spent
