"""Comparing a window of indexed blocks with the chain."""

from dataclasses import dataclass

from indexer.chains.kinds import AnySource
from warehouse import sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain

_BLOCKS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class WindowAudit:
    """How many blocks of a window were compared, and which differ from the chain or are missing."""

    compared: int
    differing: tuple[int, ...]
    missing: tuple[int, ...]

    @property
    def holds(self) -> bool:
        """Whether the window equals the chain."""
        return not self.differing and not self.missing


def audit_window(warehouse: Warehouse, source: AnySource, chain: Chain, first: int, last: int) -> WindowAudit:
    """Compare every indexed block's hash in ``first..last`` with the node's."""
    differing: list[int] = []
    missing: list[int] = []
    compared = 0
    for start in range(first, last + 1, _BLOCKS_AT_ONCE):
        end = min(last, start + _BLOCKS_AT_ONCE - 1)
        on_chain = source.block_hashes(start, end)
        indexed = {
            row["block_number"]: row["block_hash"]
            for row in warehouse.rows(
                sql.load("transforms/windows/block_hashes"), {"chain_id": chain.chain_id, "first": start, "last": end}
            )
        }
        for block, digest in on_chain.items():
            if block not in indexed:
                missing.append(block)
            elif indexed[block] != digest.hex():
                differing.append(block)
        compared += len(on_chain)
    return WindowAudit(compared, tuple(differing), tuple(missing))
