"""A year of generated events: what queries over the marts read of them, and what the checks cost.

All but the last two days are indexed in large units, as a cold index writes them; then a follower's small units come.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import clickhouse_connect

from indexer.configuring import store_configuration
from pipelines.resources import Connections
from tests.bench import checks
from tests.bench.directories import new_directory
from tests.bench.processes import wait_for_merges
from tests.bench.result import Result
from tests.factories.history import CHAIN_ID, EVENTS_A_BLOCK, History
from tests.factories.ledger import CHAINS_TOML
from warehouse import engines, postgres
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.marts.database import MARTS_DATABASE
from warehouse.settings import EngineSettings

EVENTS, MOST_EVENTS = 3_000_000, 10_000_000
YEAR_SECONDS, DAY_SECONDS = 365 * 86_400, 86_400
_BULK_BLOCKS = 1_500
_FOLLOWED_DAYS, _UNITS_A_DAY = 2, 96
_LAST = "(SELECT max(block_time) FROM transfers WHERE chain_id = {chain})"
_WITH = "(SELECT {side} FROM transfers GROUP BY {side} ORDER BY abs(count() - {transfers}), {side} LIMIT 1)"
_QUERIES = {
    "the last day, by time": "SELECT sum(amount) FROM transfers WHERE chain_id = {chain} AND block_time > {day}",
    "the last day, by block": "SELECT sum(amount) FROM transfers WHERE chain_id = {chain} AND block_number > {block}",
    "a busy token": "SELECT sum(amount) FROM transfers WHERE token = '{busy}'",
    "a rare token": "SELECT sum(amount) FROM transfers WHERE token = '{rare}'",
    "transfers to a wallet": "SELECT sum(amount) FROM transfers WHERE to_address = '{wallet}'",
    "transfers of a wallet": """SELECT sum(amount) FROM transfers
                                WHERE from_address = '{wallet}' OR to_address = '{wallet}'""",
    "balances of a wallet": "SELECT sum(balance) FROM balances WHERE wallet = '{wallet}'",
}


def measure(directory: Path, progress: Callable[[str], None], *, longest: bool) -> list[Result]:
    """Write the events, then measure queries and checks."""
    data_dir = new_directory(directory, "warehouse")
    settings = EngineSettings(data_dir=data_dir, clickhouse_url=None, database_url=None)
    with (
        engines.ensure(settings) as urls,
        Warehouse.connect(urls.clickhouse_url) as warehouse,
        postgres.connect(urls.database_url, autocommit=True) as store,
    ):
        chains_file = data_dir / "chains.toml"
        chains_file.write_text(CHAINS_TOML)
        connections = Connections(urls, warehouse, store, facts.load(chains_file))
        history = _write(connections, MOST_EVENTS if longest else EVENTS, progress)
        results = _measure_reads(connections, history)
        for result in results:
            progress(f"{result.name}: {result.value:,.0f} {result.unit}")
        return results + checks.measure(connections, history, data_dir, progress)


def _write(connections: Connections, events: int, progress: Callable[[str], None]) -> History:
    began = time.perf_counter()
    blocks = events // EVENTS_A_BLOCK
    history = History(connections.warehouse, connections.store, block_seconds=YEAR_SECONDS // blocks)
    history.create_assets()
    day = DAY_SECONDS // history.block_seconds
    bulk = blocks - _FOLLOWED_DAYS * day
    while history.blocks < bulk:
        history.add_blocks(min(_BULK_BLOCKS, bulk - history.blocks))
    for unit in range(_FOLLOWED_DAYS * _UNITS_A_DAY):
        history.add_blocks(day * (unit + 1) // _UNITS_A_DAY - day * unit // _UNITS_A_DAY)
    for chain in connections.chains.by_key.values():
        store_configuration(connections.warehouse, chain)
    connections.warehouse.command(
        "INSERT INTO chain_publication (chain_id, generation, next_block, next_unit)"
        f" SELECT {CHAIN_ID}, 1, {history.blocks}, max(unit_id) + 1 FROM raw_block"
    )
    progress(f"{events:,} events of a year in {time.perf_counter() - began:.0f} s")
    wait_for_merges(connections.warehouse)
    return history


def _measure_reads(connections: Connections, history: History) -> list[Result]:
    url = f"{connections.urls.clickhouse_url.rpartition('/')[0]}/{MARTS_DATABASE}"
    with clickhouse_connect.get_client(dsn=url) as client:
        values: dict[str, Any] = {
            "chain": CHAIN_ID,
            "day": f"{_LAST.format(chain=CHAIN_ID)} - INTERVAL 1 DAY",
            "block": history.blocks - 1 - DAY_SECONDS // history.block_seconds,
            "busy": client.command(f"SELECT {_WITH.format(side='token', transfers=10_000)}"),
            "rare": client.command(f"SELECT {_WITH.format(side='token', transfers=50)}"),
            "wallet": client.command(f"SELECT {_WITH.format(side='from_address', transfers=50)}"),
        }
        values["day"] = f"'{client.command('SELECT ' + values['day'])}'"
        results = []
        for name, query in _QUERIES.items():
            read = json.loads(client.raw_query(query.format(**values), fmt="JSON"))["statistics"]
            results.append(Result(f"warehouse: rows read for {name}", read["rows_read"], "rows"))
            results.append(Result(f"warehouse: bytes read for {name}", read["bytes_read"] / 1e6, "MB"))
    return results
