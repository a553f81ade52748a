"""JSON Web Tokens: writes and verifies wallet sessions and app sessions, and signs statements.

All are compact JWS with the header ``{"alg": "EdDSA", "typ": "JWT", "kid": ...}``. The ``typ`` claim names the kind of
a token and is checked, so a token of one kind never passes for another.

    wallet-session+v1   signs a wallet in to this service; ``sid`` names the session, which can be revoked
    app-session+v1      tells an app's own server which wallet is signed in; ``aud`` is the app; valid for five minutes

See docs/authentication.md.
"""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import jwt
from jwt.types import Options

from api.security.signing_keys import SigningKeys

ALGORITHM = "EdDSA"
WALLET_SESSION = "wallet-session+v1"
APP_SESSION = "app-session+v1"
APP_SESSION_LIFE = timedelta(minutes=5)
SKEW = timedelta(seconds=30)
"""Allowed difference between the clocks of signer and verifier."""
MAX_TOKEN_LENGTH = 8192
# PyJWT compares times with the system's clock and one leeway. Ours come from the given clock, and a session may be
# issued 30 seconds ahead but ends exactly.
# Three parts in unpadded base64url. The last one is 64 bytes: 85 characters of any value and one of four.
_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw]")
_OPTIONS: Options = {
    "require": ["typ", "iss", "aud", "iat", "exp"],
    # An audience may be a list in a JWT; ours never is, and a list could name a second app.
    "strict_aud": True,
    "verify_exp": False,
    "verify_iat": False,
}


class TokenRefused(Exception):
    """The token is not valid; the message says why and may be shown."""


@dataclass(frozen=True, slots=True)
class WalletClaims:
    """The checked claims of a wallet session."""

    session_id: UUID
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class AppClaims:
    """The checked claims of an app session. Refuse a ``token_id`` that was seen before."""

    wallet: str
    app_id: str
    token_id: str
    expires_at: datetime


class Tokens:
    """Writes and verifies tokens.

    Args:
        issuer: the public URL of the site.
        audience: the public URL of the API, the audience of wallet sessions.
    """

    def __init__(self, keys: SigningKeys, *, issuer: str, audience: str) -> None:
        self.keys = keys
        self.issuer = issuer
        self.audience = audience

    def issue_wallet_session(
        self, session_id: UUID, wallets: tuple[str, ...], scopes: frozenset[str], *, now: datetime, expires_at: datetime
    ) -> str:
        """The access token of a session; ``sub`` is the wallet that signed in first."""
        return self._sign(
            {
                "typ": WALLET_SESSION,
                "aud": self.audience,
                "sub": wallets[0],
                "sid": str(session_id),
                "wallets": list(wallets),
                "scope": " ".join(sorted(scopes)),
                "exp": int(expires_at.timestamp()),
            },
            now,
        )

    def verify_wallet_session(self, token: str, *, now: datetime) -> WalletClaims:
        """Verify a token that this service issued.

        Raises:
            TokenRefused: it was not issued here, or has expired.
        """
        claims = self._verified(token, WALLET_SESSION, self.audience, now, skew=timedelta(0))
        try:
            session_id = UUID(claims["sid"])
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise TokenRefused("the token names no session") from error
        return WalletClaims(session_id, _moment(claims, "exp", now))

    def issue_app_session(self, wallet: str, app_id: str, *, now: datetime) -> str:
        """A token that tells the server of ``app_id`` (``<developerId>/<name>``) which wallet is signed in.

        It names no chain. The issuer names a wallet that the session controls on the chain of the page
        (``WalletSession.controls``). A reader that asks a chain what a contract wallet owns must ask that same chain:
        on another chain the address can belong to another owner.
        """
        expires = now + APP_SESSION_LIFE
        return self._sign(
            {
                "typ": APP_SESSION,
                "aud": app_id,
                "sub": wallet,
                "jti": secrets.token_urlsafe(16),
                "exp": int(expires.timestamp()),
            },
            now,
        )

    def verify_app_session(self, token: str, app_id: str, *, now: datetime) -> AppClaims:
        """Verify an app's token by the rules that apps' own servers follow.

        Raises:
            TokenRefused: it is not an app session of this service for this app, or has expired.
        """
        claims = self._verified(token, APP_SESSION, app_id, now, skew=SKEW)
        wallet, token_id = claims.get("sub"), claims.get("jti")
        if not isinstance(wallet, str) or not isinstance(token_id, str) or not wallet or not token_id:
            raise TokenRefused("the token names no wallet, or has no id")
        return AppClaims(wallet, app_id, token_id, _moment(claims, "exp", now))

    def sign_statement(self, kind: str, claims: Mapping[str, Any], *, now: datetime) -> str:
        """A statement of the service that does not expire, signed now."""
        return self._sign({"typ": kind, **claims}, now)

    def sign_detached(self, kind: str, content: bytes) -> str:
        """A detached signature: a compact JWS without its payload (RFC 7515, appendix F). The header's ``typ`` is the
        kind, so it never passes for a token."""
        key = self.keys.current().current
        whole = jwt.PyJWS().encode(content, key.private, algorithm=ALGORITHM, headers={"typ": kind, "kid": key.kid})
        header, _, signature = whole.split(".")
        return f"{header}..{signature}"

    def _sign(self, claims: Mapping[str, Any], now: datetime) -> str:
        key = self.keys.current().current
        issued = {"iss": self.issuer, "iat": int(now.timestamp()), **claims}
        return jwt.encode(issued, key.private, algorithm=ALGORITHM, headers={"typ": "JWT", "kid": key.kid})

    def _verified(self, token: str, kind: str, audience: str, now: datetime, *, skew: timedelta) -> dict[str, Any]:
        if len(token) > MAX_TOKEN_LENGTH:
            raise TokenRefused("the token is too long")
        # The decoder skips padding and other stray characters, so that one signature would have many spellings.
        if not _COMPACT.fullmatch(token):
            raise TokenRefused("the token is not a compact JWS of an Ed25519 signature")
        try:
            header = jwt.get_unverified_header(token)
            key = self.keys.current().by_kid.get(str(header.get("kid")))
            if key is None or header.get("typ") != "JWT":
                raise TokenRefused("the token is not signed with a key of this service")
            claims: dict[str, Any] = jwt.decode(
                token, key.public, algorithms=[ALGORITHM], options=_OPTIONS, issuer=self.issuer, audience=audience
            )
        except (jwt.PyJWTError, ValueError) as error:
            raise TokenRefused(f"the token is not valid: {error}") from error
        if claims["typ"] != kind:
            raise TokenRefused(f"the token is of another kind than {kind}")
        if now >= _moment(claims, "exp", now) + skew:
            raise TokenRefused("the token has expired")
        if now < _moment(claims, "iat", now) - SKEW:
            raise TokenRefused("the token was issued in the future")
        return claims


def _moment(claims: Mapping[str, Any], name: str, now: datetime) -> datetime:
    value = claims[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TokenRefused(f"claim {name} is not a number")
    try:
        return datetime.fromtimestamp(value, now.tzinfo)
    except (OverflowError, OSError, ValueError) as error:
        raise TokenRefused(f"claim {name} is not a valid time") from error
