"""The service's keys, encrypted for a backup with a passphrase or a key file. Nothing else can read them.

AES-256-GCM. The key comes from the passphrase by scrypt, or from the key file's content by HKDF. The backup's name is
authenticated: sealed keys of one backup cannot be passed off as another's.
"""

import base64
import io
import json
import os
import secrets
import tarfile
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

_KEY_BYTES = 32
_MIN_PASSPHRASE = 12
_SCRYPT = {"n": 2**16, "r": 8, "p": 1}
_PURPOSE = b"regalia backup keys"


class WrongSecret(ValueError):
    """The passphrase or the key file is unusable, or not the one that the keys were sealed with."""


@dataclass(frozen=True, slots=True)
class Secret:
    """What opens sealed keys: a passphrase, or the content of a key file."""

    kind: str
    """``passphrase`` or ``key file``."""
    value: bytes

    @classmethod
    def of_passphrase(cls, text: str) -> "Secret":
        """A passphrase.

        Raises:
            WrongSecret: it is too short.
        """
        if len(text) < _MIN_PASSPHRASE:
            raise WrongSecret(f"REGALIA_BACKUP_PASSPHRASE needs at least {_MIN_PASSPHRASE} characters")
        return cls("passphrase", text.encode())

    @classmethod
    def of_file(cls, path: Path) -> "Secret":
        """A key file.

        Raises:
            WrongSecret: it holds fewer than 32 bytes.
        """
        value = path.read_bytes()
        if len(value) < _KEY_BYTES:
            raise WrongSecret(f"{path} holds {len(value)} bytes; a key file has at least {_KEY_BYTES} random ones")
        return cls("key file", value)

    def derive(self, salt: bytes) -> bytes:
        """The key for one backup."""
        if self.kind == "passphrase":
            return Scrypt(salt=salt, length=_KEY_BYTES, **_SCRYPT).derive(self.value)
        return HKDF(algorithm=SHA256(), length=_KEY_BYTES, salt=salt, info=_PURPOSE).derive(self.value)


def seal(folder: Path, secret: Secret, backup: str) -> bytes:
    """The files of ``folder``, encrypted for the backup of this name."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for path in sorted(folder.iterdir()):
            if path.is_file() and not path.name.startswith("."):
                tar.add(path, path.name)
    salt, nonce = secrets.token_bytes(16), secrets.token_bytes(12)
    sealed = AESGCM(secret.derive(salt)).encrypt(nonce, archive.getvalue(), _bound_to(backup))
    parts = {"salt": salt, "nonce": nonce, "sealed": sealed}
    return json.dumps(
        {"sealed_with": secret.kind} | {name: base64.b64encode(part).decode() for name, part in parts.items()}
    ).encode()


def unseal(data: bytes, secret: Secret, backup: str) -> dict[str, bytes]:
    """The keys by file name.

    Raises:
        WrongSecret: they were sealed with another secret, or for another backup.
    """
    envelope = json.loads(data)
    if envelope["sealed_with"] != secret.kind:
        raise WrongSecret(f"the keys of backup {backup} were sealed with a {envelope['sealed_with']}")
    salt, nonce, sealed = (base64.b64decode(envelope[name]) for name in ("salt", "nonce", "sealed"))
    try:
        archive = AESGCM(secret.derive(salt)).decrypt(nonce, sealed, _bound_to(backup))
    except InvalidTag:
        raise WrongSecret(f"this {secret.kind} does not open the keys of backup {backup}") from None
    found = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar.getmembers():
            file = tar.extractfile(member)
            if file is not None and "/" not in member.name:
                found[member.name] = file.read()
    return found


def write(keys: dict[str, bytes], folder: Path) -> None:
    """Write keys to ``folder``, readable by their owner only."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, content in keys.items():
        descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())


def _bound_to(backup: str) -> bytes:
    return _PURPOSE + b":" + backup.encode()
