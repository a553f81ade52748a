"""/api/v2/broadcasts/{id}: messages of a page's owner and managers to its subscribed holders."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Path, Query

from api.broadcasts import examples
from api.broadcasts.audience import Audience
from api.broadcasts.content import ContentRules
from api.broadcasts.effects import Effects
from api.broadcasts.errors import (
    CeilingReached,
    ImageRefused,
    LinkBlocked,
    NoSuchBroadcast,
    NoSuchPage,
    NoSuchRoom,
    WalletNotOnSession,
)
from api.broadcasts.pages import ChangedPage, ManagedPage, PageSender, TokenIdPath, find_page, require_manager
from api.broadcasts.redirects import Redirects
from api.broadcasts.reports import Reports
from api.broadcasts.repository import BroadcastRepository
from api.broadcasts.rooms import Rooms
from api.broadcasts.schemas import (
    AcceptedAnswer,
    AudienceGiven,
    Broadcast,
    BroadcastEffect,
    BroadcastGiven,
    BroadcastLimits,
    BroadcastPage,
    BroadcastPreview,
    DeliveryState,
    RecipientPage,
    Room,
    RoomGiven,
)
from api.broadcasts.service import BroadcastService
from api.contacts.errors import ChannelOff
from api.http.dependencies import ChainsDep, ServicesDep, StoreDep
from api.http.errors import InvalidInput, raises
from api.http.examples import success_examples
from api.http.groups import CLAIMS, Credential, Origins, RouteGroup
from api.http.idempotency import IdempotencyKey, KeyReused, read_idempotency_key
from api.http.pages import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.pages.authority import NotAManager
from api.security.access import Session, with_scope
from api.security.callers import WalletSession
from api.security.errors import PlanTooLow
from api.vendors.messages import WITH_ROOMS, Channel

GROUP = RouteGroup(prefix="/api/v2/broadcasts", credential=Credential.SESSION, origins=Origins.SITE, admission=CLAIMS)
router = GROUP.router("/api/v2/broadcasts/{id}", tags=["broadcasts"], route_class=BodyRoute)
_Writer = Annotated[WalletSession, with_scope("api:write")]


async def _service(services: ServicesDep) -> BroadcastService:
    repository = BroadcastRepository(services.store)
    return BroadcastService(
        repository=repository,
        audience=Audience(repository, services.warehouse),
        content=ContentRules(services.broadcast_blocklist.current, Redirects(services.outbound)),
        vendors=services.vendors,
        chains=services.chains,
        clock=services.clock,
        settings=services.settings,
    )


async def _rooms(services: ServicesDep) -> Rooms:
    return Rooms(services.store, services.vendors, services.sealer, services.clock)


ServiceDep = Annotated[BroadcastService, Depends(_service)]
RoomsDep = Annotated[Rooms, Depends(_rooms)]


@raises(InvalidInput)
async def _room_channel(
    name: Annotated[str, Path(alias="channel", description="telegram or discord.", examples=["telegram"])],
) -> Channel:
    if name not in WITH_ROOMS:
        raise InvalidInput("channel", f"must be one of {', '.join(WITH_ROOMS)}")
    return Channel(name)


RoomChannel = Annotated[Channel, Depends(_room_channel)]
BroadcastId = Annotated[UUID, Path(alias="broadcastId", description="The broadcast's id.")]
Cursor = Annotated[str | None, Query(description="`nextCursor` of the page before.")]


@router.post(
    "",
    response_model=AcceptedAnswer,
    responses=success_examples(("accepted", examples.ACCEPTED), ("held for review", examples.HELD))
    | GROUP.responses(
        WalletNotOnSession,
        NotAManager,
        PlanTooLow,
        NoSuchPage,
        KeyReused,
        LinkBlocked,
        ImageRefused,
        CeilingReached,
    ),
)
async def send_holder_broadcast(
    session: _Writer,
    id: TokenIdPath,
    body: BroadcastGiven,
    store: StoreDep,
    chains: ChainsDep,
    service: ServiceDep,
    key: IdempotencyKey = None,
) -> JsonResponse:
    """Send a message to the page's subscribed holders, at once or at `scheduledAt`, the largest holders first. A page's
    first broadcast to more than 500 recipients waits for the operator, and answers `recipientCount` 0. Without groups
    and segments, Telegram and Discord also post once in the token's public rooms."""
    page = await find_page(store, chains, id, body.crown_chain)
    return respond(await service.send(session, PageSender(page, session), body, read_idempotency_key(key)))


@router.post(
    "/preview",
    response_model=BroadcastPreview,
    responses=success_examples(("preview", examples.PREVIEW)) | GROUP.responses(NotAManager, PlanTooLow, NoSuchPage),
)
async def preview_holder_broadcast(
    session: Session, id: TokenIdPath, body: AudienceGiven, store: StoreDep, chains: ChainsDep, service: ServiceDep
) -> JsonResponse:
    """How many recipients a broadcast would have now. Nothing is sent or counted."""
    sender = require_manager(await find_page(store, chains, id, body.crown_chain), session)
    return respond(await service.preview(sender, body))


@router.get("/limits", response_model=BroadcastLimits, responses=success_examples(("limits", examples.LIMITS)))
async def get_broadcast_limits(page: ManagedPage, service: ServiceDep) -> JsonResponse:
    """How many broadcasts the page may send now, and when it may send again."""
    return respond(await service.limits(page), headers={"Cache-Control": "no-store"})


@router.get("/delivery", response_model=DeliveryState, responses=success_examples(("delivery", examples.DELIVERY)))
async def get_broadcast_delivery(page: ManagedPage, service: ServiceDep) -> JsonResponse:
    """Which channels are configured, whom they reach, and whether Telegram and Discord also post publicly."""
    return respond(await service.delivery(page), headers={"Cache-Control": "no-store"})


@router.get("/messages", response_model=BroadcastPage, responses=success_examples(("broadcasts", examples.PAGE)))
async def list_broadcasts(
    page: ManagedPage,
    store: StoreDep,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE_SIZE, description="Broadcasts per page.")] = DEFAULT_PAGE_SIZE,
    cursor: Cursor = None,
) -> JsonResponse:
    """The page's broadcasts and what became of them, newest first."""
    return respond(await Reports(BroadcastRepository(store)).listed(page.page, cursor, limit))


@router.get(
    "/messages/{broadcastId}",
    response_model=Broadcast,
    responses=success_examples(("broadcast", examples.BROADCAST)) | GROUP.responses(NoSuchBroadcast),
)
async def get_broadcast(page: ManagedPage, broadcast_id: BroadcastId, store: StoreDep) -> JsonResponse:
    """A broadcast and what became of it."""
    return respond(await Reports(BroadcastRepository(store)).one(page.page, broadcast_id))


@router.get(
    "/messages/{broadcastId}/recipients",
    response_model=RecipientPage,
    responses=success_examples(("results", examples.RESULTS)) | GROUP.responses(NoSuchBroadcast),
)
async def list_broadcast_recipients(
    page: ManagedPage, broadcast_id: BroadcastId, store: StoreDep, cursor: Cursor = None
) -> JsonResponse:
    """What became of a broadcast for each recipient and channel, largest holders first."""
    return respond(await Reports(BroadcastRepository(store)).recipients(page.page, broadcast_id, cursor))


@router.get(
    "/messages/{broadcastId}/effect",
    response_model=BroadcastEffect,
    responses=success_examples(("effect", examples.EFFECT)) | GROUP.responses(NoSuchBroadcast),
)
async def get_broadcast_effect(page: ManagedPage, broadcast_id: BroadcastId, services: ServicesDep) -> JsonResponse:
    """What recipients held 1, 7 and 30 days after a broadcast, next to those who were held out of it."""
    effects = Effects(Reports(BroadcastRepository(services.store)), services.warehouse)
    return respond(await effects.of(page.page, broadcast_id))


@router.put(
    "/rooms/{channel}",
    response_model=Room,
    responses=success_examples(("connected", examples.ROOM)) | GROUP.responses(ChannelOff),
)
async def connect_community_room(
    page: ChangedPage, channel: RoomChannel, body: RoomGiven, rooms: RoomsDep
) -> JsonResponse:
    """Name the token's public room on Telegram, which the bot was added to, or on Discord, by its webhook. The address
    is encrypted and not shown again."""
    return respond(await rooms.connect(page.page, channel, body.to))


@router.delete(
    "/rooms/{channel}",
    response_model=Room,
    responses=success_examples(("removed", {**examples.ROOM, "connected": False})) | GROUP.responses(NoSuchRoom),
)
async def disconnect_community_room(page: ChangedPage, channel: RoomChannel, rooms: RoomsDep) -> JsonResponse:
    """Forget the token's public room on a channel."""
    return respond(await rooms.disconnect(page.page, channel))
