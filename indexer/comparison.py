"""What of a unit is stored otherwise than the chain has it: compared in the warehouse, row by row."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from indexer.unit import AssembledUnit
from indexer.write import block_rows, encode_rows
from warehouse import sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.domain.facts import FACT_TABLES

# What a node said of its state when it was asked cannot be asked again. Such rows are compared by their keys, and
# those that are stored are believed.
_STATE_KEYS = {"fact_token": ("address", "read_block")}
_SOLANA_STATE_KEYS = {**_STATE_KEYS, "fact_control": ("address", "block_number", "log_index", "kind")}


@dataclass(frozen=True, slots=True)
class Comparison:
    """One table's fresh rows and its stored ones, as SQL. ``identity`` is what makes two rows the same."""

    table: str
    fresh: str
    identity: str
    within: str

    @property
    def create_fresh(self) -> str:
        """Make the table of the fresh rows. On disk: one in memory would be empty after a restart of the engine, and
        every stored row surplus."""
        return f"CREATE OR REPLACE TABLE {self.fresh} AS {self.table} ENGINE = MergeTree ORDER BY ()"

    @property
    def insert_missing(self) -> str:
        """Insert the fresh rows that are not stored. Surplus rows are gone by then."""
        return f"""INSERT INTO {self.table} SELECT * FROM {self.fresh}
            WHERE {self.identity} NOT IN (SELECT {self.identity} FROM {self.table} WHERE {self.within})"""  # noqa: S608

    @property
    def counts(self) -> str:
        """How often each row that differs is on the chain and stored."""
        return f"""SELECT row, sum(fresh) AS on_chain, sum(1 - fresh) AS stored FROM
            (
                SELECT {self.identity} AS row, 1 AS fresh FROM {self.fresh}
                UNION ALL SELECT {self.identity}, 0 FROM {self.table} WHERE {self.within}
            )
            GROUP BY row HAVING on_chain != stored"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Differences:
    """What differs in one unit of one month.

    Attributes:
        tables: the tables that were compared.
        parameters: those of their statements.
        missing: rows of the chain that are not stored, by table.
        surplus: identities of stored rows that are not on the chain, or there only once, by table.
        sums: balance changes of a day that do not equal the day's transfers.
    """

    tables: Mapping[str, Comparison]
    parameters: Mapping[str, Any]
    missing: Mapping[str, int]
    surplus: Mapping[str, Sequence[str]]
    sums: int

    @property
    def any(self) -> bool:
        """Whether anything differs."""
        return bool(self.missing or self.surplus or self.sums)


@contextmanager
def compare(warehouse: Warehouse, chain: Chain, unit_id: int, part: AssembledUnit) -> Iterator[Differences]:
    """What differs between a unit's fresh rows and the stored ones. The fresh rows stay in the warehouse until the
    block ends. Hold the chain's writer lock."""
    keys = _SOLANA_STATE_KEYS if chain.address_format == "base58" else _STATE_KEYS
    fresh_rows = {**part.tables, "raw_block": [block_rows(part.blocks)]}
    tables: dict[str, Comparison] = {}
    parameters = {"chain_id": chain.chain_id, "first": part.blocks.first, "last": part.blocks.last}
    try:
        for table in FACT_TABLES:
            tables[table] = comparison = _comparison(table, chain.chain_id, keys.get(table))
            warehouse.command(comparison.create_fresh)
            if table in fresh_rows:
                block = encode_rows(table, chain.chain_id, unit_id, part.blocks, fresh_rows[table])
                warehouse.insert_native(comparison.fresh, block, token="")
        missing: dict[str, int] = {}
        surplus: dict[str, list[str]] = {}
        for table, comparison in tables.items():
            rows = warehouse.rows(comparison.counts, parameters)
            believed = table in keys
            lacking = sum(max(0, row["on_chain"] - row["stored"]) for row in rows)
            beyond = [row["row"] for row in rows if row["stored"] > row["on_chain"] and not believed]
            missing |= {table: lacking} if lacking else {}
            surplus |= {table: beyond} if beyond else {}
        days = _days(part)
        moved = f"""SELECT token FROM {tables["fact_transfer"].fresh} UNION DISTINCT
            SELECT token FROM fact_transfer WHERE {tables["fact_transfer"].within}"""  # noqa: S608
        sums = warehouse.scalar(f"SELECT count() FROM ({wrong_sums(moved)})", {**parameters, **days})  # noqa: S608
        yield Differences(tables, {**parameters, **days}, missing, surplus, int(sums))
    finally:
        for comparison in tables.values():
            warehouse.command(f"DROP TABLE IF EXISTS {comparison.fresh} SYNC")


def wrong_sums(tokens: str) -> str:
    """The query of what has to be added to the balance changes of the unit's days, for the tokens of another query."""
    return sql.load("queries/ingest/wrong_sums").replace("moved_token", f"({tokens})")


def _comparison(table: str, chain_id: int, key: Sequence[str] | None) -> Comparison:
    facts, fresh = FACT_TABLES[table], f"work_fresh_{chain_id}_{table}"
    columns = ", ".join(key or ("chain_id", *facts.columns))
    within = f"{facts.block_column} BETWEEN {{first:UInt64}} AND {{last:UInt64}}"
    if key is not None:
        within = f"address IN (SELECT address FROM {fresh})"  # noqa: S608
    identity = f"hex(sipHash128(tuple({columns})))"
    return Comparison(table, fresh, identity, f"chain_id = {{chain_id:UInt32}} AND {within}")


def _days(part: AssembledUnit) -> dict[str, datetime]:
    first, last = (datetime.fromtimestamp(int(time), UTC) for time in (part.blocks.time.min(), part.blocks.time.max()))
    return {
        "since": first.replace(hour=0, minute=0, second=0),
        "until": last.replace(hour=0, minute=0, second=0) + timedelta(days=1),
    }
