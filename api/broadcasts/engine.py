"""The delivery engine as broadcasts use it."""

from typing import Final

from api.broadcasts.audience import Audience
from api.broadcasts.queueing import Queueing
from api.broadcasts.repository import BroadcastRepository
from api.services import Services
from api.vendors.sending import Statements, VendorEngine, vendor_engine

STATEMENTS: Final = Statements("broadcasts/list_ready", "broadcasts/claim", "broadcasts/record")


def broadcast_engine(services: Services) -> VendorEngine:
    """An engine that queues and sends broadcasts; each worker process has one."""
    repository = BroadcastRepository(services.store)
    queueing = Queueing(
        repository,
        Audience(repository, services.warehouse),
        services.vendors,
        services.settings.broadcast_review_above,
    )
    return vendor_engine("broadcasts", services, STATEMENTS, queueing)
