"""The index, cold: ``python -m tests.bench.index`` brings a fresh warehouse to the head of the chain it is given.

Runs in a process of its own, so that its memory is the indexer's alone; engines come up first and are timed apart.
Prints one line of JSON with the seconds of each phase and what the warehouse then holds. With ``--profile`` it takes
the recorded chain of the benchmark, serves it itself and prints where the time went.
"""

import argparse
import json
import resource
import time
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import psutil

from indexer import run as indexing
from pipelines.refresh import refresh
from tests.bench import processes, workload
from tests.bench.directories import new_directory, remove_runs
from tests.bench.profile import Profile
from tests.bench.replay import Replay
from warehouse import engines, postgres
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.settings import EngineSettings

COUNTED = ("raw_block", "fact_transfer", "fact_swap", "fact_pool_state", "fact_pool", "fact_token")


def measure(
    data_dir: Path, chains_file: Path, chain_key: str, *, derive: bool = False, profile: Profile | None = None
) -> dict[str, Any]:
    """Index the whole chain into a fresh data directory; with ``derive`` make all derived tables of it, too."""
    launched = time.time()
    settings = EngineSettings(data_dir=data_dir, chains=chains_file, clickhouse_url=None, database_url=None)
    chains = facts.load(chains_file)
    with (
        engines.ensure(settings) as urls,
        Warehouse.connect(urls.clickhouse_url) as warehouse,
        postgres.connect(urls.database_url, autocommit=True) as store,
        closing(indexing.IndexContext(warehouse, urls.database_url)) as context,
    ):
        watching = profile.watching(warehouse, processes.of_run(data_dir)) if profile else nullcontext()
        context.session(chains.by_key[chain_key])  # importing the source is part of starting
        measured = processes.of_run(data_dir)
        cpu = [processes.cpu_of_all(measured)]
        ready = time.time()
        with watching:
            advance = indexing.advance(context, chains.by_key[chain_key])
        finished = time.time()
        cpu.append(processes.cpu_of_all(measured))
        page_faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        held = {table: int(warehouse.scalar(f"SELECT count() FROM {table}")) for table in COUNTED}
        disk = warehouse.scalar(
            "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = currentDatabase()"
        )
        if derive:
            processes.wait_for_merges(warehouse)
            cpu.append(processes.cpu_of_all(measured))
        began = time.time()
        runs = refresh(warehouse, store, chains) if derive else []
        derived = time.time()
    return {
        "start_seconds": ready - launched,
        "index_seconds": finished - ready,
        "finished_at": finished,
        "page_faults": page_faults,
        "events": advance.events,
        "rows": advance.rows,
        "held": held,
        "cpu_seconds": cpu[1] - cpu[0],
        "merge_cpu_seconds": cpu[-1] - cpu[1],
        "derive_seconds": derived - began,
        "step_seconds": {run.step: round(float(run.seconds), 3) for run in runs},
        "disk_bytes": int(disk),
    }


def profiled(transfers: int, latency_ms: int, cap: int | None) -> Profile:
    """Index the benchmark's chain into a data directory that is removed afterwards, and see where the time goes."""
    directory = Path(__file__).resolve().parents[2] / "build" / "bench"
    recorded = workload.ensure(directory, transfers, print)
    data_dir = new_directory(directory, "profile")
    with Replay(recorded.recording) as replay:
        replay.control(latency_ms=latency_ms, cap=cap)
        chains_file = directory / "profile.toml"
        chains_file.write_text(recorded.chain_toml(replay.url))
        profile = Profile({"replayed node": psutil.Process(replay.process.pid)})
        measure(data_dir, chains_file, "base", profile=profile)
    remove_runs(directory)
    return profile


def main() -> None:
    """Command line of one measured run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--chains", type=Path)
    parser.add_argument("--chain", default="base")
    parser.add_argument("--derive", action="store_true")
    parser.add_argument("--profile", action="store_true", help="print where the time goes, over the benchmark's chain")
    parser.add_argument("--transfers", type=int, default=300_000, help="with --profile: transfers of that chain")
    parser.add_argument("--latency-ms", type=int, default=0, help="with --profile: latency of the node")
    parser.add_argument("--cap", type=int, help="with --profile: most results the node returns to a call")
    arguments = parser.parse_args()
    if arguments.profile:
        print("\n".join(profiled(arguments.transfers, arguments.latency_ms, arguments.cap).lines()))
    elif arguments.data_dir is None or arguments.chains is None:
        parser.error("--data-dir and --chains say what to index and where to; or use --profile")
    else:
        print(json.dumps(measure(arguments.data_dir, arguments.chains, arguments.chain, derive=arguments.derive)))


if __name__ == "__main__":
    main()
