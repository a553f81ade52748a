"""Every router of the API, in one list. Routing tries them in this order, so literal paths come before parameters."""

from fastapi import APIRouter
from starlette.routing import BaseRoute

from api import openapi
from api.accounts import endpoints as accounts
from api.alerts import endpoints as alerts
from api.alerts.feeds import endpoints as feeds
from api.alerts.raised import endpoints as raised_alerts
from api.apps import endpoints as apps
from api.audit import endpoints as audit
from api.auth import endpoints as auth
from api.broadcasts import endpoints as broadcasts
from api.candles import endpoints as candles
from api.challenges import endpoints as challenges
from api.claims import endpoints as claims
from api.claims.solana import endpoints as solana_claims
from api.consents import endpoints as consents
from api.contacts import endpoints as contacts
from api.deals import endpoints as deals
from api.deals import reads as deal_reads
from api.deals import settlement as deal_settlement
from api.deals.vaults import endpoints as deal_vaults
from api.domains import endpoints as domains
from api.fees import endpoints as fees
from api.health import endpoints as health
from api.heartbeats import endpoints as heartbeats
from api.history import endpoints as history
from api.http.groups import GroupRouter
from api.inbox import endpoints as inbox
from api.interest import endpoints as interest
from api.keys import endpoints as keys
from api.metadata import endpoints as metadata
from api.profiles import endpoints as profiles
from api.public import endpoints as public
from api.reference import endpoints as reference
from api.registrations import endpoints as registrations
from api.registrations import lookups
from api.registry import endpoints as registry
from api.search import endpoints as search
from api.sites import endpoints as sites
from api.subscriptions import endpoints as subscriptions
from api.symbols import endpoints as symbols
from api.tokenlists import endpoints as tokenlists
from api.tokenlists import listings
from api.tokens import endpoints as tokens
from api.webhooks import endpoints as webhooks

ROUTERS: tuple[GroupRouter, ...] = (
    health.router,
    reference.router,
    auth.nonce_router,
    auth.login_router,
    auth.router,
    auth.keys_router,
    accounts.reads_router,
    accounts.router,
    keys.router,
    audit.router,
    history.router,
    domains.router,
    domains.check_router,
    apps.router,
    sites.router,
    profiles.router,
    deals.router,
    deals.write_router,
    deal_settlement.router,
    deal_vaults.write_router,
    deal_vaults.router,
    deal_reads.router,
    deal_reads.registration_router,
    subscriptions.router,
    subscriptions.list_router,
    subscriptions.leave_router,
    contacts.router,
    inbox.router,
    broadcasts.router,
    challenges.reads_router,
    challenges.router,
    registrations.claimable_router,
    registrations.qualify_router,
    registrations.router,
    lookups.router,
    consents.router,
    solana_claims.router,
    claims.router,
    claims.methods_router,
    symbols.router,
    registry.router,
    fees.router,
    search.router,
    tokens.router,
    candles.router,
    listings.export_router,
    tokenlists.router,
    listings.router,
    metadata.router,
    metadata.public_router,
    public.router,
    public.holdings_router,
    heartbeats.router,
    heartbeats.history_router,
    webhooks.router,
    webhooks.write_router,
    alerts.router,
    alerts.preview_router,
    feeds.router,
    feeds.stream_router,
    raised_alerts.router,
    interest.router,
)


def _routes() -> list[BaseRoute]:
    whole = APIRouter(generate_unique_id_function=openapi.operation_id)
    for router in ROUTERS:
        whole.include_router(router)
    return whole.routes


ROUTES: list[BaseRoute] = _routes()
"""The routes of all groups. They read what they need from each request, so all applications of a process share them:
FastAPI builds a route's handler with the first request that reaches it."""
