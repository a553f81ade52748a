"""GET /api/v2/account/audit: what was done to the account."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query

from api.audit import examples
from api.audit.repository import AuditFilter, AuditRepository, Entry
from api.audit.schemas import AuditActor, AuditEntry, AuditPage
from api.http.cursors import read_id
from api.http.dependencies import StoreDep
from api.http.errors import InvalidInput
from api.http.examples import success_examples
from api.http.groups import Credential, Origins, Quota, RouteGroup
from api.http.pages import MAX_PAGE_SIZE, cut_page
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.http.times import read_time
from api.security.access import KeyOrSession
from api.security.scopes import KeyScope
from warehouse.domain.addresses import checksum_address

GROUP = RouteGroup(
    prefix="/api/v2/account/audit",
    credential=Credential.KEY_OR_SESSION,
    key_scope=KeyScope.AUDIT,
    quota=Quota.ACCOUNT_RATE,
    origins=Origins.SITE,
)
router = GROUP.router(tags=["account"], route_class=BodyRoute)


async def _repository(store: StoreDep) -> AuditRepository:
    return AuditRepository(store)


@router.get("", response_model=AuditPage, responses=success_examples(("entries", examples.PAGE)))
async def list_account_audit(
    caller: KeyOrSession,
    repository: Annotated[AuditRepository, Depends(_repository)],
    action: Annotated[str | None, Query(max_length=64, description="Only this action, such as `key.created`.")] = None,
    key_id: Annotated[UUID | None, Query(alias="keyId", description="Only what is about this API key.")] = None,
    begin: Annotated[str | None, Query(alias="from", description="ISO 8601: at or after this moment.")] = None,
    end: Annotated[str | None, Query(alias="to", description="ISO 8601: before this moment.")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE_SIZE, description="Entries per page.")] = MAX_PAGE_SIZE,
    cursor: Annotated[str | None, Query(description="`nextCursor` of the page before.")] = None,
) -> JsonResponse:
    """What was done to the account, newest first: its keys, sign-ins, wallets and plan, by whom and from where. An API
    key needs the scope `audit`, which it has only if it was given it by name."""
    wanted = AuditFilter(
        before=read_id(cursor),
        action=action,
        key_id=key_id,
        begin=None if begin is None else read_time("from", begin),
        end=None if end is None else read_time("to", end),
    )
    if wanted.begin is not None and wanted.end is not None and wanted.end < wanted.begin:
        raise InvalidInput("to", "must not be before from")
    rows, more = cut_page(await repository.entries(caller.account_id, wanted, limit + 1), limit)
    page = AuditPage(entries=[_entry(row) for row in rows], next_cursor=str(rows[-1].id) if more else None)
    return respond(page, headers={"Cache-Control": "no-store"})


def _entry(row: Entry) -> AuditEntry:
    wallet = None if row.wallet is None else checksum_address(row.wallet)
    return AuditEntry(
        id=row.id,
        action=row.action,
        at=row.created_at,
        actor=AuditActor(kind=row.actor, wallet=wallet, session_id=row.session_id),
        client_ip=None if row.address is None else str(row.address),
        key_id=row.key_id,
        data=row.data,
    )
