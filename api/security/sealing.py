"""Encrypts secrets that the service must read again, such as webhook secrets, with a key that the store does not have.

AES-256-GCM with a fresh nonce. The purpose is authenticated, so a secret copied into another row cannot be decrypted.
The key comes from the settings, or from the data directory, where it is made on first use. A sealed secret begins with
the id of its key, so that what the previous key sealed can be read after a rotation.
"""

import base64
import binascii
import hashlib
import hmac
import os
import secrets
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE_BYTES = 12
_KEY_BYTES = 32
_WITHOUT_ID = b"\x01"
"""Before keys had ids: any of the keys may have sealed it."""
_WITH_ID = b"\x02"
_ID_BYTES = 4
MAC_BYTES = 16


class SealingKeyError(ValueError):
    """The key is malformed or cannot be read. The message never shows it."""


class Unsealable(ValueError):
    """The secret was sealed with another key, or for another purpose."""


class Sealer:
    """Encrypts and decrypts secrets, and signs.

    Args:
        key: 32 bytes.
        previous: the keys before it, which decrypt and verify.
    """

    def __init__(self, key: bytes, *previous: bytes) -> None:
        self._keys = (key, *previous)
        self._ciphers = {_id_of(key): AESGCM(key) for key in self._keys}

    def seal(self, secret: bytes, purpose: str) -> bytes:
        """Encrypt a secret. The same ``purpose`` is needed to decrypt it."""
        nonce, id = secrets.token_bytes(_NONCE_BYTES), _id_of(self._keys[0])
        return _WITH_ID + id + nonce + self._ciphers[id].encrypt(nonce, secret, purpose.encode())

    def unseal(self, sealed: bytes, purpose: str) -> bytes:
        """Decrypt a secret.

        Raises:
            Unsealable: it was sealed with another key, or for another purpose.
        """
        if sealed[:1] == _WITH_ID:
            id, rest = sealed[1 : 1 + _ID_BYTES], sealed[1 + _ID_BYTES :]
            ciphers = [self._ciphers[id]] if id in self._ciphers else []
        elif sealed[:1] == _WITHOUT_ID:
            rest, ciphers = sealed[1:], list(self._ciphers.values())
        else:
            raise Unsealable("not sealed by this service")
        for cipher in ciphers:
            try:
                return cipher.decrypt(rest[:_NONCE_BYTES], rest[_NONCE_BYTES:], purpose.encode())
            except (InvalidTag, ValueError):
                continue
        raise Unsealable("sealed with another key")

    @property
    def mark(self) -> bytes:
        """What everything begins with that the present key seals."""
        return _WITH_ID + _id_of(self._keys[0])

    def sign(self, text: bytes, purpose: str) -> bytes:
        """Sixteen bytes of an HMAC-SHA256 of the text, which only this service can make."""
        return _mac(self._keys[0], text, purpose)

    def is_signed(self, text: bytes, mac: bytes, purpose: str) -> bool:
        """Whether :meth:`sign` made ``mac``, with the present key or a previous one."""
        return any(hmac.compare_digest(_mac(key, text, purpose), mac) for key in self._keys)


def _id_of(key: bytes) -> bytes:
    return hashlib.sha256(b"id of a sealing key" + key).digest()[:_ID_BYTES]


def _mac(key: bytes, text: bytes, purpose: str) -> bytes:
    of_purpose = hmac.digest(key, b"sign:" + purpose.encode(), hashlib.sha256)
    return hmac.digest(of_purpose, text, hashlib.sha256)[:MAC_BYTES]


def key_path(data_dir: Path) -> Path:
    """The file that holds the key."""
    return data_dir / "keys" / "sealing.key"


def load_or_create(data_dir: Path, given: str | None = None, previous: str | None = None) -> Sealer:
    """The sealer of a service. Safe to call from several processes at once: all get the same key.

    Args:
        given: the key in base64; unset: the data directory's.
        previous: the key before it in base64, which still decrypts.

    Raises:
        SealingKeyError: what is there is no key, or the directory cannot be used.
    """
    before = [_parsed(previous, "REGALIA_PREVIOUS_SEALING_KEY")] if previous else []
    if given:
        return Sealer(_parsed(given, "REGALIA_SEALING_KEY"), *before)
    return Sealer(stored_key(key_path(data_dir)), *before)


def stored_key(path: Path) -> bytes:
    """The 32 bytes that a file of the data directory holds; random ones, made on first use.

    Raises:
        SealingKeyError: what is there is no key, or the directory cannot be used.
    """
    try:
        if not path.exists():
            _create(path)
        return _parsed(path.read_text(), str(path))
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
