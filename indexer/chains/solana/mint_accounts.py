"""What the accounts of a mint say: the mint of SPL Token or Token-2022 with its extensions, and its metadata.

Pure functions over the bytes of accounts. Anybody can make accounts with any contents, so metadata count in two places
only: in the mint itself, where its metadata pointer names the mint, and at Metaplex's own derived address, where
Metaplex's program owns them. In both, the metadata must name the mint.

Sources: https://github.com/solana-program/token-2022 (``interface/src/state.rs`` and ``extension/``), the interface of
https://github.com/solana-program/token-metadata, and ``programs/token-metadata/program/src/state/metadata.rs`` of
https://github.com/metaplex-foundation/mpl-token-metadata.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from solders.pubkey import Pubkey

from indexer.chains.solana.accounts import TOKEN_2022_PROGRAM, TOKEN_PROGRAM

METAPLEX_PROGRAM = "metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s"
_METAPLEX = Pubkey.from_string(METAPLEX_PROGRAM)
_MINT_BYTES, _ACCOUNT_BYTES = 82, 165
_MINT_ACCOUNT = 1
"""The byte that says, after the length of a token account, that an account with extensions is a mint."""
_METADATA_V1 = 4
_KEY = 32
_NOBODY = bytes(_KEY)


class Extension(IntEnum):
    """Types of the extensions that are read here."""

    METADATA_POINTER = 18
    TOKEN_METADATA = 19
    CONFIDENTIAL_MINT_BURN = 24


class TokenStandard(IntEnum):
    """What Metaplex calls a mint."""

    NON_FUNGIBLE = 0
    FUNGIBLE_ASSET = 1
    FUNGIBLE = 2
    NON_FUNGIBLE_EDITION = 3
    PROGRAMMABLE_NON_FUNGIBLE = 4
    PROGRAMMABLE_NON_FUNGIBLE_EDITION = 5


_ITEMS = frozenset(TokenStandard) - {TokenStandard.FUNGIBLE_ASSET, TokenStandard.FUNGIBLE}


@dataclass(frozen=True, slots=True)
class Mint:
    """A mint. Authorities are 32 bytes, empty for nobody. Extensions are by the number of their type."""

    program: str
    supply_raw: int
    decimals: int
    mint_authority: bytes
    freeze_authority: bytes
    extensions: Mapping[int, bytes]

    @property
    def hides_supply(self) -> bool:
        """Whether amounts minted and burned are encrypted, so that ``supply_raw`` is a part of the supply only."""
        return Extension.CONFIDENTIAL_MINT_BURN in self.extensions


@dataclass(frozen=True, slots=True)
class Metadata:
    """Name and symbol as written, without the zeros that Metaplex fills them up with. Text that is not UTF-8 is empty.

    ``update_authority`` is empty for nobody; ``standard`` is None where Metaplex states none.
    """

    mint: bytes
    update_authority: bytes
    name: str
    symbol: str
    standard: TokenStandard | None = None


def read_mint(program: str, data: bytes) -> Mint | None:
    """The initialised mint in an account that ``program`` (base58) owns; None for anything else."""
    if program == TOKEN_PROGRAM:
        extensions: Mapping[int, bytes] = {}
        if len(data) != _MINT_BYTES:
            return None
    elif program == TOKEN_2022_PROGRAM:
        if len(data) > _ACCOUNT_BYTES and data[_ACCOUNT_BYTES] == _MINT_ACCOUNT:
            extensions = read_extensions(data[_ACCOUNT_BYTES + 1 :])
        elif len(data) == _MINT_BYTES:
            extensions = {}
        else:
            return None
    else:
        return None
    supply, decimals, initialised = struct.unpack_from("<QBB", data, 36)
    if initialised != 1:
        return None
    return Mint(program, supply, decimals, _optional_key(data, 0), _optional_key(data, 46), extensions)


def read_extensions(data: bytes) -> Mapping[int, bytes]:
    """Extensions by their type: number (2 bytes), length (2), value. Zeros end the list, and so does one cut short."""
    found: dict[int, bytes] = {}
    at = 0
    while at + 4 <= len(data):
        kind, length = struct.unpack_from("<HH", data, at)
        at += 4
        if kind == 0 or at + length > len(data):
            break
        found[kind] = data[at : at + length]
        at += length
    return found


@lru_cache(maxsize=65_536)
def metaplex_address(mint: bytes) -> bytes:
    """Where Metaplex keeps the metadata of a mint."""
    seeds = [b"metadata", bytes(_METAPLEX), mint]
    return bytes(Pubkey.find_program_address(seeds, _METAPLEX)[0])


def read_metaplex(owner: str, data: bytes) -> Metadata | None:
    """The metadata in an account; None where Metaplex's program does not own it, or it holds something else."""
    if owner != METAPLEX_PROGRAM or data[:1] != bytes([_METADATA_V1]) or len(data) < 1 + 2 * _KEY:
        return None
    try:
        name, at = _text(data, 1 + 2 * _KEY)
        symbol, at = _text(data, at)
        standard = _standard(data, at)
    except ValueError:
        return None
    authority, mint = data[1 : 1 + _KEY], data[1 + _KEY : 1 + 2 * _KEY]
    return Metadata(mint, b"" if authority == _NOBODY else authority, name, symbol, standard)


def own_metadata(mint: Mint) -> Metadata | None:
    """The metadata that a mint of Token-2022 holds itself; whether they count, its pointer says."""
    data = mint.extensions.get(Extension.TOKEN_METADATA)
    if data is None or len(data) < 2 * _KEY:
        return None
    try:
        name, at = _text(data, 2 * _KEY)
        symbol, _ = _text(data, at)
    except ValueError:
        return None
    authority = data[:_KEY]
    return Metadata(data[_KEY : 2 * _KEY], b"" if authority == _NOBODY else authority, name, symbol)


def trusted_metadata(address: bytes, mint: Mint, metaplex: Metadata | None) -> Metadata | None:
    """The metadata of the mint at ``address`` that count. ``metaplex`` is what is at its ``metaplex_address``.

    A pointer decides where there is one; without it Metaplex's count.
    """
    pointer = mint.extensions.get(Extension.METADATA_POINTER, b"")[_KEY : 2 * _KEY]
    if pointer in (b"", _NOBODY, metaplex_address(address)):
        found = metaplex
    elif pointer == address:
        found = own_metadata(mint)
    else:
        return None
    return found if found is not None and found.mint == address else None


def is_single_item(mint: Mint, metadata: Metadata | None) -> bool:
    """Whether the mint is a collectible rather than a token: Metaplex says so, or one indivisible piece is all there
    will be."""
    if metadata is not None and metadata.standard in _ITEMS:
        return True
    return mint.decimals == 0 and mint.supply_raw <= 1 and not mint.mint_authority


def _optional_key(data: bytes, at: int) -> bytes:
    """A key behind four bytes that say whether there is one."""
    return data[at + 4 : at + 4 + _KEY] if data[at : at + 4] == b"\1\0\0\0" else b""


def _text(data: bytes, at: int) -> tuple[str, int]:
    """A text behind its length in four bytes, and the offset after it.

    Raises:
        ValueError: the data end before.
    """
    if at + 4 > len(data):
        raise ValueError("a text is cut short")
    end = at + 4 + int(struct.unpack_from("<I", data, at)[0])
    if end > len(data):
        raise ValueError("a text is cut short")
    try:
        return data[at + 4 : end].rstrip(b"\0").decode(), end
    except UnicodeDecodeError:
        return "", end


def _standard(data: bytes, at: int) -> TokenStandard | None:
    """The token standard behind the symbol: URI, fee (2), creators (34 bytes each), two flags, edition's nonce."""
    _, at = _text(data, at)
    at += 2
    if at + 1 > len(data):
        return None
    if data[at]:
        if at + 5 > len(data):
            return None
        at += 4 + 34 * int(struct.unpack_from("<I", data, at + 1)[0])
    at += 1 + 2
    at += 2 if data[at : at + 1] == b"\1" else 1
    if data[at : at + 1] != b"\1" or at + 2 > len(data):
        return None
    number = data[at + 1]
    return TokenStandard(number) if number <= max(TokenStandard) else None
