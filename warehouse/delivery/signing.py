"""Signatures of messages: HMAC-SHA256, as Standard Webhooks has it and of a body alone."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import Final

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - how secrets begin
_SECRET_BYTES: Final = 32


def make_secret() -> str:
    """A new secret in the form in which receivers are given it."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def hexadecimal(secret: str, content: bytes) -> str:
    """HMAC-SHA256 in hexadecimal, keyed with the secret's text."""
    return hmac.digest(secret.encode(), content, hashlib.sha256).hex()


def standard_signatures(secrets: Sequence[str], *, id: str, timestamp: str, body: bytes) -> str:
    """The header ``webhook-signature``: ``v1,`` and the HMAC-SHA256 of ``id.timestamp.body`` in base64, keyed with the
    bytes that the secret's base64 stands for; one for each valid secret."""
    content = f"{id}.{timestamp}.".encode() + body
    return " ".join(_standard_signature(secret, content) for secret in secrets)


def _standard_signature(secret: str, content: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    return f"v1,{base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()}"
