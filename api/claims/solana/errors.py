"""Errors that only claims on Solana have."""

from pydantic import Field

from api.claims.solana.examples import INSUFFICIENT_FUNDS
from api.http.errors import Unprocessable
from api.http.members import Lamports
from api.http.rendering import Wire


class MissingFunds(Wire):
    """What the claimer needs, and has."""

    required_lamports: Lamports = Field(description="What the claim costs in all.")
    balance_lamports: Lamports = Field(description="What the claimer holds.")


class InsufficientFunds(Unprocessable):
    """The claimer cannot pay for the registration, so the chain would refuse the transaction."""

    code = "INSUFFICIENT_FUNDS"
    text = "claimer: holds 0.001 SOL, and the registration costs 0.175 SOL"
    details_schema = MissingFunds
    example_details = INSUFFICIENT_FUNDS
