"""Who may call a route, declared in the endpoint's signature.

    ApiKey                  header X-API-Key: the account behind it
    Session                 Authorization: Bearer, a wallet session: who signed in, with which wallets and scopes
    KeyOrSession            either of them
    OptionalSession         a wallet session where one is sent; one that is not valid is refused
    Public                  no credential is needed
    with_plan("pro", ...)   what is demanded beside a credential: a plan, or a higher one
    with_scope(...)         a scope of the session

Every route has one of them: a test walks all routes. The credential is looked at once a request, before its body, and
the request is counted against its limits then.
"""

import asyncio
import hashlib
import hmac
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Protocol, TypeVar
from uuid import UUID

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyHeader, HTTPBearer
from starlette.requests import HTTPConnection

from api.clock import Clock
from api.http.cache import Cache
from api.http.errors import ApiError, Forbidden, Unauthorized
from api.http.metrics import Metrics
from api.models.account import PLANS
from api.store.store import Store
from warehouse.errors import StoreUnavailable

LOG = logging.getLogger(__name__)
ACCESS_MARK = "__access__"
ASK_MARK = "__ask__"
OPTIONAL_SESSION = "optional_session"
API_KEY_HEADER = "X-API-Key"
SELF_SERVICE = ("/api/v2/account", "/api/v2/auth/")
"""Where accounts see what they use, and revoke what is misused: the rate is limited there, and no quota refuses."""
BEARER = "Bearer"
API_KEY = "ApiKey"
"""The challenge of routes that take a key: it has a header of its own, and no scheme that is registered."""
Dependency = TypeVar("Dependency", bound=Callable[..., Any])
Ask = Callable[[Request], Awaitable[object]]

_LOOKUP = """
SELECT k.id AS key_id, k.key_hash, k.account_id, a.wallet, a.plan
FROM api_key AS k JOIN account AS a ON a.id = k.account_id
WHERE k.key_hash = :key_hash AND k.revoked_at IS NULL
"""
_TOUCH = """
UPDATE api_key SET last_used_at = GREATEST(last_used_at, used.at)
FROM (SELECT unnest(CAST(:ids AS uuid[])) AS id, unnest(CAST(:times AS timestamptz[])) AS at) AS used
WHERE api_key.id = used.id
"""
_LONGEST_KEY = 256


@dataclass(frozen=True, slots=True)
class Caller:
    """The account behind a request's API key."""

    key_id: UUID
    account_id: UUID
    wallet: str
    plan: str

    @property
    def wallets(self) -> tuple[str, ...]:
        """The wallets it may act for."""
        return (self.wallet,)


@dataclass(frozen=True, slots=True)
class WalletSession:
    """Who signed in. ``wallets`` are those that did, the first one first; addresses are lower-case on EVM chains.
    ``contract_chains`` names, of those for which a contract answered, the chain that it is on."""

    session_id: UUID
    account_id: UUID
    wallets: tuple[str, ...]
    contract_chains: Mapping[str, int]
    scopes: frozenset[str]
    plan: str
    expires_at: datetime

    @property
    def wallet(self) -> str:
        """The wallet that signed in first."""
        return self.wallets[0]

    def controls(self, wallet: str, chain_id: int) -> bool:
        """Whether the session may act for an address on a chain: as its owner, its manager, or however else the chain
        names it. Ask this, not whether the address is in ``wallets``: the contracts that stand at one address of two
        chains can be two people's, and who signed with one of them is nobody on the other's chain. A key is the same
        everywhere."""
        return wallet in self.wallets and self.contract_chains.get(wallet, chain_id) == chain_id


class SessionSource(Protocol):
    """What knows the sessions."""

    async def find(self, token: str) -> WalletSession | None:
        """The session of a token that is valid now, give or take the seconds a revocation takes."""


Principal = Caller | WalletSession


@dataclass(frozen=True, slots=True)
class Charge:
    """What counting a request came to: headers for its answer, whatever it will be, and the refusal if it is one."""

    headers: list[tuple[bytes, bytes]]
    refusal: ApiError | None
    of_quota: bool = False
    """Whether the daily quota refuses it, and not the rate."""


class RequestCounter(Protocol):
    """What counts requests against the limits of who sent them."""

    async def charge(self, principal: Principal) -> Charge:
        """Count one request of an account's key or session."""

    async def admit(self, connection: HTTPConnection, *, holdings: bool) -> None:
        """Count one request that needs no credential; raises what refuses it. ``holdings``: reads of holdings have a
        limit of their own within the other."""

    def try_key(self, connection: HTTPConnection) -> Callable[[], None]:
        """Count a key that nobody knows as one that is not valid, against the client's address; raises what refuses
        it. The answer takes that back, to be called when the key was valid after all."""


def hash_key(secret: str) -> bytes:
    """What the store keeps of an API key. The key holds 256 random bits, so a plain hash is not worth attacking."""
    return hashlib.sha256(secret.encode()).digest()


class ApiKeys:
    """Looks keys up, remembering the answer for a few seconds, and notes when each was last used."""

    def __init__(self, store: Store, *, clock: Clock, metrics: Metrics, cache_seconds: float) -> None:
        self.store = store
        self.clock = clock
        self._known: Cache[Caller | None] = Cache("api_key", ttl_seconds=cache_seconds, metrics=metrics)
        self._used: dict[UUID, datetime] = {}

    async def find(self, secret: str) -> Caller | None:
        """The account of a key that is valid now, give or take the cache's seconds."""
        if len(secret) > _LONGEST_KEY:
            return None
        digest = hash_key(secret)
        caller = await self._known.get(digest, lambda: self._look_up(digest))
        if caller is not None:
            self._used[caller.key_id] = self.clock.now()
        return caller

    def known(self, secret: str) -> Caller | None:
        """The account of a key that was looked up a moment ago; None where the store is to be asked."""
        caller = self._known.peek(hash_key(secret)) if len(secret) <= _LONGEST_KEY else None
        if caller is not None:
            self._used[caller.key_id] = self.clock.now()
        return caller

    def was_valid(self, secret: str) -> bool:
        """Whether the key was valid when it was last looked up, as far as that is remembered."""
        return len(secret) <= _LONGEST_KEY and self._known.last(hash_key(secret)) is not None

    def forget(self) -> None:
        """Look all keys up again: a plan changed, or a key was revoked."""
        self._known.clear()

    async def note_uses(self) -> None:
        """Write down when keys were last used: one statement for all of them, whatever the traffic."""
        used, self._used = self._used, {}
        if not used:
            return
        try:
            async with self.store.transaction() as transaction:
                await transaction.execute(_TOUCH, {"ids": list(used), "times": list(used.values())})
        except StoreUnavailable as error:
            LOG.warning("times of use of %d keys are not written: %s", len(used), error)
            self._used = {**used, **self._used}

    async def note_uses_forever(self, interval_seconds: float = 30.0) -> None:
        """Call ``note_uses`` from time to time until cancelled."""
        while True:
            await asyncio.sleep(interval_seconds)
            began = time.monotonic()
            await self.note_uses()
            LOG.debug("noted key uses in %.3f s", time.monotonic() - began)

    async def _look_up(self, digest: bytes) -> Caller | None:
        row = await self.store.row(_LOOKUP, {"key_hash": digest})
        if row is None or not hmac.compare_digest(bytes(row["key_hash"]), digest):
            return None
        return Caller(row["key_id"], row["account_id"], row["wallet"], row["plan"])


class CallerNews:
    """Called when the store says that a plan changed or a key was revoked: what is remembered of callers is forgotten,
    so that it counts at once. The first call says that news come from now on: what was remembered before is seconds
    old, and is left to grow too old."""

    def __init__(self, *forget: Callable[[], None]) -> None:
        self._forget = forget
        self._listening = False

    def __call__(self) -> None:
        """There is news, or there may have been some while nobody listened."""
        if self._listening:
            for forget in self._forget:
                forget()
        self._listening = True


def declares_access(name: str, ask: Ask) -> Callable[[Dependency], Dependency]:
    """Mark a dependency as one that decides who may call. ``ask`` decides it from the request alone, so that routes
    with a body can do so before they read it."""

    def mark(dependency: Dependency) -> Dependency:
        setattr(dependency, ACCESS_MARK, name)
        setattr(dependency, ASK_MARK, ask)
        return dependency

    return mark


_KEY = APIKeyHeader(name=API_KEY_HEADER, scheme_name="ApiKey", description="Account API key.", auto_error=False)
_SESSION = HTTPBearer(
    scheme_name="WalletSession", description="Access token of a wallet's sign-in.", bearerFormat="JWT", auto_error=False
)


async def count(request: Request, principal: Principal) -> None:
    """Count the request against its caller's limits, once, whichever credentials it has.

    Raises:
        TooManyRequests: the caller asked as often as it may.
    """
    if getattr(request.state, "counted", False):
        return
    request.state.counted = True
    counter: RequestCounter = request.app.state.limiter
    charge = await counter.charge(principal)
    request.state.answer_headers = charge.headers
    if charge.refusal is not None and not (charge.of_quota and request.url.path.startswith(SELF_SERVICE)):
        raise charge.refusal


async def count_address(request: Request, *, holdings: bool = False) -> None:
    """Count the request against the limits of its client's address, unless it was counted for an account.

    Raises:
        TooManyRequests: the address asked as often as it may.
    """
    if getattr(request.state, "counted", False):
        return
    request.state.counted = True
    counter: RequestCounter = request.app.state.limiter
    await counter.admit(request, holdings=holdings)


async def ask_api_key(request: Request) -> Caller:
    """The account of the request's API key: 401 without one, 403 with one that is not valid. Asked once a request."""
    known: Caller | None = getattr(request.state, "caller", None)
    if known is not None:
        return known
    secret = request.headers.get(API_KEY_HEADER)
    if not secret:
        raise Unauthorized(f"header {API_KEY_HEADER} is missing", challenge=API_KEY)
    caller = await _find_key(request, secret)
    if caller is None:
        raise Forbidden("the API key is not valid")
    request.state.caller = caller
    await count(request, caller)
    return caller


async def _find_key(request: Request, secret: str) -> Caller | None:
    """The account of a key. Each key that is not known costs a look-up, whoever made it up: an address may send so
    many. It is counted before it is looked up, so that many at once are not more; and keys that were valid of late are
    not held to what others at their address send."""
    keys: ApiKeys = request.app.state.api_keys
    caller = keys.known(secret)
    if caller is not None or keys.was_valid(secret):
        return caller or await keys.find(secret)
    counter: RequestCounter = request.app.state.limiter
    take_back = counter.try_key(request)
    try:
        caller = await keys.find(secret)
    except StoreUnavailable:
        take_back()
        raise
    if caller is not None:
        take_back()
    return caller


async def ask_session(request: Request) -> WalletSession:
    """The wallet session of the request: 401 without one, and with one that has ended. Asked once a request."""
    session = await _session_of(request)
    if session is None:
        raise Unauthorized("header Authorization with a Bearer token is missing")
    return session


async def ask_optional_session(request: Request) -> WalletSession | None:
    """The wallet session, where one was sent; one that is not valid is refused rather than ignored. Without one the
    client's address is counted."""
    session = await _session_of(request)
    if session is None:
        await count_address(request)
    return session


async def ask_key_or_session(request: Request) -> Principal:
    """The session's account where a bearer token was sent, else the API key's."""
    if request.headers.get("authorization"):
        return await ask_session(request)
    if request.headers.get(API_KEY_HEADER):
        return await ask_api_key(request)
    raise Unauthorized(
        f"header {API_KEY_HEADER}, or Authorization with a wallet session, is missing", challenge=f"{BEARER}, {API_KEY}"
    )


async def ask_nobody(request: Request) -> None:
    """No credential is needed."""


@declares_access("api_key", ask_api_key)
async def require_api_key(request: Request, _: Annotated[object, Security(_KEY)]) -> Caller:
    """See :func:`ask_api_key`."""
    return await ask_api_key(request)


@declares_access("session", ask_session)
async def require_session(request: Request, _: Annotated[object, Security(_SESSION)]) -> WalletSession:
    """See :func:`ask_session`."""
    return await ask_session(request)


@declares_access("key_or_session", ask_key_or_session)
async def require_key_or_session(
    request: Request, _: Annotated[object, Security(_KEY)], __: Annotated[object, Security(_SESSION)]
) -> Principal:
    """See :func:`ask_key_or_session`."""
    return await ask_key_or_session(request)


@declares_access(OPTIONAL_SESSION, ask_optional_session)
async def allow_session(request: Request, _: Annotated[object, Security(_SESSION)]) -> WalletSession | None:
    """See :func:`ask_optional_session`."""
    return await ask_optional_session(request)


@declares_access("public", ask_nobody)
async def allow_anyone() -> None:
    """No credential is needed."""


ApiKey = Annotated[Caller, Depends(require_api_key)]
Session = Annotated[WalletSession, Depends(require_session)]
OptionalSession = Annotated[WalletSession | None, Depends(allow_session)]
SessionBeside = Annotated[WalletSession | None, Depends(ask_optional_session)]
"""The wallet session that was sent beside another credential, which the route declares."""
KeyOrSession = Annotated[Principal, Depends(require_key_or_session)]
Public = Annotated[None, Depends(allow_anyone)]


def satisfies(plan: str, least: str) -> bool:
    """Whether a plan is ``least`` or a higher one."""
    return PLANS.index(plan) >= PLANS.index(least)


def with_plan(least: str, require: Callable[..., Any] = require_api_key) -> Any:
    """A dependency that demands a plan beside a credential: ``Annotated[Caller, with_plan("pro")]``. 403 names the plan
    that is needed and the one there is."""
    ask: Ask = getattr(require, ASK_MARK)

    async def ask_with_plan(request: Request) -> object:
        principal: Any = await ask(request)
        if not satisfies(principal.plan, least):
            raise Forbidden(
                f"plan {least} or higher is needed, this account has {principal.plan}",
                details={"requiredPlan": least, "plan": principal.plan},
            )
        return principal

    return _demanding(f"{getattr(require, ACCESS_MARK)}, plan {least}", ask_with_plan, require)


def require_scope(session: WalletSession, scope: str) -> None:
    """Refuse a session that lacks a scope; 403 names it and those there are."""
    if scope in session.scopes:
        return
    has = " ".join(sorted(session.scopes)) or "none"
    raise Forbidden(
        f"scope {scope} is needed, this session has {has}",
        details={"requiredScope": scope, "scopes": sorted(session.scopes)},
        headers={"WWW-Authenticate": f'{BEARER} error="insufficient_scope", scope="{scope}"'},
    )


def with_scope(scope: str, require: Callable[..., Any] = require_session) -> Any:
    """A dependency that demands a scope of the session; 403 names it and those there are. A route that takes a key too
    demands nothing of that: keys have no scopes."""
    ask: Ask = getattr(require, ASK_MARK)

    async def ask_with_scope(request: Request) -> object:
        session: Any = await ask(request)
        if not isinstance(session, Caller):
            require_scope(session, scope)
        return session

    return _demanding(f"{getattr(require, ACCESS_MARK)}, scope {scope}", ask_with_scope, require)


def _demanding(name: str, ask: Ask, require: Callable[..., Any]) -> Any:
    @declares_access(name, ask)
    async def demand(request: Request, _: Annotated[object, Depends(require)]) -> object:
        return await ask(request)

    return Depends(demand)


async def _session_of(request: Request) -> WalletSession | None:
    known: WalletSession | None = getattr(request.state, "session", None)
    if known is not None:
        return known
    header = request.headers.get("authorization")
    if not header:
        return None
    kind, _, token = header.partition(" ")
    if kind.lower() != BEARER.lower() or not token.strip():
        raise Unauthorized("header Authorization must be Bearer and a wallet session's access token")
    sessions: SessionSource = request.app.state.sessions
    session = await sessions.find(token.strip())
    if session is None:
        raise session_ended()
    request.state.session = session
    await count(request, session)
    return session


def session_ended() -> Unauthorized:
    """The refusal of a token that stands for no session, or for one that is over (RFC 6750, 3.1)."""
    message = "the wallet session is not valid or has ended"
    return Unauthorized(message, challenge=f'{BEARER} error="invalid_token", error_description="{message}"')
