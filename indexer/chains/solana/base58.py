"""Base58 as Solana writes keys, signatures and instruction data. Decoded keys are remembered: few occur often."""

from functools import lru_cache

from solders.pubkey import Pubkey
from solders.signature import Signature

_REMEMBERED_DIGITS = 256
_DIGITS = {digit: value for value, digit in enumerate("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")}


@lru_cache(maxsize=200_000)
def key_bytes(text: str) -> bytes:
    """The 32 bytes of an address, a program or a block hash.

    Raises:
        ValueError: not 32 bytes in base58.
    """
    return bytes(Pubkey.from_string(text))


def key_text(raw: bytes) -> str:
    """The base58 text of 32 bytes."""
    return str(Pubkey(raw))


def signature_bytes(text: str) -> bytes:
    """The 64 bytes of a signature.

    Raises:
        ValueError: not 64 bytes in base58.
    """
    return bytes(Signature.from_string(text))


def signature_text(raw: bytes) -> str:
    """The base58 text of 64 bytes."""
    return str(Signature(raw))


def data_bytes(text: str) -> bytes:
    """Base58 of any length, such as an instruction's data. Only short ones are remembered: those occur often, and long
    ones, which a sender chooses, would fill the memory.

    Raises:
        ValueError: a character that is no digit of base58.
    """
    return _remembered(text) if len(text) <= _REMEMBERED_DIGITS else _decoded(text)


def _decoded(text: str) -> bytes:
    # solders decodes fixed lengths only, and multibase takes 18 times as long.
    number = 0
    try:
        for digit in text:
            number = number * 58 + _DIGITS[digit]
    except KeyError as error:
        raise ValueError(f"{error.args[0]!r} is no digit of base58") from None
    zeros = len(text) - len(text.lstrip("1"))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")


_remembered = lru_cache(maxsize=20_000)(_decoded)
