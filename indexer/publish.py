"""Write a unit exactly once, in an order of steps that stays correct whatever step a crash interrupts.

    begin    pending = facts     every insert below carries a token made of the unit's number
    facts    rows of all tables  after a crash: fence the unit, delete its rows, abandon it
    sums     pending = sums      after a crash: repeat; an insert that had landed is a no-op by its token
    publish  pending = null      readers see the unit from now on

``docs/decisions/0001-exactly-once.md`` says why each step is needed.
"""

import logging
from typing import Any

from indexer.checkpoint import (
    Checkpoint,
    Unit,
    WriterGuard,
    abandon_unit,
    begin_unit,
    next_change_id,
    publish_unit,
    set_pending,
)
from indexer.unit import AssembledUnit
from indexer.write import add_balances, block_time, fence_repair, fence_unit, write_facts
from warehouse import sql
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

LOG = logging.getLogger(__name__)


class UnitIncomplete(Exception):
    """The warehouse lacks rows that the store says it has: something else changed one of the two."""


def publish(
    store: Connection, warehouse: Warehouse, checkpoint: Checkpoint, assembled: AssembledUnit
) -> tuple[Checkpoint, dict[str, int]]:
    """Write and publish one unit of one month that follows the published block; the new checkpoint, and row counts by
    table."""
    blocks = assembled.blocks
    unit = Unit(next_change_id(store), blocks.first, blocks.last, blocks.last_hash, int(blocks.time[0]))
    checkpoint = begin_unit(store, checkpoint, unit)
    guard = WriterGuard(store, checkpoint)
    counts = write_facts(
        warehouse,
        checkpoint.chain_id,
        unit.unit_id,
        blocks,
        assembled.tables,
        assembled.changes,
        before_insert=guard.ensure_current,
    )
    checkpoint = set_pending(store, checkpoint, unit.pending("sums"))
    if "fact_transfer" in counts:
        add_sums(warehouse, checkpoint.chain_id, unit.unit_id)
    checkpoint = publish_unit(store, checkpoint, unit, block_time(int(blocks.time[-1])), counts)
    return checkpoint, counts


def recover(store: Connection, warehouse: Warehouse, checkpoint: Checkpoint) -> Checkpoint:
    """Undo or finish the unit, or end the repair, that an earlier writer left pending. A pending revert is for
    ``reorg.finish_pending``."""
    pending: dict[str, Any] = checkpoint.pending or {}
    if pending.get("phase") == "facts":
        LOG.warning("chain %d: abandoning the half written unit %d", checkpoint.chain_id, pending["unit_id"])
        # A unit that an earlier version began has no time: its month is unknown.
        fence_unit(warehouse, checkpoint.chain_id, pending["unit_id"], pending.get("first_time", 0))
        return abandon_unit(store, checkpoint, pending["unit_id"])
    if pending.get("phase") == "repair":
        LOG.warning("chain %d: a repair was interrupted: run it again for what it left", checkpoint.chain_id)
        fence_repair(warehouse, checkpoint.chain_id, pending["unit_id"], pending["first_time"])
        return set_pending(store, checkpoint, None)
    if pending.get("phase") == "sums":
        LOG.warning("chain %d: finishing unit %d", checkpoint.chain_id, pending["unit_id"])
        unit = Unit(pending["unit_id"], pending["first"], pending["last"], bytes.fromhex(pending["last_hash"][2:]))
        add_sums(warehouse, checkpoint.chain_id, unit.unit_id)
        found = read_blocks(warehouse, checkpoint.chain_id, unit.last, unit.last)
        if unit.last not in found:
            raise UnitIncomplete(f"unit {unit.unit_id} of chain {checkpoint.chain_id} lost its block {unit.last}")
        return publish_unit(store, checkpoint, unit, block_time(found[unit.last][1]), None)
    return checkpoint


def read_blocks(warehouse: Warehouse, chain_id: int, first: int, last: int) -> dict[int, tuple[bytes, int]]:
    """Hash and time of the indexed blocks in a range."""
    rows = warehouse.rows(
        sql.load("queries/ingest/blocks"), {"chain_id": chain_id, "first": max(first, 0), "last": max(last, 0)}
    )
    return {row["block_number"]: (bytes.fromhex(row["block_hash"]), row["block_time"]) for row in rows}


def add_sums(warehouse: Warehouse, chain_id: int, unit_id: int) -> None:
    """Add the unit's transfers to the balances. The second time is a no-op."""
    add_balances(warehouse, chain_id, unit_id, sign=1, token=f"{unit_id}:agg_balance_day")
