"""/api/v2/registration/{id}/domains: an owner or manager proves that domains are the registration's."""

from dataclasses import replace
from typing import Annotated, Any

from fastapi import Depends, Path

from api.domains import examples
from api.domains.errors import (
    DomainLimit,
    DomainNotProven,
    DomainNotRequested,
    DomainNotVerified,
    DomainTaken,
    NameServersSilent,
)
from api.domains.repository import DomainRepository
from api.domains.schemas import Domain, DomainChange, DomainList, DomainRequest
from api.domains.service import Domains
from api.http.dependencies import ClockDep, SettingsDep, StoreDep, TextLookupsDep
from api.http.errors import ApiError
from api.http.examples import success_examples
from api.http.groups import CLAIMS, Credential, Origins, RouteGroup
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.pages.authority import Managed, ManagedToRead

GROUP = RouteGroup(prefix="/api/v2/registration", credential=Credential.SESSION, origins=Origins.SITE)
CHECK = replace(GROUP, admission=CLAIMS)
"""Asks name servers."""


router = GROUP.router("/api/v2/registration/{id}/domains", tags=["domains"], route_class=BodyRoute)
check_router = CHECK.router("/api/v2/registration/{id}/domains", tags=["domains"], route_class=BodyRoute)


async def _domains(store: StoreDep, lookups: TextLookupsDep, settings: SettingsDep, clock: ClockDep) -> Domains:
    return Domains(DomainRepository(store), lookups, settings, clock)


DomainsDep = Annotated[Domains, Depends(_domains)]
DomainPath = Annotated[str, Path(alias="domain", description="The domain.", examples=["pepe.example"])]


def _answers(name: str, example: dict[str, Any], *errors: type[ApiError]) -> Any:
    return success_examples((name, example)) | GROUP.responses(*errors)


@router.get("", response_model=DomainList, responses=_answers("domains", examples.LIST))
async def list_registration_domains(registration: ManagedToRead, domains: DomainsDep) -> JsonResponse:
    """All domains of a registration, verified or not, with the record that proves each. For its owner and managers."""
    return respond(await domains.list_all(registration))


@router.post("", response_model=Domain, responses=_answers("domain", examples.PENDING, DomainLimit))
async def request_registration_domain(registration: Managed, body: DomainRequest, domains: DomainsDep) -> JsonResponse:
    """Ask how to prove a domain: by a TXT record of this name and value. Asked again, the record is the same."""
    return respond(await domains.request(registration, body.domain))


@check_router.post(
    "/{domain}/verify",
    response_model=Domain,
    responses=_answers(
        "verified", examples.VERIFIED, DomainNotRequested, DomainNotProven, DomainTaken, NameServersSilent
    ),
)
async def verify_registration_domain(registration: Managed, domain: DomainPath, domains: DomainsDep) -> JsonResponse:
    """Look the TXT record up and verify the domain by it. 409 `DOMAIN_NOT_PROVEN` means that it is surely not there
    yet, and says what is; 503 means that the name servers did not say. The record has to stay there."""
    return respond(await domains.verify(registration, domain))


@router.patch(
    "/{domain}",
    response_model=Domain,
    responses=_answers("domain", examples.VERIFIED, DomainNotRequested, DomainNotVerified),
)
async def update_registration_domain(
    registration: Managed, domain: DomainPath, body: DomainChange, domains: DomainsDep
) -> JsonResponse:
    """Turn `vanityEnabled` of a verified domain on, or off."""
    return respond(await domains.set_vanity(registration, domain, body.vanity_enabled))


@router.delete("/{domain}", response_model=Domain, responses=_answers("domain", examples.VERIFIED, DomainNotRequested))
async def remove_registration_domain(registration: Managed, domain: DomainPath, domains: DomainsDep) -> JsonResponse:
    """Remove a domain. Asked for again, it needs a new record."""
    return respond(await domains.remove(registration, domain))
