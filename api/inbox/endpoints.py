"""/api/v2/inbox: the account's messages."""

from typing import Annotated

from fastapi import Query

from api.http.cursors import read_id
from api.http.dependencies import ClockDep, StoreDep
from api.http.errors import InvalidInput
from api.http.examples import success_examples
from api.http.groups import Credential, Origins, RouteGroup
from api.http.pages import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.inbox import examples
from api.inbox.schemas import InboxPage, InboxRead, InboxUnread
from api.inbox.service import Inbox
from api.security.access import Session, with_scope
from api.security.callers import WalletSession

GROUP = RouteGroup(prefix="/api/v2/inbox", credential=Credential.SESSION, origins=Origins.SITE)
router = GROUP.router(tags=["inbox"], route_class=BodyRoute)


@router.get("", response_model=InboxPage, responses=success_examples(("inbox", examples.PAGE)))
async def list_inbox(
    session: Session,
    store: StoreDep,
    unread: Annotated[bool, Query(description="Only unread messages.")] = False,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE_SIZE, description="Messages per page.")] = DEFAULT_PAGE_SIZE,
    cursor: Annotated[str | None, Query(description="`nextCursor` of the page before.")] = None,
) -> JsonResponse:
    """The account's messages, newest first, and how many are unread."""
    page = await Inbox(store).listed(session.account_id, read_id(cursor), limit, unread=unread)
    return respond(page, headers={"Cache-Control": "no-store"})


@router.post("/read", response_model=InboxUnread, responses=success_examples(("marked", examples.MARKED)))
async def mark_inbox_read(
    session: Annotated[WalletSession, with_scope("api:write")], body: InboxRead, store: StoreDep, clock: ClockDep
) -> JsonResponse:
    """Mark messages as read: those that are named, or one and all before it. Safe to repeat."""
    if not body.ids and body.through is None:
        raise InvalidInput("ids", "must name a message, or through must")
    return respond(await Inbox(store).mark(session.account_id, body.ids, body.through, clock.now()))
