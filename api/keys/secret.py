"""The secrets of API keys: recognisable by their prefix, and stored as hashes only."""

import secrets
from typing import NamedTuple

_SECRET_BYTES = 32
_SHOWN_CHARACTERS = 8


class Secret(NamedTuple):
    """A key, and the beginning of it that people recognise it by."""

    key: str
    prefix: str


def new_secret(key_prefix: str) -> Secret:
    """A new key: 256 random bits after ``<key_prefix>_live_``."""
    kind = f"{key_prefix}_live_"
    key = kind + secrets.token_urlsafe(_SECRET_BYTES)
    return Secret(key, key[: len(kind) + _SHOWN_CHARACTERS])
