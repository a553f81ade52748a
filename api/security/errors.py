"""Refusals of credentials."""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from api.http.errors import Forbidden, Unauthorized
from api.http.members import PlanName
from api.http.rendering import Wire
from api.outbound.destinations import Address
from api.security.callers import Caller, WalletSession
from api.security.scopes import KeyScope

API_KEY_HEADER = "X-API-Key"
BEARER = "Bearer"
API_KEY = "ApiKey"
"""The challenge of routes that take a key. No scheme is registered for a key in a header of its own."""
_ENDED = "the wallet session is not valid or has ended"


class NeededPlan(Wire):
    """The plan that a route needs."""

    required_plan: PlanName = Field(description="The lowest plan that includes the route.")
    plan: PlanName = Field(description="The plan of the account.")


class NeededScope(Wire):
    """The scope that a route needs."""

    required_scope: str = Field(description="The scope that is missing.", examples=["api:write"])
    scopes: list[str] = Field(description="The scopes of the session.")


class NeededKeyScope(Wire):
    """The scope that an API key lacks."""

    required_scope: KeyScope = Field(description="The scope that the route needs.")
    scopes: list[KeyScope] = Field(description="What the key may do.")


class ApiKeyMissing(Unauthorized):
    """The route needs an API key and none was sent."""

    def __init__(self) -> None:
        super().__init__(f"{API_KEY_HEADER}: is required", challenge=API_KEY)


class ApiKeyInvalid(Forbidden):
    """The API key is unknown or revoked."""

    text = f"{API_KEY_HEADER}: is not valid"


class ApiKeyExpired(Forbidden):
    """The API key has expired, or the grace period after it was rolled is over."""

    code = "API_KEY_EXPIRED"
    text = "the API key has expired"


class AddressNotAllowed(Forbidden):
    """The API key may not be used from the client's address."""

    code = "ADDRESS_NOT_ALLOWED"
    text = "the API key may not be used from 203.0.113.9"

    def __init__(self, address: Address | None) -> None:
        super().__init__(f"the API key may not be used from {address or 'an unknown address'}")


class KeyScopeMissing(Forbidden):
    """The API key was not granted the scope that the route needs."""

    code = "KEY_SCOPE_MISSING"
    text = "scope claim is needed, this API key has read"
    details_schema = NeededKeyScope
    example_details: ClassVar[Mapping[str, Any]] = {"requiredScope": "claim", "scopes": ["read"]}

    def __init__(self, caller: Caller, scope: KeyScope) -> None:
        scopes = sorted(caller.scopes)
        super().__init__(
            f"scope {scope} is needed, this API key has {' '.join(scopes) or 'none'}",
            details={"requiredScope": scope, "scopes": scopes},
        )


class SessionMissing(Unauthorized):
    """The route needs a wallet session and no usable token was sent."""

    text = "Authorization: must be Bearer and an access token"


class SessionEnded(Unauthorized):
    """The token has no live session (RFC 6750, 3.1)."""

    text = _ENDED

    def __init__(self) -> None:
        super().__init__(_ENDED, challenge=f'{BEARER} error="invalid_token", error_description="{_ENDED}"')


class CredentialMissing(Unauthorized):
    """The route needs an API key or a wallet session, and neither was sent."""

    text = f"{API_KEY_HEADER}: is required, or Authorization with a wallet session"

    def __init__(self) -> None:
        super().__init__(challenge=f"{BEARER}, {API_KEY}")


class PlanTooLow(Forbidden):
    """The account's plan does not include the route."""

    text = "plan pro or higher is needed, this account has free"
    details_schema = NeededPlan
    example_details: ClassVar[Mapping[str, Any]] = {"requiredPlan": "pro", "plan": "free"}

    def __init__(self, least: str, plan: str) -> None:
        super().__init__(
            f"plan {least} or higher is needed, this account has {plan}",
            details={"requiredPlan": least, "plan": plan},
        )


class ScopeMissing(Forbidden):
    """The session was not granted the scope (RFC 6750, 3.1)."""

    text = "scope api:write is needed, this session has api:read"
    details_schema = NeededScope
    example_details: ClassVar[Mapping[str, Any]] = {"requiredScope": "api:write", "scopes": ["api:read"]}

    def __init__(self, session: WalletSession, scope: str) -> None:
        scopes = sorted(session.scopes)
        super().__init__(
            f"scope {scope} is needed, this session has {' '.join(scopes) or 'none'}",
            details={"requiredScope": scope, "scopes": scopes},
            headers={"WWW-Authenticate": f'{BEARER} error="insufficient_scope", scope="{scope}"'},
        )
