"""Checks the credential of a request and counts the request against its limits, once each per request."""

from fastapi import Request

from api.http.errors import ApiError
from api.http.groups import Quota, RouteGroup
from api.http.pacing import GRANTED
from api.http.route_table import SCOPE_KEY
from api.limits.addresses import client_ip
from api.security.callers import Caller, Principal, WalletSession
from api.security.errors import (
    API_KEY_HEADER,
    BEARER,
    AddressNotAllowed,
    ApiKeyExpired,
    ApiKeyInvalid,
    ApiKeyMissing,
    CredentialMissing,
    KeyScopeMissing,
    SessionEnded,
    SessionMissing,
)
from api.services import services_of


async def count(request: Request, principal: Principal) -> None:
    """Count the request against its caller's limits, once, even if it carries several credentials.

    Raises:
        TooManyRequests: the caller is over a limit.
    """
    if getattr(request.state, "counted", False):
        return
    request.state.counted = True
    charge = await services_of(request).limiter.charge(principal)
    request.state.answer_headers = charge.headers
    group: RouteGroup = request.scope[SCOPE_KEY]
    if charge.refusal is not None and not (charge.of_quota and group.quota is Quota.ACCOUNT_RATE):
        raise charge.refusal
    request.scope["state"][GRANTED] = True


async def count_address(request: Request) -> None:
    """Count the request against the limits of the client's address, unless it was already counted for an account. The
    route group says whether it also counts as a read of holdings.

    Raises:
        TooManyRequests: the address is over a limit.
    """
    if getattr(request.state, "counted", False):
        return
    request.state.counted = True
    group: RouteGroup = request.scope[SCOPE_KEY]
    await services_of(request).limiter.admit(request, holdings=group.quota is Quota.ADDRESS_HOLDINGS)
    request.scope["state"][GRANTED] = True


async def ask_api_key(request: Request) -> Caller:
    """The account of the request's API key.

    Raises:
        ApiKeyMissing: there is no key.
        ApiKeyInvalid: the key is unknown or revoked.
        ApiKeyExpired, AddressNotAllowed: it is not valid now, or not from here.
        KeyScopeMissing: it may not call the route.
    """
    known: Caller | None = getattr(request.state, "caller", None)
    if known is not None:
        return known
    secret = request.headers.get(API_KEY_HEADER)
    if not secret:
        raise ApiKeyMissing
    caller = await _find_key(request, secret)
    if caller is None:
        raise ApiKeyInvalid
    await admit_key(request, caller)
    return caller


async def admit_key(request: Request, caller: Caller) -> None:
    """Let a request with a valid key in: check what the key may do, and count it.

    Raises:
        ApiKeyExpired, AddressNotAllowed: the key is not valid now, or not from here.
        TooManyRequests: it is over a limit.
        KeyScopeMissing: it may not call the route.
    """
    _require_usable(request, caller)
    services_of(request).api_keys.note_use(caller)
    await count(request, caller)
    group: RouteGroup = request.scope[SCOPE_KEY]
    if group.key_scope is not None and group.key_scope not in caller.scopes:
        raise KeyScopeMissing(caller, group.key_scope)
    request.state.caller = caller


async def _find_key(request: Request, secret: str) -> Caller | None:
    """Look a key up. One that is not valid counts against the client's address; valid keys are never refused for those
    that others send.

    Raises:
        TooManyInvalidKeys: the key is not valid, and the address sent too many of them.
    """
    services = services_of(request)
    caller = services.api_keys.known(secret) or await services.api_keys.find(secret)
    if caller is None:
        services.limiter.count_invalid_key(request)
    return caller


def _require_usable(request: Request, caller: Caller) -> None:
    """Refuse a key that has expired or that is sent from an address it is not for. That counts against the address, as
    an invalid key does, and not against the key: whoever stole it must not use up its owner's limits.

    Raises:
        ApiKeyExpired, AddressNotAllowed: it cannot be used.
        TooManyInvalidKeys: nor may the address send more such keys now.
    """
    services = services_of(request)
    refusal: ApiError | None = None
    if caller.expires_at is not None and caller.expires_at <= services.clock.now():
        refusal = ApiKeyExpired()
    elif caller.allowed_addresses is not None:
        address = client_ip(request, services.limiter.proxies)
        if not caller.is_allowed_from(address):
            refusal = AddressNotAllowed(address)
    if refusal is not None:
        services.limiter.count_invalid_key(request)
        raise refusal


async def ask_session(request: Request) -> WalletSession:
    """The wallet session of the request.

    Raises:
        SessionMissing: there is no token.
        SessionEnded: the token has no live session.
    """
    session = await _session_of(request)
    if session is None:
        raise SessionMissing
    return session


async def ask_optional_session(request: Request) -> WalletSession | None:
    """The wallet session, if a token was sent; without one the request is counted for the client's address.

    Raises:
        SessionEnded: a token was sent that has no live session.
    """
    session = await _session_of(request)
    if session is None:
        await count_address(request)
    return session


async def ask_key_or_session(request: Request) -> Principal:
    """The session's account if a bearer token was sent, else the API key's."""
    if request.headers.get("authorization"):
        return await ask_session(request)
    if request.headers.get(API_KEY_HEADER):
        return await ask_api_key(request)
    raise CredentialMissing


async def ask_key_and_session(request: Request) -> WalletSession:
    """The wallet session, of a request that also has a valid API key. The request is counted for the key.

    Raises:
        ApiKeyMissing, ApiKeyInvalid, ApiKeyExpired, AddressNotAllowed, KeyScopeMissing: as :func:`ask_api_key`.
        SessionMissing, SessionEnded: as :func:`ask_session`.
    """
    await ask_api_key(request)
    return await ask_session(request)


async def check_no_credential(request: Request) -> None:
    """Require no credential."""


async def _session_of(request: Request) -> WalletSession | None:
    known: WalletSession | None = getattr(request.state, "session", None)
    if known is not None:
        return known
    header = request.headers.get("authorization")
    if not header:
        return None
    kind, _, token = header.partition(" ")
    token = token.lstrip(" ")
    if kind.lower() != BEARER.lower() or not token:
        raise SessionMissing("Authorization: must be Bearer and a wallet session's access token")
    session = await services_of(request).sessions.find(token)
    if session is None:
        raise SessionEnded
    request.state.session = session
    await count(request, session)
    return session
