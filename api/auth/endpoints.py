"""GET /auth/nonce, POST /auth/login/siwe and /siws, POST /auth/logout, /auth/sessions, and GET /apps/jwks."""

from dataclasses import replace
from datetime import timedelta
from functools import cache
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Path, Query

from api.auth import examples
from api.auth.errors import ServiceUrlsInvalid, SessionNotFound, SignatureInvalid, WalletOfAnotherAccount
from api.auth.grammar import Malformed
from api.auth.repository import AuthRepository
from api.auth.rules import ServiceUrls
from api.auth.schemas import (
    EthereumLogin,
    Jwks,
    LoginResponse,
    Nonce,
    Revoked,
    RevokedOthers,
    SessionEntry,
    SessionList,
    SolanaLogin,
    ed25519_signatures,
)
from api.auth.service import NONCE_LIFE, SignInService
from api.claims.inputs import signature_bytes
from api.http import cursors
from api.http.dependencies import ClientAddress, ClockDep, ServicesDep, TokensDep
from api.http.errors import InvalidInput
from api.http.examples import success_examples
from api.http.groups import CLAIMS, Credential, Origins, Quota, RouteGroup
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.limits.public import PublicRead
from api.security.access import OptionalSession, Session, require_scope, with_scope
from api.security.callers import WalletSession
from api.security.errors import ScopeMissing
from warehouse.domain.addresses import checksum_address

# The daily quota does not apply: accounts must always be able to sign in and to revoke credentials.
GROUP = RouteGroup(prefix="/api/v2/auth", credential=Credential.SESSION, quota=Quota.ACCOUNT_RATE, origins=Origins.SITE)
LOGIN = replace(GROUP, admission=CLAIMS, credential=Credential.OPTIONAL_SESSION)
NONCE = replace(GROUP, credential=Credential.NONE, quota=Quota.ADDRESS)
KEYS = RouteGroup(prefix="/api/v2/apps", credential=Credential.NONE, quota=Quota.ADDRESS)
# Nonces and tokens are for the caller only.
_PRIVATE = {"Cache-Control": "no-store"}
# Verifiers with outdated keys would refuse new tokens.
_JWKS_HEADERS = {"Cache-Control": "no-cache", "Access-Control-Allow-Origin": "*"}
_LOGIN_ERRORS = GROUP.responses(ScopeMissing, SignatureInvalid, WalletOfAnotherAccount, ServiceUrlsInvalid)

router = GROUP.router(tags=["sign-in"], route_class=BodyRoute)
login_router = LOGIN.router(tags=["sign-in"], route_class=BodyRoute)
nonce_router = NONCE.router(tags=["sign-in"], route_class=BodyRoute)
keys_router = KEYS.router(tags=["sign-in"], route_class=BodyRoute)


async def _service(services: ServicesDep, address: ClientAddress) -> SignInService:
    settings = services.settings
    return SignInService(
        repository=AuthRepository(services.store),
        sessions=services.sessions,
        tokens=services.tokens,
        readers=services.readers,
        chains=services.chains,
        clock=services.clock,
        urls=_service_urls(settings.public_site_url, settings.public_url),
        session_life=timedelta(seconds=settings.session_seconds),
        sessions_per_wallet=settings.sessions_per_wallet,
        address=address,
    )


@cache
def _service_urls(site_url: str, api_url: str) -> ServiceUrls:
    try:
        return ServiceUrls.of(site_url, api_url)
    except Malformed as error:
        raise ServiceUrlsInvalid from error


ServiceDep = Annotated[SignInService, Depends(_service)]
Writer = Annotated[WalletSession, with_scope("api:write")]


@nonce_router.get("/nonce", response_model=Nonce, responses=success_examples(("nonce", examples.NONCE)))
async def get_nonce(access: PublicRead, service: ServiceDep, clock: ClockDep) -> JsonResponse:
    """A nonce for a sign-in message, valid once within ten minutes."""
    return respond(Nonce(nonce=await service.nonce(), expires_at=clock.now() + NONCE_LIFE), headers=_PRIVATE)


@login_router.post(
    "/login/siwe",
    response_model=LoginResponse,
    responses=success_examples(("signed in", examples.LOGIN)) | _LOGIN_ERRORS,
)
async def login_with_ethereum(body: EthereumLogin, session: OptionalSession, service: ServiceDep) -> JsonResponse:
    """Sign in with an EVM wallet (EIP-4361). The message names the site's domain, a URI within the site or this API, a
    chain served here and a nonce from `GET /api/v2/auth/nonce`. A wallet that is new gets a free account. Sent with the
    bearer token of a session, the wallet is linked to its account (a new one takes the scope `api:write`) and added to
    the session, which ends when it would have."""
    signature = signature_bytes(body.signature)
    answer = await service.sign_in_ethereum(body.message, signature, body.granted, session)
    return respond(answer, headers=_PRIVATE)


@login_router.post(
    "/login/siws",
    response_model=LoginResponse,
    responses=success_examples(("signed in", examples.LOGIN)) | _LOGIN_ERRORS,
)
async def login_with_solana(body: SolanaLogin, session: OptionalSession, service: ServiceDep) -> JsonResponse:
    """Sign in with a Solana wallet: the text that `solana:signIn` of the wallet standard signs. Its nonce is from
    `GET /api/v2/auth/nonce`; URI, chain and times are checked where the message has them. Otherwise as with EVM
    wallets."""
    signatures = ed25519_signatures(body.signature)
    answer = await service.sign_in_solana(body.message, signatures, body.granted, session)
    return respond(answer, headers=_PRIVATE)


@router.post(
    "/logout",
    response_model=Revoked,
    responses=success_examples(("ended", examples.REVOKED)),
)
async def logout(session: Session, service: ServiceDep) -> JsonResponse:
    """End the session of the sent token."""
    return await _revoke(service, session, session.session_id)


@router.get(
    "/sessions",
    response_model=SessionList,
    responses=success_examples(("sessions", examples.SESSIONS)),
)
async def list_sessions(
    session: Session,
    service: ServiceDep,
    clock: ClockDep,
    limit: Annotated[int, Query(ge=1, le=100, description="Sessions per page.")] = 100,
    cursor: Annotated[str | None, Query(description="`nextCursor` of the previous page.")] = None,
) -> JsonResponse:
    """The account's live sessions, newest first."""
    now, before = clock.now(), cursors.read_id(cursor)
    rows = await service.repository.sessions(session.account_id, now, before=before, most=limit + 1)
    entries = [
        SessionEntry(
            id=row.id,
            wallets=[checksum_address(wallet) for wallet in row.wallets],
            scopes=row.scopes,
            created_at=row.created_at,
            expires_at=row.expires_at,
            current=row.id == session.session_id,
        )
        for row in rows[:limit]
    ]
    page = SessionList(
        sessions=entries,
        total=await service.repository.count_sessions(session.account_id, now),
        next_cursor=str(entries[-1].id) if len(rows) > limit else None,
    )
    return respond(page, headers=_PRIVATE)


@router.delete(
    "/sessions",
    response_model=RevokedOthers,
    responses=success_examples(("ended", examples.REVOKED_OTHERS)),
)
async def revoke_other_sessions(session: Writer, service: ServiceDep) -> JsonResponse:
    """End all sessions of the account except the caller's."""
    return respond(RevokedOthers(revoked=await service.revoke_others(session)))


@router.delete(
    "/sessions/{id}",
    response_model=Revoked,
    responses=success_examples(("ended", examples.REVOKED))
    | GROUP.responses(InvalidInput, ScopeMissing, SessionNotFound),
)
async def revoke_session(
    session: Session,
    service: ServiceDep,
    session_id: Annotated[
        str, Path(alias="id", description="Id of the session.", examples=[examples.REVOKED["sessionId"]])
    ],
) -> JsonResponse:
    """End one session of the account. Ending another session than the caller's requires the scope `api:write`. Safe to
    repeat."""
    try:
        wanted = UUID(session_id)
    except ValueError as error:
        raise InvalidInput("id", "must be the id of a session") from error
    if wanted != session.session_id:
        require_scope(session, "api:write")
    return await _revoke(service, session, wanted)


@keys_router.get("/jwks", response_model=Jwks, responses=success_examples(("keys", examples.JWKS)))
async def get_session_keys(access: PublicRead, tokens: TokensDep) -> JsonResponse:
    """The public keys of session tokens, the current one first. A replaced key stays while tokens signed with it are
    valid. Verifiers select by `kid`, and fetch the keys again when they see an unknown one."""
    return JsonResponse(tokens.keys.current().jwks(), headers=_JWKS_HEADERS)


async def _revoke(service: SignInService, session: Session, session_id: UUID) -> JsonResponse:
    revoked_at = await service.revoke(session, session_id)
    if revoked_at is None:
        raise SessionNotFound
    return respond(Revoked(session_id=session_id, revoked_at=revoked_at), headers=_PRIVATE)
