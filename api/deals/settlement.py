"""/api/v2/deals/{dealId}/consent and /settlement: the holder consents, the offerer pays and gets the registration."""

from api.deals import examples
from api.deals.endpoints import moved_deal
from api.deals.errors import DealInvalidState, NotAParty, ProviderUnavailable, WalletNotOnSession
from api.deals.groups import WRITES, DealId, DealsDep, Writer
from api.deals.requests import DealConfirmRequest, DealConsentRequest
from api.deals.schemas import DealConsent, DealSettlement, MovedDeal, SettlementCall, SolanaTransaction
from api.deals.settling import Call, registry_of
from api.deals.solana_settling import PartySigned
from api.http.dependencies import ChainsDep
from api.http.examples import success_example, success_examples
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute
from api.http.times import timestamp

router = WRITES.router("/api/v2/deals/{dealId}", tags=["deals"], route_class=BodyRoute)
_ERRORS = (DealInvalidState, NotAParty, ProviderUnavailable, WalletNotOnSession)


@router.get(
    "/consent",
    response_model=DealConsent,
    responses=success_examples(("evm", examples.CONSENT), ("solana", examples.SOLANA_CONSENT))
    | WRITES.responses(DealInvalidState, NotAParty, WalletNotOnSession),
)
async def get_deal_consent(session: Writer, deal_id: DealId, chains: ChainsDep, deals: DealsDep) -> JsonResponse:
    """The EIP-712 document by which the holder consents: that this offerer becomes the owner for this price, until a
    deadline. Amounts in it are text. On Solana the transaction to sign, once the offerer has asked for it."""
    statement = await deals.settling.consent_to_sign(session, deal_id)
    if isinstance(statement, PartySigned):
        deal = await deals.answers.find(deal_id)
        return respond(DealConsent(deal_id=str(deal_id), transaction=_solana(statement, deal.chain_id)))
    document = statement.typed_data(statement.chain_id, registry_of(chains, statement.chain_id))
    message = {**document["message"], "deal": "0x" + statement.deal.hex()}
    numbers = {name: str(message[name]) for name in ("tokenId", "amount", "nonce")}
    return respond(
        DealConsent(
            deal_id=str(deal_id),
            nonce=str(statement.nonce),
            deadline=statement.deadline,
            document={**document, "message": {**message, **numbers}},
        )
    )


@router.post(
    "/consent",
    response_model=MovedDeal,
    responses=success_example(examples.CONSENTED) | WRITES.responses(*_ERRORS),
)
async def consent_to_deal(session: Writer, deal_id: DealId, body: DealConsentRequest, deals: DealsDep) -> JsonResponse:
    """Hand in the holder's signature of the consent. It can be revoked at the registry at any time. On Solana the
    holder says without a signature that it is ready; once the offerer has asked for the transaction, it signs that."""
    await deals.settling.consent(
        session,
        deal_id,
        nonce=None if body.nonce is None else int(body.nonce),
        deadline=body.deadline,
        signature=body.signature,
    )
    return respond(await moved_deal(deals, session, deal_id, "The consent is kept. The offerer may settle."))


@router.post(
    "/settlement",
    response_model=DealSettlement,
    responses=success_examples(("evm", examples.SETTLEMENT), ("solana", examples.SOLANA_SETTLEMENT))
    | WRITES.responses(*_ERRORS),
)
async def settle_deal(session: Writer, deal_id: DealId, deals: DealsDep) -> JsonResponse:
    """The unsigned transaction by which the offerer pays the holder and becomes the owner, authorised for two minutes.
    On Solana both sign it, the holder first: ask again until the holder's signature is in it, then sign and send it.
    The deal cannot be cancelled until the authorisation has ended unused and that is final."""
    made = await deals.settling.authorize(session, deal_id)
    deal = await deals.answers.find(deal_id)
    if isinstance(made, PartySigned):
        transaction, until = _solana(made, deal.chain_id), timestamp(made.until)
        return respond(DealSettlement(deal_id=str(deal_id), transaction=transaction, authorized_until=until))
    return respond(
        DealSettlement(
            deal_id=str(deal_id),
            transaction=_call(made.settlement, deal.chain_id),
            approval=None if made.approval is None else _call(made.approval, deal.chain_id),
            authorized_until=timestamp(made.until),
        )
    )


@router.post(
    "/settlement/confirm",
    response_model=MovedDeal,
    responses=success_example(examples.CONFIRMED) | WRITES.responses(*_ERRORS),
)
async def confirm_deal_settlement(
    session: Writer, deal_id: DealId, body: DealConfirmRequest, deals: DealsDep
) -> JsonResponse:
    """Name the transaction once it is mined, so that the deal shows it. Not needed: the service finds it by itself, and
    the deal is complete when a final block shows it."""
    await deals.settling.confirm(session, deal_id, body.tx_hash)
    message = "The settlement is mined. The deal is complete when it is final."
    return respond(await moved_deal(deals, session, deal_id, message))


def _solana(made: PartySigned, chain_id: int) -> SolanaTransaction:
    return SolanaTransaction(
        chain_id=chain_id,
        message=made.transaction,
        holder_signed=made.holder_signed,
        blockhash=made.lifetime.blockhash,
        last_valid_block_height=made.lifetime.last_valid_block_height,
        block_height=made.lifetime.block_height,
    )


def _call(call: Call, chain_id: int) -> SettlementCall:
    return SettlementCall(chain_id=chain_id, to=call.to, data=call.data, value=hex(call.value))
