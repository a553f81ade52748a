"""Errors of claims, and the conversion of unanswered questions to ``TokenUnverified``."""

from collections.abc import Iterator
from contextlib import contextmanager

from api.claims.examples import NOT_REGISTRABLE
from api.claims.schemas import Refused
from api.http.errors import Conflict, Forbidden, NotFound, Unavailable, Unprocessable
from indexer.chains.errors import RpcError
from warehouse.errors import WarehouseError


class TokenUnverified(Unavailable):
    """The chain or the warehouse cannot answer now. This never means "no"."""

    code = "TOKEN_UNVERIFIED"
    text = "the token could not be checked now, try again"


class TransactionUnread(Unavailable):
    """The chain does not answer now, so nothing is known of the transaction."""

    code = "TRANSACTION_UNREAD"
    text = "txHash: the transaction could not be read from the chain now, try again"


class PriceUnavailable(Unavailable):
    """The native coin of the chain has no recent price."""

    code = "PRICE_UNAVAILABLE"
    text = "there is no price of ETH now"


class SigningUnavailable(Unavailable):
    """The signer of the service does not sign now."""

    code = "SIGNING_UNAVAILABLE"
    text = "the claim could not be signed now, try again"


class FreeClaimsUsedUp(Unavailable):
    """The chain's registry takes no more free registrations today."""

    code = "FREE_CLAIMS_USED_UP"
    text = "the free registrations of today are used up on Base, try again after midnight UTC"


class TokenNotRegistrable(Unprocessable):
    """The rules do not allow this token to be registered."""

    code = "TOKEN_NOT_REGISTRABLE"
    text = "symbol: this token's symbol passes it off as another token"
    details_schema = Refused
    example_details = NOT_REGISTRABLE


class SymbolTaken(Conflict):
    """The symbol is registered on the chain already."""

    code = "CLAIM_DUPLICATE"
    text = "symbol: PEPE is already registered on Base"


class ClaimUnauthorized(Forbidden):
    """The proof is not valid, or the wallet does not control the token."""

    code = "CLAIM_UNAUTHORIZED"
    text = "the chain shows no way this wallet controls the token"


class TransactionNotFound(NotFound):
    """The chain's nodes do not know the transaction."""

    text = "txHash: no such transaction on Base"


class Undecided(Exception):
    """A question about a token has no answer now: no source confirms it, and some source did not answer."""


@contextmanager
def unverified_if_unanswered() -> Iterator[None]:
    """Raise ``TokenUnverified`` when the chain or the warehouse does not answer a question about a token."""
    try:
        yield
    except (RpcError, WarehouseError, Undecided) as error:
        raise TokenUnverified from error
