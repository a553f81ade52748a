"""The fact tables and their columns: what the indexer writes.

``sql/warehouse`` creates the tables; a test compares the two. The writer (``indexer/write.py``) and the test factories
take the columns from here. Every table also has ``chain_id`` first and ``unit_id`` last.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class ColumnType(Enum):
    """What a column holds."""

    BYTES = "bytes"
    """An address, a hash or another binary value; empty when there is none."""
    BYTES_LIST = "list of bytes"
    TEXT = "text"
    WORD = "word"
    """One of a few texts."""
    TIME = "time"
    """Whole seconds since 1970."""
    UINT8 = "uint8"
    UINT32 = "uint32"
    UINT64 = "uint64"
    UINT256 = "uint256"
    INT32 = "int32"
    INT256 = "int256"
    UINT8_OR_NULL = "uint8 or null"
    UINT256_OR_NULL = "uint256 or null"

    @property
    def declared(self) -> str:
        """The ClickHouse type, as the table declares it."""
        return _DECLARED[self]

    @property
    def written(self) -> str:
        """The ClickHouse type in the blocks that the writer sends; the server converts."""
        return _WRITTEN.get(self, _DECLARED[self])


_DECLARED = {
    ColumnType.BYTES: "String",
    ColumnType.BYTES_LIST: "Array(String)",
    ColumnType.TEXT: "String",
    ColumnType.WORD: "LowCardinality(String)",
    ColumnType.TIME: "DateTime('UTC')",
    ColumnType.UINT8: "UInt8",
    ColumnType.UINT32: "UInt32",
    ColumnType.UINT64: "UInt64",
    ColumnType.UINT256: "UInt256",
    ColumnType.INT32: "Int32",
    ColumnType.INT256: "Int256",
    ColumnType.UINT8_OR_NULL: "Nullable(UInt8)",
    ColumnType.UINT256_OR_NULL: "Nullable(UInt256)",
}
_WRITTEN = {ColumnType.WORD: "String", ColumnType.TIME: "DateTime"}


@dataclass(frozen=True, slots=True)
class FactTable:
    """A table's own columns, in the order of the table, and which of them gives a row's block."""

    columns: Mapping[str, ColumnType]
    block_column: str = "block_number"

    @property
    def has_block_time(self) -> bool:
        """Whether rows carry the time of their block."""
        return BLOCK_TIME in self.columns


BLOCK_TIME = "block_time"

FACT_TABLES: Mapping[str, FactTable] = {
    "raw_block": FactTable(
        {
            "block_number": ColumnType.UINT64,
            "block_hash": ColumnType.BYTES,
            "parent_hash": ColumnType.BYTES,
            "block_time": ColumnType.TIME,
            "transaction_count": ColumnType.UINT32,
        }
    ),
    "raw_log": FactTable(
        {
            "block_number": ColumnType.UINT64,
            "log_index": ColumnType.UINT32,
            "address": ColumnType.BYTES,
            "topics": ColumnType.BYTES_LIST,
            "data": ColumnType.BYTES,
            "transaction_hash": ColumnType.BYTES,
        }
    ),
    "fact_contract_creation": FactTable(
        {
            "address": ColumnType.BYTES,
            "block_number": ColumnType.UINT64,
            "creation_index": ColumnType.UINT32,
            "block_time": ColumnType.TIME,
            "transaction_hash": ColumnType.BYTES,
            "creator": ColumnType.BYTES,
            "factory": ColumnType.BYTES,
            "transaction_to": ColumnType.BYTES,
        }
    ),
    "fact_token": FactTable(
        {
            "address": ColumnType.BYTES,
            "name": ColumnType.TEXT,
            "symbol": ColumnType.TEXT,
            "decimals": ColumnType.UINT8_OR_NULL,
            "total_supply_raw": ColumnType.UINT256_OR_NULL,
            "owner": ColumnType.BYTES,
            "proxy_admin": ColumnType.BYTES,
            "implementation": ColumnType.BYTES,
            "program": ColumnType.WORD,
            "traits": ColumnType.BYTES_LIST,
            "read_status": ColumnType.WORD,
            "first_block": ColumnType.UINT64,
            "first_time": ColumnType.TIME,
            "read_block": ColumnType.UINT64,
        },
        block_column="read_block",
    ),
    "fact_transfer": FactTable(
        {
            "token": ColumnType.BYTES,
            "block_number": ColumnType.UINT64,
            "log_index": ColumnType.UINT32,
            "block_time": ColumnType.TIME,
            "transaction_hash": ColumnType.BYTES,
            "from_address": ColumnType.BYTES,
            "to_address": ColumnType.BYTES,
            "amount_raw": ColumnType.UINT256,
        }
    ),
    "fact_pool": FactTable(
        {
            "pool": ColumnType.BYTES,
            "protocol": ColumnType.WORD,
            "exchange": ColumnType.WORD,
            "factory": ColumnType.BYTES,
            "token0": ColumnType.BYTES,
            "token1": ColumnType.BYTES,
            "fee_ppm": ColumnType.UINT32,
            "tick_spacing": ColumnType.INT32,
            "hooks": ColumnType.BYTES,
            "block_number": ColumnType.UINT64,
            "log_index": ColumnType.UINT32,
            "block_time": ColumnType.TIME,
            "transaction_hash": ColumnType.BYTES,
        }
    ),
    "fact_swap": FactTable(
        {
            "pool": ColumnType.BYTES,
            "block_number": ColumnType.UINT64,
            "log_index": ColumnType.UINT32,
            "block_time": ColumnType.TIME,
            "transaction_hash": ColumnType.BYTES,
            "sender": ColumnType.BYTES,
            "recipient": ColumnType.BYTES,
            "amount0_raw": ColumnType.INT256,
            "amount1_raw": ColumnType.INT256,
            "sqrt_price_x96": ColumnType.UINT256,
            "liquidity": ColumnType.UINT256,
            "tick": ColumnType.INT32,
        }
    ),
    "fact_pool_state": FactTable(
        {
            "pool": ColumnType.BYTES,
            "block_number": ColumnType.UINT64,
            "log_index": ColumnType.UINT32,
            "block_time": ColumnType.TIME,
            "reserve0_raw": ColumnType.UINT256,
            "reserve1_raw": ColumnType.UINT256,
            "sqrt_price_x96": ColumnType.UINT256,
            "tick": ColumnType.INT32,
        }
    ),
    "fact_liquidity": FactTable(
        {
            "pool": ColumnType.BYTES,
            "block_number": ColumnType.UINT64,
            "log_index": ColumnType.UINT32,
            "block_time": ColumnType.TIME,
            "transaction_hash": ColumnType.BYTES,
            "tick_lower": ColumnType.INT32,
            "tick_upper": ColumnType.INT32,
            "liquidity_delta": ColumnType.INT256,
        }
    ),
    "fact_pool_position": FactTable(
        {
            "position": ColumnType.BYTES,
            "pool": ColumnType.BYTES,
            "tick_lower": ColumnType.INT32,
            "tick_upper": ColumnType.INT32,
            "liquidity": ColumnType.UINT256,
            "block_number": ColumnType.UINT64,
            "log_index": ColumnType.UINT32,
        }
    ),
    "fact_control": FactTable(
        {
            "address": ColumnType.BYTES,
            "block_number": ColumnType.UINT64,
            "log_index": ColumnType.UINT32,
            "block_time": ColumnType.TIME,
            "transaction_hash": ColumnType.BYTES,
            "kind": ColumnType.WORD,
            "previous_account": ColumnType.BYTES,
            "account": ColumnType.BYTES,
            "signed": ColumnType.UINT8,
        }
    ),
    "fact_registry_event": FactTable(
        {
            "block_number": ColumnType.UINT64,
            "log_index": ColumnType.UINT32,
            "block_hash": ColumnType.BYTES,
            "block_time": ColumnType.TIME,
            "transaction_hash": ColumnType.BYTES,
            "registry": ColumnType.BYTES,
            "kind": ColumnType.WORD,
            "token_id": ColumnType.UINT64,
            "symbol": ColumnType.TEXT,
            "owner": ColumnType.BYTES,
            "token_address": ColumnType.BYTES,
            "fee_wei": ColumnType.UINT256,
            "with_receipt": ColumnType.UINT8,
            "account": ColumnType.BYTES,
            "enabled": ColumnType.UINT8,
            "metadata_cid": ColumnType.TEXT,
            "peer_chain_id": ColumnType.UINT64,
            "peer_token_id": ColumnType.UINT64,
            "reason": ColumnType.UINT8,
            "due_at": ColumnType.TIME,
            "new_token_id": ColumnType.UINT64,
            "deal": ColumnType.BYTES,
        }
    ),
    "fact_vault_event": FactTable(
        {
            "block_number": ColumnType.UINT64,
            "log_index": ColumnType.UINT32,
            "block_time": ColumnType.TIME,
            "transaction_hash": ColumnType.BYTES,
            "vaults": ColumnType.BYTES,
            "kind": ColumnType.WORD,
            "deal": ColumnType.BYTES,
            "vault_id": ColumnType.BYTES,
            "account": ColumnType.BYTES,
            "given_raw": ColumnType.UINT256,
            "paid_raw": ColumnType.UINT256,
        }
    ),
}
"""By name, in the order of the migrations. Rows of each name the unit of work that wrote them."""
