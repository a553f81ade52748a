"""/api/v2/account/keys: an account's API keys."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Path

from api.http.dependencies import ClientAddress, ServicesDep
from api.http.errors import InvalidInput
from api.http.examples import success_examples
from api.http.groups import Credential, Origins, Quota, RouteGroup
from api.http.idempotency import IdempotencyKey, KeyReused, read_idempotency_key
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.keys import examples
from api.keys.errors import KeyHasExpired, KeyLimit, KeyNotFound, KeyReplaced, KeyRevoked
from api.keys.repository import KeyRepository
from api.keys.schemas import ApiKeyEntry, ApiKeyList, CreateKey, NewApiKey, RolledApiKey, RollKey, UpdateKey
from api.keys.service import KeyService
from api.security.access import Session, with_scope
from api.security.callers import WalletSession

# Answers with a secret are for the caller only.
_PRIVATE = {"Cache-Control": "no-store"}
_NOT_CHANGED = (KeyNotFound, KeyRevoked, KeyHasExpired, KeyReplaced)

# The daily quota refuses nothing here: a misused key can always be revoked.
GROUP = RouteGroup(
    prefix="/api/v2/account/keys",
    credential=Credential.SESSION,
    quota=Quota.ACCOUNT_RATE,
    origins=Origins.SITE,
)
router = GROUP.router(tags=["account"], route_class=BodyRoute)


async def _service(services: ServicesDep, address: ClientAddress) -> KeyService:
    return KeyService(
        KeyRepository(services.store),
        services.limits.current,
        services.api_keys,
        services.sealer,
        services.clock,
        services.settings,
        address,
    )


ServiceDep = Annotated[KeyService, Depends(_service)]
Writer = Annotated[WalletSession, with_scope("api:write")]
KeyId = Annotated[UUID, Path(description="The key's id, as the list shows it.")]


@router.get("", response_model=ApiKeyList, responses=success_examples(("keys", examples.KEYS)))
async def list_api_keys(session: Session, service: ServiceDep) -> JsonResponse:
    """The account's API keys, without their secrets."""
    return respond(await service.list_all(session))


@router.post(
    "",
    status_code=201,
    response_model=NewApiKey,
    responses=success_examples(("made", examples.NEW_KEY), status=201) | GROUP.responses(KeyLimit, KeyReused),
)
async def create_api_key(
    session: Writer, body: CreateKey, service: ServiceDep, request_key: IdempotencyKey = None
) -> JsonResponse:
    """Make an API key. It is shown in this answer and never again, except to a repeat with the same
    `Idempotency-Key`. Without `scopes` it may do all that keys could do before there were scopes."""
    made = await service.create(session, body, read_idempotency_key(request_key))
    return JsonResponse(made.model_dump(by_alias=True), status_code=201, headers=_PRIVATE)


@router.patch(
    "/{id}",
    response_model=ApiKeyEntry,
    responses=success_examples(("changed", examples.KEY)) | GROUP.responses(*_NOT_CHANGED),
)
async def update_api_key(session: Writer, id: KeyId, body: UpdateKey, service: ServiceDep) -> JsonResponse:
    """Change a key's name, scopes, allowed addresses or expiry. Members that are left out do not change, and null
    removes a restriction. All API processes apply it within about a second."""
    return respond(await service.update(session, id, body))


@router.post(
    "/{id}/roll",
    status_code=201,
    response_model=RolledApiKey,
    responses=success_examples(("rolled", examples.ROLLED), status=201) | GROUP.responses(*_NOT_CHANGED, KeyReused),
)
async def roll_api_key(
    session: Writer,
    id: KeyId,
    service: ServiceDep,
    body: RollKey = RollKey(),  # noqa: B008 - frozen
    request_key: IdempotencyKey = None,
) -> JsonResponse:
    """Replace a key by a new one with the same name, scopes and allowed addresses, valid for as long as the old one was
    made for. The new key is shown once; the old one works for `graceSeconds` more, on the same rate and quota. A key is
    rolled once; repeats with the same `Idempotency-Key` get the same answer for 24 hours."""
    rolled = await service.roll(session, id, body, read_idempotency_key(request_key))
    return JsonResponse(rolled.model_dump(by_alias=True), status_code=201, headers=_PRIVATE)


@router.delete(
    "/{id}",
    response_model=ApiKeyEntry,
    responses=success_examples(("revoked", examples.REVOKED)) | GROUP.responses(InvalidInput, KeyNotFound),
)
async def revoke_api_key(session: Writer, id: KeyId, service: ServiceDep) -> JsonResponse:
    """Revoke an API key permanently. It is refused from now on, even where it was used a moment ago."""
    return respond(await service.revoke(session, id))
