"""/api/v2/account: an account's wallets, limits and usage."""

from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Path, Query

from api.accounts import examples
from api.accounts.errors import LastWallet, WalletNotLinked
from api.accounts.repository import AccountRepository
from api.accounts.schemas import AccountAnswer, UsageAnswer
from api.accounts.self_service import SelfService
from api.http import fields
from api.http.addresses import wallet_address
from api.http.dependencies import ClientAddress, ServicesDep
from api.http.errors import InvalidInput
from api.http.examples import WALLET, success_examples
from api.http.groups import Credential, Origins, Quota, RouteGroup
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.security.access import KeyOrSession, with_scope
from api.security.callers import WalletSession
from api.security.scopes import KeyScope

# Accounts must always see what they use, and be able to revoke keys: the daily quota refuses nothing here.
GROUP = RouteGroup(
    prefix="/api/v2/account", credential=Credential.SESSION, quota=Quota.ACCOUNT_RATE, origins=Origins.SITE
)
READS = replace(GROUP, credential=Credential.KEY_OR_SESSION, key_scope=KeyScope.ACCOUNT)
MAX_DAYS = 90

router = GROUP.router(tags=["account"], route_class=BodyRoute)
reads_router = READS.router(tags=["account"], route_class=BodyRoute)


async def _service(services: ServicesDep, address: ClientAddress) -> SelfService:
    return SelfService(
        AccountRepository(services.store),
        services.limits.current,
        services.api_keys,
        services.sessions,
        services.clock,
        address,
    )


ServiceDep = Annotated[SelfService, Depends(_service)]
Writer = Annotated[WalletSession, with_scope("api:write")]


@reads_router.get("", response_model=AccountAnswer, responses=success_examples(("account", examples.ACCOUNT)))
async def get_account(caller: KeyOrSession, service: ServiceDep) -> JsonResponse:
    """The account behind the credential: its plan, its wallets, and what the plan allows."""
    return respond(await service.account(caller))


@router.delete(
    "/wallets/{wallet}",
    response_model=AccountAnswer,
    responses=success_examples(("the account without it", examples.ACCOUNT))
    | GROUP.responses(InvalidInput, WalletNotLinked, LastWallet),
)
async def unlink_wallet(
    session: Writer,
    service: ServiceDep,
    wallet: Annotated[
        str, Path(description="A wallet of the account.", examples=[WALLET], json_schema_extra=fields.WALLET)
    ],
) -> JsonResponse:
    """Take a wallet from the account, but not its last one. Sessions lose it at once, and end where no other wallet
    signed in to them. Keys, plan and webhooks stay with the account; when the wallet signs in again it gets an account
    of its own."""
    return respond(await service.unlink_wallet(session, wallet_address("wallet", wallet)))


@reads_router.get(
    "/usage",
    response_model=UsageAnswer,
    responses=success_examples(("usage", examples.USAGE)),
)
async def get_account_usage(
    caller: KeyOrSession,
    service: ServiceDep,
    days: Annotated[int, Query(ge=1, le=MAX_DAYS, description="Number of days to report, including today.")] = 30,
) -> JsonResponse:
    """How much of their daily quotas the account's keys and sessions used; up to a few seconds old."""
    return respond(await service.usage(caller, days))
