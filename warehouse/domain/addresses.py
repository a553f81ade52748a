"""Addresses of every chain served: 20 bytes on EVM chains, 32 on Solana, and how each is written.

Columns hold the bytes. PostgreSQL and lookups hold the stored text: lower-case hexadecimal with 0x, or base58. Clients
see the public text: hexadecimal with the checksum of EIP-55, or base58.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from eth_hash.auto import keccak

PATTERN = "^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$"
"""The public text of addresses, for schemas; :meth:`Address.parse` decides what is one."""
_HEX_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_HEX = "0123456789abcdef"
_CASES = {(digit, hashed): digit.upper() if hashed > "7" else digit for digit in _HEX for hashed in _HEX}
_CACHED = 65_536


class AddressError(ValueError):
    """The text is not an address; the message says which rule it breaks."""


class AddressFormat(StrEnum):
    """How a chain writes its addresses."""

    HEX = "hex"
    BASE58 = "base58"

    @property
    def size(self) -> int:
        """Bytes of an address."""
        return 20 if self is AddressFormat.HEX else 32


@dataclass(frozen=True, slots=True, order=True)
class Address:
    """An address of any chain. ``str`` gives its public text."""

    raw: bytes

    def __post_init__(self) -> None:
        """Check the length.

        Raises:
            AddressError: neither 20 nor 32 bytes.
        """
        if len(self.raw) not in (20, 32):
            raise AddressError("must be 20 or 32 bytes")

    @property
    def format(self) -> AddressFormat:
        """How it is written."""
        return AddressFormat.HEX if len(self.raw) == 20 else AddressFormat.BASE58

    @property
    def stored(self) -> str:
        """The text that the store and lookups hold."""
        return "0x" + self.raw.hex() if len(self.raw) == 20 else _base58_text(self.raw)

    def __str__(self) -> str:
        """The text that clients see."""
        return checksum_address(self.stored)

    @classmethod
    def parse(cls, text: str, form: AddressFormat) -> "Address":
        """The address that ``text`` means.

        Raises:
            AddressError: not written in that format, or a wrong checksum.
        """
        stored = stored_text(text, form)
        return cls(bytes.fromhex(stored[2:]) if form is AddressFormat.HEX else _base58_bytes(stored))


def stored_text(text: str, form: AddressFormat) -> str:
    """``text``, as a client wrote it, in the form that the store holds. Hexadecimal of one case carries no checksum;
    mixed case must be right.

    Raises:
        AddressError: not written in that format, or a wrong checksum.
    """
    if form is AddressFormat.BASE58:
        if not is_base58_address(text):
            raise AddressError("must be 32 bytes in base58")
        return text
    if not _HEX_ADDRESS.fullmatch(text):
        raise AddressError("must be 0x and 40 hexadecimal digits")
    digits = text[2:]
    if digits not in (digits.lower(), digits.upper()) and _checksum(digits.lower()) != text:
        raise AddressError("has a wrong checksum")
    return text.lower()


@lru_cache(maxsize=_CACHED)
def checksum_address(stored: str) -> str:
    """The public text of an address's stored text: hexadecimal gets its EIP-55 checksum, base58 stays as it is."""
    return _checksum(stored[2:].lower()) if _HEX_ADDRESS.fullmatch(stored) else stored


def hash_text(digits: str, form: AddressFormat) -> str:
    """The text of a block's or transaction's hash given as hexadecimal digits, on a chain that writes its addresses in
    ``form``: hexadecimal, or base58 (32 bytes, and 64 of a signature)."""
    if form is AddressFormat.HEX:
        return f"0x{digits}"
    return _base58_text(bytes.fromhex(digits)) if len(digits) == 64 else _signature_text(bytes.fromhex(digits))


@lru_cache(maxsize=_CACHED)
def address_text(digits: str) -> str:
    """The public text of an address given as 40 or 64 hexadecimal digits, as search documents hold it."""
    return checksum_address(f"0x{digits}") if len(digits) == 40 else _base58_text(bytes.fromhex(digits))


def stored_from_digits(digits: str) -> str:
    """The stored text of an address given as 40 or 64 hexadecimal digits, as statements on the warehouse return it."""
    return f"0x{digits}" if len(digits) == 40 else _base58_text(bytes.fromhex(digits))


def digits_of(stored: str) -> str:
    """The hexadecimal digits of an address's stored text: 40, or 64 of one in base58."""
    return stored[2:] if stored.startswith("0x") else _base58_bytes(stored).hex()


def address_format(stored: str) -> AddressFormat:
    """How an address is written, from its stored text."""
    return AddressFormat.HEX if stored.startswith("0x") else AddressFormat.BASE58


def is_base58_address(text: str) -> bool:
    """Whether ``text`` is 32 bytes in base58."""
    try:
        _base58_bytes(text)
    except ValueError:
        return False
    return True


def _checksum(digits: str) -> str:
    # Half the time of eth_utils' function, which pages of thousands of addresses feel.
    return "0x" + "".join(map(_CASES.__getitem__, zip(digits, keccak(digits.encode()).hex(), strict=False)))


def _base58_text(raw: bytes) -> str:
    from solders.pubkey import Pubkey  # 70 ms, which most commands do not need

    return str(Pubkey(raw))


def _signature_text(raw: bytes) -> str:
    from solders.signature import Signature

    return str(Signature(raw))


def _base58_bytes(text: str) -> bytes:
    from solders.pubkey import Pubkey

    return bytes(Pubkey.from_string(text))
