"""Copy what is published to the warehouse: the rows of ``chain_publication``, which analysts' views filter by.

The checkpoint in the store is the truth; the copy follows a moment later. Before a revert deletes rows, the copy hides
them. Each row carries the checkpoint's generation and the highest one counts: a late or repeated row changes nothing.
"""

from typing import Any

import numpy as np

from indexer.checkpoint import Checkpoint
from warehouse import postgres
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection
from warehouse.writer import native_block


def mark_published(store: Connection, warehouse: Warehouse, checkpoint: Checkpoint) -> None:
    """Write what ``checkpoint`` says is published: the block after it, and the unit after its last one."""
    next_block, next_unit = _bounds(store, checkpoint)
    block = native_block(
        [
            ("chain_id", "UInt32", np.array([checkpoint.chain_id], np.uint32)),
            ("generation", "UInt64", np.array([checkpoint.generation], np.uint64)),
            ("next_block", "UInt64", np.array([next_block], np.uint64)),
            ("next_unit", "UInt64", np.array([next_unit], np.uint64)),
        ]
    )
    warehouse.insert_native("chain_publication", block, token=f"{checkpoint.chain_id}:{checkpoint.generation}")


def _bounds(store: Connection, checkpoint: Checkpoint) -> tuple[int, int]:
    """The first block and the first unit that are not published, or will not be once a pending revert is done."""
    pending: dict[str, Any] = checkpoint.pending or {}
    if pending.get("phase") == "revert":
        return pending["ancestor"] + 1, min(pending["units"])
    if checkpoint.block_number is None:
        return 0, 0
    last = {"chain_id": checkpoint.chain_id, "block": checkpoint.block_number}
    rows = postgres.run(store, "ingestion/find_unit_ending_at", last)
    return checkpoint.block_number + 1, rows[0]["unit_id"] + 1 if rows else 0
