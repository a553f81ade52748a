"""What the facts of a Solana chain say about an exchange's program: which instructions it has, and where in them the
accounts and numbers are that an index of trades needs.
"""

from dataclasses import dataclass
from enum import StrEnum


class PoolProtocol(StrEnum):
    """How a pool sets its price."""

    CONSTANT_PRODUCT = "constant_product"
    """Its reserves are the balances of its two vaults."""
    CONCENTRATED = "concentrated"
    """Liquidity in ranges of ticks; a price is a square root with 64 fractional bits."""
    BONDING_CURVE = "bonding_curve"
    """One token is sold for the native coin along a constant product of virtual reserves."""


class PoolAction(StrEnum):
    """What an instruction does to a pool."""

    CREATE = "create"
    SWAP = "swap"
    OPEN = "open"
    """Gives a position its range, and liquidity where the instruction has any."""
    DEPOSIT = "deposit"
    WITHDRAW = "withdraw"
    """Takes liquidity; from the vaults of a constant product, anything."""
    REPOSITION = "reposition"
    """Moves a position with its liquidity to another range."""
    IGNORE = "ignore"
    """Changes neither price nor liquidity."""
    UNKNOWN = "unknown"
    """What the pool holds is unknown from there on; of a constant product, until its next use. So is every instruction
    that is not declared."""


@dataclass(frozen=True, slots=True)
class PoolInstruction:
    """One instruction of a program that keeps pools.

    Attributes:
        discriminator: the first bytes of its data.
        pool: place of the pool in the instruction's accounts; so are ``vaults``, ``mints`` and ``position``.
        vaults: the token accounts that hold the pool's tokens, in any order; a bonding curve has one.
        mints: the pool's tokens, where the instruction creates it.
        ticks: place in the data of the two ticks of a range (two int32).
        liquidity: place in the data of an amount of liquidity (uint128). Where a deposit has none, or zero, it follows
            from what was paid.
        sqrt_price: place in the data of the pool's first price (uint128, 64 fractional bits).
        anywhere: the pool may be at ``pool`` or any later place, its vaults as far behind it: the accounts of a route,
            which pays into a pool's vault and then out of its other one.
    """

    action: PoolAction
    discriminator: bytes
    pool: int = 0
    vaults: tuple[int, ...] = ()
    mints: tuple[int, ...] = ()
    position: int | None = None
    ticks: int | None = None
    liquidity: int | None = None
    sqrt_price: int | None = None
    anywhere: bool = False


@dataclass(frozen=True, slots=True)
class Curve:
    """What every bonding curve of a program begins with, in base units."""

    virtual_tokens: int
    virtual_quote: int
    tokens_for_sale: int
