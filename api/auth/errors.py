"""Errors of the sign-in."""

from api.http.errors import Conflict, NotFound, Unauthorized, Unavailable
from warehouse.domain.addresses import checksum_address


class NonceInvalid(Unauthorized):
    """The message's nonce was not issued here, was used, or is too old."""

    text = "message: Nonce was not issued here, was used, or is older than ten minutes; ask for a new one"


class SignatureInvalid(Unauthorized):
    """The signature is not the wallet's."""

    text = "signature: is not the wallet's signature of this message"


class WalletOfAnotherAccount(Conflict):
    """The wallet belongs to another account, so it cannot join this session."""

    code = "WALLET_LINKED_ELSEWHERE"
    text = "wallet 0x… belongs to another account; sign in with it alone"

    def __init__(self, wallet: str) -> None:
        super().__init__(f"wallet {checksum_address(wallet)} belongs to another account; sign in with it alone")


class TooManyWallets(Conflict):
    """The session has as many wallets as a session may have."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"a session has at most {limit} wallets")


class SessionNotFound(NotFound):
    """The account has no session of this id."""

    text = "id: the account has no such session"


class ServiceUrlsInvalid(Unavailable):
    """The operator's settings have no URLs that sign-in messages can name."""

    text = "sign-in needs URLs in REGALIA_SITE_URL and REGALIA_BASE_URL"
