"""Successful answers of the sign-in routes, for the OpenAPI document."""

from typing import Any

from api.http.examples import WALLET

_SESSION_ID = "019b0f3e-7c1a-7c55-9d6c-0b1f2a3c4d5e"
NONCE: dict[str, Any] = {"nonce": "aG3kT9wQ0rX5bN8mZ1cV7y", "expiresAt": "2026-01-01T00:10:00Z"}
LOGIN: dict[str, Any] = {
    "accessToken": "eyJhbGciOiJFZERTQSIsImtpZCI6IjAxMjM0NTY3ODlhYmNkZWYiLCJ0eXAiOiJKV1QifQ.e30.c2lnbmF0dXJl",
    "tokenType": "Bearer",
    "expiresIn": 3600,
    "expiresAt": "2026-01-01T01:00:00Z",
    "sessionId": _SESSION_ID,
    "accountId": "019b0f3e-7c1a-7c55-9d6c-0b1f2a3c4d5f",
    "wallet": WALLET,
    "wallets": [WALLET],
    "scopes": ["api:read", "api:write"],
    "plan": "free",
}
SESSIONS: dict[str, Any] = {
    "sessions": [
        {
            "id": _SESSION_ID,
            "wallets": [WALLET],
            "scopes": ["api:read", "api:write"],
            "createdAt": "2026-01-01T00:00:00Z",
            "expiresAt": "2026-01-01T01:00:00Z",
            "current": True,
        }
    ],
    "total": 1,
    "nextCursor": None,
}
REVOKED: dict[str, Any] = {"sessionId": _SESSION_ID, "revokedAt": "2026-01-01T00:30:00Z"}
REVOKED_OTHERS: dict[str, Any] = {"revoked": 2}
JWKS: dict[str, Any] = {
    "keys": [
        {
            "kty": "OKP",
            "crv": "Ed25519",
            "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
            "kid": "21fe31dfa154a261",
            "use": "sig",
            "alg": "EdDSA",
        }
    ]
}
