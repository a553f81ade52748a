"""The Ed25519 signer of the service, whose key is in this process: from the environment, or created in the data
directory on first use. ``signing.py`` opens the signer that the settings name."""

import json
import os
from pathlib import Path
from typing import Protocol

from solders.keypair import Keypair
from solders.pubkey import Pubkey

from indexer.contracts.key_file import create_once
from indexer.contracts.signer import SignerKeyError

ENVIRONMENT_NAME = "REGALIA_SOLANA_SIGNER_PRIVATE_KEY"


class StatementSigner(Protocol):
    """Signs statements with one key."""

    @property
    def address(self) -> Pubkey:
        """The public key."""
        ...

    def sign(self, statement: bytes) -> bytes:
        """The 64-byte signature of a statement. Blocks; call it in a thread.

        Raises:
            indexer.contracts.signer.SignerUnavailable: try again later.
        """
        ...

    def close(self) -> None:
        """Close what was opened."""
        ...


class KeypairSigner:
    """Signs with a key in this process."""

    def __init__(self, keypair: Keypair) -> None:
        self._keypair = keypair

    @property
    def address(self) -> Pubkey:
        """The public key."""
        return self._keypair.pubkey()

    def sign(self, statement: bytes) -> bytes:
        """The 64-byte signature of a statement."""
        return bytes(self._keypair.sign_message(statement))

    def close(self) -> None:
        """Nothing was opened."""


def key_path(data_dir: Path) -> Path:
    """The file that holds the key, as ``solana-keygen`` writes it."""
    return data_dir / "keys" / "solana-registry-signer.json"


def has_key(data_dir: Path) -> bool:
    """Whether a key was given or made already."""
    return bool(_given()) or key_path(data_dir).exists()


def load_or_create(data_dir: Path) -> Keypair:
    """The key: the environment's, else the data directory's, created on first use and readable by its owner only.

    Safe to call from several processes at once: all get the same key.

    Raises:
        SignerKeyError: the key is invalid, or the directory cannot be used.
    """
    if given := _given():
        return read_keypair(given, ENVIRONMENT_NAME)
    path = key_path(data_dir)
    try:
        create_once(path, lambda: Keypair().to_json())
        return read_keypair(path.read_text(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise SignerKeyError(f"signer key {path}: {error}") from error


def read_keypair(text: str, source: str) -> Keypair:
    """The key pair in a text: 64 bytes in base58, or as the list of numbers that ``solana-keygen`` writes. ``source``
    names where it is from, for the message.

    Raises:
        SignerKeyError: it is no key pair.
    """
    try:
        if text.lstrip().startswith("["):
            return Keypair.from_bytes(bytes(json.loads(text)))
        return Keypair.from_base58_string(text.strip())
    except (ValueError, TypeError, OverflowError):  # the error's text may contain the key, which must not reach a log
        raise SignerKeyError(f"{source} does not hold a key pair of 64 bytes, in base58 or as a list") from None


def _given() -> str:
    return os.environ.get(ENVIRONMENT_NAME, "").strip()
