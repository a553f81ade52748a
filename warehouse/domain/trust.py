"""Trust flags: what holders of a token of Solana should know about it."""

from collections.abc import Iterable, Mapping

from warehouse.domain.mints import MintControl, MintTrait

MINTABLE = "mintable"
FREEZABLE = "freezable"
MUTABLE_METADATA = "mutable_metadata"
_OF_AUTHORITIES: Mapping[str, str] = {
    MintControl.MINT_AUTHORITY: MINTABLE,
    MintControl.FREEZE_AUTHORITY: FREEZABLE,
    MintControl.UPDATE_AUTHORITY: MUTABLE_METADATA,
}
TRUST_FLAGS: Mapping[str, str] = {
    MINTABLE: "An account can mint more tokens.",
    FREEZABLE: "An account can freeze anyone's tokens.",
    MUTABLE_METADATA: "An account can change the name and the symbol.",
    MintTrait.PERMANENT_DELEGATE: "An account can move or burn anyone's tokens.",
    MintTrait.TRANSFER_HOOK: "A program that the issuer chose runs in every transfer and can refuse it.",
    MintTrait.TRANSFER_FEE: "A share of each transfer is withheld for the issuer.",
    MintTrait.CONFIDENTIAL: "Amounts can be encrypted, so balances of wallets may be unknown.",
    MintTrait.CONFIDENTIAL_SUPPLY: "Amounts minted and burned can be encrypted, so the supply may be unknown.",
    MintTrait.SCALED_AMOUNT: "Wallets show amounts times a factor that the issuer sets.",
    MintTrait.INTEREST_BEARING: "Wallets show amounts that grow at a rate that the issuer sets.",
    MintTrait.DEFAULT_FROZEN: "New token accounts can begin frozen.",
    MintTrait.NON_TRANSFERABLE: "Tokens cannot be transferred.",
    MintTrait.PAUSABLE: "The issuer can stop all transfers.",
    MintTrait.CLOSEABLE: "The mint can be closed while its supply is zero, and made again with other properties.",
    MintTrait.PERMISSIONED_BURN: "Burning needs the issuer's signature.",
}
"""Each flag and what it means."""


def trust_flags(traits: Iterable[str], controls: Iterable[str]) -> tuple[str, ...]:
    """The flags of a token with these traits and these kinds of control in somebody's hands, sorted."""
    held = (_OF_AUTHORITIES[kind] for kind in controls if kind in _OF_AUTHORITIES)
    return tuple(sorted({*held, *(trait for trait in traits if trait in TRUST_FLAGS)}))
