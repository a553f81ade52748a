"""How long it takes to write down a broadcast's recipients and make their deliveries, largest holders first.

The steps are the worker's own, over the embedded engines with their files safe on disk.
"""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from api.broadcasts.engine import broadcast_engine
from api.services import open_services
from api.settings import ApiSettings
from tests.bench.directories import new_directory
from tests.bench.machine import compare, sampled
from tests.bench.result import Result
from tests.factories.holdings import TOKEN, publish
from tests.factories.registrations import add_registration, address
from warehouse import engines, postgres
from warehouse.clickhouse import Warehouse
from warehouse.engines import EngineUrls
from warehouse.postgres import Connection
from warehouse.settings import EngineSettings

RECIPIENTS = 50_000
HOLDERS = 200_000
OWNER = address(0xA11CE)
_SUBSCRIBE = """
WITH made AS (
    INSERT INTO account (wallet, plan)
    SELECT '0x' || lpad(to_hex(n), 40, '0'), 'free' FROM generate_series(1, %s) AS n RETURNING id, wallet
), linked AS (
    INSERT INTO page_subscription (chain_id, token_id, token_address, account_id, wallet, channels, created_at)
    SELECT 8453, 7, %s, id, wallet, '{inapp,email}', now() FROM made
)
INSERT INTO contact (account_id, channel, sealed, fingerprint, created_at, confirmed_at)
SELECT id, 'email', '\\x01', '', now(), now() FROM made
"""
_SEND = """
INSERT INTO broadcast (
    chain_id, token_id, token_address, account_id, wallet, request_hash, kind, title, body, source_type, channels,
    segments, status, expected, created_at, due_at, try_at
)
SELECT 8453, 7, %s, id, %s, '', 'update', 'Title', 'Text', 'manual', '{inapp,email}', '{}', 'queued', 0, now(), now(),
    now()
FROM account LIMIT 1
"""


def measure(directory: Path, progress: Callable[[str], None]) -> list[Result]:
    """Queue one broadcast to the most recipients that one may have, in the inbox and by mail."""
    data_dir = new_directory(directory, "broadcasts")
    settings = EngineSettings(data_dir=data_dir, clickhouse_url=None, database_url=None)
    with engines.ensure(settings) as urls, sampled() as machine:
        _fill_warehouse(Warehouse.connect(urls.clickhouse_url))
        with postgres.connect(urls.database_url, autocommit=True) as store:
            add_registration(store, token_id=7, owner=OWNER, token_address=TOKEN)
            store.execute(_SUBSCRIBE, (RECIPIENTS, TOKEN))
            store.execute("ANALYZE")
            machine.sample()
            store.execute(_SEND, (TOKEN, OWNER))
            seconds = asyncio.run(_queue(data_dir, urls))
            _check(store)
    progress(f"{RECIPIENTS:,} recipients queued in {seconds:.1f} s")
    empty = machine.mean_request_ms() / 1000
    return [
        *compare(
            f"broadcasts: {RECIPIENTS:,} recipients queued", seconds, "s", "<= 115000", "a bare empty request", empty
        ),
        *machine.results("broadcasts"),
    ]


def _fill_warehouse(warehouse: Warehouse) -> None:
    publish(warehouse)
    warehouse.command(
        "INSERT INTO agg_balance_day (chain_id, token, wallet, day, delta_raw)"
        f" SELECT 8453, unhex('{TOKEN[2:]}'), unhex(leftPad(hex(number + 1), 40, '0')), today() - 3, number + 1"
        f" FROM numbers({HOLDERS})"
    )


async def _queue(data_dir: Path, urls: EngineUrls) -> float:
    """Seconds until all deliveries are made. Nothing is sent."""
    settings = ApiSettings(
        data_dir=data_dir,
        broadcast_review_above=10**6,
        mail_url="smtp://127.0.0.1:1",
        mail_from="crowns@crowns.example",
    )
    async with open_services(settings, urls=urls) as services:
        engine = broadcast_engine(services)
        began = time.perf_counter()
        while (await engine.queue.fan_out(datetime.now(UTC)))[0]:
            pass
        return time.perf_counter() - began


def _check(store: Connection) -> None:
    row = store.execute(
        "SELECT status, recipients, (SELECT count(*) FROM inbox_entry) AS entries,"
        " (SELECT count(*) FROM broadcast_delivery) AS deliveries FROM broadcast"
    ).fetchone()
    if row != {"status": "sent", "recipients": RECIPIENTS, "entries": RECIPIENTS, "deliveries": RECIPIENTS}:
        raise SystemExit(f"not everything was queued: {row}")
