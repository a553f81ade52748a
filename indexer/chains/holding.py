"""What a wallet holds of a token now: the answer that readers of every kind of chain give."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WalletHolding:
    """A balance in the token's base units, with a block and its time in Unix seconds. The balance is of that block or
    of one of the next, whichever the node had when it was asked."""

    balance_raw: int
    block: int
    time_seconds: int
