"""Example values and formats that several events share."""

from typing import Any, Final

from warehouse.domain import addresses

WALLET: Final = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
TOKEN: Final = "0x6982508145454Ce325dDbE47a25d4ec3d2311933"  # noqa: S105 - an address
MOMENT: Final = "2026-11-21T09:30:00.000Z"
ADDRESS: Final[dict[str, Any]] = {"pattern": addresses.PATTERN}
TIME: Final[dict[str, Any]] = {"format": "date-time"}
