"""A small chain written into the warehouse as the indexer writes it: in units, with sums and changes, published in the
store, and reverted exactly."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from pipelines import frames
from warehouse.clickhouse import Warehouse
from warehouse.domain.facts import FACT_TABLES, ColumnType
from warehouse.postgres import Connection, Jsonb

ZERO = "00" * 20
START = 1_750_000_000 // 86_400 * 86_400
WORDS = pa.binary(32)

_SIGNED = "int256"
_ARROW: dict[ColumnType, Any] = {
    ColumnType.BYTES: frames.HEX,
    ColumnType.BYTES_LIST: pa.list_(pa.string()),  # of words
    ColumnType.TEXT: pa.string(),
    ColumnType.WORD: pa.string(),
    ColumnType.TIME: frames.TIME,
    ColumnType.UINT8: pa.uint8(),
    ColumnType.UINT32: pa.uint32(),
    ColumnType.UINT64: pa.uint64(),
    ColumnType.UINT256: frames.UINT256,
    ColumnType.INT32: pa.int32(),
    ColumnType.INT256: _SIGNED,
    ColumnType.UINT8_OR_NULL: pa.uint8(),
    ColumnType.UINT256_OR_NULL: frames.UINT256,
}
COLUMNS: dict[str, dict[str, Any]] = {
    name: {column: _ARROW[kind] for column, kind in table.columns.items()}
    for name, table in FACT_TABLES.items()
    if name != "raw_log"  # which nothing is derived from
}
# Which column of a table names the key that a change to it touches.
_SUBJECTS = {
    "fact_contract_creation": ("metadata", "address"),
    "fact_token": ("metadata", "address"),
    "fact_transfer": ("token", "token"),
    "fact_pool": ("pool", "pool"),
    "fact_swap": ("pool", "pool"),
    "fact_pool_state": ("pool", "pool"),
    "fact_liquidity": ("pool", "pool"),
    "fact_control": ("control", "address"),
    "fact_registry_event": ("registry", ""),
}


def address(number: int) -> str:
    """A 20-byte address in hexadecimal."""
    return f"{number:040x}"


@dataclass
class Ledger:
    """One chain. Rows are gathered by block and written by :meth:`publish`."""

    warehouse: Warehouse
    store: Connection
    chain_id: int = 8453
    finality_blocks: int = 600
    block: int = -1
    time: int = START
    fork: int = 0
    forks: dict[int, int] = field(default_factory=dict)
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    units: list[tuple[int, int, int, dict[str, list[dict[str, Any]]]]] = field(default_factory=list)
    _log_index: int = 0
    _unit_first: int | None = None

    def mine(self, seconds: int = 2) -> int:
        """Begin a block, ``seconds`` after the last one."""
        self.block += 1
        self.forks[self.block] = self.fork
        self.time += seconds
        self._log_index = 0
        if self._unit_first is None:
            self._unit_first = self.block
        self.rows["raw_block"].append(
            {
                "block_number": self.block,
                "block_hash": self.block_hash(self.block),
                "parent_hash": self.block_hash(self.block - 1),
                "block_time": self.time,
                "transaction_count": 1,
            }
        )
        return self.block

    def block_hash(self, number: int) -> str:
        """Hash of a block: of the fork on which it was mined last."""
        return f"{self.forks.get(number, self.fork):032x}{number + 1:032x}"

    def add(self, table: str, **values: Any) -> None:
        """Add a row to the current block."""
        self._log_index += 1
        standard = {
            "block_number": self.block,
            "log_index": self._log_index,
            "block_time": self.time,
            "transaction_hash": f"{self.block:032x}{self._log_index:032x}",
        }
        row = {name: values[name] if name in values else standard[name] for name in COLUMNS[table]}
        self.rows[table].append(row)

    def token(self, number: int, symbol: str, *, supply: int = 0, decimals: int | None = 18, **values: Any) -> str:
        """A token contract, its creation and its reading; the supply goes to its creator."""
        token = address(number)
        creator = values.pop("creator", address(0xC0))
        self.add(
            "fact_contract_creation",
            address=token,
            creation_index=0,
            creator=creator,
            factory=values.pop("factory", ""),
            transaction_to=values.pop("transaction_to", ""),
        )
        self.read(token, symbol, decimals=decimals, total_supply_raw=supply, **values)
        if supply:
            self.transfer(token, ZERO, creator, supply)
        return token

    def read(self, token: str, symbol: str, **values: Any) -> None:
        """A reading of a token's own statements."""
        standard = {
            "name": symbol.title(),
            "decimals": 18,
            "total_supply_raw": 0,
            "owner": "",
            "proxy_admin": "",
            "implementation": "",
            "program": "",
            "traits": (),
            "read_status": "ok",
            "first_block": self.block,
            "first_time": self.time,
        }
        self.add("fact_token", address=token, symbol=symbol, read_block=self.block, **{**standard, **values})

    def transfer(self, token: str, sender: str, receiver: str, amount: int) -> None:
        """A transfer."""
        self.add("fact_transfer", token=token, from_address=sender, to_address=receiver, amount_raw=amount)

    def pool(
        self,
        number: int,
        token0: str,
        token1: str,
        *,
        protocol: str = "uniswap_v2",
        exchange: str = "uniswap",
        factory: str = "",
    ) -> str:
        """A pool of a known exchange, unless another factory is given."""
        pool = address(number)
        self.add(
            "fact_pool",
            pool=pool,
            protocol=protocol,
            exchange=exchange,
            factory=factory or EXCHANGES[protocol],
            token0=token0,
            token1=token1,
            fee_ppm=3000,
            tick_spacing=60,
            hooks="",
        )
        return pool

    def sync(self, pool: str, reserve0: int, reserve1: int) -> None:
        """A V2 pool's new reserves."""
        self.add("fact_pool_state", pool=pool, reserve0_raw=reserve0, reserve1_raw=reserve1, sqrt_price_x96=0, tick=0)

    def swap(
        self,
        pool: str,
        amount0: int,
        amount1: int,
        *,
        sqrt_price: int = 0,
        liquidity: int = 0,
        recipient: str = address(0xA1),
    ) -> None:
        """A swap: what the pool gained of each token."""
        self.add(
            "fact_swap",
            pool=pool,
            sender=address(0xA1),
            recipient=recipient,
            amount0_raw=amount0,
            amount1_raw=amount1,
            sqrt_price_x96=sqrt_price,
            liquidity=liquidity,
            tick=0,
        )

    def position(self, pool: str, lower: int, upper: int, delta: int) -> None:
        """Liquidity given to or taken from a V3 or V4 pool."""
        self.add("fact_liquidity", pool=pool, tick_lower=lower, tick_upper=upper, liquidity_delta=delta)

    def initialize(self, pool: str, sqrt_price: int) -> None:
        """A V3 or V4 pool's first price."""
        self.add("fact_pool_state", pool=pool, reserve0_raw=0, reserve1_raw=0, sqrt_price_x96=sqrt_price, tick=0)

    def control(self, token: str, kind: str, account: str) -> None:
        """A change of control."""
        self.add("fact_control", address=token, kind=kind, previous_account="", account=account, signed=0)

    def registry(self, kind: str, token_id: int, **values: Any) -> None:
        """An event of our registry."""
        standard = {
            "registry": address(0x5E),
            "symbol": "",
            "owner": "",
            "token_address": "",
            "fee_wei": 0,
            "with_receipt": 0,
            "account": "",
            "enabled": 0,
            "metadata_cid": "",
            "peer_chain_id": 0,
            "peer_token_id": 0,
            "reason": 0,
            "due_at": 0,
            "new_token_id": 0,
            "deal": "",
        }
        self.add(
            "fact_registry_event",
            kind=kind,
            token_id=token_id,
            block_hash=self.block_hash(self.block),
            **{**standard, **values},
        )

    def publish(self) -> int:
        """Write the gathered rows as one unit and publish it."""
        unit_id = self._next_id()
        rows = {table: found for table, found in self.rows.items() if found}
        self._begin({"unit_id": unit_id, "phase": "facts"})
        for table, found in rows.items():
            self._insert(table, found, unit_id)
        self._change(unit_id, rows)
        self._begin({"unit_id": unit_id, "phase": "sums"})
        self._sum(rows.get("fact_transfer", []), 1)
        assert self._unit_first is not None
        self.units.append((unit_id, self._unit_first, self.time, rows))
        self.store.execute(
            "INSERT INTO ingest_unit (unit_id, chain_id, first_block, last_block, last_hash, status)"
            " VALUES (%s, %s, %s, %s, %s, 'published')",
            (unit_id, self.chain_id, self._unit_first, self.block, f"0x{self.block_hash(self.block)}"),
        )
        self.rows = defaultdict(list)
        self._unit_first = None
        self._checkpoint()
        return unit_id

    def revert_last_unit(self, blocks_after: int = 2) -> None:
        """Revert the last unit; the next blocks belong to another fork."""
        unit_id, first, _, rows = self.units.pop()
        change_id = self._next_id()
        self._begin({"change_id": change_id, "phase": "revert", "units": [unit_id], "ancestor": first - 1})
        self._change(change_id, rows)
        self._sum(rows.get("fact_transfer", []), -1)
        for table in rows:
            self.warehouse.command(
                f"DELETE FROM {table} WHERE chain_id = {self.chain_id} AND unit_id = {unit_id}",
                settings={"lightweight_deletes_sync": 2},
            )
        self.store.execute("UPDATE ingest_unit SET status = 'reverted' WHERE unit_id = %s", (unit_id,))
        self.fork += 1
        self.block = first - 1
        self.time = self.units[-1][2] if self.units else START
        self._checkpoint()

    def _begin(self, pending: dict[str, Any]) -> None:
        """Record the pending unit, as the indexer does: readers must leave it out."""
        self.store.execute(
            """INSERT INTO chain_checkpoint (chain_id, generation, pending) VALUES (%s, 1, %s)
               ON CONFLICT (chain_id) DO UPDATE SET generation = chain_checkpoint.generation + 1,
                   pending = excluded.pending""",
            (self.chain_id, Jsonb(pending)),
        )

    def _checkpoint(self) -> None:
        self.store.execute(
            """INSERT INTO chain_checkpoint (chain_id, generation, block_number, block_hash, block_time, final_block)
               VALUES (%s, 1, %s, %s, %s, %s)
               ON CONFLICT (chain_id) DO UPDATE SET generation = chain_checkpoint.generation + 1,
                   block_number = excluded.block_number, block_hash = excluded.block_hash,
                   block_time = excluded.block_time, final_block = excluded.final_block, pending = NULL""",
            (
                self.chain_id,
                self.block,
                f"0x{self.block_hash(self.block)}",
                datetime.fromtimestamp(self.time, UTC),
                max(0, self.block - self.finality_blocks),
            ),
        )

    def _next_id(self) -> int:
        row = self.store.execute("SELECT nextval('change_id_seq') AS id").fetchone()
        assert row is not None
        return int(row["id"])

    def _insert(self, table: str, rows: list[dict[str, Any]], unit_id: int) -> None:
        made = {}
        for name, kind in COLUMNS[table].items():
            values = [row[name] for row in rows]
            if kind == _SIGNED:
                made[name] = pa.array([value.to_bytes(32, "little", signed=True) for value in values], WORDS)
            else:
                made[name] = frames.table({name: kind}, rows)[name]
        made["chain_id"] = pa.array([self.chain_id] * len(rows), pa.uint32())
        made["unit_id"] = pa.array([unit_id] * len(rows), pa.uint64())
        self.warehouse.insert_arrow(table, pa.table(made))

    def _sum(self, transfers: list[dict[str, Any]], sign: int) -> None:
        rows = [
            {
                "chain_id": self.chain_id,
                "token": row["token"],
                "wallet": wallet,
                "day": row["block_time"] // 86_400,
                "delta_raw": sign * amount,
            }
            for row in transfers
            for wallet, amount in ((row["from_address"], -row["amount_raw"]), (row["to_address"], row["amount_raw"]))
            if wallet != ZERO
        ]
        if rows:
            columns = {"chain_id": pa.uint32(), "token": frames.HEX, "wallet": frames.HEX}
            table = frames.table(columns, rows)
            days = pa.array([row["day"] for row in rows], pa.int32()).cast(pa.date32())
            deltas = pa.array([_wrapped(row["delta_raw"]) for row in rows], WORDS)
            table = table.append_column("day", days).append_column("delta_raw", deltas)
            self.warehouse.insert_arrow("agg_balance_day", table)

    def _change(self, change_id: int, rows: dict[str, list[dict[str, Any]]]) -> None:
        found: dict[tuple[str, str], tuple[int, int]] = {}
        for table, items in rows.items():
            if table not in _SUBJECTS:
                continue
            subject, column = _SUBJECTS[table]
            for item in items:
                key = (subject, item[column] if column else "")
                block = item.get("block_number", item.get("read_block"))
                time = item.get("block_time", item.get("first_time"))
                found[key] = min(found.get(key, (block, time)), (block, time))
        changes = [
            {
                "chain_id": self.chain_id,
                "change_id": change_id,
                "subject": subject,
                "key": key,
                "from_block": block,
                "from_time": time,
            }
            for (subject, key), (block, time) in found.items()
        ]
        if changes:
            columns = {
                "chain_id": pa.uint32(),
                "change_id": pa.uint64(),
                "subject": pa.string(),
                "key": frames.HEX,
                "from_block": pa.uint64(),
                "from_time": frames.TIME,
            }
            self.warehouse.insert_arrow("fact_change", frames.table(columns, changes))


EXCHANGES = {"uniswap_v2": address(0xFAC2), "uniswap_v3": address(0xFAC3), "uniswap_v4": address(0xFAC4)}
WETH = address(0xEEEE)
USDC = address(0xDDDD)

CHAINS_TOML = f"""
[chains.base]
rpc_urls = ["http://127.0.0.1:1"]
start_block = 0
[chains.base.contracts]
registry = "0x{address(0x5E)}"
[chains.base.assets]
wrapped_native = "0x{WETH}"
stablecoins = [{{ address = "0x{USDC}", symbol = "USDC", decimals = 6 }}]
[[chains.base.exchanges]]
protocol = "uniswap_v2"
name = "uniswap"
factory = "0x{EXCHANGES["uniswap_v2"]}"
[[chains.base.exchanges]]
protocol = "uniswap_v3"
name = "uniswap"
factory = "0x{EXCHANGES["uniswap_v3"]}"
[[chains.base.exchanges]]
protocol = "uniswap_v4"
name = "uniswap"
pool_manager = "0x{EXCHANGES["uniswap_v4"]}"
"""


def _wrapped(amount: int) -> bytes:
    """An amount as the sums have it: the largest ones that a token can say are negative in 256 bits with a sign."""
    return (amount % 2**256).to_bytes(32, "little")
