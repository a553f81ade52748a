"""Registrations and indexed tokens as rows of the store: single ones, with defaults for what a test does not care
about, and those of a whole generated world."""

import io
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

from tests.factories.generated import World, random_bytes
from tests.factories.tokens import EPOCH
from warehouse.postgres import Connection

BASE, ARBITRUM = 8453, 42161
LONG_AGO = datetime.now(UTC) - timedelta(days=100)
_PAIRS = np.frombuffer("".join(f"{byte:02x}" for byte in range(256)).encode(), np.uint16)


def address(number: int) -> str:
    """A distinct address for each number."""
    return f"0x{number:040x}"


def add_registration(store: Connection, symbol: str = "PEPE", **changes: Any) -> dict[str, Any]:
    """Insert a registration; the answer is its row."""
    row: dict[str, Any] = {
        "chain_id": BASE, "token_id": 1, "block_hash": "0x" + "aa" * 32, "log_index": 0, "block_number": 5,
        "transaction_hash": "0x" + "bb" * 32, "registry": address(0x5E91), "symbol": symbol, "owner": address(0xA11CE),
        "token_address": address(0x70CE), "fee_wei": 0, "with_receipt": False, "minted_at": LONG_AGO, **changes,
    }  # fmt: skip
    _insert(store, "registration", row)
    return row


def add_token(store: Connection, symbol: str = "PEPE", **changes: Any) -> dict[str, Any]:
    """Insert an indexed token; the answer is its row."""
    row: dict[str, Any] = {
        "chain_id": BASE, "address": address(0x70CE), "symbol_key": symbol, "name": symbol.title(), "precedence": 0,
        "first_seen_at": LONG_AGO, "is_copy": False, "as_of_block": 5, **changes,
    }  # fmt: skip
    _insert(store, "indexed_token", row)
    return row


def scored(score: str) -> dict[str, Any]:
    """The fields of a token with this heartbeat."""
    return {
        "score": score, "timestamp_score": score, "volume_score": score, "holders_score": score,
        "confidence_score": score, "weights_version": 1, "scored_at": LONG_AGO,
    }  # fmt: skip


def _insert(store: Connection, table: str, row: dict[str, Any]) -> None:
    columns, marks = ", ".join(row), ", ".join(["%s"] * len(row))
    store.execute(f"INSERT INTO {table} ({columns}) VALUES ({marks})", list(row.values()))


def copy_world(store: Connection, world: World) -> None:
    """Write a generated world's tokens with their heartbeats, and its registrations, as the pipelines would: rows that
    say the same as those of the warehouse."""
    _copy(store, "indexed_token", _indexed_tokens(world))
    _copy(
        store, "registration", _registrations(world.tokens.filter(pc.is_valid(world.tokens["registration_token_id"])))
    )
    store.execute(
        "INSERT INTO chain_checkpoint (chain_id, generation, block_number)"
        " SELECT DISTINCT chain_id, 1, 1 FROM indexed_token ON CONFLICT DO NOTHING"
    )
    store.execute("ANALYZE indexed_token, registration")


def _indexed_tokens(world: World) -> pa.Table:
    tokens, components = world.tokens, world.components
    scored = pc.is_valid(tokens["heartbeat_score"])
    moment = pa.scalar(EPOCH, pa.timestamp("s", tz="UTC"))
    return pa.table(
        {
            "chain_id": tokens["chain_id"], "address": hexadecimal(tokens["address"]),
            "symbol_key": tokens["symbol_key"], "name": tokens["name"], "decimals": tokens["decimals"],
            "deployer": hexadecimal(tokens["deployer"]), "deployed_at": tokens["deployed_at"],
            "first_seen_at": tokens["first_seen_at"], "precedence": _precedence(tokens),
            "is_copy": pc.equal(tokens["is_copy"], 1), "copy_of_chain_id": _given(tokens["copy_of_chain_id"], 0),
            "copy_of_address": _given(hexadecimal(tokens["copy_of_address"]), "0x"),
            "copy_rule": _given(tokens["copy_rule"], ""), "score": tokens["heartbeat_score"], **components,
            "weights_version": pc.if_else(scored, 1, pa.scalar(None, pa.int64())),
            "scored_at": pc.if_else(scored, moment, pa.scalar(None, moment.type)), "as_of_block": tokens["as_of_block"],
        }
    )  # fmt: skip


def _registrations(tokens: pa.Table) -> pa.Table:
    rng, count = np.random.default_rng(tokens.num_rows), tokens.num_rows
    blocks = np.sort(rng.integers(1, 1_000_000, count))
    expired = pc.equal(tokens["registration_expired"], 1)
    return pa.table(
        {
            "chain_id": tokens["chain_id"], "token_id": tokens["registration_token_id"],
            "block_hash": hexadecimal(random_bytes(rng, count, 32)), "log_index": rng.integers(0, 200, count),
            "block_number": blocks, "transaction_hash": hexadecimal(random_bytes(rng, count, 32)),
            "registry": hexadecimal(tokens["registry_address"]), "symbol": tokens["symbol_key"],
            "owner": hexadecimal(tokens["registration_owner"]), "token_address": hexadecimal(tokens["address"]),
            "fee_wei": pa.repeat(0, count), "with_receipt": pa.repeat(False, count),
            "minted_at": tokens["registered_at"], "managers": _managers(tokens["registration_manager"]),
            "expired_at": pc.if_else(expired, pa.scalar(EPOCH, tokens["registered_at"].type), None),
            "is_final": pa.repeat(True, count), "verification_method": tokens["verification_method"],
            "verified_at": tokens["verified_at"],
        }
    )  # fmt: skip


def hexadecimal(column: Any) -> pa.Array:
    """Byte strings as 0x and digits; empty ones as 0x."""
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    column = column.cast(pa.large_binary())
    _, offsets, content = column.buffers()
    ends = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
    data = np.frombuffer(content, np.uint8)[ends[0] : ends[-1]] if content is not None else np.zeros(0, np.uint8)
    digits = pa.py_buffer(_PAIRS[data].tobytes())
    bare = pa.LargeStringArray.from_buffers(len(column), pa.py_buffer(2 * (ends - ends[0])), digits)
    return pc.binary_join_element_wise("0x", bare.cast(pa.string()), "")


def _precedence(tokens: pa.Table) -> pa.Array:
    """The place of each token among those of its symbol on its chain: originals first, then the larger market."""
    symbols = np.unique(tokens["symbol_key"].to_numpy().astype("U64"), return_inverse=True)[1].astype(np.int64)
    groups = symbols * 2**32 + tokens["chain_id"].to_numpy()
    scores = pc.cast(tokens["market_score"], pa.float64()).to_numpy()
    order = np.lexsort((-scores, tokens["is_copy"].to_numpy(), groups))
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))
    return pa.array(places)


def _managers(column: Any) -> pa.Array:
    shown = hexadecimal(column)
    return pc.if_else(pc.equal(shown, "0x"), "{}", pc.binary_join_element_wise("{", shown, "}", ""))


def _given(column: Any, absent: Any) -> Any:
    return pc.if_else(pc.equal(column, absent), pa.scalar(None, column.type), column)


def _copy(store: Connection, table: str, rows: pa.Table) -> None:
    columns = ", ".join(rows.column_names)
    statement = f"COPY {table} ({columns}) FROM STDIN (FORMAT csv)"
    with store.cursor() as cursor, cursor.copy(statement.encode()) as sink:
        for batch in rows.to_batches(max_chunksize=50_000):
            buffer = io.BytesIO()
            csv.write_csv(pa.Table.from_batches([batch]), buffer, csv.WriteOptions(include_header=False))
            sink.write(buffer.getvalue())
