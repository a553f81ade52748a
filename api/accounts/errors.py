"""Refusals of the account routes."""

from api.http.errors import Conflict, NotFound


class LastWallet(Conflict):
    """An account keeps at least one wallet."""

    code = "LAST_WALLET"
    text = "wallet: is the only one of this account; link another one first"


class WalletNotLinked(NotFound):
    """The account has no such wallet."""

    text = "wallet: this account has no such wallet"
