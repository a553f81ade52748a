"""Messages about alerts, to the contacts of the accounts whose rules fired: the delivery engine as alerts use it.

The evaluation writes the messages and their deliveries in the transaction of the alerts.
"""

from typing import Final

from api.services import Services
from api.vendors.sending import Statements, VendorEngine, vendor_engine

STATEMENTS: Final = Statements("alerts/list_ready_messages", "alerts/claim_messages", "alerts/record_messages")


def alert_engine(services: Services) -> VendorEngine:
    """An engine that sends messages about alerts; each worker process has one."""
    return vendor_engine("alerts", services, STATEMENTS)
