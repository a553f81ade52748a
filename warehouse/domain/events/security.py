"""What was done to an account: its keys, sign-ins and wallets. The audit log holds the same."""

from typing import Annotated, ClassVar

from msgspec import UNSET, UnsetType

from warehouse.domain.events.accounts import AccountEvent
from warehouse.domain.events.event import member
from warehouse.domain.events.examples import ADDRESS, MOMENT, TIME, WALLET

_KEY = "01980a5e-7c00-7000-8000-000000000002"
_NEW_KEY = "01980a5e-7c00-7000-8000-000000000003"
_SESSION = "01980a5e-7c00-7000-8000-000000000004"
Scopes = Annotated[tuple[str, ...], member("what it may do", ["read", "claim"])]


class AccountAction(AccountEvent, frozen=True, kw_only=True):
    """Something was done to the account."""

    once_per: ClassVar[tuple[str, ...]] = ("action",)
    actor: Annotated[
        str, member("who did it: session, operator or service", "session", enum=["session", "operator", "service"])
    ]
    wallet: Annotated[str, member("the wallet that the session began with", WALLET, **ADDRESS)] | UnsetType = UNSET
    client_ip: Annotated[str, member("the client's IP address, where it is known", "203.0.113.9")] | UnsetType = UNSET


class KeyAction(AccountAction, frozen=True, kw_only=True):
    """Something was done to an API key."""

    key_id: Annotated[str, member("the key's id", _KEY)]
    name: Annotated[str, member("its name", "build server")]
    prefix: Annotated[str, member("how it begins", "rgl_live_Zk3vT9wQ")]


class KeyWithRights(KeyAction, frozen=True, kw_only=True):
    """An API key was given rights."""

    scopes: Scopes
    allowed_addresses: Annotated[
        tuple[str, ...], member("the networks it may be used from; empty: anywhere", ["203.0.113.0/24"])
    ]
    expires_at: Annotated[str, member("when it expires, if it does, in UTC", MOMENT, **TIME)] | UnsetType = UNSET


class KeyCreated(KeyWithRights, frozen=True, kw_only=True):
    """An API key of your account was made."""

    type: ClassVar[str] = "key.created"


class KeyUpdated(KeyWithRights, frozen=True, kw_only=True):
    """An API key's name, scopes, allowed addresses or expiry changed."""

    type: ClassVar[str] = "key.updated"
    updated_fields: Annotated[tuple[str, ...], member("what changed", ["scopes"])]


class KeyRolled(KeyAction, frozen=True, kw_only=True):
    """An API key was replaced by a new one, and works until its grace period ends."""

    type: ClassVar[str] = "key.rolled"
    new_key_id: Annotated[str, member("the id of the key that replaces it", _NEW_KEY)]
    new_prefix: Annotated[str, member("how that key begins", "rgl_live_b8Xn2MqW")]
    ends_at: Annotated[str, member("when the old key ends, ISO 8601 in UTC", MOMENT, **TIME)]


class KeyRevoked(KeyAction, frozen=True, kw_only=True):
    """An API key was revoked."""

    type: ClassVar[str] = "key.revoked"


class KeyEnds(KeyAction, frozen=True, kw_only=True):
    """An API key's expiry."""

    once_per: ClassVar[tuple[str, ...]] = ("key_id", "expires_at")
    expires_at: Annotated[str, member("when it expires, ISO 8601 in UTC", MOMENT, **TIME)]


class KeyExpiring(KeyEnds, frozen=True, kw_only=True):
    """An API key expires in some days."""

    type: ClassVar[str] = "key.expiring"


class KeyExpired(KeyEnds, frozen=True, kw_only=True):
    """An API key expired, or the grace period of a rolled one ended."""

    type: ClassVar[str] = "key.expired"


class SessionAction(AccountAction, frozen=True, kw_only=True):
    """A wallet session began or ended."""

    session_id: Annotated[str, member("the session's id", _SESSION)]


class SessionStarted(SessionAction, frozen=True, kw_only=True):
    """A wallet signed in to your account."""

    type: ClassVar[str] = "session.started"
    scopes: Annotated[tuple[str, ...], member("what the session may do", ["api:read", "api:write"])]


class SessionJoined(SessionAction, frozen=True, kw_only=True):
    """A further wallet signed in to a session."""

    type: ClassVar[str] = "session.joined"
    joined_wallet: Annotated[str, member("that wallet", WALLET, **ADDRESS)]


class SessionEnded(SessionAction, frozen=True, kw_only=True):
    """A wallet session was ended before it expired."""

    type: ClassVar[str] = "session.ended"
    reason: Annotated[
        str,
        member(
            "limit: its wallet signed in again and had as many as it may have",
            "revoked",
            enum=["revoked", "limit"],
        ),
    ]


class WalletLinked(AccountAction, frozen=True, kw_only=True):
    """A wallet was linked to your account."""

    type: ClassVar[str] = "wallet.linked"
    linked_wallet: Annotated[str, member("the wallet", WALLET, **ADDRESS)]


class WalletUnlinked(AccountAction, frozen=True, kw_only=True):
    """A wallet was removed from your account; sessions that only it had begun ended with that."""

    type: ClassVar[str] = "wallet.unlinked"
    unlinked_wallet: Annotated[str, member("the wallet", WALLET, **ADDRESS)]
