"""Encrypts secrets that the service must read again, such as webhook secrets, with a key that the store does not have.

AES-256-GCM with a fresh nonce. The purpose is authenticated, so a secret copied into another row cannot be decrypted.
The key comes from the settings, or from the data directory, where it is made on first use.
"""

import base64
import binascii
import os
import secrets
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE_BYTES = 12
_KEY_BYTES = 32
_FORMAT = b"\x01"


class SealingKeyError(ValueError):
    """The key is malformed or cannot be read. The message never shows it."""


class Unsealable(ValueError):
    """The secret was sealed with another key, or for another purpose."""


class Sealer:
    """Encrypts and decrypts secrets.

    Args:
        key: 32 bytes.
    """

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)

    def seal(self, secret: bytes, purpose: str) -> bytes:
        """Encrypt a secret. The same ``purpose`` is needed to decrypt it."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return _FORMAT + nonce + self._cipher.encrypt(nonce, secret, purpose.encode())

    def unseal(self, sealed: bytes, purpose: str) -> bytes:
        """Decrypt a secret.

        Raises:
            Unsealable: it was sealed with another key, or for another purpose.
        """
        nonce, text = sealed[1 : 1 + _NONCE_BYTES], sealed[1 + _NONCE_BYTES :]
        try:
            if sealed[:1] != _FORMAT:
                raise Unsealable("not sealed by this service")
            return self._cipher.decrypt(nonce, text, purpose.encode())
        except (InvalidTag, ValueError) as error:
            raise Unsealable("sealed with another key") from error


def key_path(data_dir: Path) -> Path:
    """The file that holds the key."""
    return data_dir / "keys" / "sealing.key"


def load_or_create(data_dir: Path, given: str | None = None) -> Sealer:
    """The sealer of a service. Safe to call from several processes at once: all get the same key.

    Args:
        given: the key in base64; unset: the data directory's.

    Raises:
        SealingKeyError: what is there is no key, or the directory cannot be used.
    """
    if given:
        return Sealer(_parsed(given, "REGALIA_SEALING_KEY"))
    path = key_path(data_dir)
    try:
        if not path.exists():
            _create(path)
        return Sealer(_parsed(path.read_text(), str(path)))
    except (OSError, UnicodeDecodeError) as error:
        raise SealingKeyError(f"sealing key {path}: {error}") from error


def _create(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(base64.b64encode(secrets.token_bytes(_KEY_BYTES)).decode() + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)  # atomic: the second process finds the first one's key
        except FileExistsError:
            return
    finally:
        draft.unlink(missing_ok=True)


def _parsed(text: str, source: str) -> bytes:
    try:
        key = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError):  # without its text: no part of a key may reach a log
        key = b""
    if len(key) != _KEY_BYTES:
        raise SealingKeyError(f"{source} does not hold a key of 32 bytes in base64")
    return key
