"""The specification's names of the parties, which cross, and ours. Only this module knows both.

    in the body of an offer     ``buyer_address``   the wallet that offers
    in the record of a deal     ``seller_address``  the wallet that made the offer
                                ``buyer_address``   the wallet that held the registration and accepted
    in the query of a list      ``role=seller``     offers made by the address
                                ``role=buyer``      deals that the address accepted

Everywhere else it is ``offerer`` (pays) and ``holder`` (has the registration).
"""

from enum import StrEnum
from typing import Final

OFFERER_IN_OFFER: Final = "buyer_address"
OFFERER_IN_RECORD: Final = "seller_address"
HOLDER_IN_RECORD: Final = "buyer_address"


class ListedRole(StrEnum):
    """The role of an address in a list of deals."""

    SELLER = "seller"
    BUYER = "buyer"

    @property
    def lists_offers_made(self) -> bool:
        """Whether the address made the offers that are listed; otherwise it accepted them."""
        return self is ListedRole.SELLER
