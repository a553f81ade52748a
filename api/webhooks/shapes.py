"""From rows of the store to answers."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import orjson

from api.http.times import timestamp
from api.webhooks.records import AttemptRow, DeliveryRow, DeliveryWithData, EventCount, LoggedEvent, Subscription
from api.webhooks.schemas import (
    Attempt,
    AttemptResponse,
    AttemptTiming,
    CreatedWebhook,
    Delivery,
    DeliveryDetail,
    Envelope,
    EventField,
    EventInfo,
    EventList,
    Preview,
    RotatedSecret,
    ShownFilter,
    TypeCount,
    Webhook,
)
from api.webhooks.signing import envelope, envelope_id, without_signatures
from warehouse.domain.chains import Chains
from warehouse.domain.events.catalogue import EVENTS


def event_list() -> EventList:
    """The catalogue."""
    return EventList(
        events=[
            EventInfo(
                type=event.type,
                description=event.description(),
                audience=event.audience.value,
                produced=event.produced,
                fields=[
                    EventField(name=one.name, type=one.type, description=one.description, optional=one.optional)
                    for one in event.members()
                ],
            )
            for event in EVENTS.values()
        ]
    )


def webhook(row: Subscription, chains: Chains) -> Webhook:
    """A subscription."""
    return Webhook(
        id=str(row.id),
        url=row.url,
        events=row.events,
        filter=_filter(row, chains),
        status=row.status,
        disabled_reason=row.disabled_reason,
        disabled_at=_moment(row.disabled_at),
        consecutive_failures=row.consecutive_failures,
        previous_secret_ends_at=_moment(row.previous_secret_ends_at),
        created_at=timestamp(row.created_at),
        updated_at=timestamp(row.updated_at),
    )


def created(row: Subscription, chains: Chains, secret: str) -> CreatedWebhook:
    """A new subscription."""
    return CreatedWebhook(**webhook(row, chains).model_dump(), secret=secret)


def rotated(id: UUID, secret: str, previous_ends_at: datetime) -> RotatedSecret:
    """A new secret."""
    return RotatedSecret(id=str(id), secret=secret, previous_secret_ends_at=timestamp(previous_ends_at))


def delivery(row: DeliveryRow) -> Delivery:
    """A delivery as the history lists it."""
    return Delivery(
        id=str(row.id),
        event_id=envelope_id(row.event_id, row.id),
        type=row.event_type,
        cause=row.cause,
        status=row.status,
        attempts=row.attempts,
        next_attempt_at=timestamp(row.due_at) if row.status == "pending" else None,
        last_status_code=row.last_status,
        last_problem=row.last_problem,
        created_at=timestamp(row.created_at),
        finished_at=_moment(row.finished_at),
    )


def delivery_detail(row: DeliveryWithData, attempts: Sequence[AttemptRow]) -> DeliveryDetail:
    """A delivery with its requests and answers."""
    listed = delivery(row)
    body = envelope(listed.event_id, listed.type, row.happened_at, row.data)
    return DeliveryDetail(
        **listed.model_dump(), request_body=body.decode(), history=[_attempt(attempt) for attempt in attempts]
    )


def preview(
    counts: Sequence[EventCount], latest: Sequence[LoggedEvent], *, begin: datetime, end: datetime, most: int
) -> Preview:
    """What a subscription would have received. Counts stop beyond ``most``."""
    by_type = [TypeCount(type=row.type, count=min(row.count, most), at_least=row.count > most) for row in counts]
    return Preview(
        begin=timestamp(begin),
        end=timestamp(end),
        total=sum(one.count for one in by_type),
        counts=by_type,
        latest=[
            Envelope(
                id=envelope_id(row.id, row.id),
                type=row.type,
                created_at=timestamp(row.created_at),
                data=orjson.loads(row.data),
            )
            for row in latest
        ],
    )


def _attempt(row: AttemptRow) -> Attempt:
    response = None
    if row.status is not None:
        response = AttemptResponse(
            status_code=row.status,
            headers=row.response_headers or {},
            body=row.response_body or "",
            body_complete=bool(row.response_complete),
        )
    return Attempt(
        number=row.number,
        started_at=timestamp(row.started_at),
        url=row.url,
        request_headers=without_signatures(row.request_headers),  # attempts of earlier versions have them
        response=response,
        failure=row.failure,
        problem=row.problem,
        timing=AttemptTiming(
            dns_seconds=row.dns_seconds,
            connect_seconds=row.connect_seconds,
            answer_seconds=row.answer_seconds,
            total_seconds=row.total_seconds,
        ),
    )


def _filter(row: Subscription, chains: Chains) -> ShownFilter:
    if row.chain_ids is None:
        return ShownFilter(crown_ids=row.crown_ids, chains=None)
    known = [(chain_id, chains.by_id(chain_id)) for chain_id in row.chain_ids]
    names = [chain.caip2 if chain else f"eip155:{chain_id}" for chain_id, chain in known]
    return ShownFilter(crown_ids=row.crown_ids, chains=names)


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else timestamp(moment)
