"""Holding a window of indexed blocks against the chain."""

from dataclasses import dataclass

from indexer.chains.evm.headers import fetch_header_range
from indexer.chains.evm.rpc import EvmClient
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain

_HEADERS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class WindowAudit:
    """How many blocks of a window were compared, and which differ from the chain or are missing."""

    compared: int
    differing: tuple[int, ...]
    missing: tuple[int, ...]

    @property
    def holds(self) -> bool:
        """Whether the window is the chain's."""
        return not self.differing and not self.missing


def audit_window(warehouse: Warehouse, client: EvmClient, chain: Chain, first: int, last: int) -> WindowAudit:
    """Compare every indexed block's hash in ``first..last`` with the node's."""
    differing: list[int] = []
    missing: list[int] = []
    for start in range(first, last + 1, _HEADERS_AT_ONCE):
        end = min(last, start + _HEADERS_AT_ONCE - 1)
        headers = fetch_header_range(client, start, end)
        indexed = {
            row["block_number"]: row["hash"]
            for row in warehouse.rows(
                "SELECT block_number, lower(hex(block_hash)) AS hash FROM raw_block "
                "WHERE chain_id = {chain_id:UInt32} AND block_number BETWEEN {first:UInt64} AND {last:UInt64}",
                {"chain_id": chain.chain_id, "first": start, "last": end},
            )
        }
        for block in range(start, end + 1):
            if block not in indexed:
                missing.append(block)
            elif indexed[block] != headers.hash_of(block).hex():
                differing.append(block)
    return WindowAudit(last - first + 1, tuple(differing), tuple(missing))
