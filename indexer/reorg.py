"""Reorganisations: find the last common block and revert what came after it. A normal event, not an error.

Units are reverted whole. Final blocks are never reverted automatically: the chain is halted with a reason instead, and
an operator decides with ``regalia index --rewind``.
"""

import logging
from collections.abc import Mapping
from typing import Any

from indexer.chains.kinds import AnySource
from indexer.chains.source import Head
from indexer.checkpoint import (
    Checkpoint,
    WriterGuard,
    finish_revert,
    next_change_id,
    set_halted,
    set_pending,
    units_above,
)
from indexer.marking import mark_published
from indexer.publish import read_blocks
from indexer.write import add_balances, block_time, delete_units
from warehouse import sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.postgres import Connection

LOG = logging.getLogger(__name__)

# Units reverted under one ``pending``: fewer than the tokens a table remembers, so that repeating stays a no-op.
_UNITS_AT_ONCE = 200


class ChainHalted(Exception):
    """Indexing of the chain has stopped until an operator decides. What is published is still served."""


def is_on_chain(source: AnySource, warehouse: Warehouse, checkpoint: Checkpoint, head: Head) -> bool:
    """Whether the node's chain contains the published block, as far as the node can tell.

    A node that is behind agrees as long as its own head is a block we know.
    """
    published, digest = checkpoint.block_number, checkpoint.block_hash
    if published is None or digest is None:
        return True
    at = min(published, head.number)
    indexed = {at: digest} if at == published else _hashes(warehouse, checkpoint.chain_id, at, at)
    if at not in indexed:
        return True
    return source.common_ancestor(lambda _first, _last: indexed, at, at) == at


def find_ancestor(
    source: AnySource, chain: Chain, warehouse: Warehouse, checkpoint: Checkpoint, head: Head
) -> int | None:
    """The last published block the node agrees with; None when it agrees with no block since the last final one."""
    published = checkpoint.block_number
    if published is None:
        return None
    found = source.common_ancestor(
        lambda first, last: _hashes(warehouse, chain.chain_id, first, last),
        _lowest(chain, checkpoint),
        min(published, head.number),
    )
    if found is not None:
        return found
    return chain.start_block - 1 if (checkpoint.final_block or 0) < chain.start_block else None


def halt(store: Connection, checkpoint: Checkpoint, chain: Chain) -> ChainHalted:
    """Stop the chain because final blocks are gone; the error to raise."""
    reason = (
        f"the node has another block {_lowest(chain, checkpoint)} than the one indexed, which was final: a"
        f" reorganisation deeper than finality_blocks = {chain.finality_blocks}, or a node that was replaced."
        f" Nothing was changed. Check the node; if its chain is the right one, run"
        f" `regalia index --chain {chain.key} --rewind BLOCK` with the last block that is right."
    )
    set_halted(store, checkpoint, reason)
    return ChainHalted(reason)


def revert_to(store: Connection, warehouse: Warehouse, checkpoint: Checkpoint, ancestor: int) -> Checkpoint:
    """Revert every unit that reaches beyond ``ancestor``. Blocks of theirs that are still valid are indexed again."""
    above = units_above(store, checkpoint.chain_id, ancestor)
    for start in range(0, len(above), _UNITS_AT_ONCE):
        units = above[start : start + _UNITS_AT_ONCE]
        pending = {
            "phase": "revert",
            "change_id": next_change_id(store),
            "units": [unit.unit_id for unit in units],
            "ancestor": units[-1].first - 1,
        }
        LOG.warning("chain %d: reverting blocks %d to %d", checkpoint.chain_id, units[-1].first, units[0].last)
        checkpoint = finish_pending(store, warehouse, set_pending(store, checkpoint, pending))
    return checkpoint


def finish_pending(store: Connection, warehouse: Warehouse, checkpoint: Checkpoint) -> Checkpoint:
    """Do, or repeat, what a pending revert has to do. Every step changes nothing the second time.

    The first step hides the reverted blocks from those who read the warehouse directly.
    """
    pending: dict[str, Any] = checkpoint.pending or {}
    if pending.get("phase") != "revert":
        return checkpoint
    chain_id, change_id, units = checkpoint.chain_id, pending["change_id"], pending["units"]
    mark_published(store, warehouse, checkpoint)
    warehouse.insert_select(
        sql.load("transforms/ingest/revert_changes"),
        {"chain_id": chain_id, "change_id": change_id, "units": units},
        token=f"revert:{change_id}:fact_change",
    )
    guard = WriterGuard(store, checkpoint)
    for unit_id in units:
        guard.ensure_current()
        add_balances(warehouse, chain_id, unit_id, sign=-1, token=f"revert:{unit_id}:agg_balance_day")
    # The block before the units, which is not the number before them where the chain skipped slots.
    found = warehouse.rows(
        sql.load("queries/ingest/last_block"), {"chain_id": chain_id, "block": max(pending["ancestor"], 0)}
    )
    delete_units(warehouse, chain_id, units)
    kept = None
    if found and found[0]["block_number"] <= pending["ancestor"]:
        row = found[0]
        kept = (row["block_number"], bytes.fromhex(row["block_hash"]), block_time(row["block_time"]))
    return finish_revert(store, checkpoint, units, kept)


def _hashes(warehouse: Warehouse, chain_id: int, first: int, last: int) -> Mapping[int, bytes]:
    return {number: digest for number, (digest, _) in read_blocks(warehouse, chain_id, first, last).items()}


def _lowest(chain: Chain, checkpoint: Checkpoint) -> int:
    """The lowest block that may be compared: the last final one, or the chain's first.

    Final is what was final when the node last agreed with us, not what would be final by its head of today: blocks
    that were indexed at the head may be reverted however long the indexer was stopped.
    """
    return max(checkpoint.final_block or 0, chain.start_block, 0)
