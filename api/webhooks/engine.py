"""The delivery engine as webhooks use it."""

import random
from collections.abc import Callable
from typing import Final

from api.clock import Clock
from api.outbound.client import LIMIT_SECONDS, Outbound
from api.security.sealing import Sealer
from api.webhooks.channel import WebhookChannel
from api.webhooks.counts import WebhookCounts
from api.webhooks.outcomes import RETRIES
from api.webhooks.queue import TOPIC, WebhookQueue
from api.webhooks.records import Claimed, Endpoint, HttpAttempt
from warehouse.delivery.engine import DeliveryEngine, Terms
from warehouse.store import Store

LEASE_SECONDS: Final = 20.0
"""How long a worker that died keeps others from its deliveries; several times what an attempt may take."""

WebhookEngine = DeliveryEngine[Endpoint, Claimed, HttpAttempt]


def webhook_engine(
    store: Store,
    outbound: Outbound,
    sealer: Sealer,
    clock: Clock,
    *,
    user_agent: str,
    listen_url: str | None = None,
    lease_seconds: float = LEASE_SECONDS,
    limit_seconds: float = LIMIT_SECONDS,
    chance: Callable[[], float] = random.random,
) -> WebhookEngine:
    """An engine that sends webhooks; each worker process has one.

    Args:
        user_agent: how the service calls itself to receivers.
        listen_url: the store, to be notified of new events at once; without it the engine looks every second.
        chance: draws numbers from 0 to 1, for the jitter of retries.
        lease_seconds: longer than ``limit_seconds``, by the time it takes to write a result down.
    """
    terms = Terms(
        name="webhooks",
        schedule=RETRIES,
        limit_seconds=limit_seconds,
        lease_seconds=lease_seconds,
        chance=chance,
        notify_url=listen_url,
        notify_topic=TOPIC,
    )
    channel = WebhookChannel(outbound, sealer, user_agent, limit_seconds)
    return DeliveryEngine(WebhookQueue(store), channel, terms, clock.now, counts=WebhookCounts(store))
