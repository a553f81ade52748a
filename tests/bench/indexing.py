"""The index against what people do without it, on one recorded chain and in one run."""

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from tests.bench import workload
from tests.bench.baselines import DEPOSIT, TRANSFER, V2_SWAP, V3_SWAP, WITHDRAWAL
from tests.bench.directories import new_directory
from tests.bench.memory import MemoryWatch
from tests.bench.recording import Block, Recording
from tests.bench.replay import Replay
from tests.bench.result import Result

ROOT = Path(__file__).resolve().parents[2]
# Index and baselines take turns so often, and the fastest of each counts: what else the machine does only ever adds,
# and one figure of one of them would decide the ratio.
REPEATS = 6
LATENCY_MS = 50
RESULT_CAP = 10_000
SAMPLE_LOGS = 20_000


class _Topics(msgspec.Struct):
    topics: list[str]


@dataclass(frozen=True, slots=True)
class IndexFigures:
    """Results, and what the plots are drawn from."""

    results: list[Result]
    rates: dict[str, float]
    memory: list[tuple[float, str, float]]


class RecordingTooOld(RuntimeError):
    """The indexer asks for what was not asked for when the chain was recorded."""


def measure(directory: Path, transfers: int, progress: Callable[[str], None]) -> IndexFigures:
    """Index the recorded workload cold, from a fast node and from a slow one, beside the baselines."""
    recorded = workload.ensure(directory, transfers, progress)
    try:
        return _compare(directory, recorded, progress)
    except RecordingTooOld as error:
        progress(f"recording anew: {error}")
        return _compare(directory, workload.record(directory, transfers, progress), progress)


def _compare(directory: Path, recorded: workload.Workload, progress: Callable[[str], None]) -> IndexFigures:
    expected = expected_rows(Recording.load(recorded.recording).blocks)
    progress(f"the chain holds {expected['logs']:,} logs")
    with Replay(recorded.recording) as replay:
        chains_file = directory / "chains.toml"
        chains_file.write_text(recorded.chain_toml(replay.url))
        progress("cold index, its memory watched")
        watched = cold_index(directory, chains_file, replay, derive=True, watch_memory=True)
        runs, fetches, loops = [], [], []
        for repeat in range(1, REPEATS + 1):
            replay.control(reset=True, keep_requests=True)
            run = cold_index(directory, chains_file, replay, derive=True)
            progress(f"cold index {repeat}: {run['seconds']:.2f} s, started in {run['start_seconds']:.2f} s")
            slowest = sorted(run["step_seconds"].items(), key=lambda item: -item[1])
            named = ", ".join(f"{step} {seconds:.2f}" for step, seconds in slowest)
            progress(f"all derived tables: {run['derive_seconds']:.2f} s ({named})")
            bodies = replay.control(want_requests=True, keep_requests=False)["bodies"]
            fetch = _baseline("fetch", replay, stdin=json.dumps(bodies))
            progress(f"the same answers and polars.read_json over their logs: {fetch['seconds']:.2f} s")
            runs.append(run)
            fetches.append(fetch)
            loop = _baseline("web3", replay, "--sample", str(SAMPLE_LOGS))
            progress(f"web3.py loop over {loop['logs']:,} logs: {loop['seconds']:.2f} s")
            loops.append(loop)
        slow_runs = []
        replay.control(latency_ms=LATENCY_MS, cap=RESULT_CAP)
        slow_watched = cold_index(directory, chains_file, replay, watch_memory=True)
        for _ in range(REPEATS):
            replay.control(reset=True)
            slow = cold_index(directory, chains_file, replay)
            progress(f"with {LATENCY_MS} ms of latency and {RESULT_CAP:,} results a call: {slow['seconds']:.2f} s")
            slow_runs.append(slow)

    seconds = min(run["seconds"] for run in runs)
    slow_seconds = min(run["seconds"] for run in slow_runs)
    fetch_seconds = min(fetch["seconds"] for fetch in fetches)
    parse_seconds = min(fetch["parse_seconds"] for fetch in fetches)
    events = runs[0]["events"]
    wrong = sum(
        abs(run["held"][table] - count)
        for run in [watched, *runs, slow_watched, *slow_runs]
        for table, count in expected["held"].items()
    )
    rates = {
        "index, end to end": events / seconds,
        "index, slow node": events / slow_seconds,
        "fetch and polars.read_json": expected["logs"] / fetch_seconds,
        "polars.read_json alone": expected["logs"] / parse_seconds,
        "web3.py loop": max(loop["logs"] / loop["seconds"] for loop in loops),
    }
    results = [
        Result(
            "index: events a second / those of parsing the same JSON",
            rates["index, end to end"] / rates["polars.read_json alone"],
            "ratio",
        ),
        Result(
            "index: seconds / those of fetching the same bytes and polars.read_json",
            seconds / fetch_seconds,
            "ratio",
            "<= 2.5",
        ),
        Result(
            "index: events a second / those of a web3.py loop",
            rates["index, end to end"] / rates["web3.py loop"],
            "ratio",
            ">= 60",
        ),
        Result(
            f"index: seconds behind {LATENCY_MS} ms and {RESULT_CAP:,} results a call / without",
            slow_seconds / seconds,
            "ratio",
            "<= 1.3",
        ),
        Result("index: rows missing or doubled, all runs", wrong, "rows", "== 0"),
        Result("index: events a second", rates["index, end to end"], "1/s"),
        Result("index: CPU of indexer and engines", statistics.median(run["cpu_seconds"] for run in runs), "s"),
        Result("index: CPU of merges after it", statistics.median(run["merge_cpu_seconds"] for run in runs), "s"),
        Result("index: start-up", statistics.median(run["start_seconds"] for run in runs), "s"),
        Result(
            "index: peak memory of the indexer (PSS)",
            max(run["peaks_mb"]["indexer"] for run in (watched, slow_watched)),
            "MB",
            "<= 600",
        ),
        Result(
            "index: peak memory of the warehouse (PSS)",
            watched["peaks_mb"].get("warehouse", 0.0),
            "MB",
        ),
        Result(
            "index: page faults of the indexer, start-up included",
            statistics.median(run["page_faults"] for run in runs),
            "faults",
        ),
        Result("index: all derived tables, made in full", min(run["derive_seconds"] for run in runs), "s"),
        Result("index: disk per million events", runs[0]["disk_bytes"] / events, "MB"),
    ]
    return IndexFigures(results, rates, watched["samples"])


def cold_index(
    directory: Path, chains_file: Path, replay: Replay, *, derive: bool = False, watch_memory: bool = False
) -> dict[str, Any]:
    """One index into a fresh data directory by a fresh process; its seconds from the first request to the last block.

    Memory is watched in runs whose time does not count: to add up the pages of a process ten times a second takes a
    tenth of a core, and the process waits for its memory meanwhile.

    Raises:
        RecordingTooOld: it asked for something that is not recorded.
    """
    data_dir = new_directory(directory, "index")
    command = [sys.executable, "-m", "tests.bench.index", "--data-dir", str(data_dir), "--chains", str(chains_file)]
    if derive:
        command.append("--derive")
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with MemoryWatch(process.pid) if watch_memory else nullcontext() as memory:
        output, complaint = process.communicate()
    stats = replay.control()
    if stats["miss_count"]:
        raise RecordingTooOld(f"{stats['miss_count']} calls are not in it, such as {stats['misses'][0]}")
    if process.returncode:
        raise SystemExit(f"the index ended with status {process.returncode}: {complaint[-2000:]}")
    run: dict[str, Any] = json.loads(output.strip().splitlines()[-1])
    return run | {
        "seconds": run["finished_at"] - stats["first_at"],
        "node_busy_seconds": stats["busy_seconds"],
        "peaks_mb": memory.peaks_mb if memory else {},
        "samples": memory.samples if memory else [],
    }


def _baseline(name: str, replay: Replay, *options: str, stdin: str | None = None) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.bench.baselines", name, "--port", str(replay.port), *options]
    done = subprocess.run(command, cwd=ROOT, input=stdin, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def expected_rows(blocks: Sequence[Block]) -> dict[str, Any]:
    """Rows the warehouse must hold of these blocks, counted from the recorded logs alone."""
    counts: dict[tuple[str, int], int] = {}
    for block in blocks:
        for log in msgspec.json.decode(b"[" + block.logs + b"]", type=list[_Topics]):
            kind = (log.topics[0] if log.topics else "", len(log.topics))
            counts[kind] = counts.get(kind, 0) + 1
    return {
        "logs": sum(len(block.ends) for block in blocks),
        "held": {
            "raw_block": len(blocks),
            # With four topics it is another standard's event of the same name; wrapping coins mints and burns.
            "fact_transfer": sum(counts.get(kind, 0) for kind in ((TRANSFER, 3), (DEPOSIT, 2), (WITHDRAWAL, 2))),
            "fact_swap": counts.get((V2_SWAP, 3), 0) + counts.get((V3_SWAP, 3), 0),
        },
    }
