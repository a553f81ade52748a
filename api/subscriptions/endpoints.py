"""Subscriptions of holders to tokens' pages: /api/v2/registration/{id}/subscription and /api/v2/subscriptions."""

from typing import Annotated

from fastapi import Depends, Path, Query

from api.http.addresses import chain_address
from api.http.dependencies import ChainsDep, ServicesDep, StoreDep
from api.http.errors import InvalidInput, raises
from api.http.examples import success_examples
from api.http.fields import read_chain
from api.http.groups import Credential, Origins, Quota, RouteGroup
from api.http.pages import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute, QueryRoute
from api.limits.public import PublicRead
from api.registrations.errors import RegistrationEnded, RegistrationNotFound
from api.registrations.reading import find_active
from api.registrations.repository import RegistrationRecord, RegistrationRepository
from api.security.access import Session, with_scope
from api.security.callers import WalletSession
from api.subscriptions import examples, leaving
from api.subscriptions.errors import NeverHeld, NoSuchLink, NotSubscribed, WalletNotSignedIn
from api.subscriptions.leaving import LeaveLinks
from api.subscriptions.repository import SubscriptionRepository
from api.subscriptions.schemas import Left, Subscription, SubscriptionChange, SubscriptionPage, Unsubscribed
from api.subscriptions.service import Subscriptions
from warehouse.domain.chains import Chain
from warehouse.domain.registrations import MAX_TOKEN_ID

GROUP = RouteGroup(prefix="/api/v2/registration", credential=Credential.SESSION, origins=Origins.SITE)
LIST_GROUP = RouteGroup(prefix="/api/v2/subscriptions", credential=Credential.SESSION, origins=Origins.SITE)
LEAVE_GROUP = RouteGroup(prefix=leaving.PATH, credential=Credential.NONE, quota=Quota.ADDRESS)

router = GROUP.router("/api/v2/registration/{id}/subscription", tags=["subscriptions"], route_class=BodyRoute)
list_router = LIST_GROUP.router(tags=["subscriptions"], route_class=QueryRoute)
leave_router = LEAVE_GROUP.router(tags=["subscriptions"], route_class=QueryRoute)

ChainName = Annotated[
    str, Query(alias="chain", description="Chain of the registration: ids count on each chain anew.", examples=["base"])
]
_Writer = Annotated[WalletSession, with_scope("api:write")]


async def subscriptions_of(services: ServicesDep) -> Subscriptions:
    """The service of the routes."""
    return Subscriptions(
        SubscriptionRepository(services.store),
        services.warehouse,
        services.chains,
        LeaveLinks(services.sealer, services.settings.public_url),
        services.clock,
    )


SubscriptionsDep = Annotated[Subscriptions, Depends(subscriptions_of)]


@raises(InvalidInput, RegistrationNotFound, RegistrationEnded)
async def _page(
    store: StoreDep,
    chains: ChainsDep,
    name: Annotated[str, Path(alias="id", description="Registration id, or a symbol.", examples=["7"])],
    chain_name: ChainName,
) -> tuple[RegistrationRecord, Chain]:
    chain = read_chain(chains, chain_name)
    return await find_active(RegistrationRepository(store), name, chain.chain_id), chain


PageDep = Annotated[tuple[RegistrationRecord, Chain], Depends(_page)]


@router.put(
    "",
    response_model=Subscription,
    responses=success_examples(("subscribed", examples.SUBSCRIPTION)) | GROUP.responses(WalletNotSignedIn, NeverHeld),
)
async def subscribe(
    session: _Writer, page: PageDep, body: SubscriptionChange, subscriptions: SubscriptionsDep
) -> JsonResponse:
    """Subscribe to a token's page, or change the channels. Messages come over the channels named here and no others:
    over mail, SMS, Telegram and Discord only once the contact is confirmed. The page's owner and managers hear that the
    wallet joined."""
    registration, chain = page
    wallet = chain_address("wallet", body.wallet, chain)
    return respond(await subscriptions.save(session, registration, chain, wallet, body.channels))


@router.get(
    "",
    response_model=Subscription,
    responses=success_examples(("subscribed", examples.SUBSCRIPTION)) | GROUP.responses(NotSubscribed),
)
async def get_subscription(session: Session, page: PageDep, subscriptions: SubscriptionsDep) -> JsonResponse:
    """The account's subscription to a token's page."""
    return respond(await subscriptions.read(session, page[0]))


@router.delete(
    "",
    response_model=Unsubscribed,
    responses=success_examples(("left", examples.UNSUBSCRIBED)) | GROUP.responses(NotSubscribed),
)
async def unsubscribe(
    session: _Writer,
    chains: ChainsDep,
    subscriptions: SubscriptionsDep,
    id: Annotated[int, Path(ge=1, le=MAX_TOKEN_ID, description="Registration id.", examples=[7])],
    chain_name: ChainName,
) -> JsonResponse:
    """Leave a token's page, also one whose registration has ended. Its owner and managers hear of it."""
    return respond(await subscriptions.leave(session, read_chain(chains, chain_name).chain_id, id))


@list_router.get("", response_model=SubscriptionPage, responses=success_examples(("subscriptions", examples.PAGE)))
async def list_subscriptions(
    session: Session,
    subscriptions: SubscriptionsDep,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE_SIZE, description="Subscriptions per page.")] = DEFAULT_PAGE_SIZE,
    cursor: Annotated[str | None, Query(description="`nextCursor` of the page before.")] = None,
) -> JsonResponse:
    """The pages that the account is subscribed to."""
    return respond(await subscriptions.listed(session, cursor, limit))


@leave_router.post(
    "", response_model=Left, responses=success_examples(("left", examples.LEFT)) | LEAVE_GROUP.responses(NoSuchLink)
)
async def follow_unsubscribe_link(
    access: PublicRead,
    subscriptions: SubscriptionsDep,
    token: Annotated[str, Query(max_length=200, description="The token of the link.")],
) -> JsonResponse:
    """One-click unsubscribe (RFC 8058), as mail programs send it: the link is in `List-Unsubscribe`. Whatever the body
    says, the subscription loses the link's channel; without a channel left it ends."""
    return respond(await subscriptions.follow(token))
