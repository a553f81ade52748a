"""POST /api/v2/interest: a wallet is interested in a token that nobody has registered."""

from typing import Annotated, Any

from api.http.dependencies import ChainsDep, StoreDep
from api.http.errors import InvalidInput
from api.http.examples import TOKEN, WALLET, success_examples
from api.http.groups import Credential, Origins, RouteGroup
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.interest.errors import NoSuchToken, NotYourWallet, TokenIsRegistered, TooMuchInterest
from api.interest.schemas import Interest, InterestRequest
from api.interest.service import InterestService
from api.security.access import with_scope
from api.security.callers import WalletSession

GROUP = RouteGroup(prefix="/api/v2/interest", credential=Credential.SESSION, origins=Origins.SITE)
router = GROUP.router(tags=["registrations"], route_class=BodyRoute)

_EXAMPLE: dict[str, Any] = {
    "chainId": "eip155:8453",
    "tokenAddress": TOKEN,
    "symbol": "PEPE",
    "walletAddress": WALLET,
    "isNew": True,
}


@router.post(
    "",
    response_model=Interest,
    responses=success_examples(("recorded", _EXAMPLE), ("again", {**_EXAMPLE, "isNew": False}))
    | GROUP.responses(InvalidInput, NotYourWallet, NoSuchToken, TokenIsRegistered, TooMuchInterest),
)
async def express_interest(
    session: Annotated[WalletSession, with_scope("api:write")],
    body: InterestRequest,
    store: StoreDep,
    chains: ChainsDep,
) -> JsonResponse:
    """Say that a signed-in wallet is interested in a token without a registration. Whoever subscribed to
    `interest.expressed` is told once for each wallet and token; an account may name 20 tokens in 24 hours."""
    return respond(await InterestService(store, chains).express(session, body))
