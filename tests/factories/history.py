"""A long generated history, written into the warehouse by its own statements: millions of events in seconds.

Hundreds of tokens whose popularity falls with rank, thousands of holders of the popular ones, pools
of two kinds whose prices swing. Units, sums, changes and checkpoints are as the indexer leaves them. The same arguments
give the same rows.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from indexer.write import add_balances
from tests.factories.ledger import EXCHANGES, START, USDC, WETH
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

CHAIN_ID = 8453
BLOCK_SECONDS = 12
MOVES_A_BLOCK, SWAPS_A_BLOCK = 90, 5
EVENTS_A_BLOCK = MOVES_A_BLOCK + 2 * SWAPS_A_BLOCK
"""A swap comes with the state that its pool announces."""

_MOVES_A_TRANSACTION = 16
"""Transfers of one token that come together."""

_NAMES = f"""
WITH
    -- A digest is text of fixed length, which loses zeros at its end where text is stored: concat makes it whole.
    (n -> concat(SHA1(concat('token', toString(n))), '')) AS token_of,
    (n -> if(n = 0, unhex('{USDC}'), token_of(n))) AS base_of,
    (n -> concat(SHA1(concat('pool', toString(n))), '')) AS pool_of,
    (n -> n % 3 = 2) AS is_v3,
    (n -> concat(SHA1(concat('wallet', toString(n))), '')) AS wallet_of,
    (n -> concat(SHA256(concat('block', toString(n))), '')) AS hash_of,
    (n -> toDateTime({START}, 'UTC') + {{seconds:UInt32}} * n) AS time_of,
    -- Drawn so that rank r comes up in proportion to 1 / (r + 1).
    ((drawn, ranks) -> toUInt32(exp(drawn % 1000003 / 1000003 * log(ranks + 1)) - 1)) AS rank_of,
    -- A price's swing around one, each pool's in its own time.
    ((block, pool) -> 1 + 0.1 * sin((block + 37 * pool) / 400)) AS swing,
    toUInt256('2505414483750479251915866112') AS root_of_a_thousandth,
    {{chain_id:UInt32}} AS chain_id,
    {{unit:UInt64}} AS unit
"""
_DRAWN = """
(
    SELECT {first:UInt64} + intDiv(number, {per_block:UInt64}) AS block, number % {per_block:UInt64} AS position,
           sipHash64(block, position) AS drawn,
           rank_of(sipHash64(block, intDiv(position, {moves:UInt64}), {ranks:UInt64}), {ranks:UInt64}) AS rank
    FROM numbers({many:UInt64})
)
"""
_BLOCKS = {
    "raw_block": """SELECT chain_id, number, hash_of(number), hash_of(number - 1), time_of(number), 1, unit
                    FROM numbers({first:UInt64}, {blocks:UInt64})""",
}
_FOUNDING = {
    "fact_contract_creation": """
        SELECT chain_id, token_of(number), 0, number, time_of(0), hash_of(number), wallet_of(number % 50), '', '', unit
        FROM numbers({tokens:UInt64})""",
    "fact_token": f"""
        SELECT chain_id, address, concat('Token ', symbol), symbol, decimals, toUInt256(1e27), '', '', '', '', [],
               'ok', 0, time_of(0), 0, unit
        FROM
        (
            SELECT token_of(number) AS address, concat('TOK', toString(number)) AS symbol, 18 AS decimals
            FROM numbers({{tokens:UInt64}})
            UNION ALL SELECT unhex('{WETH}'), 'WETH', 18
            UNION ALL SELECT unhex('{USDC}'), 'USDC', 6
        )""",
    "fact_transfer": r"""
        SELECT chain_id, token_of(number), 0, number, time_of(0), hash_of(number), repeat('\0', 20), wallet_of(0),
               toUInt256(1e27), unit
        FROM numbers({tokens:UInt64})""",
    "fact_pool": f"""
        SELECT chain_id, pool_of(number), if(is_v3(number), 'uniswap_v3', 'uniswap_v2'), 'uniswap',
               unhex(if(is_v3(number), '{EXCHANGES["uniswap_v3"]}', '{EXCHANGES["uniswap_v2"]}')),
               base_of(number), unhex('{WETH}'), 3000, 60, '', 0, number, time_of(0), hash_of(number), unit
        FROM numbers({{pools:UInt64}})""",
    "fact_pool_state": """
        SELECT chain_id, pool_of(number), 0, number, time_of(0),
               if(is_v3(number), 0, toUInt256(if(number = 0, 4e12, 1e24))), if(is_v3(number), 0, toUInt256(2e21)),
               if(is_v3(number), root_of_a_thousandth, 0), 0, unit
        FROM numbers({pools:UInt64})""",
    "fact_liquidity": """
        SELECT chain_id, pool_of(number), 0, number, time_of(0), hash_of(number), -60000, 60000, toInt256(1e22), unit
        FROM numbers({pools:UInt64}) WHERE is_v3(number)""",
}
_TRANSFERS = {
    # Every other transfer is paid by the token's maker, so that few wallets overdraw.
    "fact_transfer": f"""
        SELECT chain_id, token_of(rank), block, position, time_of(block), hash_of(drawn),
               wallet_of(if(drawn % 2, 0, 1 + toUInt32(pow(sipHash64(drawn, 1) % 1000003 / 1000003, 2) * holders))),
               wallet_of(1 + toUInt32(pow(sipHash64(drawn, 2) % 1000003 / 1000003, 2) * holders)),
               toUInt256(if(drawn % 2, 1000000000, 1) * (drawn % 1000003 + 1)), unit
        FROM (SELECT *, greatest(20, intDiv(20000, rank + 2)) AS holders FROM {_DRAWN})""",
}
_TRADES = {
    "fact_swap": f"""
        SELECT chain_id, pool_of(rank), block, 100 + 2 * position, time_of(block), hash_of(drawn), wallet_of(0),
               wallet_of(0), toInt256(if(rank = 0, 1e7, 1e18) * (1 + block % 7)), -toInt256(1e15 * (1 + block % 7)),
               if(is_v3(rank), toUInt256(swing(block, rank) * toFloat64(root_of_a_thousandth)), 0),
               if(is_v3(rank), toUInt256(1e22), 0), 0, unit
        FROM {_DRAWN}""",
    "fact_pool_state": f"""
        SELECT chain_id, pool_of(rank), block, 101 + 2 * position, time_of(block),
               toUInt256(if(rank = 0, 4e12, 1e24) * swing(block, rank)), toUInt256(2e21), 0, 0, unit
        FROM {_DRAWN} WHERE NOT is_v3(rank)""",
}
_CHANGES = {
    "token": "SELECT token AS key, block_number, block_time FROM fact_transfer",
    "metadata": "SELECT address AS key, read_block AS block_number, first_time AS block_time FROM fact_token",
    "pool": "SELECT pool AS key, block_number, block_time FROM fact_pool_state"
    " UNION ALL SELECT pool, block_number, block_time FROM fact_swap",
}


@dataclass(slots=True)
class History:
    """One chain. :meth:`create_assets` and :meth:`add_blocks` write one unit per call."""

    warehouse: Warehouse
    store: Connection
    tokens: int = 20_000
    pools: int = 1_000
    block_seconds: int = BLOCK_SECONDS
    blocks: int = 0

    def create_assets(self) -> int:
        """Write block 0: every token with its supply, every pool with its first state. Returns the events."""
        unit = self._next_id()
        self._insert(unit, _BLOCKS, first=0, blocks=1)
        self._insert(unit, _FOUNDING, tokens=self.tokens, pools=self.pools)
        self._publish(unit, 1)
        return self.tokens + 2 * self.pools

    def add_blocks(self, blocks: int) -> int:
        """Write blocks of transfers, swaps and pool states. Returns the number of events."""
        unit = self._next_id()
        self._insert(unit, _BLOCKS, first=self.blocks, blocks=blocks)
        for statements, per_block, moves, ranks in (
            (_TRANSFERS, MOVES_A_BLOCK, _MOVES_A_TRANSACTION, self.tokens),
            (_TRADES, SWAPS_A_BLOCK, 1, self.pools),
        ):
            drawn = {"many": blocks * per_block, "per_block": per_block, "moves": moves, "ranks": ranks}
            self._insert(unit, statements, first=self.blocks, **drawn)
        self._publish(unit, blocks)
        return blocks * EVENTS_A_BLOCK

    def _next_id(self) -> int:
        row = self.store.execute("SELECT nextval('change_id_seq') AS id").fetchone()
        assert row is not None
        return int(row["id"])

    def _insert(self, unit: int, statements: dict[str, str], **parameters: int) -> None:
        for table, rows in statements.items():
            parameters |= {"chain_id": CHAIN_ID, "unit": unit, "seconds": self.block_seconds}
            self.warehouse.command(f"INSERT INTO {table} {_NAMES} {rows}", parameters)

    def _publish(self, unit: int, blocks: int) -> None:
        add_balances(self.warehouse, CHAIN_ID, unit, sign=1, token=f"{unit}:agg_balance_day")
        for subject, rows in _CHANGES.items():
            of_unit = " UNION ALL ".join(
                f"{part} WHERE chain_id = {CHAIN_ID} AND unit_id = {unit}" for part in rows.split(" UNION ALL ")
            )
            self.warehouse.command(
                f"INSERT INTO fact_change SELECT {CHAIN_ID}, {unit}, '{subject}', key, min(block_number),"
                f" min(block_time) FROM ({of_unit}) GROUP BY key"
            )
        first, self.blocks = self.blocks, self.blocks + blocks
        last = self.blocks - 1
        digest = "0x" + self.warehouse.scalar(
            f"SELECT lower(hex(block_hash)) FROM raw_block WHERE chain_id = {CHAIN_ID} AND block_number = {last}"
        )
        self.store.execute(
            "INSERT INTO ingest_unit (unit_id, chain_id, first_block, last_block, last_hash, status)"
            " VALUES (%s, %s, %s, %s, %s, 'published')",
            (unit, CHAIN_ID, first, last, digest),
        )
        self.store.execute(
            """INSERT INTO chain_checkpoint (chain_id, generation, block_number, block_hash, block_time, final_block)
               VALUES (%s, 1, %s, %s, %s, %s)
               ON CONFLICT (chain_id) DO UPDATE SET generation = chain_checkpoint.generation + 1,
                   block_number = excluded.block_number, block_hash = excluded.block_hash,
                   block_time = excluded.block_time, final_block = excluded.final_block""",
            (CHAIN_ID, last, digest, datetime.fromtimestamp(START + last * self.block_seconds, UTC), max(0, last - 12)),
        )
