"""What analysts ask of the marts, in one table each, and in the frames that they work with."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import clickhouse_connect
import duckdb
import polars as pl
import pytest

from indexer.configuring import store_configuration
from pipelines.refresh import refresh
from tests.factories.amounts import DOLLAR, ETHER
from tests.factories.ledger import CHAINS_TOML, USDC, WETH, Ledger, address
from tests.factories.solana_market import CHAINS_TOML as SOLANA_TOML
from tests.factories.solana_market import COIN, LAMPORTS, SolanaLedger, build_solana_market
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.marts.database import database_of
from warehouse.postgres import Connection
from warehouse.settings import EngineSettings

pytestmark = pytest.mark.slow  # derives two chains

HOUR = 3_600
PEPE = address(0x9E9E)
VOLUME_BY_EXCHANGE = """
    SELECT toDate(block_time) AS day, chain, exchange, sum(amount_usd) AS volume_usd, count() AS trades
    FROM trades
    WHERE block_time >= (SELECT max(block_time) FROM trades) - INTERVAL 30 DAY
    GROUP BY day, chain, exchange
    ORDER BY chain
"""
HOURLY_PRICE = f"""
    SELECT hour, price_close_usd, liquidity_usd
    FROM prices_hourly
    WHERE chain = 'base' AND token = '0x{PEPE}'
    ORDER BY hour
"""


def fill_base(warehouse: Warehouse, store: Connection) -> None:
    """WETH at 2,000 dollars, PEPE at 0.001 WETH: a trade before PEPE has a price, and two after."""
    ledger = Ledger(warehouse, store)
    ledger.mine(0)
    ledger.mine(0)
    ledger.token(int(USDC, 16), "USDC", supply=10**15, decimals=6)
    ledger.token(int(WETH, 16), "WETH", supply=10**24)
    ledger.token(int(PEPE, 16), "PEPE", supply=10**24, creator=address(0xC1))
    against_dollars = ledger.pool(0x7001, USDC, WETH)
    pool = ledger.pool(0x7002, PEPE, WETH)
    ledger.sync(against_dollars, 2_000_000 * DOLLAR, 1_000 * ETHER)
    ledger.sync(pool, 100_000 * ETHER, 100 * ETHER)
    for wait in (60, HOUR, 120):
        ledger.mine(wait)
        ledger.swap(pool, 10 * ETHER, -ETHER // 100)
        ledger.sync(pool, 100_000 * ETHER, 100 * ETHER)
        ledger.transfer(PEPE, address(0xC1), address(0xD0 + wait % 7), 10 * ETHER)
    ledger.mine(2 * HOUR)
    ledger.publish()


def fill_solana(warehouse: Warehouse, store: Connection) -> None:
    """SOL at 150 dollars, and a coin at 0.002 SOL, traded once when its pool has been deep for an hour."""
    ledger = SolanaLedger(warehouse, store)
    pool = build_solana_market(ledger)
    side = pool.mints.index("coin")
    ledger.run(pool.swap(side, 100 * COIN, LAMPORTS // 5), seconds=2 * HOUR)
    ledger.pass_time(HOUR)


@pytest.fixture(scope="module")
def chains_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("chains") / "chains.toml"
    path.write_text(CHAINS_TOML + SOLANA_TOML)
    return path


@pytest.fixture
def analyst(
    warehouse: Warehouse, warehouse_url: str, store: Connection, chains_file: Path, engine_settings: EngineSettings
) -> Iterator[Any]:
    """The analyst's client, of a warehouse with both chains."""
    chains = facts.load(chains_file)
    fill_base(warehouse, store)
    fill_solana(warehouse, store)
    for key in ("base", "solana"):
        store_configuration(warehouse, chains.by_key[key])
    warehouse.command(
        "INSERT INTO chain_publication (chain_id, generation, next_block, next_unit)"
        " SELECT chain_id, 1, max(block_number) + 1, max(unit_id) + 1 FROM raw_block GROUP BY chain_id"
    )
    refresh(warehouse, store, chains)
    parts = urlsplit(warehouse_url)
    password = (engine_settings.data_dir / "keys" / "clickhouse-analyst.password").read_text().strip()
    with clickhouse_connect.get_client(
        host=parts.hostname,
        port=parts.port or 0,
        username="analyst",
        password=password,
        database=database_of(parts.path.strip("/")),
    ) as client:
        yield client


def test_one_table_answers_and_ordinary_frames_read_it(analyst: Any) -> None:
    # One statement after another: deriving the chains takes most of the time.
    volumes = analyst.query_arrow(VOLUME_BY_EXCHANGE)
    rows = {row["chain"]: row for row in volumes.to_pylist()}
    assert rows["base"]["trades"] == 3
    # Three hundredths of a WETH; in the first hour it had no price yet.
    assert rows["base"]["volume_usd"] == pytest.approx(2 * 20)
    assert rows["solana"]["volume_usd"] == pytest.approx(0.2 * 150)

    prices = analyst.query_df(HOURLY_PRICE)
    assert prices["hour"].dtype.kind == "M"
    assert prices["price_close_usd"].tolist()[1:] == [pytest.approx(2.0)]
    assert prices["liquidity_usd"].tolist()[1:] == [pytest.approx(400_000)]

    frame = pl.from_arrow(analyst.query_arrow("SELECT * FROM trades ORDER BY block_time"))
    assert isinstance(frame, pl.DataFrame)
    kinds = dict(frame.schema)
    assert kinds["block_time"].base_type() == pl.Datetime
    assert all(kinds[name] == pl.String for name in ("chain", "pool", "token_sold", "amount_sold_raw"))
    assert kinds["amount_usd"] == pl.Float64
    sold = frame.filter(pl.col("chain") == "base")["token_sold"].unique().to_list()
    assert sold == [f"0x{PEPE}"]

    tables = {name: analyst.query_arrow(f"SELECT * FROM {name}") for name in ("token_daily", "transfers", "balances")}
    database = duckdb.connect()
    for name, table in tables.items():
        database.register(name, table)
    found = database.sql(
        "SELECT symbol, holders, transfers, new_holders, price_close_usd FROM token_daily WHERE symbol = 'PEPE'"
    ).fetchall()
    assert found == [("PEPE", 4, 4, 4, pytest.approx(2.0))]
    assert database.sql("SELECT sum(amount) FROM transfers WHERE symbol = 'PEPE' AND kind = 'transfer'").fetchall() == [
        (30.0,)
    ]
    assert database.sql("SELECT count(*) FROM balances WHERE wallet LIKE '0x%'").fetchall()[0][0] >= 5

    held = analyst.query("SELECT symbol0, liquidity_usd FROM pools WHERE chain = 'base' ORDER BY pool").result_rows
    assert held == [("USDC", pytest.approx(4_000_000)), ("PEPE", pytest.approx(400_000))]

    everywhere = analyst.query("SELECT DISTINCT chain, caip2, chain_id FROM transfers ORDER BY chain").result_rows
    assert [row[:2] for row in everywhere] == [
        ("base", "eip155:8453"),
        ("solana", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"),
    ]
    coin = analyst.query("SELECT token, price_close_usd FROM prices_hourly WHERE symbol = 'COIN'").result_rows
    assert len({row[0] for row in coin}) == 1
    assert coin[-1][1] == pytest.approx(0.3, rel=0.01)
