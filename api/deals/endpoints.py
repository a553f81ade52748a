"""/api/v2/deals: make an offer, answer it, cancel it, show funds."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import Body, Query

from api.deals import examples, shapes
from api.deals.errors import (
    AuthorizationLives,
    DealConflict,
    DealInvalidState,
    FundsNotVerified,
    NotAParty,
    NothingRegistered,
    OfferLimit,
    OffersRefused,
    ProviderUnavailable,
    WalletNotOnSession,
)
from api.deals.funds import Checked
from api.deals.groups import SESSIONS, WRITES, Budget, DealId, DealsDep, Limit, Offset, Writer
from api.deals.inputs import read_check, read_offer
from api.deals.repository import DealFilter, DealRecord, Wallets
from api.deals.requests import (
    DealAnswerRequest,
    DealCancelRequest,
    DealGroupRequest,
    DealRespondRequest,
    FundsRequest,
    OfferFloorRequest,
    OfferRequest,
)
from api.deals.schemas import (
    FundsAttestation,
    FundsCheck,
    FundsCheckEntry,
    FundsTimeline,
    MadeGroup,
    MovedDeal,
    OfferFloor,
    OwnDeals,
    Responded,
)
from api.deals.service import Deals
from api.deals.states import DealType, Status
from api.deals.visibility import Field
from api.http.addresses import chain_address
from api.http.dependencies import ChainsDep
from api.http.errors import InvalidInput
from api.http.examples import success_example
from api.http.rendering import JsonResponse, respond
from api.http.routes import ExactRoute, QueryRoute
from api.http.times import timestamp
from api.security.access import KeyAndSession
from api.security.callers import WalletSession
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chains

router = SESSIONS.router(tags=["deals"], route_class=QueryRoute)
write_router = WRITES.router(tags=["deals"], route_class=ExactRoute)

# All their members may be left out, and with them the body.
AnswerBody = Annotated[DealAnswerRequest, Body(default_factory=DealAnswerRequest)]
CancelBody = Annotated[DealCancelRequest, Body(default_factory=DealCancelRequest)]

_OFFER_ERRORS = (
    FundsNotVerified, NothingRegistered, OfferLimit, OffersRefused, ProviderUnavailable, WalletNotOnSession,
)  # fmt: skip
_ANSWER_ERRORS = (DealConflict, DealInvalidState, NotAParty, ProviderUnavailable, WalletNotOnSession)


@router.get("/mine", response_model=OwnDeals, responses=success_example(examples.OWN))
async def list_own_deals(
    session: KeyAndSession,
    deals: DealsDep,
    deal_type: Annotated[DealType | None, Query(description="Only deals of this type.")] = None,
    status: Annotated[Status | None, Query(description="Only deals of this status.")] = None,
    limit: Limit = 20,
    offset: Offset = 0,
) -> JsonResponse:
    """Deals of the session's wallets with their terms: offers made, deals accepted, and offers that wait for them."""
    wanted = DealFilter(deal_type=deal_type, status=status, wallets=Wallets.of(session))
    found, total = await deals.repository.listed(wanted, limit=limit, offset=offset)
    listed = [
        shapes.listed(deal, shapes.audience_of(deal, session), own=True, waits_for=shapes.waits_for(deal, session))
        for deal in found
    ]
    return respond(OwnDeals(deals=listed, total=total, limit=limit, offset=offset, deal_type=deal_type, status=status))


@router.get("/offer-floor", response_model=OfferFloor, responses=success_example(examples.FLOOR))
async def get_offer_floor(session: KeyAndSession, deals: DealsDep) -> JsonResponse:
    """Which offers the account takes."""
    rule = await deals.repository.offer_rule(session.account_id)
    return respond(OfferFloor(offer_floor_usd=rule.floor_usd, offers_disabled=rule.offers_disabled))


@write_router.put("/offer-floor", response_model=OfferFloor, responses=success_example(examples.FLOOR))
async def set_offer_floor(session: Writer, body: OfferFloorRequest, deals: DealsDep) -> JsonResponse:
    """Change which offers the account takes: none below a floor, or none at all. Offers made before stay."""
    cleared = "floor_usd" in body.model_fields_set and body.floor_usd is None
    floor = 0 if cleared else body.floor_usd
    rule = await deals.repository.save_offer_rule(session.account_id, floor, body.offers_disabled)
    return respond(OfferFloor(offer_floor_usd=rule.floor_usd, offers_disabled=rule.offers_disabled))


@write_router.post(
    "/verify-funds",
    response_model=FundsCheck,
    responses=success_example(examples.FUNDS) | WRITES.responses(ProviderUnavailable, WalletNotOnSession),
)
async def verify_funds(session: Writer, body: FundsRequest, chains: ChainsDep, deals: DealsDep) -> JsonResponse:
    """Read a wallet's balance and attest that it covers an offer. Valid for an hour, for offers of this wallet in this
    currency on this chain. Nothing is held."""
    asked = await read_check(body, session, chains, deals.currencies)
    return respond(_funds(await deals.funds.check(asked, deals.answers.clock.now())))


@write_router.post(
    "/offer",
    response_model=MovedDeal,
    responses=success_example(examples.MADE) | WRITES.responses(*_OFFER_ERRORS),
)
async def make_offer(
    session: Writer, body: OfferRequest, budget: Budget, chains: ChainsDep, deals: DealsDep
) -> JsonResponse:
    """Make an offer on a registration. Checked in this order: the minimum offer (400), the holder's settings (403),
    funds shown within the hour (402), the account's offers of the week and what its open ones add up to (429)."""
    offer = await read_offer(body, session, chains, deals.currencies)
    (id,), _ = await deals.offers.make(session, [offer])
    return respond(await moved_deal(deals, session, id, "The offer was made. The holder may accept or reject it."))


@write_router.post(
    "/group",
    response_model=MadeGroup,
    responses=success_example(examples.MADE_GROUP) | WRITES.responses(*_OFFER_ERRORS),
)
async def make_deal_group(
    session: Writer, body: DealGroupRequest, budget: Budget, chains: ChainsDep, deals: DealsDep
) -> JsonResponse:
    """Make several offers that take effect together, once all of them are accepted; if one ends before, all do. Checked
    as single offers; what is paid from one wallet in one currency needs funds for the sum."""
    offers = [
        await read_offer(one, session, chains, deals.currencies, f"offers.{place}.")
        for place, one in enumerate(body.offers)
    ]
    ids, group_id = await deals.offers.make(session, offers)
    made = [shapes.listed(deal := await deals.answers.find(id), shapes.audience_of(deal, session)) for id in ids]
    message = "The offers were made. They take effect when all of them are accepted."
    return respond(MadeGroup(success=True, group_id=str(group_id), deals=made, message=message))


@write_router.post(
    "/{dealId}/accept",
    response_model=MovedDeal,
    responses=success_example(examples.ACCEPTED) | WRITES.responses(*_ANSWER_ERRORS),
)
async def accept_deal(
    session: Writer, deal_id: DealId, body: AnswerBody, chains: ChainsDep, deals: DealsDep
) -> JsonResponse:
    """Accept an offer, as the wallet that holds the registration. Moves nothing on the chain and costs no gas."""
    wallet = await _wallet(deals, chains, deal_id, body.wallet_address)
    await deals.answers.accept(session, deal_id, wallet, body.response_message)
    return respond(await moved_deal(deals, session, deal_id, "The offer is accepted."))


@write_router.post(
    "/{dealId}/reject",
    response_model=MovedDeal,
    responses=success_example(examples.REJECTED) | WRITES.responses(*_ANSWER_ERRORS),
)
async def reject_deal(
    session: Writer, deal_id: DealId, body: AnswerBody, chains: ChainsDep, deals: DealsDep
) -> JsonResponse:
    """Reject an offer, as the wallet that holds the registration."""
    wallet = await _wallet(deals, chains, deal_id, body.wallet_address)
    await deals.answers.reject(session, deal_id, wallet, body.response_message)
    return respond(await moved_deal(deals, session, deal_id, "The offer is rejected."))


@write_router.post(
    "/{dealId}/respond",
    response_model=Responded,
    responses=success_example(examples.RESPONDED) | WRITES.responses(*_ANSWER_ERRORS),
)
async def respond_to_deal(session: Writer, deal_id: DealId, body: DealRespondRequest, deals: DealsDep) -> JsonResponse:
    """Accept or reject an offer in one word, as the session's wallet. The answer carries no deal."""
    answer = deals.answers.accept if body.action == "accept" else deals.answers.reject
    deal = await answer(session, deal_id, None, body.message)
    message = f"The offer is {'accepted' if body.action == 'accept' else 'rejected'}."
    return respond(Responded(success=True, deal_id=str(deal.id), status=deal.state.status, message=message))


@write_router.post(
    "/{dealId}/cancel",
    response_model=MovedDeal,
    responses=success_example(examples.CANCELLED)
    | WRITES.responses(DealInvalidState, AuthorizationLives, NotAParty, ProviderUnavailable, WalletNotOnSession),
)
async def cancel_deal(
    session: Writer, deal_id: DealId, body: CancelBody, budget: Budget, chains: ChainsDep, deals: DealsDep
) -> JsonResponse:
    """Cancel a deal, as one of its parties. It cannot be opened again, and cannot be cancelled while its settlement is
    authorised."""
    wallet = await _wallet(deals, chains, deal_id, body.wallet_address)
    await deals.answers.cancel(session, deal_id, wallet, deals.opening.require_unopened)
    return respond(await moved_deal(deals, session, deal_id, "The deal is cancelled."))


@write_router.post(
    "/{dealId}/reverify-funds",
    response_model=FundsCheck,
    responses=success_example(examples.FUNDS)
    | WRITES.responses(DealInvalidState, NotAParty, ProviderUnavailable, WalletNotOnSession),
)
async def reverify_deal_funds(
    session: Writer, deal_id: DealId, body: FundsRequest, chains: ChainsDep, deals: DealsDep
) -> JsonResponse:
    """File a new check of funds for a deal, as one of its parties. A check of the offerer's wallet for the deal's
    amount replaces the share that everybody sees."""
    deal = await deals.answers.find(deal_id)
    asked = await read_check(body, session, chains, deals.currencies, deal.id)
    checked = await deals.answers.refile(session, deal, asked, deals.funds)
    return respond(_funds(checked))


@router.get(
    "/{dealId}/funds",
    response_model=FundsTimeline,
    responses=success_example(examples.TIMELINE) | SESSIONS.responses(NotAParty),
)
async def list_deal_funds(session: KeyAndSession, deal_id: DealId, deals: DealsDep) -> JsonResponse:
    """The checks of funds that were filed for a deal, oldest first; for its parties."""
    deal = await deals.answers.find(deal_id)
    shapes.require_visible(deal, Field.FUNDS_TIMELINE, session)
    entries = [
        FundsCheckEntry(
            id=str(row.id),
            wallet_address=checksum_address(row.wallet),
            funded_pct=row.funded_percent,
            verified=row.verified,
            block_number=row.block_number,
            checked_at=timestamp(row.checked_at),
        )
        for row in await deals.repository.funds_checks(deal.id)
    ]
    return respond(FundsTimeline(deal_id=str(deal.id), checks=entries))


async def _wallet(deals: Deals, chains: Chains, id: UUID, text: str | None) -> str | None:
    """The wallet that a body names, in the form of the deal's chain."""
    deal = await deals.answers.find(id)
    chain = chains.by_id(deal.chain_id)
    if text is None:
        return None
    if chain is None:
        raise InvalidInput("wallet_address", "the chain of the deal is not served here")
    return chain_address("wallet_address", text, chain)


async def moved_deal(deals: Deals, session: WalletSession, id: UUID, message: str) -> MovedDeal:
    """The answer to a move: the deal as the caller sees it now."""
    deal: DealRecord = await deals.answers.find(id)
    shown = shapes.single(
        deal,
        shapes.audience_of(deal, session),
        await deals.repository.events(id),
        await deals.repository.attestations(id),
    )
    return MovedDeal(success=True, deal_id=str(id), status=deal.state.status, deal=shown, message=message)


def _funds(checked: Checked) -> FundsCheck:
    attestation: dict[str, Any] | None = None
    if checked.signature is not None:
        attestation = {
            "hash": checked.statement_hash,
            "signature": checked.signature,
            "block_number": checked.block,
            "timestamp": int(checked.checked_at.timestamp()),
            "statement": checked.statement,
        }
    return FundsCheck(
        verified=attestation is not None,
        balance=str(checked.balance_raw),
        required_amount=str(checked.required_raw),
        required_pct=checked.required_percent,
        shortfall=None if attestation is not None else str(checked.shortfall_raw),
        attestation=None if attestation is None else FundsAttestation(**attestation),
    )
