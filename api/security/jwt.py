"""Signed tokens: how wallet sessions and app sessions are written, and what is checked of them.

All are compact JWS with the header ``{"alg": "EdDSA", "typ": "JWT", "kid": ...}``. What kind a token is says its
``typ`` claim, which is checked, so that a token of one kind never passes for another.

    wallet-session+v1   signs a wallet in to this service; ``sid`` names the session, which can be revoked
    app-session+v1      tells an app's own server who is signed in; ``aud`` is the app; five minutes

See docs/authentication.md.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import jwt

from api.security.signing_keys import SigningKeys

ALGORITHM = "EdDSA"
WALLET_SESSION = "wallet-session+v1"
APP_SESSION = "app-session+v1"
APP_SESSION_LIFE = timedelta(minutes=5)
SKEW = timedelta(seconds=30)
"""How far the clocks of those who sign and those who verify may be apart."""
LONGEST_TOKEN = 8192
_OWN_CHECKS = {"verify_exp": False, "verify_iat": False, "verify_nbf": False, "verify_aud": False, "verify_iss": False}


class TokenRefused(Exception):
    """The token is not valid; the message says why and may be shown."""


@dataclass(frozen=True, slots=True)
class WalletClaims:
    """What a wallet session's token says."""

    session_id: UUID
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class AppClaims:
    """What an app session's token says. A ``token_id`` seen before should be refused."""

    wallet: str
    app_id: str
    token_id: str
    expires_at: datetime


class Tokens:
    """Writes and verifies tokens.

    Args:
        issuer: the public site address.
        audience: the API's public address, which wallet sessions are for.
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
        """What the token says, once it is certain that this service wrote it and that it has not ended.

        Raises:
            TokenRefused: it is not, or has.
        """
        claims = self._verified(token, WALLET_SESSION, self.audience, now, skew=timedelta(0))
        try:
            session_id = UUID(claims["sid"])
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise TokenRefused("the token names no session") from error
        return WalletClaims(session_id, _moment(claims["exp"], now))

    def issue_app_session(self, wallet: str, app_id: str, *, now: datetime) -> str:
        """A token that tells the server of ``app_id`` (``<developerId>/<name>``) which wallet is signed in.

        It names no chain. Who issues it names a wallet that the session controls on the chain of the page
        (``WalletSession.controls``). Who reads it and asks a chain what the wallet owns or holds must ask that same
        chain, wherever the wallet is a contract: on another one the address can be somebody else's.
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
        """What an app's token says, by the rules that apps' own servers follow.

        Raises:
            TokenRefused: it is not an app session of this service for this app, or has ended.
        """
        claims = self._verified(token, APP_SESSION, app_id, now, skew=SKEW)
        wallet, token_id = claims.get("sub"), claims.get("jti")
        if not isinstance(wallet, str) or not isinstance(token_id, str) or not wallet or not token_id:
            raise TokenRefused("the token names no wallet, or has no id")
        return AppClaims(wallet, app_id, token_id, _moment(claims["exp"], now))

    def sign_statement(self, kind: str, claims: Mapping[str, Any], *, now: datetime) -> str:
        """Something the service says, for anyone to keep: it is signed when it is told, and does not end."""
        return self._sign({"typ": kind, **claims}, now)

    def sign_detached(self, kind: str, content: bytes) -> str:
        """A signature of content that is told beside it: a compact JWS whose middle part is left out (RFC 7515,
        appendix F). The header's ``typ`` is the kind, so that it never passes for a token."""
        key = self.keys.current().current
        whole = jwt.PyJWS().encode(content, key.private, algorithm=ALGORITHM, headers={"typ": kind, "kid": key.kid})
        header, _, signature = whole.split(".")
        return f"{header}..{signature}"

    def _sign(self, claims: Mapping[str, Any], now: datetime) -> str:
        key = self.keys.current().current
        issued = {"iss": self.issuer, "iat": int(now.timestamp()), **claims}
        return jwt.encode(issued, key.private, algorithm=ALGORITHM, headers={"typ": "JWT", "kid": key.kid})

    def _verified(self, token: str, kind: str, audience: str, now: datetime, *, skew: timedelta) -> dict[str, Any]:
        if len(token) > LONGEST_TOKEN:
            raise TokenRefused("the token is too long")
        try:
            header = jwt.get_unverified_header(token)
            key = self.keys.current().by_kid.get(str(header.get("kid")))
            if key is None or header.get("typ") != "JWT":
                raise TokenRefused("the token is not signed with a key of this service")
            claims: dict[str, Any] = jwt.decode(token, key.public, algorithms=[ALGORITHM], options=_OWN_CHECKS)  # type: ignore[arg-type]
        except (jwt.PyJWTError, ValueError) as error:
            raise TokenRefused("the token's signature does not hold") from error
        # An audience may be a list in a JWT; ours never are, and a list could name an app beside another.
        if claims.get("typ") != kind or claims.get("iss") != self.issuer or claims.get("aud") != audience:
            raise TokenRefused("the token is of another kind, or for somebody else")
        if now >= _moment(claims.get("exp"), now) + skew:
            raise TokenRefused("the token has ended")
        if now < _moment(claims.get("iat"), now) - SKEW:
            raise TokenRefused("the token is from the future")
        return claims


def _moment(value: object, now: datetime) -> datetime:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TokenRefused("the token has no time of issue or no end")
    try:
        return datetime.fromtimestamp(value, now.tzinfo)
    except (OverflowError, OSError, ValueError) as error:
        raise TokenRefused("the token's times are none") from error
