"""Partitions for backfills: blocks of a chain by windows, heartbeats by hours."""

import dagster as dg

from warehouse.chains import facts

BLOCKS_PER_WINDOW = 10_000

block_windows = dg.DynamicPartitionsDefinition(name="block_windows")
"""Windows of a chain's blocks, as ``first-last``; added as chains grow."""

chain_block_windows = dg.MultiPartitionsDefinition(
    {"chain": dg.StaticPartitionsDefinition(sorted(facts.load(None).by_key)), "blocks": block_windows}
)

hours = dg.HourlyPartitionsDefinition(start_date="2024-01-01-00:00", timezone="UTC")


def window_key(block: int) -> str:
    """The window that a block lies in."""
    first = block // BLOCKS_PER_WINDOW * BLOCKS_PER_WINDOW
    return f"{first:012d}-{first + BLOCKS_PER_WINDOW - 1:012d}"


def window_blocks(key: str) -> tuple[int, int]:
    """First and last block of a window."""
    first, last = key.split("-")
    return int(first), int(last)
