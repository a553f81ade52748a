"""Who stands behind a token of Solana: which accounts in charge of a mint speak for it.

A mint names accounts in charge of it, and need not ask them. ``docs/decisions/0043-solana-control.md`` gives the
reasons and the bounds.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

SHARED_ABOVE = 20
"""An account that signed for more mints than this makes tokens for others, as launchpads do. It speaks for none."""
HELD_FOR = timedelta(days=7)
"""How long an account must have been in charge that was not so from the mint's beginning."""
_CACHED = 65_536


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A mint that an account created, or was put in charge of, and where that was first said."""

    block: int
    position: int
    """The place in the block."""
    token: str
    signed: bool
    """Whether the account ever signed for it."""


def is_shared(marks: Collection[Mark]) -> bool:
    """Whether an account with these marks makes tokens for others, so that it speaks for none."""
    return sum(mark.signed for mark in marks) > SHARED_ABOVE


def speaks_for(token: str, marks: Collection[Mark]) -> bool:
    """Whether an account with these marks speaks for a token, as far as its other mints tell.

    Mints that it signed for count without exception. Those that others put it in charge of are no evidence against
    earlier ones: otherwise anyone could silence an account by naming it in worthless mints.
    """
    if is_shared(marks):
        return False
    own = next((mark for mark in marks if mark.token == token), None)
    if own is None:
        return False
    return own.signed or sum(not mark.signed and mark < own for mark in marks) < SHARED_ABOVE


def is_needed(mark: Mark, marks: Collection[Mark], final_block: int) -> bool:
    """Whether a mark can still decide anything: enough final ones of its kind decide for good."""
    return sum(other.signed == mark.signed and other.block <= final_block for other in marks) <= SHARED_ABOVE


@lru_cache(maxsize=_CACHED)
def has_key(account: bytes) -> bool:
    """Whether somebody can hold the key of an account. Addresses derived from a program have none."""
    from solders.pubkey import Pubkey  # 70 ms, which most commands do not need

    return Pubkey(account).is_on_curve()
