"""The service's signing key: from the environment, or created in the data directory on first use."""

import os
import secrets
from pathlib import Path

from eth_account import Account
from eth_account.signers.local import LocalAccount

ENVIRONMENT_NAME = "REGALIA_SIGNER_PRIVATE_KEY"


class SignerKeyError(ValueError):
    """The key is not a private key or cannot be read. The message never shows it."""


def key_path(data_dir: Path) -> Path:
    """The file that holds the key."""
    return data_dir / "keys" / "registry-signer.key"


def load_or_create(data_dir: Path) -> LocalAccount:
    """The signer: the environment's key, else the data directory's, created on first use and readable by its owner
    only.

    Safe to call from several processes at once: all get the same key.

    Raises:
        SignerKeyError: the key is invalid, or the directory cannot be used.
    """
    given = os.environ.get(ENVIRONMENT_NAME, "").strip()
    if given:
        return _account(given, ENVIRONMENT_NAME)
    path = key_path(data_dir)
    try:
        if not path.exists():
            _create(path)
        return _account(path.read_text().strip(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise SignerKeyError(f"signer key {path}: {error}") from error


def _create(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(Account.create().key.hex() + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)  # atomic: a second process finds the first one's key
        except FileExistsError:
            return
    finally:
        draft.unlink(missing_ok=True)


def _account(text: str, source: str) -> LocalAccount:
    try:
        account: LocalAccount = Account.from_key(bytes.fromhex(text.removeprefix("0x")))
    except ValueError:  # the error's text may contain the key, which must not reach a log
        raise SignerKeyError(f"{source} does not hold a private key of 32 bytes in hexadecimal") from None
    return account
