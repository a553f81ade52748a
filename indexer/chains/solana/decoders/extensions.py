"""Instructions of Token-2022 that add to a mint or change it, beyond what SPL Token has.

Most begin with the extension's number and a number of their own. An address of 32 zero bytes stands for none there.
Layouts: https://github.com/solana-program/token-2022, ``interface/src/extension``.
"""

from dataclasses import dataclass, field
from hashlib import sha256

from indexer.chains.solana.base58 import key_bytes
from indexer.chains.solana.decoders.borsh import Borsh
from warehouse.domain.mints import MintControl, MintTrait

AUTHORITIES = {
    0: MintControl.MINT_AUTHORITY,
    1: MintControl.FREEZE_AUTHORITY,
    4: MintControl.TRANSFER_FEE_AUTHORITY,
    5: MintControl.WITHHELD_FEE_AUTHORITY,
    6: MintControl.CLOSE_AUTHORITY,
    7: MintControl.INTEREST_RATE_AUTHORITY,
    8: MintControl.PERMANENT_DELEGATE,
    9: MintControl.CONFIDENTIAL_AUTHORITY,
    10: MintControl.TRANSFER_HOOK_AUTHORITY,
    11: MintControl.CONFIDENTIAL_FEE_AUTHORITY,
    12: MintControl.METADATA_POINTER_AUTHORITY,
    15: MintControl.SCALED_AMOUNT_AUTHORITY,
    16: MintControl.PAUSE_AUTHORITY,
    17: MintControl.PERMISSIONED_BURN_AUTHORITY,
}
"""What SetAuthority changes, by its number. Those absent belong to token accounts (2, 3) and groups (13, 14)."""

AUTHORITY_TRAITS = {
    MintControl.PERMANENT_DELEGATE: MintTrait.PERMANENT_DELEGATE,
    MintControl.CLOSE_AUTHORITY: MintTrait.CLOSEABLE,
}
"""Traits that consist of an authority alone."""

# (instruction, its own number): the trait it adds, and whom it puts in charge of it.
_INITIALISE = {
    (27, 0): (MintTrait.CONFIDENTIAL, MintControl.CONFIDENTIAL_AUTHORITY),
    (33, 0): (MintTrait.INTEREST_BEARING, MintControl.INTEREST_RATE_AUTHORITY),
    (37, 0): (None, MintControl.CONFIDENTIAL_FEE_AUTHORITY),
    (42, 0): (MintTrait.CONFIDENTIAL_SUPPLY, None),
    (43, 0): (MintTrait.SCALED_AMOUNT, MintControl.SCALED_AMOUNT_AUTHORITY),
    (44, 0): (MintTrait.PAUSABLE, MintControl.PAUSE_AUTHORITY),
    (46, 0): (MintTrait.PERMISSIONED_BURN, MintControl.PERMISSIONED_BURN_AUTHORITY),
}
_FROZEN = 2


def _discriminator(name: str) -> bytes:
    return sha256(f"spl_token_metadata_interface:{name}".encode()).digest()[:8]


_METADATA_INITIALISE = _discriminator("initialize_account")
_METADATA_UPDATE_FIELD = _discriminator("updating_field")
_METADATA_UPDATE_AUTHORITY = _discriminator("update_the_authority")


@dataclass(frozen=True, slots=True)
class Extended:
    """What one instruction did to the mint. ``controls`` are (kind, new account, empty for nobody)."""

    mint: str
    traits: list[tuple[MintTrait, bool]] = field(default_factory=list)
    controls: list[tuple[MintControl, bytes]] = field(default_factory=list)
    name: bytes | None = None
    symbol: bytes | None = None
    authority: bytes | None = None
    """Who may change the mint's own metadata from now on, empty for nobody; None: unchanged."""

    @property
    def pointer(self) -> bytes | None:
        """Where the metadata pointer now points, empty for nowhere; None: unchanged."""
        found = [account for kind, account in self.controls if kind is MintControl.METADATA_POINTER]
        return found[-1] if found else None


def parse(accounts: list[str], data: bytes) -> Extended | None:
    """What an instruction of Token-2022 did to a mint; None for one that does nothing of the kind.

    Raises:
        ValueError: it is shorter than the program accepts, so the node did not tell the truth.
    """
    if len(data) >= 8 and (found := _metadata(accounts, data)):
        return found
    kind, own, fields = data[0], data[1:2], Borsh(data, 2)
    mint = accounts[0] if accounts else ""
    if kind == 25:
        fields.at = 1
        closer = fields.option(fields.key)
        return Extended(
            mint, [(MintTrait.CLOSEABLE, closer is not None)], [(MintControl.CLOSE_AUTHORITY, closer or b"")]
        )
    if kind == 32:
        return Extended(mint, [(MintTrait.NON_TRANSFERABLE, True)])
    if kind == 35:
        fields.at = 1
        return Extended(mint, [(MintTrait.PERMANENT_DELEGATE, True)], [(MintControl.PERMANENT_DELEGATE, fields.key())])
    if kind == 28 and own in (b"\0", b"\1"):
        return Extended(mint, [(MintTrait.DEFAULT_FROZEN, fields.number(1) == _FROZEN)])
    if own:
        return _with_subkind(mint, (kind, own[0]), fields)
    return None


def _with_subkind(mint: str, kind: tuple[int, int], fields: Borsh) -> Extended | None:
    if kind in _INITIALISE:
        trait, control = _INITIALISE[kind]
        return Extended(mint, [(trait, True)] if trait else [], [(control, _key_or_none(fields))] if control else [])
    if kind == (26, 0):
        configured, withdrawing = fields.option(fields.key), fields.option(fields.key)
        return Extended(
            mint,
            [(MintTrait.TRANSFER_FEE, True)],
            [
                (MintControl.TRANSFER_FEE_AUTHORITY, configured or b""),
                (MintControl.WITHHELD_FEE_AUTHORITY, withdrawing or b""),
            ],
        )
    if kind == (36, 0):
        authority, program = _key_or_none(fields), _key_or_none(fields)
        controls = [(MintControl.TRANSFER_HOOK_AUTHORITY, authority), (MintControl.TRANSFER_HOOK, program)]
        return Extended(mint, [(MintTrait.TRANSFER_HOOK, True)], controls)
    if kind == (36, 1):
        return Extended(mint, [], [(MintControl.TRANSFER_HOOK, _key_or_none(fields))])
    if kind == (39, 0):
        authority, target = _key_or_none(fields), _key_or_none(fields)
        controls = [(MintControl.METADATA_POINTER_AUTHORITY, authority), (MintControl.METADATA_POINTER, target)]
        return Extended(mint, [], controls)
    if kind == (39, 1):
        return Extended(mint, [], [(MintControl.METADATA_POINTER, _key_or_none(fields))])
    return None


def _metadata(accounts: list[str], data: bytes) -> Extended | None:
    """Instructions on metadata that the mint itself holds: [metadata, …], and the metadata account is the mint."""
    kind, fields = data[:8], Borsh(data, 8)
    if kind == _METADATA_INITIALISE:
        name, symbol = fields.text(), fields.text()
        return Extended(accounts[0], name=name, symbol=symbol, authority=_given(key_bytes(accounts[1])))
    if kind == _METADATA_UPDATE_FIELD:
        which = fields.number(1)
        if which == 0:
            return Extended(accounts[0], name=fields.text())
        if which == 1:
            return Extended(accounts[0], symbol=fields.text())
    if kind == _METADATA_UPDATE_AUTHORITY:
        return Extended(accounts[0], authority=_key_or_none(fields))
    return None


def _key_or_none(fields: Borsh) -> bytes:
    return _given(fields.key())


def _given(key: bytes) -> bytes:
    return key if any(key) else b""


def changed_authority(data: bytes) -> tuple[MintControl, bytes] | None:
    """What a SetAuthority changed about a mint and the new holder, empty for nobody; None: it was about an account."""
    kind, fields = AUTHORITIES.get(data[1]), Borsh(data, 2)
    return (kind, fields.option(fields.key) or b"") if kind else None
