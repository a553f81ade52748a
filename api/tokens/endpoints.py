"""GET /api/v2/token/{symbol}/{chain}."""

from starlette.responses import Response

from api.http.addresses import chain_address
from api.http.dependencies import ChainsDep, TokenLookupsDep
from api.http.examples import success_examples
from api.http.fields import ChainPath, SymbolPath, TokenAddress, read_chain, read_symbol
from api.http.groups import SEARCHES, RouteGroup
from api.http.routes import QueryRoute
from api.search import examples
from api.search.schemas import SearchResult
from api.security.access import ApiKey
from api.security.scopes import KeyScope
from api.symbols.errors import ChainNotIndexed
from api.tokens.errors import TokenNotFound

GROUP = RouteGroup(prefix="/api/v2/token", key_scope=KeyScope.READ, admission=SEARCHES)

router = GROUP.router(tags=["search"], route_class=QueryRoute)


@router.get(
    "/{symbol}/{chain}",
    response_model=SearchResult,
    responses=success_examples(("token", examples.RESULT), ("token on Solana", examples.SOLANA_RESULT))
    | GROUP.responses(TokenNotFound, ChainNotIndexed),
)
async def get_token(
    access: ApiKey,
    service: TokenLookupsDep,
    chains: ChainsDep,
    symbol: SymbolPath,
    chain: ChainPath,
    token_address: TokenAddress = None,
) -> Response:
    """The search result of one token. If a chain has several tokens of the symbol, it is the registered one, else the
    original; `tokenAddress` selects another."""
    wanted, known_chain = read_symbol("symbol", symbol), read_chain(chains, chain)
    address = None if token_address is None else chain_address("tokenAddress", token_address, known_chain)
    return Response(await service.answer(wanted, known_chain, address, access.wallet), media_type="application/json")
