"""What happened to mints, in the order of the chain.

Decoders give these beside their rows, as the column ``event`` of ``EVENTS``, which is no table of the warehouse:
``indexer/chains/solana/mints.py`` makes rows of fact_token from them and from what is known of each mint.
"""

from enum import Enum
from typing import TypeAlias

import msgspec

from warehouse.domain.mints import MintTrait, TokenProgram

EVENTS = "mint_event"


class MetadataSource(Enum):
    """Where metadata of a mint may be."""

    METAPLEX = "metaplex"
    """The account of Metaplex's program at the address derived from the mint."""
    EXTENSION = "extension"
    """The Token-2022 mint itself. Counts while the mint's pointer names the mint."""


class _Event(msgspec.Struct, frozen=True, gc=False):
    mint: bytes
    slot: int


class Seen(_Event, frozen=True, gc=False):
    """Tokens moved."""

    program: TokenProgram
    decimals: int


class Opened(_Event, frozen=True, gc=False):
    """The account was made, in the transaction that also initialises it: nothing is left of an earlier mint there."""


class Initialised(_Event, frozen=True, gc=False):
    """The mint began. With ``whole`` everything about it is in this transaction; else earlier ones may have added
    extensions."""

    program: TokenProgram
    decimals: int
    whole: bool


class TraitSet(_Event, frozen=True, gc=False):
    """A trait holds from now on, or no longer."""

    trait: MintTrait
    holds: bool


class Pointed(_Event, frozen=True, gc=False):
    """The mint's metadata pointer names this address, empty for none."""

    target: bytes


class Named(_Event, frozen=True, gc=False):
    """A source of metadata gives these texts, as they were written. None: unchanged."""

    source: MetadataSource
    name: bytes | None
    symbol: bytes | None


class Authorised(_Event, frozen=True, gc=False):
    """Who may change a source of metadata: nobody if empty. The rest is for the row of fact_control."""

    source: MetadataSource
    previous: bytes
    account: bytes
    signed: bool
    log_index: int
    transaction_hash: bytes


class Governed(_Event, frozen=True, gc=False):
    """Who controls the mint changed: its row of fact_control says how."""


class Unclear(_Event, frozen=True, gc=False):
    """An instruction may have changed the metadata in a way that only the account tells."""


class Closed(_Event, frozen=True, gc=False):
    """The account was closed, if it is a mint: nothing else tells mints from token accounts there. Rows of fact_control
    that say so begin at ``log_index``."""

    log_index: int
    transaction_hash: bytes


MintEvent: TypeAlias = (
    Seen | Opened | Initialised | TraitSet | Pointed | Named | Authorised | Governed | Unclear | Closed
)


class OfAccount(msgspec.Struct, frozen=True, gc=False):
    """Something that happened to the mint of a Metaplex account, which is all that the instruction names. The event's
    own mint is empty."""

    account: bytes
    event: MintEvent


Happening: TypeAlias = MintEvent | OfAccount
