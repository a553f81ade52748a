"""The words that facts use for mints of Solana: token programs, traits and the kinds of control.

Source of the numbers and names behind them: the interfaces of SPL Token and Token-2022
(https://github.com/solana-program/token-2022).
"""

from enum import StrEnum


class TokenProgram(StrEnum):
    """The program that keeps a mint (``fact_token.program``)."""

    SPL_TOKEN = "spl_token"  # noqa: S105
    TOKEN_2022 = "token_2022"  # noqa: S105


class MintTrait(StrEnum):
    """What differs from a plain token (``fact_token.traits``), for wallets to show: extensions of Token-2022.

    A trait that consists of an authority alone (``permanent_delegate``, ``closeable``) ends when it is given up; the
    others stay with the mint.
    """

    PERMANENT_DELEGATE = "permanent_delegate"
    """An account may move or burn anyone's tokens."""
    TRANSFER_HOOK = "transfer_hook"
    """A program of the issuer's choice runs in every transfer and can refuse it."""
    TRANSFER_FEE = "transfer_fee"
    """A share of each transfer is withheld for the issuer."""
    CONFIDENTIAL = "confidential"
    """Amounts may be encrypted, so that balances per wallet are not known."""
    CONFIDENTIAL_SUPPLY = "confidential_supply"
    """Amounts minted and burned are encrypted, too."""
    SCALED_AMOUNT = "scaled_amount"
    """Shown amounts are base units times a factor that the issuer sets."""
    INTEREST_BEARING = "interest_bearing"
    """Shown amounts grow with time at a rate that the issuer sets."""
    DEFAULT_FROZEN = "default_frozen"
    """New token accounts begin frozen, or may do so at the issuer's choice."""
    NON_TRANSFERABLE = "non_transferable"
    """Tokens cannot be transferred."""
    PAUSABLE = "pausable"
    """The issuer can stop all transfers."""
    CLOSEABLE = "closeable"
    """The mint can be closed while its supply is zero, and opened again with other properties."""
    PERMISSIONED_BURN = "permissioned_burn"
    """Burning needs the issuer's signature."""
    NON_FUNGIBLE = "non_fungible"
    """A single item, as Metaplex marks it: no token in the sense of this index."""


class MintControl(StrEnum):
    """Who may do what with a mint (``fact_control.kind`` on Solana). ``account`` is the new holder, empty for nobody.

    Two kinds name something else than an account in charge: ``metadata_pointer`` the account with the mint's metadata
    (often the mint itself), and ``transfer_hook`` the program that runs in transfers.
    """

    MINT_AUTHORITY = "mint_authority"
    FREEZE_AUTHORITY = "freeze_authority"
    UPDATE_AUTHORITY = "update_authority"
    """Of the metadata that counts: Metaplex's, or the mint's own where its pointer names the mint."""
    METADATA_POINTER = "metadata_pointer"
    METADATA_POINTER_AUTHORITY = "metadata_pointer_authority"
    PERMANENT_DELEGATE = "permanent_delegate"
    CLOSE_AUTHORITY = "close_authority"
    TRANSFER_FEE_AUTHORITY = "transfer_fee_authority"
    WITHHELD_FEE_AUTHORITY = "withheld_fee_authority"
    TRANSFER_HOOK = "transfer_hook"
    TRANSFER_HOOK_AUTHORITY = "transfer_hook_authority"
    INTEREST_RATE_AUTHORITY = "interest_rate_authority"
    SCALED_AMOUNT_AUTHORITY = "scaled_amount_authority"
    PAUSE_AUTHORITY = "pause_authority"
    CONFIDENTIAL_AUTHORITY = "confidential_authority"
    CONFIDENTIAL_FEE_AUTHORITY = "confidential_fee_authority"
    PERMISSIONED_BURN_AUTHORITY = "permissioned_burn_authority"
