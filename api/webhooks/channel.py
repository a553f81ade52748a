"""The channel of webhooks: signed requests to addresses that customers gave."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Final
from uuid import UUID

from api.outbound.answers import OutboundAnswer
from api.outbound.client import Outbound
from api.security.sealing import Sealer, Unsealable
from api.webhooks import signing
from api.webhooks.outcomes import GONE
from api.webhooks.records import Claimed, Endpoint, HttpAttempt

LOG = logging.getLogger(__name__)
_HEADERS_KEPT: Final = 64
_MAX_HEADER_LENGTH: Final = 1024


@dataclass(frozen=True, slots=True)
class WebhookChannel:
    """Sends deliveries with the protected client.

    Args:
        user_agent: how the service calls itself to receivers.
        limit_seconds: for everything from the name's lookup to the answer's body.
    """

    outbound: Outbound
    sealer: Sealer
    user_agent: str
    limit_seconds: float
    _unreadable: set[UUID] = field(default_factory=set)

    async def send(self, receiver: Endpoint, delivery: Claimed, started_at: datetime) -> HttpAttempt | None:
        """Send a delivery once. Null where the receiver's secrets cannot be opened: that is not its fault, so it is no
        attempt, and the log says so once."""
        secrets = self._secrets(receiver)
        if secrets is None:
            return None
        id = signing.envelope_id(delivery.event_id, delivery.id)
        body = signing.envelope(id, delivery.event_type, delivery.happened_at, delivery.data)
        headers = signing.signed_headers(
            body=body,
            id=id,
            type=delivery.event_type,
            created_at=delivery.happened_at,
            sent_at=started_at,
            secrets=secrets,
            user_agent=self.user_agent,
        )
        answer = await self.outbound.post(receiver.url, body, headers, self.limit_seconds)
        return attempt_of(receiver.url, headers, started_at, answer)

    def _secrets(self, endpoint: Endpoint) -> list[str] | None:
        try:
            return [self.sealer.unseal(sealed, str(endpoint.id)).decode() for sealed in endpoint.sealed]
        except Unsealable as error:
            if endpoint.id not in self._unreadable:
                LOG.error("webhook %s is not served: its secret is %s", endpoint.id, error)
                self._unreadable.add(endpoint.id)
            return None


def attempt_of(url: str, headers: Mapping[str, str], started_at: datetime, answer: OutboundAnswer) -> HttpAttempt:
    """An attempt as it is written down: without its signatures, and headers and body cut and cleaned to what the store
    can keep."""
    answered = answer.status is not None
    return HttpAttempt(
        started_at=started_at,
        total_seconds=answer.timing.total_seconds,
        failure=answer.failure,
        problem=answer.problem,
        final=answer.status == GONE,
        url=url,
        request_headers=signing.without_signatures(headers),
        status=answer.status,
        response_headers=_storable(answer.headers) if answered else None,
        response_body=answer.body_text if answered else None,
        response_complete=answer.body_complete if answered else None,
        dns_seconds=answer.timing.dns_seconds,
        connect_seconds=answer.timing.connect_seconds,
        answer_seconds=answer.timing.answer_seconds,
    )


def _storable(headers: Mapping[str, str]) -> dict[str, str]:
    return {_clean(name): _clean(value) for name, value in islice(headers.items(), _HEADERS_KEPT)}


def _clean(text: str) -> str:
    """Text without what JSON in the store cannot hold: bytes that are not UTF-8, and NUL, become U+FFFD."""
    cut = text[:_MAX_HEADER_LENGTH].encode("utf-8", "surrogateescape")
    return cut.decode("utf-8", "replace").replace("\0", "\ufffd")
