"""Solana's index against parsing the same JSON alone and a plain solana-py loop, on one chain and in one run.

The baselines run in processes of their own: ``python -m tests.bench.solana parse --port N``, ``loop`` and ``blocks``.
"""

import argparse
import asyncio
import http.client
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from statistics import median
from typing import Any

import orjson
from solana.rpc.async_api import AsyncClient
from solders.pubkey import Pubkey

from tests.bench.directories import new_directory
from tests.bench.memory import MemoryWatch
from tests.bench.result import Result
from tests.bench.solana_chain import FIRST_SLOT, GENESIS, TOKEN

ROOT = Path(__file__).resolve().parents[2]
BLOCKS, TRANSACTIONS = 60, 1_000
CHANGES = 2
"""Token balances that a transaction changes."""
LOOP_BLOCKS = 3
LOOP_TRANSACTIONS = TRANSACTIONS
ROUNDS = 5


def measure(directory: Path, progress: Callable[[str], None]) -> list[Result]:
    """Index the chain cold in turns with the baselines. A ratio is the median of those of the rounds:
    what slows the machine for a while slows both sides of a round."""
    changes = BLOCKS * TRANSACTIONS * CHANGES
    with _node() as port:
        chains_file = directory / "solana.toml"
        directory.mkdir(parents=True, exist_ok=True)
        chains_file.write_text(
            f'[chains.solana]\ncaip2 = "solana:{GENESIS[:32]}"\nrpc_urls = ["http://127.0.0.1:{port}"]\n'
            f"start_block = {FIRST_SLOT}\n"
        )
        watched = _index(directory, chains_file, watch_memory=True)
        runs, parses, loops, whole = [], [], [], []
        for _ in range(ROUNDS):
            runs.append(_index(directory, chains_file))
            parses.append(_baseline("parse", port))
            loops.append(_baseline("loop", port))
            whole.append(_baseline("blocks", port))
            progress(
                f"cold index {runs[-1]['index_seconds']:.2f} s, parsing alone {parses[-1]['seconds']:.2f} s, solana-py"
                f" {loops[-1]['seconds'] * 1e3:.2f} ms a transaction, over blocks {whole[-1]['seconds'] * 1e3:.2f} ms"
            )
    rates = [changes / run["index_seconds"] for run in runs]

    def ratio(baseline: list[float]) -> float:
        return median(rate / found for rate, found in zip(rates, baseline, strict=True))

    parsed = ratio([changes / run["seconds"] for run in parses])
    looped, over_blocks = (ratio([CHANGES / run["seconds"] for run in found]) for found in (loops, whole))
    wrong = sum(
        abs(run["held"]["fact_transfer"] - BLOCKS * TRANSACTIONS) + abs(run["held"]["raw_block"] - BLOCKS)
        for run in [watched, *runs]
    )
    return [
        Result("solana: balance changes a second / those of parsing the same JSON", parsed, "ratio", ">= 0.4"),
        Result("solana: balance changes a second / those of a solana-py loop", looped, "ratio", ">= 20"),
        Result("solana: balance changes a second / those of solana-py over whole blocks", over_blocks, "ratio"),
        Result("solana: rows missing or doubled, all runs", wrong, "rows", "== 0"),
        Result("solana: balance changes a second", median(rates), "1/s"),
        Result("solana: peak memory of the indexer (PSS)", watched["peaks_mb"]["indexer"], "MB", "<= 600"),
    ]


@contextmanager
def _node() -> Iterator[int]:
    command = [sys.executable, "-m", "tests.bench.solana_chain", "--blocks", str(BLOCKS)]
    command += ["--transactions", str(TRANSACTIONS)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            process.kill()


def _index(directory: Path, chains_file: Path, *, watch_memory: bool = False) -> dict[str, Any]:
    """One index into a fresh data directory by a fresh process. Time does not count where memory is watched."""
    data_dir = new_directory(directory, "solana")
    command = [sys.executable, "-m", "tests.bench.index", "--data-dir", str(data_dir), "--chains", str(chains_file)]
    process = subprocess.Popen([*command, "--chain", "solana"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    with MemoryWatch(process.pid) if watch_memory else nullcontext() as memory:
        output, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"the index ended with status {process.returncode}")
    run: dict[str, Any] = json.loads(output.strip().splitlines()[-1])
    return run | {"peaks_mb": memory.peaks_mb if memory else {}}


def _baseline(name: str, port: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.bench.solana", name, "--port", str(port)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def parse(port: int) -> float:
    """Seconds to parse all blocks with orjson, which are in memory by then."""
    connection = http.client.HTTPConnection("127.0.0.1", port)

    def ask(method: str, *params: Any) -> bytes:
        body = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        connection.request("POST", "/", body)
        return connection.getresponse().read()

    slots = orjson.loads(ask("getBlocks", FIRST_SLOT, 10**9))["result"]
    answers = [ask("getBlock", slot, {"transactionDetails": "full"}) for slot in slots]
    started = time.perf_counter()
    for answer in answers:
        orjson.loads(answer)
    return time.perf_counter() - started


async def loop(port: int) -> float:
    """Seconds of the usual first implementation for each of some transactions: their signatures, then one by one."""
    changes: list[tuple[int, str, str, str, int]] = []
    started = time.perf_counter()
    async with AsyncClient(f"http://127.0.0.1:{port}") as client:
        found = (await client.get_signatures_for_address(Pubkey.from_string(TOKEN))).value[:LOOP_TRANSACTIONS]
        for one in found:
            answer = (await client.get_transaction(one.signature, "json", max_supported_transaction_version=0)).value
            assert answer is not None
            _add_changes(changes, one.slot, str(one.signature), answer.transaction.meta)
    assert len(changes) == LOOP_TRANSACTIONS * CHANGES
    return (time.perf_counter() - started) / LOOP_TRANSACTIONS


async def blocks(port: int) -> float:
    """Seconds of a loop over whole blocks for each of their transactions."""
    changes: list[tuple[int, str, str, str, int]] = []
    started = time.perf_counter()
    async with AsyncClient(f"http://127.0.0.1:{port}") as client:
        slots = (await client.get_blocks(FIRST_SLOT, 10**9)).value[:LOOP_BLOCKS]
        for slot in slots:
            block = (await client.get_block(slot, "json", max_supported_transaction_version=0)).value
            assert block is not None
            for item in block.transactions or ():
                transaction: Any = item.transaction
                _add_changes(changes, slot, str(transaction.signatures[0]), item.meta)
    assert len(changes) == LOOP_BLOCKS * TRANSACTIONS * CHANGES
    return (time.perf_counter() - started) / (LOOP_BLOCKS * TRANSACTIONS)


def _add_changes(changes: list[tuple[int, str, str, str, int]], slot: int, signature: str, meta: Any) -> None:
    before = {one.account_index: int(one.ui_token_amount.amount) for one in meta.pre_token_balances}
    for one in meta.post_token_balances:
        change = int(one.ui_token_amount.amount) - before.get(one.account_index, 0)
        changes.append((slot, signature, str(one.mint), str(one.owner), change))


def main() -> None:
    """Command line of one baseline."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=["parse", "loop", "blocks"])
    parser.add_argument("--port", type=int, required=True)
    arguments = parser.parse_args()
    if arguments.name == "parse":
        seconds = parse(arguments.port)
    else:
        seconds = asyncio.run({"loop": loop, "blocks": blocks}[arguments.name](arguments.port))
    print(json.dumps({"seconds": seconds}))


if __name__ == "__main__":
    main()
