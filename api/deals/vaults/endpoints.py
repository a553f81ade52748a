"""/api/v2/deals/{dealId}/vault: the offerer opens the vault; holders swap or redeem; anybody looks, recomputes, closes.

The service signs terms and sends nothing: every answer is a transaction for somebody's own wallet.
"""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import Query

from api.deals.errors import DealInvalidState, NotAParty, ProviderUnavailable
from api.deals.groups import READS, WRITES, DealId, DealsDep, Writer
from api.deals.service import Deals
from api.deals.vaults import examples
from api.deals.vaults.onchain import DescribedCall
from api.deals.vaults.repository import VaultRecord
from api.deals.vaults.schemas import (
    DealVaultState,
    SnapshotHolder,
    VaultClosing,
    VaultOpening,
    VaultProgress,
    VaultRedemption,
    VaultRedemptionTerms,
    VaultSnapshot,
    VaultSwap,
    VaultSwapTerms,
    VaultTransaction,
)
from api.deals.vaults.terms import DAY_SECONDS, vault_chain, vaults_of
from api.http.addresses import chain_address
from api.http.dependencies import ChainsDep
from api.http.examples import success_example
from api.http.rendering import JsonResponse, respond
from api.http.routes import BodyRoute, QueryRoute
from api.http.times import timestamp
from api.security.access import ApiKey
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chains

_MOST_DIGITS = r"^[1-9][0-9]{0,77}$"
write_router = WRITES.router("/api/v2/deals/{dealId}/vault", tags=["deals"], route_class=BodyRoute)
router = READS.router("/api/v2/deals/{dealId}/vault", tags=["deals"], route_class=QueryRoute)
_ERRORS = (DealInvalidState, ProviderUnavailable)
WalletQuery = Annotated[str, Query(description="The wallet, on the chain of the deal.")]


@write_router.post(
    "",
    response_model=VaultOpening,
    responses=success_example(examples.OPENING) | WRITES.responses(*_ERRORS, NotAParty),
)
async def prepare_deal_vault(session: Writer, deal_id: DealId, deals: DealsDep) -> JsonResponse:
    """The unsigned transactions by which the offerer opens the vault of a deal and pays the deposit in: of a merge
    while its swap window runs, of a buyout with a redemption window before it is settled."""
    deal, vault, calls = await deals.opening.prepare(session, deal_id)
    return respond(
        VaultOpening(
            deal_id=str(deal_id),
            kind=vault.kind,
            vault_id=vault.vault_id,
            swap=_swap(vault),
            redemption=_redemption(vault),
            transactions=[_transaction(call, deal.chain_id) for call in calls],
        )
    )


@router.get("", response_model=DealVaultState, responses=success_example(examples.STATE) | READS.responses(*_ERRORS))
async def get_deal_vault(access: ApiKey, deal_id: DealId, chains: ChainsDep, deals: DealsDep) -> JsonResponse:
    """The vault of a deal: its terms, where the money is, and how much was swapped or redeemed as of which block."""
    state = await deals.using.state(deal_id)
    vault, progress = state.vault, state.progress
    return respond(
        DealVaultState(
            deal_id=str(deal_id),
            chain_id=state.deal.chain_id,
            kind=vault.kind,
            vaults=vaults_of(vault_chain(chains, state.deal)),
            vault_id=vault.vault_id,
            vault=None if state.address is None else checksum_address(state.address),
            depositor=checksum_address(state.deal.offerer),
            closes_at=None if state.closes_at is None else _moment(state.closes_at),
            swap=_swap(vault),
            redemption=_redemption(vault),
            progress=VaultProgress(
                given=str(progress.given),
                paid=str(progress.paid),
                returned=str(progress.returned),
                accounts=progress.accounts,
                as_of_block=progress.as_of_block,
            ),
        )
    )


@router.get(
    "/snapshot", response_model=VaultSnapshot, responses=success_example(examples.SNAPSHOT) | READS.responses(*_ERRORS)
)
async def list_deal_snapshot(
    access: ApiKey,
    deal_id: DealId,
    deals: DealsDep,
    after: Annotated[str, Query(max_length=42, description="Only accounts after this one, as `next` says.")] = "",
    limit: Annotated[int, Query(ge=1, le=1000, description="Accounts on a page.")] = 100,
) -> JsonResponse:
    """Who held how much of the token at the snapshot of a redemption: what anybody needs to compute its root again."""
    vault = await deals.using.redemption_of(deal_id)
    terms = vault.redemption
    leaves = await deals.using.repository.leaves(deal_id, after, limit + 1)
    return respond(
        VaultSnapshot(
            deal_id=str(deal_id),
            snapshot_block=terms.snapshot_block,
            root="0x" + terms.root.hex(),
            total=str(terms.total),
            accounts=vault.snapshot_accounts or 0,
            holders=[SnapshotHolder(account=leaf.account, held=str(int(leaf.held_raw))) for leaf in leaves[:limit]],
            next=leaves[limit - 1].account if len(leaves) > limit else None,
        )
    )


@router.get("/swap", response_model=VaultSwap, responses=success_example(examples.SWAP) | READS.responses(*_ERRORS))
async def build_deal_swap(
    access: ApiKey,
    deal_id: DealId,
    chains: ChainsDep,
    deals: DealsDep,
    wallet: WalletQuery,
    amount: Annotated[str, Query(pattern=_MOST_DIGITS, description="Old tokens, in base units.")],
    min_paid: Annotated[
        str | None,
        Query(
            alias="minPaid",
            pattern=_MOST_DIGITS,
            description="The least to be paid, in base units. Default: the whole amount at the ratio. Less is needed"
            " where the old token takes a fee.",
        ),
    ] = None,
) -> JsonResponse:
    """The unsigned transactions by which a holder of the old token of a merge swaps it. Swapped tokens are burned."""
    deal = await deals.answers.find(deal_id)
    account = await _account(deals, chains, deal_id, wallet)
    least = None if min_paid is None else int(min_paid)
    paid, calls = await deals.using.swap(deal_id, account, int(amount), least)
    transactions = [_transaction(call, deal.chain_id) for call in calls]
    return respond(VaultSwap(deal_id=str(deal_id), min_paid=str(paid), transactions=transactions))


@router.get(
    "/redemption",
    response_model=VaultRedemption,
    responses=success_example(examples.REDEMPTION) | READS.responses(*_ERRORS),
)
async def build_deal_redemption(
    access: ApiKey, deal_id: DealId, chains: ChainsDep, deals: DealsDep, wallet: WalletQuery
) -> JsonResponse:
    """What an account held at the snapshot of a redemption, the proof, and the unsigned transaction that pays it."""
    deal = await deals.answers.find(deal_id)
    account = await _account(deals, chains, deal_id, wallet)
    leaf, proof, paid, call = await deals.using.redeem(deal_id, account)
    return respond(
        VaultRedemption(
            deal_id=str(deal_id),
            account=leaf.account,
            held=str(int(leaf.held_raw)),
            paid=str(paid),
            proof=["0x" + node.hex() for node in proof],
            transaction=_transaction(call, deal.chain_id),
        )
    )


@router.get(
    "/closing", response_model=VaultClosing, responses=success_example(examples.CLOSING) | READS.responses(*_ERRORS)
)
async def build_deal_closing(access: ApiKey, deal_id: DealId, deals: DealsDep) -> JsonResponse:
    """The unsigned transaction that returns to the depositor what is left in the vault, once its time is over."""
    deal = await deals.answers.find(deal_id)
    call = await deals.using.close(deal_id)
    return respond(VaultClosing(deal_id=str(deal_id), transaction=_transaction(call, deal.chain_id)))


async def _account(deals: Deals, chains: Chains, id: UUID, text: str) -> str:
    chain = vault_chain(chains, await deals.answers.find(id))
    return chain_address("wallet", text, chain)


def _transaction(call: DescribedCall, chain_id: int) -> VaultTransaction:
    return VaultTransaction(
        chain_id=chain_id, to=call.to, data=call.data, value=hex(call.value), description=call.description
    )


def _swap(vault: VaultRecord) -> VaultSwapTerms | None:
    if not vault.is_swap:
        return None
    terms = vault.swap
    return VaultSwapTerms(
        old_token=terms.old_token,
        new_token=terms.new_token,
        new_units=str(terms.new_units),
        old_units=str(terms.old_units),
    )


def _redemption(vault: VaultRecord) -> VaultRedemptionTerms | None:
    if vault.is_swap:
        return None
    terms = vault.redemption
    return VaultRedemptionTerms(
        currency=terms.currency,
        deposit=str(terms.deposit),
        token=terms.token,
        snapshot_block=terms.snapshot_block,
        root="0x" + terms.root.hex(),
        total=str(terms.total),
        accounts=vault.snapshot_accounts or 0,
        window_days=terms.window // DAY_SECONDS,
        settle_by=_moment(terms.settle_by),
        signature=str(vault.signature),
    )


def _moment(seconds: int) -> str:
    return timestamp(datetime.fromtimestamp(seconds, UTC))
