"""/api/v2/registration/{id}/sites: an owner or manager says where the coin's badge and apps may be shown."""

from typing import Annotated

from fastapi import Depends

from api.http.dependencies import StoreDep
from api.http.examples import success_examples
from api.http.groups import Credential, Origins, RouteGroup
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.pages.authority import Managed, ManagedToRead
from api.sites import examples
from api.sites.schemas import PageSites, SitesChange
from api.sites.service import PageSitesService

GROUP = RouteGroup(prefix="/api/v2/registration", credential=Credential.SESSION, origins=Origins.SITE)

router = GROUP.router("/api/v2/registration/{id}/sites", tags=["sites"], route_class=BodyRoute)
_ANSWERS = success_examples(("sites", examples.SITES))


async def _sites(store: StoreDep) -> PageSitesService:
    return PageSitesService(store)


SitesDep = Annotated[PageSitesService, Depends(_sites)]


@router.get("", response_model=PageSites, responses=_ANSWERS)
async def get_registration_sites(registration: ManagedToRead, sites: SitesDep) -> JsonResponse:
    """Where the coin's badge and apps may be shown, as it is set. Public reads follow within a few minutes."""
    return respond(await sites.read(registration))


@router.patch(
    "",
    response_model=PageSites,
    responses=_ANSWERS,
)
async def update_registration_sites(registration: Managed, body: SitesChange, sites: SitesDep) -> JsonResponse:
    """Set which verified domains bear the badge, which of them may run the coin's apps, and whether any may."""
    return respond(await sites.change(registration, body))
