"""/api/v2/alerts/feeds: feeds of buys, and their streams."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Header, Path
from starlette.responses import StreamingResponse

from api.alerts.endpoints import GROUP as ALERTS
from api.alerts.endpoints import Writer
from api.alerts.errors import FeedLimit, NoSuchFeed, RuleBeingCreated, TokenNotIndexed, TooManyStreams
from api.alerts.feeds import examples
from api.alerts.feeds.schemas import (
    CreateFeed,
    DeletedFeed,
    DeletedFeedAnswer,
    Feed,
    FeedAnswer,
    FeedData,
    FeedList,
    FeedsAnswer,
    UpdateFeed,
)
from api.alerts.feeds.service import Feeds
from api.alerts.feeds.stream import events, read_place
from api.contacts.errors import ChannelOff
from api.http.dependencies import ServicesDep
from api.http.errors import InvalidInput, Unavailable
from api.http.examples import success_examples
from api.http.groups import Credential, Origins, RouteGroup
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute, QueryRoute
from api.security.access import Session
from api.subscriptions.errors import WalletNotSignedIn
from warehouse.domain.alerts import FEEDS_OF_PLAN

GROUP = RouteGroup(prefix=f"{ALERTS.prefix}/feeds", credential=Credential.SESSION, origins=Origins.SITE)
STREAMS = RouteGroup(
    prefix=f"{ALERTS.prefix}/feeds/{{id}}/events",
    credential=Credential.SESSION,
    origins=Origins.SITE,
    admission=None,
    streams=True,
)
router = GROUP.router(tags=["alerts"], route_class=BodyRoute)
stream_router = STREAMS.router(tags=["alerts"], route_class=QueryRoute)
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events: `buy`; and first `gap`, if the client was away for too long.",
        "content": {"text/event-stream": {"schema": {"type": "string"}, "example": examples.STREAM}},
    }
}


async def _feeds(services: ServicesDep) -> Feeds:
    return Feeds(
        services.store,
        services.chains,
        services.vendors,
        services.sealer,
        services.clock,
        f"{services.settings.public_site_url}/pricing",
    )


FeedsDep = Annotated[Feeds, Depends(_feeds)]
FeedId = Annotated[UUID, Path(alias="id", description="The feed's id.")]


def _answer(feed: Feed) -> FeedAnswer:
    return FeedAnswer(data=FeedData(feed=feed))


@router.get("", response_model=FeedsAnswer, responses=success_examples(("feeds", examples.LIST)))
async def list_feeds(session: Session, feeds: FeedsDep) -> JsonResponse:
    """The account's feeds of buys, oldest first."""
    found = await feeds.list_all(session)
    return respond(FeedsAnswer(data=FeedList(feeds=found, limit=FEEDS_OF_PLAN[session.plan])))


@router.post(
    "",
    status_code=201,
    response_model=FeedAnswer,
    responses=success_examples(("created", examples.ONE), status=201)
    | GROUP.responses(InvalidInput, TokenNotIndexed, ChannelOff, WalletNotSignedIn, FeedLimit, RuleBeingCreated),
)
async def create_feed(session: Writer, body: CreateFeed, feeds: FeedsDep) -> JsonResponse:
    """Create a feed of buys over a size: of one token, or of all tokens whose registrations a wallet owns. Read it as a
    stream, or have a chat told, too."""
    made = await feeds.create(session, body)
    return JsonResponse(_answer(made).model_dump(by_alias=True), status_code=201)


@router.get(
    "/{id}",
    response_model=FeedAnswer,
    responses=success_examples(("feed", examples.ONE)) | GROUP.responses(InvalidInput, NoSuchFeed),
)
async def get_feed(session: Session, id: FeedId, feeds: FeedsDep) -> JsonResponse:
    """One of the account's feeds."""
    return respond(_answer(await feeds.read(session, id)))


@router.put(
    "/{id}",
    response_model=FeedAnswer,
    responses=success_examples(("changed", examples.ONE)) | GROUP.responses(InvalidInput, NoSuchFeed),
)
async def update_feed(session: Writer, id: FeedId, body: UpdateFeed, feeds: FeedsDep) -> JsonResponse:
    """Change the size from which on a feed tells of buys. Streams that are open take it up when they begin anew."""
    return respond(_answer(await feeds.update(session, id, body)))


@router.delete(
    "/{id}",
    response_model=DeletedFeedAnswer,
    responses=success_examples(("deleted", examples.DELETED)) | GROUP.responses(InvalidInput, NoSuchFeed),
)
async def delete_feed(session: Writer, id: FeedId, feeds: FeedsDep) -> JsonResponse:
    """Delete a feed. What waits for its chat is not sent."""
    await feeds.delete(session, id)
    return respond(DeletedFeedAnswer(data=DeletedFeed(id=str(id))))


@stream_router.get(
    "",
    response_class=StreamingResponse,
    responses=_STREAM | GROUP.responses(InvalidInput, NoSuchFeed, TooManyStreams, Unavailable),
)
async def stream_feed(
    session: Session,
    id: FeedId,
    feeds: FeedsDep,
    services: ServicesDep,
    last_event_id: Annotated[
        str | None, Header(alias="Last-Event-ID", description="The last event that was read.", examples=["21000000:14"])
    ] = None,
) -> StreamingResponse:
    """Buys of final blocks as they come, each once. After `Last-Event-ID` the stream goes on where it ended; after
    10,000 blocks it says `gap` and leaves older ones out. It ends after 15 minutes, or when its client does not read.
    An account may have five open on each process of the service."""
    place = read_place(last_event_id)
    feed = await feeds.find(session, id)
    chain = services.chains.by_id(feed.chain_id)
    if chain is None:
        raise NoSuchFeed
    listener = await services.buy_hub.join(session.account_id, feed, place)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(events(services.buy_hub, listener, chain), media_type="text/event-stream", headers=headers)
