"""GET /api/v2/token/{symbol}/{chain}/candles."""

from typing import Annotated

from fastapi import Depends, Query

from api.candles.examples import CANDLES
from api.candles.schemas import CandleInterval, TokenCandles
from api.candles.service import DEFAULT_CANDLES, CandleService
from api.http.addresses import chain_address
from api.http.dependencies import ChainsDep, ClockDep, StoreDep, SymbolStatesDep, WarehouseDep
from api.http.examples import success_example
from api.http.fields import ChainPath, RangeCursor, RangeEnd, SymbolPath, TokenAddress, read_chain, read_symbol
from api.http.rendering import JsonResponse, respond
from api.http.routes import QueryRoute
from api.http.times import read_time_or_unix
from api.security.access import ApiKey
from api.symbols.errors import ChainNotIndexed
from api.tokens.endpoints import GROUP
from api.tokens.errors import TokenNotFound

router = GROUP.router(tags=["search"], route_class=QueryRoute)


def candle_service(store: StoreDep, states: SymbolStatesDep, warehouse: WarehouseDep, clock: ClockDep) -> CandleService:
    """The service of a request."""
    return CandleService(store, states, warehouse, clock)


@router.get(
    "/{symbol}/{chain}/candles",
    response_model=TokenCandles,
    responses=success_example(CANDLES) | GROUP.responses(TokenNotFound, ChainNotIndexed),
)
async def get_token_candles(
    access: ApiKey,
    service: Annotated[CandleService, Depends(candle_service)],
    chains: ChainsDep,
    symbol: SymbolPath,
    chain: ChainPath,
    token_address: TokenAddress = None,
    begin: Annotated[
        str | None,
        Query(alias="from", description=f"ISO 8601 or Unix seconds. Default: {DEFAULT_CANDLES} intervals before `to`."),
    ] = None,
    end: RangeEnd = None,
    interval: Annotated[CandleInterval, Query(description="The length of a candle; a day is one of UTC.")] = "1h",
    limit: Annotated[int, Query(ge=1, le=1000, description="Candles per page.")] = 168,
    cursor: RangeCursor = None,
) -> JsonResponse:
    """A token's price, volume and liquidity in US dollars over time, newest first. An addition of this service to the
    interface. Prices are those of five minutes that are over, by the rules of `priceUsd`: a single swap moves none of
    them. Null is unknown, such as before a pool was deep enough for an hour."""
    wanted, known_chain = read_symbol("symbol", symbol), read_chain(chains, chain)
    return respond(
        await service.candles(
            wanted,
            known_chain,
            None if token_address is None else chain_address("tokenAddress", token_address, known_chain),
            begin=read_time_or_unix("from", begin),
            end=read_time_or_unix("to", end),
            interval=interval,
            limit=limit,
            cursor=cursor,
        )
    )
