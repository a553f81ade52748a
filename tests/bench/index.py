"""The index, cold: ``python -m tests.bench.index`` brings a fresh warehouse to the head of the chain it is given.

Runs in a process of its own, so that its memory is the indexer's alone; engines come up first and are timed apart.
Prints one line of JSON with the seconds of each phase and what the warehouse then holds.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

from indexer import run as indexing
from indexer.chains import facts
from warehouse import engines
from warehouse.clickhouse import Warehouse
from warehouse.settings import EngineSettings

COUNTED = ("raw_block", "fact_transfer", "fact_swap", "fact_pool_state", "fact_pool", "fact_token")


def measure(data_dir: Path, chains_file: Path, chain_key: str) -> dict[str, Any]:
    """Index the whole chain into a fresh data directory."""
    launched = time.time()
    settings = EngineSettings(data_dir=data_dir, chains=chains_file, clickhouse_url=None, database_url=None)
    chain = facts.load(chains_file).by_key[chain_key]
    with engines.ensure(settings) as urls:
        warehouse = Warehouse.connect(urls.clickhouse_url)
        ready = time.time()
        context = indexing.IndexContext(warehouse=warehouse, store_url=urls.database_url)
        advance = indexing.advance(context, chain)
        finished = time.time()
        held = {table: int(warehouse.scalar(f"SELECT count() FROM {table}")) for table in COUNTED}
        holders = warehouse.scalar(
            "SELECT count() FROM (SELECT token, wallet, sum(delta_raw) AS balance FROM agg_balance_day "
            "GROUP BY token, wallet HAVING balance != 0)"
        )
        disk = warehouse.scalar(
            "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = currentDatabase()"
        )
        warehouse.close()
    return {
        "start_seconds": ready - launched,
        "index_seconds": finished - ready,
        "finished_at": finished,
        "events": advance.events,
        "rows": advance.rows,
        "held": held,
        "holders": int(holders),
        "disk_bytes": int(disk),
    }


def main() -> None:
    """Command line of one measured run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--chains", type=Path, required=True)
    parser.add_argument("--chain", default="base")
    arguments = parser.parse_args()
    print(json.dumps(measure(arguments.data_dir, arguments.chains, arguments.chain)))


if __name__ == "__main__":
    main()
