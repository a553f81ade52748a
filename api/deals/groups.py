"""What the deal routes declare once, and what their endpoints ask for."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Final
from uuid import UUID

from fastapi import Depends, Path, Query, Request

from api.deals.errors import INVALID, DealNotFound, GroupNotFound, OfferLimit, ProviderUnavailable
from api.deals.service import Deals, deals_of
from api.http.dependencies import ServicesDep
from api.http.error_shapes import CODES, ErrorShape
from api.http.errors import raises
from api.http.groups import CLAIMS, Credential, Origins, RouteGroup
from api.security.access import require_key_and_session, with_scope
from api.security.callers import WalletSession
from api.security.scopes import KeyScope

REQUESTS_PER_MINUTE: Final = 10
_CODES: Final[Mapping[int, str]] = {**CODES, 404: INVALID, 429: INVALID, 503: "PROVIDER_UNAVAILABLE"}

# The key names the application; the session says which wallets act. So a key needs no scope of its own for deals.
READS: Final = RouteGroup(
    prefix="/api/v2/deals",
    key_scope=KeyScope.READ,
    errors=ErrorShape(invalid_code=INVALID, codes=_CODES),
    chain_unavailable=ProviderUnavailable,
    origins=Origins.SITE,
)
SESSIONS: Final = replace(READS, credential=Credential.KEY_AND_SESSION)
WRITES: Final = replace(SESSIONS, admission=CLAIMS)
REGISTRATION: Final = replace(READS, prefix="/api/v2/registration", origins=Origins.NONE)


async def _deals(services: ServicesDep) -> Deals:
    return deals_of(services)


@raises(OfferLimit)
async def _count_request(request: Request, services: ServicesDep) -> None:
    """Count a request that offers or cancels: they share one budget for each account."""
    session = await require_session_of(request)
    wait = await services.limiter.take(str(session.account_id), "deals", REQUESTS_PER_MINUTE)
    if wait is not None:
        raise OfferLimit(f"more than {REQUESTS_PER_MINUTE} requests a minute that offer or cancel", wait)


async def require_session_of(request: Request) -> WalletSession:
    """The session of a request whose route requires one."""
    session: WalletSession = request.state.session
    return session


def _uuid(text: str, missing: type[DealNotFound | GroupNotFound]) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise missing from error


@raises(DealNotFound)
async def _deal_id(
    deal_id: Annotated[str, Path(alias="dealId", description="Id of the deal.")],
) -> UUID:
    return _uuid(deal_id, DealNotFound)


@raises(GroupNotFound)
async def _group_id(
    group_id: Annotated[str, Path(alias="groupId", description="Id of the group.")],
) -> UUID:
    return _uuid(group_id, GroupNotFound)


DealsDep = Annotated[Deals, Depends(_deals)]
Writer = Annotated[WalletSession, with_scope("api:write", require_key_and_session)]
"""A session that may change something, of a request with an API key."""
Budget = Annotated[None, Depends(_count_request)]
DealId = Annotated[UUID, Depends(_deal_id)]
GroupId = Annotated[UUID, Depends(_group_id)]
Limit = Annotated[int, Query(ge=1, le=100, description="Deals on a page.")]
Offset = Annotated[int, Query(ge=0, le=100_000, description="Deals before the page.")]
