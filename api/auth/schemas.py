"""Wire shapes of the sign-in routes."""

import base64
import binascii
import re
from contextlib import suppress
from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel
from solders.signature import Signature

from api.claims.inputs import Text
from api.http.errors import InvalidInput
from api.http.members import Address, Count, PlanName
from api.http.rendering import Wire

Scope = Literal["api:read", "api:write"]
SCOPES: tuple[Scope, ...] = ("api:read", "api:write")
_ED25519_BYTES = 64
_BASE64 = re.compile(r"[A-Za-z0-9+/_\-]{86}(?:==)?")


class Nonce(Wire):
    """A nonce for one sign-in."""

    nonce: str = Field(description="Valid for one sign-in within ten minutes.", examples=["aG3kT9wQ0rX5bN8mZ1cV7y"])
    expires_at: datetime = Field(description="When it ends, ISO 8601 in UTC.")


class _Login(Wire):
    scopes: list[Scope] | None = Field(
        default=None, description="Scopes of the session. Default: all. Adding a wallet does not change them."
    )

    @property
    def granted(self) -> frozenset[str]:
        """The requested scopes."""
        return frozenset(SCOPES if self.scopes is None else self.scopes)


class EthereumLogin(_Login):
    """A signed Sign-In with Ethereum message (EIP-4361)."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        frozen=True,
        json_schema_extra={
            "examples": [
                {
                    "message": "example.org wants you to sign in with your Ethereum account:\n"
                    "0x70997970C51812dc3A010C7d01b50e0d17dc79C8\n\n\nURI: https://example.org\nVersion: 1\n"
                    "Chain ID: 8453\nNonce: aG3kT9wQ0rX5bN8mZ1cV7y\nIssued At: 2026-01-01T00:00:00Z",
                    "signature": "0x" + "1b" * 65,
                }
            ]
        },
    )
    message: Text = Field(description="The text that was signed.")
    signature: Text = Field(
        description="0x and hexadecimal digits: of a plain wallet (personal_sign), of a contract wallet (EIP-1271), or "
        "of one that is not deployed yet (ERC-6492)."
    )


class SolanaLogin(_Login):
    """A signed Sign-In with Solana message."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        frozen=True,
        json_schema_extra={
            "examples": [
                {
                    "message": "example.org wants you to sign in with your Solana account:\n"
                    "4Nd1mYQzvgvFqjhpJJyYzuTEbWGzHJJLwCoDHLZbqLyN\n\nURI: https://example.org\nVersion: 1\n"
                    "Nonce: aG3kT9wQ0rX5bN8mZ1cV7y\nIssued At: 2026-01-01T00:00:00Z",
                    "signature": "1" * 64,
                }
            ]
        },
    )
    message: Text = Field(description="The text that was signed: a wallet's signedMessage, decoded as UTF-8.")
    signature: Text = Field(description="64 bytes in base58 or base64.")


class LoginResponse(Wire):
    """A session and its token."""

    access_token: str = Field(description="Send it as Authorization: Bearer.")
    token_type: Literal["Bearer"] = Field(description="How to send the token.")
    expires_in: int = Field(description="Seconds.")
    expires_at: datetime = Field(description="When the session ends, ISO 8601 in UTC.")
    session_id: UUID = Field(description="Id of the session.")
    account_id: UUID = Field(description="Id of the account.")
    wallet: Address = Field(description="The wallet that just signed.")
    wallets: list[Address] = Field(description="All wallets of the session, in the order of signing.")
    scopes: list[Scope] = Field(description="What the session may do.")
    plan: PlanName = Field(description="The plan of the account.")


class SessionEntry(Wire):
    """A live session."""

    id: UUID = Field(description="Id of the session.")
    wallets: list[Address] = Field(description="Its wallets, in the order of signing.")
    scopes: list[Scope] = Field(description="What it may do.")
    created_at: datetime = Field(description="When it began, ISO 8601 in UTC.")
    expires_at: datetime = Field(description="When it ends, ISO 8601 in UTC.")
    current: bool = Field(description="Whether it is the caller's session.")


class SessionList(Wire):
    """Sessions of an account, newest first."""

    sessions: list[SessionEntry] = Field(description="The sessions of this page, newest first.")
    total: int = Field(description="All live sessions, on this page or not.")
    next_cursor: str | None = Field(description="Cursor of the next page; null on the last.")


class Revoked(Wire):
    """A session that has ended."""

    session_id: UUID = Field(description="Id of the session.")
    revoked_at: datetime = Field(description="When it ended, ISO 8601 in UTC.")


class RevokedOthers(Wire):
    """The number of ended sessions."""

    revoked: Count = Field(description="How many sessions ended.")


class Jwk(Wire):
    """A public key (RFC 8037)."""

    kty: Literal["OKP"] = Field(description="Key type.")
    crv: Literal["Ed25519"] = Field(description="Curve.")
    x: str = Field(description="The public key in base64url.")
    kid: str = Field(description="First 16 hexadecimal digits of the SHA-256 of the raw public key.")
    use: Literal["sig"] = Field(description="What the key is for: signatures.")
    alg: Literal["EdDSA"] = Field(description="Algorithm.")


class Jwks(Wire):
    """Public keys, the current one first (RFC 7517)."""

    keys: list[Jwk] = Field(description="The keys, the current one first.")


def ed25519_signatures(text: str) -> list[bytes]:
    """The possible decodings of a signature: base58, base64 or, rarely, both.

    Raises:
        InvalidInput: it is neither.
    """
    found: list[bytes] = []
    with suppress(ValueError):
        found.append(bytes(Signature.from_string(text)))
    if _BASE64.fullmatch(text):
        try:
            decoded = base64.b64decode(text[:86].replace("-", "+").replace("_", "/") + "==", validate=True)
        except binascii.Error:
            decoded = b""
        if len(decoded) == _ED25519_BYTES:
            found.append(decoded)
    if not found:
        raise InvalidInput("signature", "must be 64 bytes in base58 or base64")
    return found
