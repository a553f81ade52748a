"""Refusals of subscriptions."""

from api.http.errors import Forbidden, NotFound


class WalletNotSignedIn(Forbidden):
    """The wallet is none of the session's."""

    code = "WALLET_NOT_SIGNED_IN"
    text = "wallet: is not one of this session's wallets"


class NeverHeld(Forbidden):
    """Only holders and former holders can join a token's page."""

    code = "NEVER_HELD"
    text = "wallet: does not hold this token, and never held it at the end of a day"


class NotSubscribed(NotFound):
    """The account is not subscribed to the page."""

    text = "this account is not subscribed to the page"


class NoSuchLink(NotFound):
    """The token was not made by this service."""

    text = "token: is not of a link of this service"
