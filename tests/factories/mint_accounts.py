"""Data of the accounts of a mint, laid out as their programs publish it."""

import struct
from collections.abc import Mapping

from indexer.chains.solana.mint_accounts import Extension


def mint_data(
    *,
    supply: int = 10**15,
    decimals: int = 6,
    mint_authority: bytes = b"",
    freeze_authority: bytes = b"",
    initialised: int = 1,
) -> bytes:
    """A mint of 82 bytes."""
    return _optional(mint_authority) + struct.pack("<QBB", supply, decimals, initialised) + _optional(freeze_authority)


def extended(extensions: Mapping[int, bytes] | None = None, *, kind: int = 1, mint: bytes | None = None) -> bytes:
    """A mint of Token-2022 with extensions; ``kind`` 2 is a token account."""
    listed = b"".join(struct.pack("<HH", number, len(value)) + value for number, value in (extensions or {}).items())
    return (mint or mint_data()).ljust(165, b"\0") + bytes([kind]) + listed


def pointer_data(address: bytes, authority: bytes = bytes(32)) -> bytes:
    """The extension that says where the metadata are."""
    return authority + address


def own_metadata_data(mint: bytes, name: str, symbol: str, update_authority: bytes) -> bytes:
    """The extension that holds the metadata."""
    return update_authority + mint + _text(name.encode()) + _text(symbol.encode()) + _text(b"") + struct.pack("<I", 0)


def with_own_metadata(mint: bytes, address: bytes, symbol: str, update_authority: bytes) -> bytes:
    """A mint of Token-2022 at ``address`` that holds its metadata itself."""
    own = own_metadata_data(address, f"{symbol} token", symbol, update_authority)
    return extended({Extension.METADATA_POINTER: pointer_data(address), Extension.TOKEN_METADATA: own}, mint=mint)


def metaplex_data(
    mint: bytes,
    name: str | bytes,
    symbol: str | bytes,
    update_authority: bytes,
    *,
    standard: int | None = None,
    creators: int = 0,
    key: int = 4,
) -> bytes:
    """The account of Metaplex's metadata: texts filled up with zeros, then what follows them."""
    texts = [part if isinstance(part, bytes) else part.encode() for part in (name, symbol)]
    listed = b"\1" + struct.pack("<I", creators) + bytes(34 * creators) if creators else b"\0"
    return (
        bytes([key])
        + update_authority
        + mint
        + _text(texts[0].ljust(32, b"\0"))
        + _text(texts[1].ljust(10, b"\0"))
        + _text(bytes(200))
        + struct.pack("<H", 0)
        + listed
        + b"\0\1"  # primary sale happened, is mutable
        + b"\1\xff"  # edition's nonce
        + (b"\0" if standard is None else bytes([1, standard]))
    ).ljust(607, b"\0")


def _optional(key: bytes) -> bytes:
    return b"\1\0\0\0" + key if key else bytes(36)


def _text(content: bytes) -> bytes:
    return struct.pack("<I", len(content)) + content
