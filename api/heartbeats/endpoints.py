"""GET /api/v2/heartbeat/..."""

from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Query

from api.heartbeats.errors import NotScored
from api.heartbeats.examples import AT_RISK, HEARTBEAT, HISTORY
from api.heartbeats.schemas import Heartbeat, HeartbeatHistory, Interval, TokensAtRisk
from api.heartbeats.service import HeartbeatService
from api.http.addresses import evm_address
from api.http.dependencies import AtRiskDep, ChainsDep, ClockDep, SymbolStatesDep, WarehouseDep
from api.http.errors import InvalidInput
from api.http.examples import success_example
from api.http.fields import ChainPath, EvmTokenAddress, RangeCursor, RangeEnd, SymbolPath, read_chain, read_symbol
from api.http.groups import SEARCHES, RouteGroup
from api.http.pages import DEFAULT_PAGE_SIZE, PageNumber, PageSize
from api.http.rendering import JsonResponse, respond
from api.http.routes import QueryRoute
from api.http.times import read_time_or_unix
from api.security.access import ApiKey
from api.security.scopes import KeyScope
from api.symbols.errors import ChainNotIndexed
from api.tokens.errors import TokenNotFound
from warehouse.domain.chains import Chain, Chains
from warehouse.domain.lifecycle import CRITICAL_BELOW, WARNING_BELOW, RiskLevel

GROUP = RouteGroup(prefix="/api/v2/heartbeat", key_scope=KeyScope.READ)
HISTORY_GROUP = replace(GROUP, admission=SEARCHES)

router = GROUP.router(tags=["heartbeats"], route_class=QueryRoute)
history_router = HISTORY_GROUP.router(tags=["heartbeats"], route_class=QueryRoute)


async def heartbeat_service(
    memory: AtRiskDep, states: SymbolStatesDep, warehouse: WarehouseDep, chains: ChainsDep, clock: ClockDep
) -> HeartbeatService:
    """The service of a request; its cache of tokens at risk is shared by the application."""
    return HeartbeatService(memory, states, warehouse, chains, clock)


ServiceDep = Annotated[HeartbeatService, Depends(heartbeat_service)]


@router.get("/at-risk", response_model=TokensAtRisk, responses=success_example(AT_RISK))
async def list_tokens_at_risk(
    access: ApiKey,
    service: ServiceDep,
    chains: ChainsDep,
    level: Annotated[
        RiskLevel | None,
        Query(
            description=f"Only scores below {CRITICAL_BELOW} (critical), or from {CRITICAL_BELOW} to below"
            f" {WARNING_BELOW} (warning). Default: both."
        ),
    ] = None,
    chain: Annotated[str | None, Query(description="Only this chain.", examples=["base"])] = None,
    page: PageNumber = 1,
    page_size: PageSize = DEFAULT_PAGE_SIZE,
) -> JsonResponse:
    """Registered tokens whose score is below 70, lowest first; a few seconds old at most. Below 60 a registration is
    inactive, unless it is in its first 30 days."""
    known_chain = evm_chain(chains, chain) if chain is not None else None
    return respond(await service.at_risk(level, known_chain, page=page, page_size=page_size))


@router.get(
    "/{symbol}/{chain}",
    response_model=Heartbeat,
    responses=success_example(HEARTBEAT) | GROUP.responses(TokenNotFound, NotScored, ChainNotIndexed),
)
async def get_heartbeat(
    access: ApiKey,
    service: ServiceDep,
    chains: ChainsDep,
    symbol: SymbolPath,
    chain: ChainPath,
    token_address: EvmTokenAddress = None,
) -> JsonResponse:
    """A token's current score. If a chain has several tokens of the symbol, it is the registered one, else the
    original; `tokenAddress` selects another. EVM chains only; 404 for a token without a score."""
    wanted, known_chain = read_symbol("symbol", symbol), evm_chain(chains, chain)
    return respond(await service.current(wanted, known_chain, _address(token_address)))


@history_router.get(
    "/{symbol}/{chain}/history",
    response_model=HeartbeatHistory,
    responses=success_example(HISTORY) | GROUP.responses(TokenNotFound, ChainNotIndexed),
)
async def get_heartbeat_history(
    access: ApiKey,
    service: ServiceDep,
    chains: ChainsDep,
    symbol: SymbolPath,
    chain: ChainPath,
    token_address: EvmTokenAddress = None,
    begin: Annotated[
        str | None,
        Query(alias="from", description="ISO 8601 or Unix seconds. Default: 7 days before `to`, 90 for days."),
    ] = None,
    end: RangeEnd = None,
    interval: Annotated[Interval, Query(description="A point an hour, or the last one of each day (UTC).")] = "hour",
    limit: Annotated[int, Query(ge=1, le=1000, description="Points per page.")] = 168,
    cursor: RangeCursor = None,
) -> JsonResponse:
    """Scores over time, newest first, each with the status and components it had."""
    wanted, known_chain = read_symbol("symbol", symbol), evm_chain(chains, chain)
    return respond(
        await service.history(
            wanted,
            known_chain,
            _address(token_address),
            begin=read_time_or_unix("from", begin),
            end=read_time_or_unix("to", end),
            interval=interval,
            limit=limit,
            cursor=cursor,
        )
    )


def evm_chain(chains: Chains, name: str) -> Chain:
    """The chain that a key, alias or numeric id means, if its tokens are scored.

    Raises:
        InvalidInput: there is none, or it is not an EVM chain.
    """
    chain = read_chain(chains, name)
    if not chain.has_heartbeats:
        raise InvalidInput("chain", f"heartbeats cover EVM chains only, not {chain.name}")
    return chain


def _address(text: str | None) -> str | None:
    return None if text is None else evm_address("tokenAddress", text)
