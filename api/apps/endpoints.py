"""/api/v2/registration/{id}/apps: an owner or manager chooses the apps of the page."""

from typing import Annotated

from fastapi import Depends

from api.apps import examples
from api.apps.schemas import AppsChange, PageAppList
from api.apps.service import PageAppsSettings
from api.http.dependencies import CatalogueDep, StoreDep
from api.http.examples import success_examples
from api.http.groups import Credential, Origins, RouteGroup
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.pages.authority import Managed, ManagedToRead

GROUP = RouteGroup(prefix="/api/v2/registration", credential=Credential.SESSION, origins=Origins.SITE)

router = GROUP.router("/api/v2/registration/{id}/apps", tags=["apps"], route_class=BodyRoute)
_ANSWERS = success_examples(("apps", examples.APPS))


async def _apps(store: StoreDep, catalogue: CatalogueDep) -> PageAppsSettings:
    return PageAppsSettings(store, catalogue)


AppsDep = Annotated[PageAppsSettings, Depends(_apps)]


@router.get(
    "",
    response_model=PageAppList,
    responses=_ANSWERS,
)
async def list_registration_apps(registration: ManagedToRead, apps: AppsDep) -> JsonResponse:
    """The apps of the page in its order, those turned off included, and those that it may have besides."""
    return respond(await apps.read(registration))


@router.put(
    "",
    response_model=PageAppList,
    responses=_ANSWERS,
)
async def set_registration_apps(registration: Managed, body: AppsChange, apps: AppsDep) -> JsonResponse:
    """Set the apps of the page: which, in which order, and which of them are off. Public reads follow within a few
    minutes."""
    return respond(await apps.change(registration, body))
