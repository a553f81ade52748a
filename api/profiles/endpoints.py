"""/api/v2/registration/{id}/profile: an owner or manager says what the page says."""

from typing import Annotated

from fastapi import Depends, Header

from api.http.dependencies import PublicReadsDep, StoreDep
from api.http.examples import success_examples
from api.http.groups import Credential, Origins, RouteGroup
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.pages.authority import Managed, ManagedToRead
from api.profiles import examples
from api.profiles.schemas import Profile, ProfileChange, ProfileUpdate
from api.profiles.service import ProfileChanged, Profiles, etag

GROUP = RouteGroup(prefix="/api/v2/registration", credential=Credential.SESSION, origins=Origins.SITE)

router = GROUP.router("/api/v2/registration/{id}/profile", tags=["profiles"], route_class=BodyRoute)


async def _profiles(store: StoreDep) -> Profiles:
    return Profiles(store)


ProfilesDep = Annotated[Profiles, Depends(_profiles)]


@router.get(
    "",
    response_model=Profile,
    responses=success_examples(("profile", examples.PROFILE)),
)
async def get_registration_profile(registration: ManagedToRead, profiles: ProfilesDep) -> JsonResponse:
    """What the page says, to be edited. `ETag` names this state of it, for `If-Match` of a change."""
    found = await profiles.read(registration)
    return respond(found, headers={"ETag": etag(found), "Cache-Control": "no-store"})


@router.put(
    "",
    response_model=ProfileUpdate,
    responses=success_examples(("changed", examples.UPDATED), ("nothing to change", examples.UNCHANGED))
    | GROUP.responses(ProfileChanged),
)
async def update_registration_profile(
    registration: Managed,
    body: ProfileChange,
    profiles: ProfilesDep,
    public: PublicReadsDep,
    if_match: Annotated[
        str | None,
        Header(alias="If-Match", description="Change it only while it is as this `ETag` names it; else 412."),
    ] = None,
) -> JsonResponse:
    """Change what the page says: the fields that are sent, and no others. Registration reads say it at once; search
    follows in seconds, the token list within a minute, public reads within a few."""
    made = await profiles.change(registration, body, if_match=if_match)
    # Other processes' answers grow too old by themselves.
    public.forget_coin(registration.chain, made.symbol)
    return respond(made, headers={"ETag": etag(made)})
