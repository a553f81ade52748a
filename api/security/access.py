"""Who may call a route, declared in the endpoint's signature.

    ApiKey                  header X-API-Key: the account behind it; the route group declares the scope it needs
    Session                 Authorization: Bearer, a wallet session: who signed in, with which wallets and scopes
    KeyOrSession            either of them
    KeyAndSession           both: the key names the application, the session the wallets that act
    OptionalSession         a wallet session if a token is sent; an invalid token is refused
    Public                  no credential
    with_plan("pro", ...)   a credential of an account with this plan or a higher one
    with_scope(...)         a session with this scope

Every route declares one of them: a test walks all routes. The credential is checked once per request, before the body
is read, and the request is then counted against its limits.
"""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyHeader, HTTPBearer

from api.http.errors import ApiError, raises
from api.security.callers import Caller, Principal, WalletSession, satisfies
from api.security.credentials import (
    ask_api_key,
    ask_key_and_session,
    ask_key_or_session,
    ask_optional_session,
    ask_session,
    check_no_credential,
)
from api.security.errors import (
    API_KEY_HEADER,
    AddressNotAllowed,
    ApiKeyExpired,
    ApiKeyInvalid,
    ApiKeyMissing,
    CredentialMissing,
    KeyScopeMissing,
    PlanTooLow,
    ScopeMissing,
    SessionEnded,
    SessionMissing,
)
from api.security.scopes import DESCRIPTIONS, KeyScope

ACCESS_MARK = "__access__"
ASK_MARK = "__ask__"
SCOPE_MARK = "__scope__"
OPTIONAL_SESSION = "optional_session"
Dependency = TypeVar("Dependency", bound=Callable[..., Any])
Ask = Callable[[Request], Awaitable[object]]


def declares_access(name: str, ask: Ask, *errors: type[ApiError]) -> Callable[[Dependency], Dependency]:
    """Mark a dependency as one that decides who may call. ``ask`` decides it from the request alone, so that routes
    with a body can do so before they read it; it raises ``errors``."""

    def mark(dependency: Dependency) -> Dependency:
        setattr(dependency, ACCESS_MARK, name)
        setattr(dependency, ASK_MARK, ask)
        return raises(*errors)(dependency)

    return mark


KEY_SCHEME = "ApiKey"
_SCOPES = "; ".join(f"`{scope}`: {text}" for scope, text in DESCRIPTIONS.items())
_KEY = APIKeyHeader(
    name=API_KEY_HEADER,
    scheme_name=KEY_SCHEME,
    description=f"Account API key. Each operation names the scope that a key needs. {_SCOPES}. A key without a list of "
    f"scopes has all but `{KeyScope.AUDIT}`.",
    auto_error=False,
)
_SESSION = HTTPBearer(
    scheme_name="WalletSession", description="Access token of a wallet's sign-in.", bearerFormat="JWT", auto_error=False
)


_KEY_REFUSALS = (ApiKeyInvalid, ApiKeyExpired, AddressNotAllowed, KeyScopeMissing)


@declares_access("api_key", ask_api_key, ApiKeyMissing, *_KEY_REFUSALS)
async def require_api_key(request: Request, _: Annotated[object, Security(_KEY)]) -> Caller:
    """See :func:`ask_api_key`."""
    return await ask_api_key(request)


@declares_access("session", ask_session, SessionMissing)
async def require_session(request: Request, _: Annotated[object, Security(_SESSION)]) -> WalletSession:
    """See :func:`ask_session`."""
    return await ask_session(request)


@declares_access("key_or_session", ask_key_or_session, CredentialMissing, *_KEY_REFUSALS)
async def require_key_or_session(
    request: Request, _: Annotated[object, Security(_KEY)], __: Annotated[object, Security(_SESSION)]
) -> Principal:
    """See :func:`ask_key_or_session`."""
    return await ask_key_or_session(request)


@declares_access("key_and_session", ask_key_and_session, ApiKeyMissing, SessionMissing, SessionEnded, *_KEY_REFUSALS)
async def require_key_and_session(
    request: Request, _: Annotated[object, Security(_KEY)], __: Annotated[object, Security(_SESSION)]
) -> WalletSession:
    """See :func:`ask_key_and_session`."""
    return await ask_key_and_session(request)


@declares_access(OPTIONAL_SESSION, ask_optional_session, SessionEnded)
async def allow_session(request: Request, _: Annotated[object, Security(_SESSION)]) -> WalletSession | None:
    """See :func:`ask_optional_session`."""
    return await ask_optional_session(request)


@declares_access("public", check_no_credential)
async def allow_anyone() -> None:
    """No credential is needed."""


ApiKey = Annotated[Caller, Depends(require_api_key)]
Session = Annotated[WalletSession, Depends(require_session)]
OptionalSession = Annotated[WalletSession | None, Depends(allow_session)]
SessionBeside = Annotated[WalletSession | None, Depends(ask_optional_session)]
"""The wallet session that was sent in addition to another credential, which the route declares."""
KeyOrSession = Annotated[Principal, Depends(require_key_or_session)]
KeyAndSession = Annotated[WalletSession, Depends(require_key_and_session)]
Public = Annotated[None, Depends(allow_anyone)]


def with_plan(least: str, require: Callable[..., Any] = require_api_key) -> Any:
    """Require a plan in addition to a credential: ``Annotated[Caller, with_plan("pro")]``. The error names the required
    plan and the account's."""
    ask: Ask = getattr(require, ASK_MARK)

    async def ask_with_plan(request: Request) -> object:
        principal: Any = await ask(request)
        if not satisfies(principal.plan, least):
            raise PlanTooLow(least, principal.plan)
        return principal

    return _requiring(f"{getattr(require, ACCESS_MARK)}, plan {least}", ask_with_plan, require, PlanTooLow)


def require_scope(session: WalletSession, scope: str) -> None:
    """Raise ``ScopeMissing`` unless the session has the scope."""
    if scope not in session.scopes:
        raise ScopeMissing(session, scope)


def with_scope(scope: str, require: Callable[..., Any] = require_session) -> Any:
    """Require a scope of the session. The error names the required scope and the session's. Where the route also takes
    API keys, keys pass: the route group declares the scope that they need."""
    ask: Ask = getattr(require, ASK_MARK)

    async def ask_with_scope(request: Request) -> object:
        session: Any = await ask(request)
        if not isinstance(session, Caller):
            require_scope(session, scope)
        return session

    return _requiring(
        f"{getattr(require, ACCESS_MARK)}, scope {scope}", ask_with_scope, require, ScopeMissing, scope=scope
    )


def _requiring(
    name: str, ask: Ask, require: Callable[..., Any], error: type[ApiError], *, scope: str | None = None
) -> Any:
    @declares_access(name, ask, error)
    async def require_more(request: Request, _: Annotated[object, Depends(require)]) -> object:
        return await ask(request)

    setattr(require_more, SCOPE_MARK, scope or getattr(require, SCOPE_MARK, None))
    return Depends(require_more)
