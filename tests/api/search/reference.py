"""A slow reference implementation of search over rows, without the service's code."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cmp_to_key
from typing import Any

Row = Mapping[str, Any]

STATUSES = ["available", "unclaimed", "grace_period", "claimed", "owned", "inactive"]
CHAINS = {42161: 0, 900900: 1, 137: 2, 8453: 3, 56: 4, 1: 5, 43114: 6, 100: 7}
SORT_VALUES: Mapping[str, Callable[[Row], Any]] = {
    "volume": lambda row: row["volume_24h_usd"],
    "market_cap": lambda row: row["market_cap_usd"],
    "age": lambda row: None if row["deployed_at"] is None else -row["deployed_at"].timestamp(),
    "holders": lambda row: row["holders"],
    "price": lambda row: row["price_usd"],
    "liquidity": lambda row: row["liquidity_usd"],
    "name": lambda row: (row["name"] or "").casefold() or None,
    "heartbeatScore": lambda row: row["heartbeat_score"],
    "tokenRank": lambda row: row["token_rank"],
    "deployedAt": lambda row: row["deployed_at"],
    "claimedAt": lambda row: row["registered_at"],
    "createdAt": lambda row: row["first_seen_at"],
    "txns24h": lambda row: row["transactions_24h"],
    "priceChange1h": lambda row: row["price_change_1h"],
    "priceChange6h": lambda row: row["price_change_6h"],
    "priceChange24h": lambda row: row["price_change_24h"],
}


def status_of(row: Row, now: datetime) -> str:
    """The registration status of a row."""
    if row.get("available"):
        return "available"
    if row["registration_token_id"] is None or row["registration_expired"]:
        return "unclaimed"
    if row["registered_at"].replace(tzinfo=UTC) > now - timedelta(days=30):
        return "grace_period"
    if row["heartbeat_score"] is not None and row["heartbeat_score"] < 60:
        return "inactive"
    return "claimed"


def order_rows(
    rows: Sequence[Row],
    query: str,
    symbols: Sequence[str],
    folded: Callable[[str], str],
    sort: str,
    order: str,
    now: datetime,
) -> list[Row]:
    """The rows as a search with this sort lists them; ``symbols`` are the query and its expansions in order."""
    by_token = {(row["chain_id"], row["address"]): row for row in rows}

    def level(row: Row) -> int:
        own = 0 if row["symbol_key"] == query else 1 if folded(row["symbol_key"]) == folded(query) else 2
        original = by_token.get((row["copy_of_chain_id"], row["copy_of_address"])) if row["is_copy"] else None
        return own if original is None else max(own, level(original))

    def relevance(row: Row, turned: int) -> tuple[Any, ...]:
        return (
            level(row),
            row["is_copy"],
            turned * STATUSES.index(status_of(row, now)),
            -turned * row["market_score"],
            turned * CHAINS[row["chain_id"]],
            symbols.index(row["symbol_key"]),
            row["chain_id"],
            row["address"].ljust(32, b"\0"),
        )

    if sort == "relevance":
        return sorted(rows, key=lambda row: relevance(row, -1 if order == "asc" else 1))

    def compare(one: Row, other: Row) -> int:
        left, right = SORT_VALUES[sort](one), SORT_VALUES[sort](other)
        if (left is None) != (right is None):
            return 1 if left is None else -1
        if left is not None and left != right:
            return (-1 if left < right else 1) * (-1 if order == "desc" else 1)
        return -1 if relevance(one, 1) < relevance(other, 1) else 1

    return sorted(rows, key=cmp_to_key(compare))


_UNKNOWN = (
    "volume_24h_usd", "market_cap_usd", "deployed_at", "holders", "price_usd", "liquidity_usd", "name",
    "heartbeat_score", "token_rank", "registered_at", "first_seen_at", "transactions_24h", "price_change_1h",
    "price_change_6h", "price_change_24h",
)  # fmt: skip


def available_row(symbol: str, chain_id: int) -> dict[str, Any]:
    """The row of a chain that has no token of the symbol."""
    return {
        "available": True, "symbol_key": symbol, "chain_id": chain_id, "address": b"", "is_copy": 0,
        "market_score": Decimal(0), "copy_of_chain_id": 0, "copy_of_address": b"", **dict.fromkeys(_UNKNOWN),
    }  # fmt: skip
