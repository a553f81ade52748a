"""Conditions for operators: chains whose ingestion is halted."""

from collections.abc import Mapping

from warehouse import postgres
from warehouse.notices import ledger
from warehouse.notices.conditions import Condition
from warehouse.postgres import Connection

KIND = "chain_halted"


def settle_halted(store: Connection, keys: Mapping[int, str]) -> None:
    """Report the chains that are halted now, by the key of their id, and resolve those that were."""
    halted = []
    for row in postgres.run(store, "notices/list_halted_chains"):
        key = keys.get(row["chain_id"], str(row["chain_id"]))
        details = {"chainId": row["chain_id"], "publishedBlock": row["block_number"], "reason": row["halted"]}
        halted.append(Condition(KIND, key, "error", f"ingestion of {key} is halted: {row['halted']}", details))
    ledger.settle(store, KIND, halted)
