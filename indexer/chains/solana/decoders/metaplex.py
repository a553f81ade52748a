"""Instructions of Metaplex Token Metadata that create and change metadata.

Layouts: https://github.com/metaplex-foundation/mpl-token-metadata, ``idls/token_metadata.json``. The program itself
checks that a metadata account is at the address derived from its mint, and who may change it.
"""

from dataclasses import dataclass

from indexer.chains.solana.base58 import key_bytes
from indexer.chains.solana.decoders.borsh import Borsh

CREATE_V1, UPDATE_V1, UPDATE_V2, CREATE_V2, CREATE_V3 = 0, 1, 15, 16, 33
CREATE, UPDATE = 42, 50
# Each makes an edition of the mint, which Metaplex then calls non-fungible: place of the mint among the accounts.
EDITIONS = {10: 1, 11: 3, 13: 3, 17: 1, 55: 2}
_FUNGIBLE = (1, 2)
"""Token standards FungibleAsset and Fungible; the others are of single items."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """What an instruction gives; None is unchanged. ``mint`` is None where it names only the metadata account."""

    account: str
    mint: str | None
    name: bytes | None = None
    symbol: bytes | None = None
    authority: bytes | None = None
    previous: str | None = None
    fungible: bool = True


def parse(accounts: list[str], data: bytes) -> Metadata | None:
    """The metadata that an instruction sets; None for an instruction that sets none.

    Raises:
        ValueError: it sets metadata in a form not known here; ``touched`` tells of which account.
    """
    kind, fields = data[0], Borsh(data, 1)
    if kind in (CREATE_V1, CREATE_V2, CREATE_V3):
        return _created(accounts[0], accounts[1], accounts[4], fields)
    if kind == CREATE:
        return _created_by_version(accounts, fields)
    if kind in (UPDATE_V1, UPDATE_V2):
        read = _texts_with_collection if kind == UPDATE_V2 else _texts
        name, symbol = fields.option(lambda: read(fields)) or (None, None)
        return Metadata(accounts[0], None, name, symbol, fields.option(fields.key), accounts[1])
    if kind == UPDATE:
        return _updated_by_version(accounts, fields)
    if kind in EDITIONS:
        mint = accounts[EDITIONS[kind]]
        return Metadata("", mint, fungible=False)
    return None


def touched(accounts: list[str], data: bytes) -> tuple[str, str | None]:
    """The metadata account and the mint of an instruction that :func:`parse` refuses."""
    if data[0] == UPDATE:
        return accounts[4], accounts[3]
    if data[0] == CREATE:
        return accounts[0], accounts[2]
    return accounts[0], None if data[0] in (UPDATE_V1, UPDATE_V2) else accounts[1]


def _created(account: str, mint: str, authority: str, fields: Borsh) -> Metadata:
    name, symbol = fields.text(), fields.text()
    return Metadata(account, mint, name, symbol, key_bytes(authority))


def _created_by_version(accounts: list[str], fields: Borsh) -> Metadata:
    """Create, version 1: [metadata, edition, mint, authority, payer, update authority, …]."""
    if fields.number(1) != 0:
        raise ValueError("an unknown version of Create")
    created = _created(accounts[0], accounts[2], accounts[5], fields)
    fields.text()
    _skip_royalties(fields)
    fields.take(2)  # primary_sale_happened, is_mutable
    standard = fields.number(1)
    return Metadata(
        created.account, created.mint, created.name, created.symbol, created.authority, fungible=standard in _FUNGIBLE
    )


def _updated_by_version(accounts: list[str], fields: Borsh) -> Metadata | None:
    """Update: [authority, delegate record, token, mint, metadata, …]. Its versions begin with different fields."""
    version = fields.number(1)
    authority = name = symbol = None
    if version in (0, 1, 2):
        authority = fields.option(fields.key)
    if version in (0, 1, 4, 6):
        name, symbol = fields.option(lambda: _texts(fields)) or (None, None)
    if version > 8:
        raise ValueError("an unknown version of Update")
    return Metadata(accounts[4], accounts[3], name, symbol, authority)


def _texts(fields: Borsh) -> tuple[bytes, bytes]:
    """Name and symbol of the record that begins here; reads on to its end."""
    name, symbol = fields.text(), fields.text()
    fields.text()
    _skip_royalties(fields)
    return name, symbol


def _texts_with_collection(fields: Borsh) -> tuple[bytes, bytes]:
    texts = _texts(fields)
    fields.option(lambda: fields.take(33))  # collection
    fields.option(lambda: fields.take(17))  # uses
    return texts


def _skip_royalties(fields: Borsh) -> None:
    fields.take(2)  # seller_fee_basis_points
    fields.option(lambda: [fields.take(34) for _ in range(fields.number(4))])  # creators
