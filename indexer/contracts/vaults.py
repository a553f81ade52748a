"""The contract that keeps the vaults of deals, ``DealVaults``: terms, their ids, and calls.

A swap pays new tokens for old ones at one ratio. A redemption pays what holders of a token at one block have coming.
Amounts are in base units, times in seconds of chain time.
"""

from dataclasses import astuple, dataclass
from functools import cache
from importlib.resources import files
from math import gcd
from typing import Any, ClassVar, Final

from eth_abi.abi import encode
from eth_utils.crypto import keccak

from indexer.contracts.artifact import Artifact
from indexer.contracts.statements import Statement

DEAD_ADDRESS: Final = "0x000000000000000000000000000000000000dEaD"
"""Where old tokens go."""
MAX_UNITS: Final = 2**128 - 1
_SWAP_TYPES: Final = "(bytes32,address,address,address,uint128,uint128,uint64)"


@dataclass(frozen=True, slots=True)
class SwapTerms:
    """A swap, open up to ``closes_at``. ``deal`` is 32 bytes; addresses are checksummed."""

    deal: bytes
    depositor: str
    old_token: str
    new_token: str
    new_units: int
    old_units: int
    closes_at: int

    @property
    def id(self) -> bytes:
        """The id of the swap: ``swapIdOf`` in the contract."""
        return keccak(encode(["string", _SWAP_TYPES], ["swap", astuple(self)]))

    def deposit_for(self, swappable: int) -> int:
        """What the depositor pays in where this many old tokens can be swapped."""
        return swappable * self.new_units // self.old_units


@dataclass(frozen=True, slots=True)
class RedemptionTerms(Statement):
    """A redemption, for which the registry's signer vouches. ``currency`` is the zero address for the native coin;
    ``root`` and ``total`` are of who held how much of ``token`` at ``snapshot_block``; ``window`` runs from the
    settlement, which must come by ``settle_by``."""

    TYPE: ClassVar[str] = "RedemptionTerms"
    DOMAIN: ClassVar[str] = "Regalia Deal Vaults"
    deal: bytes
    depositor: str
    currency: str
    deposit: int
    token: str
    snapshot_block: int
    root: bytes
    total: int
    window: int
    settle_by: int

    @property
    def id(self) -> bytes:
        """The id of the redemption: EIP-712's hash of the terms."""
        return bytes(self.signable(1, "0x" + "00" * 20).body)

    def share_of(self, held: int) -> int:
        """What somebody who held this much is paid."""
        return self.deposit * held // self.total


@cache
def contract() -> Artifact:
    """The contract's ABI and creation code, from the committed build output."""
    return Artifact.read("DealVaults", files(__package__).joinpath("build", "DealVaults.json").read_bytes())


@cache
def vault() -> Artifact:
    """The ABI of a single vault."""
    return Artifact.read("DealVault", files(__package__).joinpath("build", "DealVault.json").read_bytes())


def ratio_in_base_units(new_tokens: int, new_decimals: int, old_tokens: int, old_decimals: int) -> tuple[int, int]:
    """A ratio of whole tokens as new and old base units, in lowest terms.

    Raises:
        ValueError: it does not fit the contract.
    """
    new_units, old_units = new_tokens * 10**new_decimals, old_tokens * 10**old_decimals
    common = gcd(new_units, old_units)
    new_units, old_units = new_units // common, old_units // common
    if max(new_units, old_units) > MAX_UNITS:
        raise ValueError("the ratio does not fit 128 bits")
    return new_units, old_units


def deployment_data(registry: str) -> str:
    """Data of the transaction that creates the contract for a registry."""
    return contract().deployment(registry)


def open_swap_calldata(terms: SwapTerms, max_deposit: int) -> str:
    """Data of the transaction ``openSwap``, which the depositor sends."""
    return contract().call("openSwap", astuple(terms), max_deposit)


def swap_calldata(id: bytes, amount: int, min_paid: int) -> str:
    """Data of the transaction ``swap``."""
    return contract().call("swap", id, amount, min_paid)


def open_redemption_calldata(terms: RedemptionTerms, signature: bytes) -> str:
    """Data of the transaction ``openRedemption``, which the depositor sends."""
    return contract().call("openRedemption", terms.values(), signature)


def redeem_calldata(id: bytes, account: str, held: int, proof: list[bytes]) -> str:
    """Data of the transaction ``redeem``."""
    return contract().call("redeem", id, account, held, proof)


def swap_of(answer: str) -> dict[str, Any]:
    """What ``swapOf`` answered: vault, supply, swappable, swapped, deposit. The vault is None where there is none."""
    ((_, vault, supply, swappable, swapped, deposit),) = contract().returns("swapOf", answer)
    opened = None if int(vault, 16) == 0 else vault
    return {"vault": opened, "supply": supply, "swappable": swappable, "swapped": swapped, "deposit": deposit}


def redemption_of(answer: str) -> dict[str, Any]:
    """What ``redemptionOf`` answered: vault, redeemed, paid. The vault is None where nobody opened it."""
    ((_, vault, redeemed, paid),) = contract().returns("redemptionOf", answer)
    return {"vault": None if int(vault, 16) == 0 else vault, "redeemed": redeemed, "paid": paid}
