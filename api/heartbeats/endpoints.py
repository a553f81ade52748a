"""GET /api/v2/heartbeat/..."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import Depends, Query

from api.heartbeats.examples import AT_RISK, HEARTBEAT, HISTORY
from api.heartbeats.schemas import Heartbeat, HeartbeatHistory, TokensAtRisk
from api.heartbeats.service import HeartbeatService
from api.http import patterns
from api.http.addresses import evm_address
from api.http.dependencies import AtRiskDep, ChainsDep, ClockDep, WarehouseDep
from api.http.errors import InvalidInput, NotFound
from api.http.groups import SEARCHES, RouteGroup
from api.http.rendering import JsonResponse, respond
from api.http.routes import QueryRoute
from api.search.examples import shown
from api.search.parameters import readable_chain, search_symbol
from api.security.access import ApiKey
from api.tokens.endpoints import ChainPath, SymbolPath
from warehouse.domain.chains import Chain, Chains

GROUP = RouteGroup(prefix="/api/v2/heartbeat")
HISTORY_GROUP = replace(GROUP, admission=SEARCHES)
_DIGITS = re.compile(r"[0-9]{1,10}")
_LATEST = datetime.fromtimestamp(2**32 - 1, UTC)
_EARLIEST = datetime.fromtimestamp(0, UTC)

router = GROUP.router(tags=["heartbeats"], route_class=QueryRoute)
history_router = HISTORY_GROUP.router(tags=["heartbeats"], route_class=QueryRoute)


async def heartbeat_service(
    memory: AtRiskDep, warehouse: WarehouseDep, chains: ChainsDep, clock: ClockDep
) -> HeartbeatService:
    """The service of a request; what it remembers of the tokens at risk is the application's."""
    return HeartbeatService(memory, warehouse, chains, clock)


ServiceDep = Annotated[HeartbeatService, Depends(heartbeat_service)]
TokenAddress = Annotated[
    str | None,
    Query(
        alias="tokenAddress",
        description="Scopes the lookup to one token of the symbol.",
        json_schema_extra=patterns.EVM_ADDRESS,
    ),
]


@router.get("/at-risk", response_model=TokensAtRisk, responses=shown(AT_RISK))
async def list_tokens_at_risk(
    access: ApiKey,
    service: ServiceDep,
    chains: ChainsDep,
    level: Annotated[
        Literal["warning", "critical"] | None,
        Query(description="Only scores below 62 (critical), or from 62 to below 70 (warning). Default: both."),
    ] = None,
    chain: Annotated[str | None, Query(description="Only this chain.", examples=["base"])] = None,
    page: Annotated[int, Query(ge=1, le=1_000_000, description="Which page, from 1.")] = 1,
    page_size: Annotated[int, Query(alias="pageSize", ge=1, le=100, description="Entries per page.")] = 25,
) -> JsonResponse:
    """Registered tokens whose score is below 70, lowest first; a few seconds old at most. Below 60 a registration is
    inactive, unless it is in its first 30 days."""
    place = evm_chain(chains, chain) if chain is not None else None
    return respond(await service.at_risk(level, place, page=page, page_size=page_size))


@router.get("/{symbol}/{chain}", response_model=Heartbeat, responses=shown(HEARTBEAT) | GROUP.responses(NotFound))
async def get_heartbeat(
    access: ApiKey,
    service: ServiceDep,
    chains: ChainsDep,
    symbol: SymbolPath,
    chain: ChainPath,
    token_address: TokenAddress = None,
) -> JsonResponse:
    """A token's current score. Where a chain has several tokens of the symbol, the registered one is meant, else the
    original, unless `tokenAddress` names one. EVM chains only; a token without a score yet answers 404."""
    wanted, place = search_symbol("symbol", symbol), evm_chain(chains, chain)
    return respond(await service.current(wanted, place, _address(token_address)))


@history_router.get(
    "/{symbol}/{chain}/history",
    response_model=HeartbeatHistory,
    responses=shown(HISTORY) | GROUP.responses(NotFound),
)
async def get_heartbeat_history(
    access: ApiKey,
    service: ServiceDep,
    chains: ChainsDep,
    symbol: SymbolPath,
    chain: ChainPath,
    token_address: TokenAddress = None,
    begin: Annotated[
        str | None,
        Query(alias="from", description="ISO 8601 or Unix seconds. Default: 7 days before `to`, 90 for days."),
    ] = None,
    end: Annotated[
        str | None, Query(alias="to", description="ISO 8601 or Unix seconds, exclusive. Default: now.")
    ] = None,
    interval: Annotated[
        Literal["hour", "day"], Query(description="A point an hour, or the last one of each day (UTC).")
    ] = "hour",
    limit: Annotated[int, Query(ge=1, le=1000, description="Points per page.")] = 168,
    cursor: Annotated[
        str | None, Query(description="`pagination.nextCursor` of the page before, with the same other parameters.")
    ] = None,
) -> JsonResponse:
    """Scores over time, newest first, each with the status and components it had."""
    wanted, place = search_symbol("symbol", symbol), evm_chain(chains, chain)
    return respond(
        await service.history(
            wanted,
            place,
            _address(token_address),
            begin=_moment("from", begin),
            end=_moment("to", end),
            interval=interval,
            limit=limit,
            cursor=cursor,
        )
    )


def evm_chain(chains: Chains, name: str) -> Chain:
    """The EVM chain that a key, alias or numeric id means.

    Raises:
        InvalidInput: there is none, or it is not an EVM chain.
    """
    chain = readable_chain(chains, name)
    if not chain.can_index:
        raise InvalidInput("chain", f"heartbeats cover EVM chains only, not {chain.name}")
    return chain


def _address(text: str | None) -> str | None:
    return None if text is None else evm_address("tokenAddress", text)


def _moment(field: str, text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromtimestamp(int(text), UTC) if _DIGITS.fullmatch(text) else datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(field, "must be an ISO 8601 time or Unix seconds") from error
    if not _EARLIEST <= moment <= _LATEST:
        raise InvalidInput(field, "must be between 1970 and 2106")
    return moment
