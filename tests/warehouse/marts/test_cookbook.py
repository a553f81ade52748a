"""The questions of docs/cookbook.md, asked by the analyst about a market with forty days of history."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import clickhouse_connect
import duckdb
import polars as pl
import pytest

from indexer.configuring import store_configuration
from pipelines.refresh import refresh
from tests.factories import market_history as market
from tests.factories.amounts import ETHER
from tests.factories.ledger import ZERO, Ledger
from tests.fixtures.engines import EmptyDatabases, EmptyStores
from warehouse import postgres
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.marts.database import database_of
from warehouse.settings import EngineSettings

PAGE = Path(__file__).parents[3] / "docs" / "cookbook.md"
QUESTIONS = {
    name: (statement, table)
    for name, statement, table in re.findall(
        r"^## (.+?)$(?:(?!^## ).)*?```sql\n(.*?)```(?:(?!^## ).)*?^(\|.*?\|)\n(?!\|)",
        PAGE.read_text() + "\n\n",
        re.MULTILINE | re.DOTALL,
    )
}


@dataclass(frozen=True, slots=True)
class Asked:
    """The market, and the analyst's client of it."""

    ledger: Ledger
    client: Any

    @property
    def held(self) -> Counter[str]:
        """Whole PEPE that each wallet has after all transfers of the ledger."""
        held: Counter[str] = Counter()
        for *_, rows in self.ledger.units:
            for row in rows.get("fact_transfer", []):
                if row["token"] == market.PEPE:
                    held[row["from_address"]] -= row["amount_raw"]
                    held[row["to_address"]] += row["amount_raw"]
        del held[ZERO]
        return Counter({wallet: amount // ETHER for wallet, amount in held.items() if amount})


@pytest.fixture(scope="module")
def asked(
    empty_databases: EmptyDatabases,
    empty_stores: EmptyStores,
    engine_settings: EngineSettings,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Asked]:
    """A market that is built and refreshed once."""
    path = tmp_path_factory.mktemp("cookbook") / "chains.toml"
    path.write_text(market.MARKET_TOML)
    chains = facts.load(path)
    with ExitStack() as stack:
        database, store_name = empty_databases.take(), empty_stores.take()
        stack.callback(empty_databases.give_back, database)
        stack.callback(empty_stores.give_back, store_name)
        url = empty_databases.url_of(database)
        with (
            Warehouse.connect(url) as warehouse,
            postgres.connect(empty_stores.url_of(store_name), autocommit=True) as store,
        ):
            store_configuration(warehouse, chains.by_key["base"])
            ledger = Ledger(warehouse, store)
            market.build_market_history(ledger)
            warehouse.command(
                "INSERT INTO chain_publication (chain_id, generation, next_block, next_unit)"
                f" SELECT {ledger.chain_id}, 1, {ledger.block + 1}, {ledger.units[-1][0] + 1}"
            )
            refresh(warehouse, store, chains)
        parts = urlsplit(url)
        client = clickhouse_connect.get_client(
            host=parts.hostname,
            port=parts.port,
            username="analyst",
            password=(engine_settings.data_dir / "keys" / "clickhouse-analyst.password").read_text().strip(),
            database=database_of(database),
        )
        stack.callback(client.close)
        yield Asked(ledger, client)


def shown(value: Any) -> str:
    """A value as the page shows it."""
    if value is None:
        return "null"
    if isinstance(value, datetime):
        return (value.astimezone(UTC) if value.tzinfo else value).strftime("%Y-%m-%d %H:%M:%S")
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def markdown(names: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """An answer as a table of the page."""
    names = list(names)
    lines = [names, ["---"] * len(names), *([shown(value) for value in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def test_the_page_has_twelve_questions() -> None:
    assert len(QUESTIONS) == PAGE.read_text().count("```sql\n") == 12


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_reader_gets_the_answer_of_the_page(asked: Asked, question: str) -> None:
    statement, table = QUESTIONS[question]
    rows = asked.client.query(statement)
    assert markdown(rows.column_names, rows.result_rows) == table
    answer = asked.client.query_arrow(statement)
    frame = pl.from_arrow(answer)
    assert isinstance(frame, pl.DataFrame)
    assert markdown(frame.columns, frame.rows()) == table
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        relation = connection.from_arrow(answer)
        assert markdown(relation.columns, relation.fetchall()) == table


def column(asked: Asked, question: str, *names: str) -> list[Any]:
    """Columns of an answer: values of one, tuples of several."""
    rows = asked.client.query(QUESTIONS[question][0]).named_results()
    return [row[names[0]] if len(names) == 1 else tuple(row[name] for name in names) for row in rows]


def test_holdings_are_sums_of_the_transfers(asked: Asked) -> None:
    held = asked.held
    assert column(asked, "Top holders", "wallet", "balance") == [
        (f"0x{wallet}", amount) for wallet, amount in held.most_common(5)
    ]
    owned = dict(column(asked, "A wallet's tokens", "symbol", "balance"))
    assert owned == {"PEPE": held[market.DAVE], "DOGE": 1_000}
    days = column(asked, "Concentration over time", "day", "holders", "top10_share")
    assert days[-1] == (
        date(2025, 7, 24),
        len(held),
        round(sum(amount for _, amount in held.most_common(10)) / held.total(), 4),
    )
    weeks = column(asked, "Retention of holders", "wallets", "holding")
    # The wallets of the first week but for Alice, Bob, Carol with her friends, and Dave.
    assert weeks == [(4, 3), (1, 1), (1 + len(market.FRIENDS), 1 + len(market.FRIENDS)), (1, 1)]
    assert sum(holding for _, holding in weeks) == len(held)


def test_dollars_are_those_of_the_trades(asked: Asked) -> None:
    # PEPE was worth two dollars in every trade, and the first two are older than thirty days.
    volumes = column(asked, "Volume per exchange for 30 days", "day", "exchange", "volume_usd", "trades")
    assert volumes == [
        (date(2025, 7, 15), "sushi", 2_000, 1),
        (date(2025, 7, 23), "uniswap", 1_000, 1),
        (date(2025, 7, 24), "uniswap", 8_000, 2),
    ]
    buyers = column(asked, "First buyers of a token", "buyer", "bought", "paid_usd")
    assert buyers == [
        (f"0x{wallet}", bought, 2 * bought)
        for wallet, bought in ((market.ALICE, 1_000), (market.BOB, 2_000), (market.CAROL, 1_000), (market.DAVE, 4_000))
    ]
    pools = column(asked, "Liquidity per pool", "pool", "amount0", "amount1", "liquidity_usd")
    assert pools == [
        (f"0x{market.DEEP}", 80_000, 100, 400_000),
        (f"0x{market.SHALLOW}", 20_000, 20, 80_000),
    ]
    hours = column(asked, "Price history", "volume_usd", "trades")
    assert sum(volume for volume, _ in hours) == sum(volume for *_, volume, _ in volumes)
    assert sum(trades for _, trades in hours) == sum(trades for *_, trades in volumes)


def test_tokens_and_registrations_are_those_of_the_ledger(asked: Asked) -> None:
    forged = [(f"0x{token}", f"0x{market.FORGER}") for token in (market.COPY, market.LOOKALIKE)]
    made = column(asked, "New tokens and who deployed them", "token", "deployer")
    assert made == [*forged, (f"0x{market.DOGE}", f"0x{market.DAVE}")]
    assert column(asked, "Copies of a symbol", "token", "deployer") == forged
    assert set(column(asked, "Copies of a symbol", "copy_of")) == {f"0x{market.PEPE}"}
    assert column(asked, "Registrations over time", "registered", "standing") == [(1, 1), (1, 0)]


def test_a_score_rose_with_the_volume_of_its_hour(asked: Asked) -> None:
    (before, after) = column(asked, "Why a score changed", "score", "volume_score", "volume_24h_usd")
    change = column(asked, "Why a score changed", "score_change")[1]
    assert (float(before[2]), float(after[2])) == (0, 8_000)
    assert after[1] > before[1]
    assert round(after[0] - before[0], 2) == round(change, 2) > 0
