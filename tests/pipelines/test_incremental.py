"""Refreshing after each change gives the same tables as refreshing once at the end, and twice the same as once."""

import random
from typing import Any

import pytest

from pipelines.refresh import refresh
from tests.factories.ledger import USDC, WETH, ZERO, Ledger, address
from warehouse import sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

ETHER = 10**18
DOLLAR = 10**6
Q96 = 1 << 96

# What each table says, without when and under which version it was written. Rows of nothing are as good as none.
TABLES = {
    "agg_token": "SELECT * EXCEPT (version) FROM agg_token FINAL WHERE deleted = 0",
    "agg_token_hour": "SELECT * EXCEPT (version, through_block) FROM agg_token_hour FINAL WHERE transfers != 0",
    "agg_holder_day": "SELECT * EXCEPT (version) FROM agg_holder_day FINAL WHERE entering != 0 OR leaving != 0",
    "agg_top_holder": """SELECT chain_id, token, arraySlice(balances_raw, 1, 10) AS top FROM agg_top_holder FINAL
                         WHERE notEmpty(balances_raw)""",
    "agg_pool_candle": "SELECT * EXCEPT (version) FROM agg_pool_candle FINAL WHERE deleted = 0",
    "agg_pool_liquidity": """SELECT * EXCEPT (version, as_of_block, as_of_time) FROM agg_pool_liquidity FINAL
                             WHERE deleted = 0""",
    "agg_token_price": """SELECT * EXCEPT (version, as_of_block, as_of_time) FROM agg_token_price FINAL
                          WHERE price_usd IS NOT NULL OR liquidity_usd IS NOT NULL""",
    "serve_token": """SELECT * EXCEPT (version, as_of_block, as_of_time, heartbeat_score) FROM
                      (SELECT * FROM serve_token ORDER BY version DESC LIMIT 1 BY symbol_key, chain_id, address)
                      WHERE deleted = 0""",
    "serve_symbol": """SELECT * EXCEPT (version) FROM
                       (SELECT * FROM serve_symbol ORDER BY version DESC LIMIT 1 BY symbol_key) WHERE deleted = 0""",
    "serve_provenance": """SELECT * EXCEPT (version, as_of_block) FROM
                           (SELECT * FROM serve_provenance
                            ORDER BY version DESC LIMIT 1 BY wallet, chain_id, token, method) WHERE deleted = 0""",
}
DERIVED = (
    "agg_token",
    "agg_token_hour",
    "agg_holder_day",
    "agg_top_holder",
    "agg_pool_candle",
    "agg_pool_liquidity",
    "agg_token_price",
    "agg_document_request",
    "agg_provenance",
    "agg_heartbeat",
    "serve_token",
    "serve_symbol",
    "serve_symbol_form",
    "serve_provenance",
    "serve_publication",
)


def contents(warehouse: Warehouse) -> dict[str, list[str]]:
    """Every table's rows as text, in an order of their own."""
    found = {}
    for table, query in TABLES.items():
        rows = warehouse.rows(f"SELECT toString(tuple(*)) AS row FROM ({query})")
        found[table] = sorted(row["row"] for row in rows)
    return found


def forget(warehouse: Warehouse, store: Connection) -> None:
    """As if nothing had ever been derived."""
    for table in DERIVED:
        warehouse.command(f"TRUNCATE TABLE {table}")
    store.execute("DELETE FROM derive_checkpoint")
    store.execute("DELETE FROM indexed_token")


LISTED = """SELECT chain_id, address, symbol_key, name, decimals, deployer, deployed_at, first_seen_at, precedence,
                   is_copy, copy_of_address, copy_rule FROM indexed_token ORDER BY address"""


class Economy:
    """Random but repeatable life on a ledger: tokens, transfers, pools of two kinds, changes of control."""

    def __init__(self, ledger: Ledger, seed: int) -> None:
        self.ledger = ledger
        self.rng = random.Random(seed)
        self.wallets = [address(0xA000 + number) for number in range(40)]
        self.tokens: list[str] = []
        self.pools: list[tuple[str, str]] = []

    def found(self) -> None:
        """The first blocks: assets, a reference pool."""
        self.ledger.mine()
        self.ledger.token(int(WETH, 16), "WETH", supply=100_000 * ETHER)
        self.ledger.token(int(USDC, 16), "USDC", supply=10**9 * DOLLAR, decimals=6)
        reference = self.ledger.pool(0x7001, USDC, WETH)
        self.ledger.sync(reference, 2_000_000 * DOLLAR, 1_000 * ETHER)
        self.pools.append((reference, "reference"))

    def live(self, blocks: int) -> None:
        """Some blocks, at times far apart."""
        for _ in range(blocks):
            self.ledger.mine(self.rng.choice([2, 2, 2, 60, 700, 4_000, 30_000]))
            for _ in range(self.rng.randrange(5)):
                self._happen()

    def _happen(self) -> None:
        rng, ledger = self.rng, self.ledger
        kind = rng.randrange(10)
        if kind == 0 or len(self.tokens) < 2:
            number = 0x9000 + len(self.tokens) + 1000 * ledger.fork
            symbol = rng.choice(["PEPE", "P3PE", "РEPE", "DOGE", "D0GE", "USDC"])
            creator = rng.choice(self.wallets)
            self.tokens.append(ledger.token(number, symbol, supply=rng.randrange(1, 10**6) * ETHER, creator=creator))
        elif kind == 1:
            token = rng.choice(self.tokens)
            number = 0x7100 + len(self.pools) + 1000 * ledger.fork
            if rng.random() < 0.5:
                pool = ledger.pool(number, token, WETH)
                self.pools.append((pool, "v2"))
            else:
                pool = ledger.pool(number, token, WETH, protocol="uniswap_v3")
                ledger.initialize(pool, Q96 // rng.randrange(1, 50))
                ledger.position(pool, -60_000, 60_000, rng.randrange(1, 1000) * ETHER)
                self.pools.append((pool, "v3"))
        elif kind <= 4:
            pool, form = rng.choice(self.pools)
            if form == "v3":
                ledger.swap(pool, ETHER, -ETHER, sqrt_price=Q96 // rng.randrange(1, 50), liquidity=ETHER)
            else:
                price = rng.randrange(1_500, 2_500)
                units = DOLLAR if form == "reference" else ETHER
                ledger.swap(pool, 10 * units, -ETHER // price)
                ledger.sync(pool, 1_000 * price * units, 1_000 * ETHER)
        elif kind == 5:
            ledger.control(rng.choice(self.tokens), "owner", rng.choice(self.wallets))
        else:
            ends = [rng.choice([*self.wallets, ZERO]), rng.choice([*self.wallets, ZERO])]
            if ends != [ZERO, ZERO]:
                ledger.transfer(rng.choice(self.tokens), *ends, rng.randrange(0, 10**4) * ETHER)


@pytest.mark.parametrize("seed", [1, 2])
def test_step_by_step_equals_all_at_once(
    seed: int,
    warehouse: Warehouse,
    store: Connection,
    chains: Chains,
    ledger: Ledger,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    economy = Economy(ledger, seed)
    economy.found()
    taken_back = 0
    if seed == 2:
        monkeypatch.setattr("pipelines.trades.derive._POOLS_PER_STATEMENT", 2)
    for step in range(6):
        economy.live(economy.rng.randrange(1, 8))
        ledger.publish()
        refresh(warehouse, store, chains, full=step % 2 == 0)
        if step == 3:
            known = set(economy.tokens), list(economy.pools)
            economy.live(4)
            ledger.publish()
            refresh(warehouse, store, chains, full=False)
            ledger.take_back()
            economy.tokens = [token for token in economy.tokens if token in known[0]]
            economy.pools = known[1]
            taken_back += 1
    refresh(warehouse, store, chains)
    for check in sorted((sql.directory() / "checks").glob("*.sql")):
        assert warehouse.rows(sql.load(f"checks/{check.stem}")) == [], check.stem
    gradually = contents(warehouse)
    listed = store.execute(LISTED).fetchall()
    forget(warehouse, store)
    monkeypatch.undo()
    refresh(warehouse, store, chains)
    at_once = contents(warehouse)
    for table in TABLES:
        assert gradually[table] == at_once[table], table
    assert listed == store.execute(LISTED).fetchall()
    assert taken_back == 1


def test_again_writes_nothing(warehouse: Warehouse, store: Connection, chains: Chains, ledger: Ledger) -> None:
    economy = Economy(ledger, 4)
    economy.found()
    economy.live(10)
    ledger.publish()
    refresh(warehouse, store, chains)

    def sizes() -> dict[str, Any]:
        rows = warehouse.rows(
            "SELECT table, sum(rows) AS n FROM system.parts WHERE active AND database = currentDatabase()"
            " AND table NOT LIKE 'work_%' GROUP BY table"
        )
        return {row["table"]: row["n"] for row in rows}

    before = sizes()
    runs = refresh(warehouse, store, chains)
    assert sum(run.rows for run in runs) == 0
    assert sizes() == before
