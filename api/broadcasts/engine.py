"""The delivery engine as broadcasts use it."""

from api.broadcasts.audience import Audience
from api.broadcasts.queueing import Queueing
from api.broadcasts.repository import BroadcastRepository
from api.broadcasts.sending import (
    LEASE_SECONDS,
    LIMIT_SECONDS,
    RETRIES,
    BroadcastEngine,
    BroadcastQueue,
    VendorChannel,
)
from api.services import Services
from api.subscriptions.leaving import LeaveLinks
from warehouse.delivery.engine import DeliveryEngine, Terms


def broadcast_engine(services: Services) -> BroadcastEngine:
    """An engine that queues and sends broadcasts; each worker process has one."""
    settings, repository = services.settings, BroadcastRepository(services.store)
    queueing = Queueing(
        repository,
        Audience(repository, services.warehouse),
        services.vendors,
        settings.broadcast_review_above,
    )
    queue = BroadcastQueue(services.store, queueing, list(services.vendors), settings.broadcast_rates)
    channel = VendorChannel(services.vendors, services.sealer, LeaveLinks(services.sealer, settings.public_url))
    terms = Terms(name="broadcasts", schedule=RETRIES, limit_seconds=LIMIT_SECONDS, lease_seconds=LEASE_SECONDS)
    return DeliveryEngine(queue, channel, terms, services.clock.now)
