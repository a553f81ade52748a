"""Events of the contract that keeps the vaults of deals, ``DealVaults``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from warehouse.domain.selectors import event_topic


@dataclass(frozen=True, slots=True)
class VaultLog:
    """A kind of event: its name in ``fact_vault_event``, and which words of the data are given and paid."""

    kind: str
    signature: str
    given_word: int | None = None
    paid_word: int | None = None

    @property
    def topic(self) -> bytes:
        """The first topic. The others are the deal, the id of the vault, and the account."""
        return event_topic(self.signature)


OPENED: Final = VaultLog("opened", "VaultOpened(bytes32,bytes32,address,address,uint256)", given_word=1)
SWAPPED: Final = VaultLog("swapped", "HolderSwapped(bytes32,bytes32,address,uint256,uint256)", 0, 1)
REDEEMED: Final = VaultLog("redeemed", "HolderRedeemed(bytes32,bytes32,address,uint256,uint256)", 0, 1)
CLOSED: Final = VaultLog("closed", "VaultClosed(bytes32,bytes32,address,uint256)", paid_word=0)

VAULT_TOPICS: Final = 4
VAULT_LOGS: Final[Mapping[bytes, VaultLog]] = {log.topic: log for log in (OPENED, SWAPPED, REDEEMED, CLOSED)}
"""All of them, by first topic."""
