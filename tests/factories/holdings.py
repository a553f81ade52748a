"""Balances of wallets in the warehouse, day by day, as ingestion sums them."""

from collections.abc import Iterable
from datetime import date, timedelta

from warehouse.clickhouse import Warehouse
from warehouse.domain.addresses import digits_of

BLOCK = 100
TOKEN = "0x" + "70" * 20
"""The token of the registration."""


def publish(warehouse: Warehouse, chain_id: int = 8453) -> None:
    """Make block 100 the last published one of a chain."""
    warehouse.command(
        "INSERT INTO chain_publication (chain_id, generation, next_block, next_unit)"
        f" SELECT {chain_id}, 1, {BLOCK + 1}, 1"
    )


def add_balances(
    warehouse: Warehouse, changes: Iterable[tuple[str, int, int]], *, today: date, token: str = TOKEN
) -> None:
    """Add balance changes of a token: of each, the wallet, how many days ago, and the amount."""
    rows = ", ".join(
        f"(8453, unhex('{digits_of(token)}'), unhex('{digits_of(wallet)}'), '{today - timedelta(days=ago)}',"
        f" toInt256('{amount}'))"
        for wallet, ago, amount in changes
    )
    warehouse.command(f"INSERT INTO agg_balance_day (chain_id, token, wallet, day, delta_raw) VALUES {rows}")
