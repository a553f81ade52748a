"""Chains whose ingestion has stopped for good, as conditions for operators."""

from collections.abc import Mapping

from warehouse.notices import ledger
from warehouse.notices.webhook import Condition
from warehouse.postgres import Connection

KIND = "chain_halted"


def settle_halted(store: Connection, keys: Mapping[int, str]) -> None:
    """Report the chains that are halted now, by the key of their id, and resolve those that were."""
    rows = store.execute("SELECT chain_id, block_number, halted FROM chain_checkpoint WHERE halted IS NOT NULL")
    ledger.settle(
        store,
        KIND,
        [
            Condition(
                KIND,
                keys.get(row["chain_id"], str(row["chain_id"])),
                "error",
                f"ingestion of {keys.get(row['chain_id'], row['chain_id'])} is halted: {row['halted']}",
                {"chainId": row["chain_id"], "publishedBlock": row["block_number"], "reason": row["halted"]},
            )
            for row in rows.fetchall()
        ],
    )
