"""Refusals of deal routes. The specification gives most of them one code."""

from datetime import datetime

from api.http.errors import ApiError, Conflict, Forbidden, NotFound, TooManyRequests, Unavailable
from api.http.times import timestamp

INVALID = "VALIDATION_INVALID_INPUT"


class DealNotFound(NotFound):
    """No deal has this id."""

    code = INVALID
    text = "dealId: there is no such deal"


class GroupNotFound(NotFound):
    """No group of deals has this id."""

    code = INVALID
    text = "groupId: there is no such group"


class NothingRegistered(NotFound):
    """The symbol has no active registration on the chain, or another token's."""

    code = INVALID
    text = "symbol: PEPE has no registration on Base"


class DealInvalidState(ApiError):
    """The deal cannot move that way. The message says where it is, and until when where time decides."""

    status = 400
    code = "DEAL_INVALID_STATE"
    text = "the deal is announced / announcement: the holder cannot reject now"


class AuthorizationLives(DealInvalidState):
    """The service has authorised the settlement, and a transaction may be on its way."""

    def __init__(self, until: datetime) -> None:
        super().__init__(f"the settlement is authorised until {timestamp(until)}: the deal cannot be cancelled before")


class FundsNotVerified(ApiError):
    """No passing check of funds of the last hour covers the offer."""

    status = 402
    code = INVALID
    text = "no check of funds from the last hour covers this offer: POST /api/v2/deals/verify-funds first"


class WalletNotOnSession(Forbidden):
    """The session does not control the wallet, on this chain."""

    text = "wallet_address: is not a wallet of the session"


class OffersRefused(Forbidden):
    """The holder takes no offers, or none as low as this."""

    text = "the holder takes no offers"


class NotAParty(Forbidden):
    """The wallet is no party of the deal, or not the one that may do this."""

    text = "only a party of the deal may do so"


class DealConflict(Conflict):
    """Another deal on the registration is accepted and not over."""

    code = "DEAL_CONFLICT"
    text = "another deal on this registration is accepted and not over yet"


class OfferLimit(TooManyRequests):
    """Too many offers in a week, too high a sum of open offers, or too many requests in a minute."""

    code = INVALID
    text = "more than 25 offers in seven days"


class ProviderUnavailable(Unavailable):
    """A chain, a price or the signer could not be asked. Never means that funds are missing."""

    code = "PROVIDER_UNAVAILABLE"
    text = "the chain cannot be read now, try again"
