"""The ways to prove control of a token on each kind of chain, in the order in which claims check them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from api.claims.schemas import ChainKind, VerificationMethod
from warehouse.domain.addresses import AddressFormat
from warehouse.domain.chains import Chain


@dataclass(frozen=True, slots=True)
class Method:
    """How much a method says about who runs the token, from 0 to 1, and what it has found of the wallet."""

    confidence: Decimal
    description: str


@dataclass(frozen=True, slots=True)
class Control:
    """The first method that shows control, or None, and the methods that were tried."""

    method: VerificationMethod | None
    attempted: tuple[VerificationMethod, ...]


def first_that_holds(methods: Sequence[VerificationMethod], holds: Mapping[VerificationMethod, bool]) -> Control:
    """Try the methods in order."""
    for tried, method in enumerate(methods, 1):
        if holds[method]:
            return Control(method, tuple(methods[:tried]))
    return Control(None, tuple(methods))


_MAJORITY = Method(Decimal("0.8"), "This wallet holds more than half of the token's supply.")
EVM: Mapping[VerificationMethod, Method] = {
    VerificationMethod.DEPLOYER: Method(Decimal("1.0"), "This wallet deployed the token contract."),
    VerificationMethod.OWNER: Method(Decimal("0.9"), "This wallet is the owner of the token contract."),
    VerificationMethod.ADMIN: Method(Decimal("0.85"), "This wallet administers the token contract."),
    VerificationMethod.MAJORITY_HOLDER: _MAJORITY,
}
SOLANA: Mapping[VerificationMethod, Method] = {
    VerificationMethod.DEPLOYER: Method(Decimal("1.0"), "This wallet created the token's mint."),
    VerificationMethod.MINT_AUTHORITY: Method(Decimal("0.95"), "This wallet is the mint authority of the token."),
    VerificationMethod.UPDATE_AUTHORITY: Method(
        Decimal("0.9"), "This wallet is the update authority of the token's metadata."
    ),
    VerificationMethod.MAJORITY_HOLDER: _MAJORITY,
}
METHODS_OF: Mapping[str, Mapping[VerificationMethod, Method]] = {ChainKind.EVM: EVM, ChainKind.SOLANA: SOLANA}
"""By kind of chain."""
CONTROLLERS: Mapping[str, tuple[VerificationMethod, ...]] = {
    kind: tuple(method for method in methods if method is not VerificationMethod.MAJORITY_HOLDER)
    for kind, methods in METHODS_OF.items()
}
"""By kind of chain, the methods that show who runs a token. Most of a supply can be borrowed, and shows only who holds
it."""


def methods_on(chain: Chain) -> Mapping[VerificationMethod, Method]:
    """The methods of a chain's kind."""
    return EVM if chain.address_format is AddressFormat.HEX else SOLANA
