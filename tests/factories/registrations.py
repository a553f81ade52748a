"""Registrations and indexed tokens as rows of the store, with defaults for what a test does not care about."""

from datetime import UTC, datetime, timedelta
from typing import Any

from warehouse.postgres import Connection

BASE, ARBITRUM = 8453, 42161
LONG_AGO = datetime.now(UTC) - timedelta(days=100)


def address(number: int) -> str:
    """An address that is told apart by its number."""
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
