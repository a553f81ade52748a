"""Reorganisations: find the last common block, take back what came after it. A normal event, not an error.

Units are taken back whole. Beyond the chain's finality nothing is taken back: the chain is halted with a reason,
which an operator answers with ``regalia index --rewind``.
"""

import logging
from typing import Any

from indexer.chains.evm.headers import fetch_headers
from indexer.chains.evm.rpc import EvmClient
from indexer.checkpoint import (
    Checkpoint,
    Standing,
    Store,
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

LOG = logging.getLogger(__name__)

_WINDOW = 64
# Units taken back under one ``pending``: fewer than the tokens a table remembers, so that repeating stays a no-op.
_UNITS_AT_ONCE = 200


class ChainHalted(Exception):
    """Ingestion of the chain has stopped until an operator decides; what is published goes on being served."""


def find_ancestor(client: EvmClient, warehouse: Warehouse, checkpoint: Checkpoint, head: int) -> int | None:
    """The last published block the node agrees with; None when it agrees with nothing within finality.

    A node that is behind agrees with the published block as long as its own head is one we know.
    """
    published = checkpoint.block_number
    if published is None:
        return None
    lowest = _lowest(client, checkpoint)
    top = min(published, head)
    while top >= lowest:
        bottom = max(top - _WINDOW + 1, lowest)
        ours = read_blocks(warehouse, checkpoint.chain_id, bottom, top)
        theirs = fetch_headers(client, range(bottom, top + 1))
        for header in reversed(theirs):
            if header.first in ours and ours[header.first][0] == header.hash_of(header.first):
                return header.first
        top = bottom - 1
    start = client.chain.start_block
    return start - 1 if (checkpoint.final_block or 0) < start else None


def same_chain(client: EvmClient, warehouse: Warehouse, checkpoint: Checkpoint, head: int) -> bool:
    """Whether the node's chain contains the published block, as far as the node can tell."""
    published, digest = checkpoint.block_number, checkpoint.block_hash
    if published is None or digest is None:
        return True
    at = min(published, head)
    header = fetch_headers(client, [at])[0]
    if at == published:
        return header.hash_of(at) == digest
    ours = read_blocks(warehouse, checkpoint.chain_id, at, at)
    return at not in ours or ours[at][0] == header.hash_of(at)


def halt(store: Store, checkpoint: Checkpoint, client: EvmClient) -> None:
    """Stop the chain because blocks that were final are gone; raises ChainHalted."""
    chain = client.chain
    reason = (
        f"the node has another block {_lowest(client, checkpoint)} than the one indexed, which was final: a"
        f" reorganisation deeper than finality_blocks = {chain.finality_blocks}, or a node that was replaced."
        f" Nothing was changed. Check the node; if its chain is the right one, run"
        f" `regalia index --chain {chain.key} --rewind BLOCK` with the last block that is right."
    )
    set_halted(store, checkpoint, reason)
    raise ChainHalted(reason)


def revert_to(store: Store, warehouse: Warehouse, checkpoint: Checkpoint, ancestor: int) -> Checkpoint:
    """Take back every unit that reaches beyond ``ancestor``; those blocks of theirs that stay are indexed again."""
    above = units_above(store, checkpoint.chain_id, ancestor)
    for start in range(0, len(above), _UNITS_AT_ONCE):
        units = above[start : start + _UNITS_AT_ONCE]
        pending = {
            "phase": "revert",
            "change_id": next_change_id(store),
            "units": [unit.unit_id for unit in units],
            "ancestor": units[-1].first - 1,
        }
        LOG.warning("chain %d: taking back blocks %d to %d", checkpoint.chain_id, units[-1].first, units[0].last)
        checkpoint = finish_pending(store, warehouse, set_pending(store, checkpoint, pending))
    return checkpoint


def finish_pending(store: Store, warehouse: Warehouse, checkpoint: Checkpoint) -> Checkpoint:
    """Do, or do again, what a pending taking-back has to do: every step changes nothing the second time.

    First what goes is hidden from those who read the warehouse directly.
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
    standing = Standing(store, checkpoint)
    for unit_id in units:
        standing.require()
        add_balances(warehouse, chain_id, unit_id, sign=-1, token=f"revert:{unit_id}:agg_balance_day")
    head = read_blocks(warehouse, chain_id, pending["ancestor"], pending["ancestor"]).get(pending["ancestor"])
    delete_units(warehouse, chain_id, units)
    kept = None if head is None else (pending["ancestor"], head[0], block_time(head[1]))
    return finish_revert(store, checkpoint, units, kept)


def _lowest(client: EvmClient, checkpoint: Checkpoint) -> int:
    """The lowest block that may still be looked at: the last final one, or the chain's first.

    What counts is what was final when the node last agreed with us, not what would be by its head of today: blocks
    indexed at the head of then may be taken back however long we were away.
    """
    return max(checkpoint.final_block or 0, client.chain.start_block, 0)
