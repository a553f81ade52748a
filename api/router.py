"""Every route group of the API, in one list: its router, how it words errors, and where it lives.

A group's routers are tried in this order, so that literal paths come before those with parameters.
"""

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.routing import BaseRoute

from api import openapi
from api.accounts import endpoints as accounts
from api.apps import endpoints as apps
from api.auth import endpoints as auth
from api.claims import endpoints as claims
from api.domains import endpoints as domains
from api.fees import endpoints as fees
from api.health import endpoints as health
from api.heartbeats import endpoints as heartbeats
from api.history import endpoints as history
from api.http.errors import RouteGroup
from api.metadata import endpoints as metadata
from api.profiles import endpoints as profiles
from api.public import endpoints as public
from api.registrations import endpoints as registrations
from api.registrations import lookups
from api.registry import endpoints as registry
from api.search import endpoints as search
from api.sites import endpoints as sites
from api.symbols import endpoints as symbols
from api.tokenlists import endpoints as tokenlists
from api.tokens import endpoints as tokens
from api.webhooks import endpoints as webhooks


@dataclass(frozen=True, slots=True)
class Mounted:
    """A router and its error shapes."""

    router: APIRouter
    groups: tuple[RouteGroup, ...]


ROUTERS: tuple[Mounted, ...] = (
    Mounted(health.router, health.GROUPS),
    Mounted(auth.router, auth.GROUPS),
    Mounted(accounts.router, accounts.GROUPS),
    Mounted(history.router, history.GROUPS),
    Mounted(domains.router, domains.GROUPS),
    Mounted(apps.router, apps.GROUPS),
    Mounted(sites.router, sites.GROUPS),
    Mounted(profiles.router, profiles.GROUPS),
    Mounted(registrations.router, registrations.GROUPS),
    Mounted(lookups.router, lookups.GROUPS),
    Mounted(claims.router, claims.GROUPS),
    Mounted(symbols.router, symbols.GROUPS),
    Mounted(registry.router, registry.GROUPS),
    Mounted(fees.router, fees.GROUPS),
    Mounted(search.router, search.GROUPS),
    Mounted(tokens.router, tokens.GROUPS),
    Mounted(tokenlists.router, tokenlists.GROUPS),
    Mounted(metadata.router, metadata.GROUPS),
    Mounted(metadata.public_router, metadata.PUBLIC_GROUPS),
    Mounted(public.router, public.GROUPS),
    Mounted(heartbeats.router, heartbeats.GROUPS),
    Mounted(webhooks.router, webhooks.GROUPS),
)


def _routes() -> list[BaseRoute]:
    whole = APIRouter(generate_unique_id_function=openapi.operation_id)
    for mounted in ROUTERS:
        whole.include_router(mounted.router)
    return whole.routes


ROUTES: list[BaseRoute] = _routes()
"""The routes of all groups, as an application takes them. What they need to know of it they find in each request, so
all applications of a process share them: FastAPI makes a handler of each with the first request that passes by it."""
