"""Writing a unit exactly once: the order of steps that a crash between any two of them cannot spoil.

    begin    pending = facts     every insert below carries a token made of the unit's number
    facts    rows of all tables  a crash here: fence the unit, delete its rows, give it up
    sums     pending = sums      a crash here: repeat; what had landed is a no-op by its token
    publish  pending = null      readers see the unit from this moment on

``docs/decisions/0001-exactly-once.md`` says why each step is needed.
"""

import logging
from typing import Any

from indexer.chains.evm.assemble import Assembled
from indexer.checkpoint import (
    Checkpoint,
    Standing,
    Store,
    Unit,
    abandon_unit,
    begin_unit,
    next_change_id,
    publish_unit,
    set_pending,
)
from indexer.write import add_balances, block_time, fence_unit, write_facts
from warehouse import sql
from warehouse.clickhouse import Warehouse

LOG = logging.getLogger(__name__)


class UnitIncomplete(Exception):
    """The warehouse lacks rows the store says it has: something other than the indexer changed one of them."""


def publish(
    store: Store, warehouse: Warehouse, checkpoint: Checkpoint, assembled: Assembled
) -> tuple[Checkpoint, dict[str, int]]:
    """Write one unit that follows the published block, and publish it; the new checkpoint and rows by table."""
    headers = assembled.headers
    unit = Unit(next_change_id(store), headers.first, headers.last, headers.hash_of(headers.last))
    checkpoint = begin_unit(store, checkpoint, unit)
    standing = Standing(store, checkpoint)
    counts = write_facts(
        warehouse,
        checkpoint.chain_id,
        unit.unit_id,
        headers,
        assembled.tables,
        assembled.changes,
        before_insert=standing.require,
    )
    checkpoint = set_pending(store, checkpoint, unit.pending("sums"))
    if "fact_transfer" in counts:
        add_sums(warehouse, checkpoint.chain_id, unit.unit_id)
    checkpoint = publish_unit(store, checkpoint, unit, block_time(int(headers.time[-1])), counts)
    return checkpoint, counts


def recover(store: Store, warehouse: Warehouse, checkpoint: Checkpoint) -> Checkpoint:
    """Undo or finish the unit that an earlier writer left pending; taking back units is ``reorg``'s to repeat."""
    pending: dict[str, Any] = checkpoint.pending or {}
    if pending.get("phase") == "facts":
        LOG.warning("chain %d: giving up unit %d, left half written", checkpoint.chain_id, pending["unit_id"])
        fence_unit(warehouse, checkpoint.chain_id, pending["unit_id"])
        return abandon_unit(store, checkpoint, pending["unit_id"])
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
    """Sum what the unit's facts add up to; the second time is a no-op."""
    add_balances(warehouse, chain_id, unit_id, sign=1, token=f"{unit_id}:agg_balance_day")
