"""Reads requests into offers and checks of funds, or raises an error that names the field."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from api.deals import roles
from api.deals.currencies import Currencies, read_amount
from api.deals.errors import WalletNotOnSession
from api.deals.funds import Asked
from api.deals.offers import Offer
from api.deals.requests import FundsRequest, OfferRequest
from api.deals.states import DealType
from api.http.addresses import chain_address, claim_symbol
from api.http.errors import InvalidInput
from api.http.fields import read_chain
from api.http.rendering import dumps
from api.security.callers import WalletSession
from warehouse.domain.chains import Chain, Chains

_TERMS: Final[Mapping[DealType, str]] = {
    DealType.BUYOUT: "buyout_terms",
    DealType.MERGE: "migration_terms",
    DealType.PROJECT_SALE: "acquisition_terms",
    DealType.COLLAB: "collab_terms",
}
_NEEDED: Final = frozenset({DealType.MERGE, DealType.COLLAB})
_PAID: Final = frozenset({DealType.BUYOUT, DealType.PROJECT_SALE})
_MOST_TERMS_BYTES: Final = 8192
_DEEPEST: Final = 8
MAX_SAFE_INTEGER: Final = 2**53
"""Readers of JSON keep integers up to here."""


async def read_offer(
    body: OfferRequest, session: WalletSession, chains: Chains, currencies: Currencies, place: str = ""
) -> Offer:
    """The offer of a request; ``place`` precedes the names of fields, for one of several.

    Raises:
        InvalidInput: a field is not valid, is missing, or does not belong to this type of deal.
        WalletNotOnSession: the session does not control the wallet offered from.
        ProviderUnavailable: the price of the currency cannot be read.
    """
    chain = read_chain(chains, body.chain_id, f"{place}chain_id")
    symbol = claim_symbol(f"{place}symbol", body.symbol)
    token = None if body.token_address is None else chain_address(f"{place}token_address", body.token_address, chain)
    offerer = session_wallet(f"{place}{roles.OFFERER_IN_OFFER}", getattr(body, roles.OFFERER_IN_OFFER), session, chain)
    if body.payment_method is not None and body.payment_method.lower() == "escrow":
        raise InvalidInput(f"{place}payment_method", "escrow is not offered: nothing is held for the parties")
    terms = _read_terms(body, place)
    if "redemptionShareBps" in terms and "redemptionWindow" not in terms:
        raise InvalidInput(f"{place}buyout_terms.redemptionShareBps", "needs a redemptionWindow")
    if "newToken" in terms:
        terms["newToken"] = chain_address(f"{place}migration_terms.newToken", terms["newToken"], chain)
    has_window = "redemptionWindow" in terms or "swapWindow" in terms
    if has_window and body.offer_window_days is not None:
        raise InvalidInput(f"{place}offer_window_days", "is not taken with a deal that has a window of its own")
    field, amount, currency, commitment = f"{place}agreed_amount", None, None, None
    if body.deal_type in _PAID:
        if body.agreed_amount is None:
            raise InvalidInput(field, f"is required for a {body.deal_type}")
        if body.agreed_currency is None:
            raise InvalidInput(f"{place}agreed_currency", f"is required for a {body.deal_type}")
        commitment = amount = read_amount(field, body.agreed_amount)
        currency = await currencies.payable(f"{place}agreed_currency", body.agreed_currency, chain)
    elif body.agreed_amount is not None or body.agreed_currency is not None:
        raise InvalidInput(field, f"nothing is paid for a {body.deal_type}")
    elif body.collab_terms is not None:
        field = f"{place}collab_terms.liquidityCommitmentUsd"
        commitment = body.collab_terms.liquidity_commitment_usd
        currency = await currencies.payable("collab_terms", "USDC", chain)
    offer = Offer(
        kind=body.deal_type,
        chain=chain,
        symbol=symbol,
        token=token,
        offerer=offerer,
        amount=amount,
        currency=currency,
        commitment=commitment,
        field=field,
        terms=terms,
        message=body.message,
        window_days=body.offer_window_days,
    )
    _ = (offer.commitment_raw, offer.value_usd)  # refuses what cannot be paid or priced
    return offer


async def read_check(
    body: FundsRequest, session: WalletSession, chains: Chains, currencies: Currencies, deal_id: UUID | None = None
) -> Asked:
    """The check of funds of a request.

    Raises:
        InvalidInput: a field is not valid.
        WalletNotOnSession: the session does not control the wallet.
        ProviderUnavailable: the price of the currency cannot be read.
    """
    chain = read_chain(chains, str(body.chain_id), "chainId")
    wallet = session_wallet("walletAddress", body.wallet_address, session, chain)
    currency = await currencies.payable("currency", body.currency, chain)
    return Asked(
        account_id=session.account_id,
        plan=session.plan,
        wallet=wallet,
        chain=chain,
        currency=currency,
        amount_raw=currency.in_base_units("offerAmount", body.offer_amount),
        deal_id=deal_id,
    )


def session_wallet(field: str, text: str | None, session: WalletSession, chain: Chain) -> str:
    """A wallet that acts on a chain: the one that is named, else the session's first that has its form.

    Raises:
        InvalidInput: it is no address of the chain.
        WalletNotOnSession: the session does not control it there.
    """
    if text is not None:
        wallet = chain_address(field, text, chain)
        if not session.controls(wallet, chain.chain_id):
            raise WalletNotOnSession(f"{field}: is not a wallet of the session")
        return wallet
    for wallet in session.wallets:
        if session.controls(wallet, chain.chain_id) and _has_form(wallet, chain):
            return wallet
    raise WalletNotOnSession(f"{field}: the session has no wallet of {chain.name}")


def _has_form(wallet: str, chain: Chain) -> bool:
    try:
        return bool(chain_address("wallet", wallet, chain))
    except InvalidInput:
        return False


def _read_terms(body: OfferRequest, place: str) -> dict[str, Any]:
    """The terms that belong to the type of deal, as plain JSON; amounts as text."""
    wanted = _TERMS[body.deal_type]
    for name in _TERMS.values():
        if name != wanted and getattr(body, name) is not None:
            raise InvalidInput(f"{place}{name}", f"does not belong to a {body.deal_type}")
    given = getattr(body, wanted)
    if given is None:
        if body.deal_type in _NEEDED:
            raise InvalidInput(f"{place}{wanted}", f"is required for a {body.deal_type}")
        return {}
    members = given if isinstance(given, dict) else given.model_dump(by_alias=True, exclude_none=True)
    plain: dict[str, Any] = _plain(f"{place}{wanted}", members)
    if len(dumps(plain)) > _MOST_TERMS_BYTES:
        raise InvalidInput(f"{place}{wanted}", f"is larger than {_MOST_TERMS_BYTES} bytes")
    return plain


def _plain(field: str, value: Any, depth: int = 0) -> Any:
    """A value that the store can keep: fractions as text, and no text or number that it could not."""
    if depth > _DEEPEST:
        raise InvalidInput(field, f"is nested deeper than {_DEEPEST} levels")
    if isinstance(value, Mapping):
        return {_plain(field, name): _plain(field, member, depth + 1) for name, member in value.items()}
    if isinstance(value, list):
        return [_plain(field, item, depth + 1) for item in value]
    if isinstance(value, str) and ("\0" in value or not _is_text(value)):
        raise InvalidInput(field, "holds text with NUL or half of a surrogate pair")
    if isinstance(value, int) and abs(value) > MAX_SAFE_INTEGER:
        raise InvalidInput(field, "holds a whole number beyond 2^53; write it as text")
    return f"{value:f}" if isinstance(value, Decimal) else value


def _is_text(value: str) -> bool:
    try:
        return value.encode() is not None
    except UnicodeEncodeError:
        return False
