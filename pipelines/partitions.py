"""Partitions for backfills: windows of each chain's blocks, heartbeats by hours."""

from collections.abc import Iterable

import dagster as dg

from warehouse.domain.chains import Chain

BLOCKS_PER_WINDOW = 10_000

block_windows = dg.DynamicPartitionsDefinition(name="chain_windows")
"""Windows of blocks, as ``chain/first-last``: from the one in which a chain begins, added as the chain grows."""

hours = dg.HourlyPartitionsDefinition(start_date="2024-01-01-00:00", timezone="UTC")


def window_key(chain_key: str, block: int) -> str:
    """The window that a block of a chain lies in."""
    first = block // BLOCKS_PER_WINDOW * BLOCKS_PER_WINDOW
    return f"{chain_key}/{first:012d}-{first + BLOCKS_PER_WINDOW - 1:012d}"


def window_blocks(key: str) -> tuple[str, int, int]:
    """The chain of a window, and its first and last block."""
    chain_key, _, blocks = key.partition("/")
    first, last = blocks.split("-")
    return chain_key, int(first), int(last)


def missing_windows(instance: dg.DagsterInstance, chain: Chain, published: int) -> list[str]:
    """The windows between a chain's first block and its last published one that Dagster does not know."""
    known = set(instance.get_dynamic_partitions(str(block_windows.name)))
    return [key for key in _windows(chain, published) if key not in known]


def _windows(chain: Chain, published: int) -> Iterable[str]:
    start = chain.start_block // BLOCKS_PER_WINDOW * BLOCKS_PER_WINDOW
    return (window_key(chain.key, block) for block in range(start, published + 1, BLOCKS_PER_WINDOW))
