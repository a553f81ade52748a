"""/api/v2/webhooks: subscriptions to events, and their deliveries."""

from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import Depends, Path, Query

from api.http.dependencies import ServicesDep
from api.http.errors import ApiError
from api.http.examples import success_example
from api.http.groups import Credential, Origins, RouteGroup
from api.http.idempotency import IdempotencyKey, KeyReused, read_idempotency_key
from api.http.pages import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.http.times import read_time
from api.security.access import require_key_or_session, with_plan, with_scope
from api.security.callers import Principal
from api.security.scopes import KeyScope
from api.webhooks import examples, shapes
from api.webhooks.errors import (
    NoSuchDelivery,
    NoSuchWebhook,
    TestNotReplayed,
    WebhookIsDisabled,
    WebhookLimit,
)
from api.webhooks.queue import MIN_PLAN
from api.webhooks.repository import DeliveryFilter, WebhookRepository
from api.webhooks.schemas import (
    CreatedWebhook,
    CreateRequest,
    Deleted,
    Delivery,
    DeliveryDetail,
    DeliveryPage,
    EventList,
    Preview,
    PreviewRequest,
    Queued,
    ReplayRequest,
    RotatedSecret,
    TestRequest,
    UpdateRequest,
    Webhook,
    WebhookList,
)
from api.webhooks.service import WebhookService

GROUP = RouteGroup(
    prefix="/api/v2/webhooks",
    credential=Credential.KEY_OR_SESSION,
    key_scope=KeyScope.WEBHOOKS_READ,
    origins=Origins.SITE,
)
WRITES = replace(GROUP, key_scope=KeyScope.WEBHOOKS_WRITE)
router = GROUP.router(tags=["webhooks"], route_class=BodyRoute)
write_router = WRITES.router(tags=["webhooks"], route_class=BodyRoute)


async def _service(services: ServicesDep) -> WebhookService:
    repository = WebhookRepository(services.store)
    return WebhookService(repository, services.sealer, services.chains, services.clock, services.settings)


ServiceDep = Annotated[WebhookService, Depends(_service)]
Owner = Annotated[Principal, with_plan(MIN_PLAN, require_key_or_session)]
Writer = Annotated[Principal, with_plan(MIN_PLAN, with_scope("api:write", require_key_or_session).dependency)]
Id = Annotated[str, Path(description="The webhook's id.")]
DeliveryId = Annotated[str, Path(description="The delivery's id, as the history lists it.")]


def _answers(example: dict[str, Any], *errors: type[ApiError]) -> dict[int | str, dict[str, Any]]:
    return success_example(example) | GROUP.responses(*errors)


@router.get("/events", response_model=EventList, responses=_answers(examples.EVENTS))
async def list_webhook_events(owner: Owner) -> JsonResponse:
    """Every type of event that can be subscribed to, with the members of its `data`."""
    return respond(shapes.event_list())


@router.post("/preview", response_model=Preview, responses=_answers(examples.PREVIEW))
async def preview_webhook(owner: Owner, body: PreviewRequest, service: ServiceDep) -> JsonResponse:
    """What a subscription to these events with this filter would have received in the last 30 days: how many of each
    type, and the newest of them."""
    return respond(await service.preview(owner, body))


@router.get("", response_model=WebhookList, responses=_answers(examples.LIST))
async def list_webhooks(owner: Owner, service: ServiceDep) -> JsonResponse:
    """The account's webhooks, oldest first, and how many its plan allows."""
    return respond(await service.list_all(owner))


@write_router.post(
    "",
    status_code=201,
    response_model=CreatedWebhook,
    responses={
        201: success_example(examples.CREATED)[200],
        **GROUP.responses(
            WebhookLimit,
            KeyReused,
        ),
    },
)
async def create_webhook(
    owner: Writer,
    body: CreateRequest,
    service: ServiceDep,
    key: IdempotencyKey = None,
) -> JsonResponse:
    """Subscribe an address to events. The answer holds the secret that signs deliveries; it is not shown again."""
    made = await service.create(owner, body, read_idempotency_key(key))
    return JsonResponse(made.model_dump(), status_code=201)


@router.get("/{id}", response_model=Webhook, responses=_answers(examples.DISABLED, NoSuchWebhook))
async def get_webhook(owner: Owner, id: Id, service: ServiceDep) -> JsonResponse:
    """A webhook and its status."""
    return respond(await service.get(owner, id))


@write_router.patch("/{id}", response_model=Webhook, responses=_answers(examples.WEBHOOK, NoSuchWebhook, WebhookLimit))
async def update_webhook(owner: Writer, id: Id, body: UpdateRequest, service: ServiceDep) -> JsonResponse:
    """Change a webhook's address, events or filter, or switch it off and on. Members that are left out do not change;
    a filter is replaced as a whole, and `null` removes it."""
    return respond(await service.update(owner, id, body))


@write_router.delete("/{id}", response_model=Deleted, responses=_answers(examples.DELETED, NoSuchWebhook))
async def delete_webhook(owner: Writer, id: Id, service: ServiceDep) -> JsonResponse:
    """Delete a webhook. Deliveries that still wait are not sent."""
    return respond(await service.delete(owner, id))


@write_router.post(
    "/{id}/reactivate", response_model=Webhook, responses=_answers(examples.WEBHOOK, NoSuchWebhook, WebhookLimit)
)
async def reactivate_webhook(owner: Writer, id: Id, service: ServiceDep) -> JsonResponse:
    """Enable a disabled webhook: deliveries that still waited are sent now. Events that happened meanwhile are not;
    replay them from `disabled_at` on."""
    return respond(await service.reactivate(owner, id))


@write_router.post(
    "/{id}/rotate-secret", response_model=RotatedSecret, responses=_answers(examples.ROTATED, NoSuchWebhook)
)
async def rotate_webhook_secret(owner: Writer, id: Id, service: ServiceDep) -> JsonResponse:
    """Make a new secret, shown once. For 24 hours deliveries are signed with the previous one too."""
    return respond(await service.rotate_secret(owner, id))


@write_router.post("/{id}/test", response_model=Delivery, responses=_answers(examples.TEST, NoSuchWebhook))
async def send_test_event(
    owner: Writer,
    id: Id,
    service: ServiceDep,
    body: TestRequest = TestRequest(),  # noqa: B008 - frozen
) -> JsonResponse:
    """Send a test event with example data, to a disabled webhook too. It is sent once, and its id begins with
    `evt_test_`. Read the delivery to see the answer."""
    return respond(await service.test(owner, id, body.type))


@write_router.post(
    "/{id}/replay",
    response_model=Queued,
    responses=_answers(examples.QUEUED, NoSuchWebhook, WebhookIsDisabled),
)
async def replay_events(owner: Writer, id: Id, body: ReplayRequest, service: ServiceDep) -> JsonResponse:
    """Send the events of a period again, at most 10,000, under their original ids: all that match this webhook, even
    those from before it existed."""
    return respond(await service.replay_range(owner, id, body))


@router.get("/{id}/deliveries", response_model=DeliveryPage, responses=_answers(examples.PAGE, NoSuchWebhook))
async def list_webhook_deliveries(
    owner: Owner,
    id: Id,
    service: ServiceDep,
    status: Annotated[
        Literal["pending", "delivered", "exhausted"] | None, Query(description="Only deliveries with this status.")
    ] = None,
    type: Annotated[str | None, Query(description="Only this type of event.")] = None,
    begin: Annotated[str | None, Query(alias="from", description="ISO 8601: created at or after this moment.")] = None,
    end: Annotated[str | None, Query(alias="to", description="ISO 8601: created before this moment.")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE_SIZE, description="Deliveries per page.")] = DEFAULT_PAGE_SIZE,
    cursor: Annotated[str | None, Query(description="`next_cursor` of the page before.")] = None,
) -> JsonResponse:
    """Deliveries of the last 30 days, newest first."""
    wanted = DeliveryFilter(
        status=status,
        type=type,
        begin=None if begin is None else read_time("from", begin),
        end=None if end is None else read_time("to", end),
    )
    page = await service.deliveries(owner, id, wanted, cursor=cursor, limit=limit)
    return respond(page)


@router.get(
    "/{id}/deliveries/{delivery_id}",
    response_model=DeliveryDetail,
    responses=_answers(examples.DETAIL, NoSuchWebhook, NoSuchDelivery),
)
async def get_webhook_delivery(owner: Owner, id: Id, delivery_id: DeliveryId, service: ServiceDep) -> JsonResponse:
    """A delivery with its body and, for every attempt, the request's headers, the answer and the timing."""
    return respond(await service.delivery(owner, id, delivery_id))


@write_router.post(
    "/{id}/deliveries/{delivery_id}/replay",
    response_model=Delivery,
    responses=_answers(examples.REPLAYED, NoSuchWebhook, NoSuchDelivery, WebhookIsDisabled, TestNotReplayed),
)
async def replay_webhook_delivery(owner: Writer, id: Id, delivery_id: DeliveryId, service: ServiceDep) -> JsonResponse:
    """Send a delivery's event again, under its original id. One that is queued already is not queued twice."""
    return respond(await service.replay(owner, id, delivery_id))
