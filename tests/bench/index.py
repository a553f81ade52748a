"""The index, cold: ``python -m tests.bench.index`` brings a fresh warehouse to the head of the chain it is given.

Runs in a process of its own, so that its memory is the indexer's alone; engines come up first and are timed apart.
Prints one line of JSON with the seconds of each phase and what the warehouse then holds.
"""

import argparse
import json
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from indexer import run as indexing
from indexer.chains import facts
from pipelines.refresh import refresh
from warehouse import engines, postgres
from warehouse.clickhouse import Warehouse
from warehouse.settings import EngineSettings

COUNTED = ("raw_block", "fact_transfer", "fact_swap", "fact_pool_state", "fact_pool", "fact_token")


def measure(data_dir: Path, chains_file: Path, chain_key: str, *, derive: bool) -> dict[str, Any]:
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
        ready = time.time()
        advance = indexing.advance(context, chains.by_key[chain_key])
        finished = time.time()
        held = {table: int(warehouse.scalar(f"SELECT count() FROM {table}")) for table in COUNTED}
        disk = warehouse.scalar(
            "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = currentDatabase()"
        )
        began = time.time()
        runs = refresh(warehouse, store, chains) if derive else []
        derived = time.time()
    return {
        "start_seconds": ready - launched,
        "index_seconds": finished - ready,
        "finished_at": finished,
        "events": advance.events,
        "rows": advance.rows,
        "held": held,
        "derive_seconds": derived - began,
        "asset_seconds": {run.asset: round(float(run.seconds), 3) for run in runs},
        "disk_bytes": int(disk),
    }


def main() -> None:
    """Command line of one measured run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--chains", type=Path, required=True)
    parser.add_argument("--chain", default="base")
    parser.add_argument("--derive", action="store_true")
    arguments = parser.parse_args()
    print(json.dumps(measure(arguments.data_dir, arguments.chains, arguments.chain, derive=arguments.derive)))


if __name__ == "__main__":
    main()
