"""The interface of signers, and the one whose key is in this process: from the environment, or created in the data
directory on first use. ``signing.py`` opens the signer that the settings name."""

import os
from pathlib import Path
from typing import Any, Protocol

from eth_account import Account
from eth_account.messages import encode_typed_data
from eth_account.signers.local import LocalAccount

from indexer.contracts.key_file import create_once

ENVIRONMENT_NAME = "REGALIA_SIGNER_PRIVATE_KEY"


class SignerKeyError(ValueError):
    """The signer is configured wrongly, or its key cannot be read. The message never shows a key."""


class SignerUnavailable(Exception):
    """The remote signer did not answer, refused, or answered with something that is not its signature."""


class Signer(Protocol):
    """Signs EIP-712 documents for one address."""

    @property
    def address(self) -> str:
        """The address, checksummed."""
        ...

    def sign_typed_data(self, document: dict[str, Any]) -> bytes:
        """The 65-byte signature of a document: r, s in the lower half, v of 27 or 28. Blocks; call it in a thread.

        Raises:
            SignerUnavailable: try again later.
        """
        ...

    def close(self) -> None:
        """Close what was opened."""
        ...


class KeySigner:
    """Signs with a private key in this process."""

    def __init__(self, account: LocalAccount) -> None:
        self._account = account

    @property
    def address(self) -> str:
        """The address, checksummed."""
        return str(self._account.address)

    def sign_typed_data(self, document: dict[str, Any]) -> bytes:
        """The 65-byte signature of a document."""
        return bytes(self._account.sign_message(encode_typed_data(full_message=document)).signature)

    def close(self) -> None:
        """Nothing was opened."""


def key_path(data_dir: Path) -> Path:
    """The file that holds the key."""
    return data_dir / "keys" / "registry-signer.key"


def has_key(data_dir: Path) -> bool:
    """Whether a key was given or made already."""
    return bool(os.environ.get(ENVIRONMENT_NAME, "").strip()) or key_path(data_dir).exists()


def load_or_create(data_dir: Path) -> LocalAccount:
    """The key: the environment's, else the data directory's, created on first use and readable by its owner only.

    Safe to call from several processes at once: all get the same key.

    Raises:
        SignerKeyError: the key is invalid, or the directory cannot be used.
    """
    given = os.environ.get(ENVIRONMENT_NAME, "").strip()
    if given:
        return read_key(given, ENVIRONMENT_NAME)
    path = key_path(data_dir)
    try:
        create_once(path, lambda: Account.create().key.hex())
        return read_key(path.read_text().strip(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise SignerKeyError(f"signer key {path}: {error}") from error


def read_key(text: str, source: str) -> LocalAccount:
    """The account of a private key in hexadecimal. ``source`` names where it is from, for the message.

    Raises:
        SignerKeyError: it is no private key.
    """
    try:
        account: LocalAccount = Account.from_key(bytes.fromhex(text.strip().removeprefix("0x")))
    except ValueError:  # the error's text may contain the key, which must not reach a log
        raise SignerKeyError(f"{source} does not hold a private key of 32 bytes in hexadecimal") from None
    return account
