"""The Ed25519 keys that sign session tokens and statements: the current one and its predecessors.

They are kept in one file of the data directory, made on first use, or given by settings. Every use checks whether the
file changed, so all processes of a service sign with a new key as soon as there is one.
"""

import base64
import binascii
import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

SEED_BYTES = 32
KID_DIGITS = 16
KEPT_FOR = timedelta(hours=24)
"""How long a replaced key is kept: no token lives longer. The key before the current one is always kept."""


class SigningKeyError(Exception):
    """The keys are malformed, cannot be read, or must not be changed. The message never shows a key. Not a
    ``ValueError``: code that catches those of malformed tokens must not catch this one."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A key pair. ``retired_at`` is the time it was replaced."""

    private: Ed25519PrivateKey
    created_at: datetime | None
    retired_at: datetime | None

    @property
    def public(self) -> Ed25519PublicKey:
        """The public half."""
        return self.private.public_key()

    @property
    def kid(self) -> str:
        """The key's name: the first 16 hexadecimal digits of the SHA-256 of the raw public key."""
        return hashlib.sha256(self.public.public_bytes_raw()).hexdigest()[:KID_DIGITS]

    def jwk(self) -> dict[str, str]:
        """The public half as a JSON Web Key (RFC 8037)."""
        x = base64.urlsafe_b64encode(self.public.public_bytes_raw()).rstrip(b"=").decode()
        return {"kty": "OKP", "crv": "Ed25519", "x": x, "kid": self.kid, "use": "sig", "alg": "EdDSA"}


class KeySet:
    """Keys by name, the current one first."""

    def __init__(self, keys: Sequence[SigningKey]) -> None:
        self.keys = tuple(keys)
        self.by_kid = {key.kid: key for key in self.keys}

    @property
    def current(self) -> SigningKey:
        """The key that signs now."""
        return self.keys[0]

    def jwks(self) -> dict[str, list[dict[str, str]]]:
        """The public halves as a JSON Web Key Set (RFC 7517)."""
        return {"keys": [key.jwk() for key in self.keys]}


class SigningKeys:
    """The service's keys.

    Args:
        given: the current key in base64, then the one before it; then nothing is kept in the data directory.
    """

    def __init__(self, data_dir: Path, *, given: Sequence[str] = ()) -> None:
        self.path = data_dir / "keys" / "sessions.json"
        self._given = KeySet([SigningKey(_private(text, "setting"), None, None) for text in given]) if given else None
        self._known: KeySet | None = None
        self._seen: tuple[int, int, int] | None = None

    def current(self) -> KeySet:
        """The keys as they are now, made if there are none. Each call costs one ``stat`` of the file.

        Raises:
            SigningKeyError: the file cannot be used.
        """
        if self._given is not None:
            return self._given
        seen = self._stat()
        if seen is None:
            with self._alone():
                if self._stat() is None:
                    self._write([SigningKey(Ed25519PrivateKey.generate(), datetime.now(UTC), None)])
            seen = self._stat()
        if self._known is None or seen != self._seen:
            # ``stat`` came first: a write during the read is noticed next time.
            self._known, self._seen = KeySet(self._read()), seen
        return self._known

    def rotate(self, now: datetime) -> SigningKey:
        """Make a new current key. Keys that valid tokens may be signed with are kept.

        Raises:
            SigningKeyError: the keys are given by settings, or the file cannot be used.
        """
        if self._given is not None:
            raise SigningKeyError("the keys are given by REGALIA_SIGNING_KEY: change the settings instead")
        self.current()
        with self._alone():
            known = self._read()
            new = SigningKey(Ed25519PrivateKey.generate(), now, None)
            previous = SigningKey(known[0].private, known[0].created_at, now)
            kept = [key for key in known[1:] if key.retired_at is not None and now - key.retired_at < KEPT_FOR]
            self._write([new, previous, *kept])
        return new

    def _stat(self) -> tuple[int, int, int] | None:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SigningKeyError(f"signing keys {self.path}: {error.strerror}") from error
        return found.st_ino, found.st_mtime_ns, found.st_size

    def _read(self) -> list[SigningKey]:
        try:
            kept = json.loads(self.path.read_text())["keys"]
            keys = [_parsed(entry, str(self.path)) for entry in kept]
        except OSError as error:
            raise SigningKeyError(f"signing keys {self.path}: {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise SigningKeyError(f"{self.path} does not hold signing keys") from error
        if not keys:
            raise SigningKeyError(f"{self.path} does not hold signing keys")
        return keys

    def _write(self, keys: Sequence[SigningKey]) -> None:
        """Replace the file atomically: readers see the old one or the new one."""
        text = json.dumps({"keys": [_entry(key) for key in keys]}, indent=2)
        draft = self.path.with_name(f".{self.path.name}.{secrets.token_hex(8)}")
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(text + "\n")
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self.path)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise SigningKeyError(f"signing keys {self.path}: {error.strerror}") from error

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes from changing the keys. The lock ends with the process that holds it."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(self.path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise SigningKeyError(f"signing keys {self.path}: {error.strerror}") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def _entry(key: SigningKey) -> dict[str, str | None]:
    return {
        "kid": key.kid,
        "seed": base64.b64encode(key.private.private_bytes_raw()).decode(),
        "created_at": key.created_at.isoformat() if key.created_at else None,
        "retired_at": key.retired_at.isoformat() if key.retired_at else None,
    }


def _parsed(entry: dict[str, Any], source: str) -> SigningKey:
    created, retired = (
        datetime.fromisoformat(entry[name]) if entry[name] else None for name in ("created_at", "retired_at")
    )
    return SigningKey(_private(entry["seed"], source), created, retired)


def _private(text: str, source: str) -> Ed25519PrivateKey:
    try:
        seed = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError):  # without its text: no part of a key may reach a log
        seed = b""
    if len(seed) != SEED_BYTES:
        raise SigningKeyError(f"{source} does not hold a signing key: 32 bytes in base64")
    return Ed25519PrivateKey.from_private_bytes(seed)
