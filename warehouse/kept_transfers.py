"""From where on a chain's transfers are there: its retention may have dropped older months."""

from dataclasses import dataclass
from datetime import datetime

from warehouse import sql
from warehouse.clickhouse import Warehouse


class TransfersDropped(Exception):
    """What is asked for needs transfers that were dropped; the message says which."""


@dataclass(frozen=True, slots=True)
class KeptTransfers:
    """The first block whose transfers, and those of all later blocks, are there. 0 if none were dropped."""

    first_block: int
    since: datetime | None

    @property
    def whole(self) -> bool:
        """Whether nothing was dropped."""
        return self.since is None

    def ensure_whole(self, purpose: str) -> None:
        """Refuse what needs every transfer.

        Raises:
            TransfersDropped: some were dropped.
        """
        if self.since is not None:
            raise TransfersDropped(
                f"{purpose} needs all transfers, and those before {self.since:%Y-%m-%d} were dropped: restore a backup,"
                " or index the chain anew"
            )

    def ensure_from(self, block: int, purpose: str) -> None:
        """Refuse what needs the transfers of ``block`` and later ones.

        Raises:
            TransfersDropped: some of them were dropped.
        """
        if block < self.first_block:
            raise TransfersDropped(
                f"{purpose}: transfers before block {self.first_block} were dropped; name a later block"
            )


def kept_transfers(warehouse: Warehouse, chain_id: int) -> KeptTransfers:
    """What is kept of a chain's transfers."""
    row = warehouse.rows(sql.load("queries/retention/kept_transfers"), {"chain_id": chain_id})[0]
    return KeptTransfers(row["first_block"], row["since"])
