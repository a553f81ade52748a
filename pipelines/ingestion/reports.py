"""What indexers wrote, as Dagster's history of the facts and of each chain's head shows it.

Each table is reported with the rows of the units that were published since its last report; ``raw_block`` by window. A
quiet chain is reported now and then as well: its facts are as new as the chain is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import dagster as dg

from pipelines import lineage
from pipelines.assets import head_of
from pipelines.partitions import window_key
from warehouse import postgres
from warehouse.domain.chains import Chain
from warehouse.domain.facts import FACT_TABLES
from warehouse.postgres import Connection

QUIET_SECONDS = 300.0
"""How often a chain without new blocks is reported."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Consecutive blocks that were published together, and the rows of each table."""

    chain_id: int
    first_block: int
    last_block: int
    row_counts: Mapping[str, int]
    finished_at: datetime


@dataclass(frozen=True, slots=True)
class Position:
    """How far a chain is indexed."""

    chain: Chain
    block: int
    head: int | None
    looked_at: float
    """When an indexer last asked the nodes, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """What indexers did lately: the last units of all chains, newest first, and how far each chain is."""

    units: Sequence[Unit]
    positions: Sequence[Position]


def read_indexed(store: Connection, chains: Sequence[Chain]) -> Indexed:
    """What indexers did on these chains."""
    by_id = {chain.chain_id: chain for chain in chains}
    rows = postgres.run(store, "status/list_checkpoints")
    positions = [
        Position(by_id[row["chain_id"]], row["block_number"], row["head_block"], row["updated_at"].timestamp())
        for row in rows
        if row["chain_id"] in by_id and row["block_number"] is not None
    ]
    units = postgres.records(store, Unit, "status/list_last_units")
    return Indexed([unit for unit in units if unit.chain_id in by_id], positions)


def unreported(known: Mapping[str, float], indexed: Indexed) -> Iterator[dg.AssetMaterialization]:
    """What happened after the last materialisation of each asset that Dagster knows of (``known``, seconds since 1970):
    one materialisation for each table, for each window of blocks, and for each chain's head."""
    keys = {position.chain.chain_id: position.chain.key for position in indexed.positions}
    looked_at = max((position.looked_at for position in indexed.positions), default=0.0)
    for table in lineage.INDEXED:
        before = known.get(table, 0.0)
        units = [unit for unit in indexed.units if unit.finished_at.timestamp() > before and unit.chain_id in keys]
        if not units and looked_at - before < QUIET_SECONDS:
            continue
        if table == lineage.BLOCKS and units:
            yield from _windows(units, keys)
        else:
            counted = {"rows": sum(unit.row_counts.get(table, 0) for unit in units)} if table in FACT_TABLES else {}
            yield dg.AssetMaterialization(table, metadata={"blocks": _blocks(units, keys), **counted})
    for position in indexed.positions:
        name = head_of(position.chain)
        moved = any(
            unit.chain_id == position.chain.chain_id and unit.finished_at.timestamp() > known.get(name, 0.0)
            for unit in indexed.units
        )
        if moved or position.looked_at - known.get(name, 0.0) >= QUIET_SECONDS:
            seen = {"head": position.head} if position.head is not None else {}
            yield dg.AssetMaterialization(name, metadata={"block": position.block, **seen})


def _windows(units: Sequence[Unit], keys: Mapping[int, str]) -> Iterator[dg.AssetMaterialization]:
    found: dict[str, list[Unit]] = {}
    for unit in units:
        found.setdefault(window_key(keys[unit.chain_id], unit.last_block), []).append(unit)
    for window, inside in found.items():
        rows = sum(unit.row_counts.get(lineage.BLOCKS, 0) for unit in inside)
        yield dg.AssetMaterialization(
            lineage.BLOCKS, metadata={"rows": rows, "blocks": _blocks(inside, keys)}, partition=window
        )


def _blocks(units: Sequence[Unit], keys: Mapping[int, str]) -> str:
    """The range of blocks on each chain."""
    ranges = []
    for chain_id, key in keys.items():
        own = [unit for unit in units if unit.chain_id == chain_id]
        if own:
            ranges.append(f"{key} {min(unit.first_block for unit in own)}..{max(unit.last_block for unit in own)}")
    return ", ".join(ranges) or "nothing new"
