"""What happened to mints, in the order of the chain.

Decoders give these beside their rows, as the column ``event`` of ``EVENTS``, which is no table of the warehouse:
``indexer/chains/solana/mints.py`` makes rows of fact_token from them and from what is known of each mint.
"""

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from warehouse.domain.mints import MintTrait, TokenProgram

EVENTS = "mint_event"


class MetadataSource(Enum):
    """Where metadata of a mint may be."""

    METAPLEX = "metaplex"
    """The account of Metaplex's program at the address derived from the mint."""
    EXTENSION = "extension"
    """The Token-2022 mint itself. Counts while the mint's pointer names the mint."""


@dataclass(frozen=True, slots=True)
class _Event:
    mint: bytes
    slot: int


@dataclass(frozen=True, slots=True)
class Seen(_Event):
    """Tokens moved."""

    program: TokenProgram
    decimals: int


@dataclass(frozen=True, slots=True)
class Opened(_Event):
    """The account was made, in the transaction that also initialises it: nothing is left of an earlier mint there."""


@dataclass(frozen=True, slots=True)
class Initialised(_Event):
    """The mint began. With ``whole`` everything about it is in this transaction; else earlier ones may have added
    extensions."""

    program: TokenProgram
    decimals: int
    whole: bool


@dataclass(frozen=True, slots=True)
class TraitSet(_Event):
    """A trait holds from now on, or no longer."""

    trait: MintTrait
    holds: bool


@dataclass(frozen=True, slots=True)
class Pointed(_Event):
    """The mint's metadata pointer names this address, empty for none."""

    target: bytes


@dataclass(frozen=True, slots=True)
class Named(_Event):
    """A source of metadata gives these texts, as they were written. None: unchanged."""

    source: MetadataSource
    name: bytes | None
    symbol: bytes | None


@dataclass(frozen=True, slots=True)
class Authorised(_Event):
    """Who may change a source of metadata: nobody if empty. The rest is for the row of fact_control."""

    source: MetadataSource
    previous: bytes
    account: bytes
    signed: bool
    log_index: int
    transaction_hash: bytes


@dataclass(frozen=True, slots=True)
class Governed(_Event):
    """Who controls the mint changed: its row of fact_control says how."""


@dataclass(frozen=True, slots=True)
class Unclear(_Event):
    """An instruction may have changed the metadata in a way that only the account tells."""


@dataclass(frozen=True, slots=True)
class Closed(_Event):
    """The account was closed, if it is a mint: nothing else tells mints from token accounts there. Rows of fact_control
    that say so begin at ``log_index``."""

    log_index: int
    transaction_hash: bytes


MintEvent: TypeAlias = (
    Seen | Opened | Initialised | TraitSet | Pointed | Named | Authorised | Governed | Unclear | Closed
)


@dataclass(frozen=True, slots=True)
class OfAccount:
    """Something that happened to the mint of a Metaplex account, which is all that the instruction names. The event's
    own mint is empty."""

    account: bytes
    event: MintEvent


Happening: TypeAlias = MintEvent | OfAccount
