"""Refusals of interest in a token."""

from api.http.errors import Conflict, Forbidden, NotFound, TooManyRequests


class NoSuchToken(NotFound):
    """The token is not indexed."""

    text = "tokenAddress: no such token is indexed on this chain"


class TokenIsRegistered(Conflict):
    """The token has a registration: whoever is interested subscribes to its page."""

    code = "TOKEN_REGISTERED"
    text = "tokenAddress: this token is registered"


class NotYourWallet(Forbidden):
    """The session did not sign in with the wallet."""

    text = "walletAddress: is not signed in to this session"


class TooMuchInterest(TooManyRequests):
    """The account expressed interest in many tokens today."""

    text = "more than 20 tokens in 24 hours"
