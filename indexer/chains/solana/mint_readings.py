"""What a node says of mints now, for those whose beginning is not indexed or whose metadata changed unseen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from indexer.chains.solana.accounts import CONFIRMED, MAX_ACCOUNTS, TOKEN_2022_PROGRAM, Account
from indexer.chains.solana.base58 import key_text
from indexer.chains.solana.decoders.extensions import AUTHORITY_TRAITS
from indexer.chains.solana.mint_accounts import (
    Metadata,
    Mint,
    is_single_item,
    metaplex_address,
    read_metaplex,
    read_mint,
    trusted_metadata,
)
from warehouse.domain.mints import MintControl, MintTrait, TokenProgram

FINALIZED = "finalized"
"""The commitment of what becomes a row: no fork takes it back."""
_KEY = 32
# Extensions by their type: the trait they make, and whom they name, in this order.
_EXTENSIONS: dict[int, tuple[MintTrait | None, tuple[MintControl, ...]]] = {
    1: (MintTrait.TRANSFER_FEE, (MintControl.TRANSFER_FEE_AUTHORITY, MintControl.WITHHELD_FEE_AUTHORITY)),
    3: (None, (MintControl.CLOSE_AUTHORITY,)),
    4: (MintTrait.CONFIDENTIAL, (MintControl.CONFIDENTIAL_AUTHORITY,)),
    9: (MintTrait.NON_TRANSFERABLE, ()),
    10: (MintTrait.INTEREST_BEARING, (MintControl.INTEREST_RATE_AUTHORITY,)),
    12: (None, (MintControl.PERMANENT_DELEGATE,)),
    14: (MintTrait.TRANSFER_HOOK, (MintControl.TRANSFER_HOOK_AUTHORITY, MintControl.TRANSFER_HOOK)),
    16: (None, (MintControl.CONFIDENTIAL_FEE_AUTHORITY,)),
    18: (None, (MintControl.METADATA_POINTER_AUTHORITY, MintControl.METADATA_POINTER)),
    24: (MintTrait.CONFIDENTIAL_SUPPLY, ()),
    25: (MintTrait.SCALED_AMOUNT, (MintControl.SCALED_AMOUNT_AUTHORITY,)),
    26: (MintTrait.PAUSABLE, (MintControl.PAUSE_AUTHORITY,)),
    28: (MintTrait.PERMISSIONED_BURN, (MintControl.PERMISSIONED_BURN_AUTHORITY,)),
}
_DEFAULT_STATE, _FROZEN = 6, b"\2"


class AccountReader(Protocol):
    """Reads at most ``MAX_ACCOUNTS`` accounts as of one slot, which is at least ``at_least``."""

    def __call__(
        self, addresses: Sequence[str], *, commitment: str, at_least: int
    ) -> tuple[int, Sequence[Account | None]]:
        """The slot, and the accounts in the order asked for; None where there is none."""


@dataclass(frozen=True, slots=True)
class MintReading:
    """A mint as of ``slot``. ``controls`` are all authorities, empty for nobody."""

    slot: int
    program: TokenProgram
    supply_raw: int
    decimals: int
    name: bytes
    symbol: bytes
    traits: frozenset[str]
    pointer: bytes
    controls: tuple[tuple[MintControl, bytes], ...]


def read_mints(
    read: AccountReader, mints: Sequence[bytes], commitment: str, at_least: int = 0
) -> dict[bytes, tuple[int, MintReading | None]]:
    """(slot, what the mint says) of each; None for one that is no mint then."""
    found: dict[bytes, tuple[int, MintReading | None]] = {}
    half = MAX_ACCOUNTS // 2
    for part in (mints[at : at + half] for at in range(0, len(mints), half)):
        addresses = [address for mint in part for address in (mint, metaplex_address(mint))]
        slot, accounts = read(list(map(key_text, addresses)), commitment=commitment, at_least=at_least)
        for mint, account, metaplex in zip(part, accounts[::2], accounts[1::2], strict=True):
            found[mint] = slot, reading(slot, mint, account, metaplex)
    return found


def mints_of_accounts(read: AccountReader, accounts: Sequence[bytes], at_least: int) -> dict[bytes, bytes]:
    """The mint that each of Metaplex's accounts is about. It never changes; absent for an account since closed.

    ``at_least`` is the slot of an event of these accounts: they exist there.
    """
    found: dict[bytes, bytes] = {}
    for part in (accounts[at : at + MAX_ACCOUNTS] for at in range(0, len(accounts), MAX_ACCOUNTS)):
        _, answers = read(list(map(key_text, part)), commitment=CONFIRMED, at_least=at_least)
        for address, account in zip(part, answers, strict=True):
            metadata = read_metaplex(account.owner, account.data) if account else None
            if metadata is not None and metaplex_address(metadata.mint) == address:
                found[address] = metadata.mint
    return found


def reading(slot: int, address: bytes, account: Account | None, metaplex: Account | None) -> MintReading | None:
    """What the accounts of a mint say; None where there is no mint."""
    mint = read_mint(account.owner, account.data) if account else None
    if mint is None:
        return None
    metadata = trusted_metadata(address, mint, read_metaplex(metaplex.owner, metaplex.data) if metaplex else None)
    controls = dict(_controls(mint, metadata))
    traits = {trait for number, (trait, _) in _EXTENSIONS.items() if trait and number in mint.extensions}
    traits |= {trait for kind, trait in AUTHORITY_TRAITS.items() if controls.get(kind)}
    if mint.extensions.get(_DEFAULT_STATE, b"")[:1] == _FROZEN:
        traits.add(MintTrait.DEFAULT_FROZEN)
    if is_single_item(mint, metadata):
        traits.add(MintTrait.NON_FUNGIBLE)
    return MintReading(
        slot,
        TokenProgram.TOKEN_2022 if mint.program == TOKEN_2022_PROGRAM else TokenProgram.SPL_TOKEN,
        mint.supply_raw,
        mint.decimals,
        metadata.name.encode() if metadata else b"",
        metadata.symbol.encode() if metadata else b"",
        frozenset(traits),
        controls.get(MintControl.METADATA_POINTER, b""),
        tuple(controls.items()),
    )


def _controls(mint: Mint, metadata: Metadata | None) -> list[tuple[MintControl, bytes]]:
    controls = [
        (MintControl.MINT_AUTHORITY, mint.mint_authority),
        (MintControl.FREEZE_AUTHORITY, mint.freeze_authority),
        (MintControl.UPDATE_AUTHORITY, metadata.update_authority if metadata else b""),
    ]
    for number, (_, kinds) in _EXTENSIONS.items():
        data = mint.extensions.get(number, b"")
        for place, kind in enumerate(kinds if data else ()):
            account = data[place * _KEY : (place + 1) * _KEY]
            controls.append((kind, account if any(account) else b""))
    return controls
