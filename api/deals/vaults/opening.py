"""Opening a vault: the offerer gets the transaction that makes it and pays the deposit in, in one call.

merge         while its window runs; the deposit is what the supply of the old token is worth at the ratio
redemption    once the holder consented; the service takes the snapshot and vouches for it
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from api.chains import ChainReaders
from api.claims.errors import SigningUnavailable
from api.claims.signing import Signing
from api.clock import Clock
from api.deals import states
from api.deals.answers import Answers
from api.deals.errors import DealInvalidState, NotAParty, ProviderUnavailable
from api.deals.repository import DealRecord
from api.deals.states import DealType
from api.deals.vaults.onchain import (
    DescribedCall,
    allowance_call,
    approval,
    balance_call,
    chain_time,
    read_numbers,
    read_vault,
)
from api.deals.vaults.repository import VaultRecord, VaultRepository
from api.deals.vaults.snapshots import Snapshots
from api.deals.vaults.terms import DAY_SECONDS, deal_word, redemption_raw, vault_chain, vaults_of
from api.security.callers import WalletSession
from indexer.chains.errors import RpcError
from indexer.chains.evm.reader import EvmReader
from indexer.contracts import vaults
from indexer.contracts.vaults import DEAD_ADDRESS, RedemptionTerms, SwapTerms, ratio_in_base_units
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import ZERO_ADDRESS, Chain, Chains
from warehouse.domain.selectors import DECIMALS, TOTAL_SUPPLY

LEAST_WINDOW: Final = timedelta(hours=1)
"""A swap is not opened for less."""
SETTLE_MARGIN: Final = timedelta(days=1)
"""A redemption waits so much longer than the offerer may settle."""
_ONE_FOR_ONE: Final = {"newTokens": 1, "oldTokens": 1}
_MOST_DECIMALS: Final = 77


@dataclass(frozen=True, slots=True)
class Opening:
    """Prepares vaults."""

    repository: VaultRepository
    answers: Answers
    snapshots: Snapshots
    signing: Signing
    readers: ChainReaders
    chains: Chains
    clock: Clock

    async def prepare(self, session: WalletSession, id: UUID) -> tuple[DealRecord, VaultRecord, list[DescribedCall]]:
        """The transactions that open the vault of a deal, for the offerer to send in this order.

        Raises:
            DealNotFound, NotAParty: it is not the caller's to open.
            DealInvalidState: the deal has no vault or does not wait for it, it is open, or the tokens do not allow it.
            ProviderUnavailable: the chain, the warehouse or the signer cannot be asked now.
        """
        deal = await self.answers.find(id)
        if not session.controls(deal.offerer, deal.chain_id):
            raise NotAParty("only the wallet that made the offer may do so")
        chain = vault_chain(self.chains, deal)
        try:
            await self._require_not_open(deal, chain)
            if deal.kind is DealType.MERGE:
                calls = await self._swap(deal, chain)
            else:
                calls = await self._redemption(deal, chain)
        except (RpcError, SigningUnavailable) as error:
            raise ProviderUnavailable from error
        return deal, await self.repository.find(id), calls

    async def require_unopened(self, deal: DealRecord) -> None:
        """Require that nobody swaps yet, if it is a merge.

        Raises:
            DealInvalidState: its swap is open on the chain.
            ProviderUnavailable: the chain cannot be read now.
        """
        if deal.state not in (states.SWAPPING, states.SWAPPING.paused) or await self.repository.known(deal.id) is None:
            return
        try:
            await self._require_not_open(deal, vault_chain(self.chains, deal))
        except RpcError as error:
            raise ProviderUnavailable from error

    async def _require_not_open(self, deal: DealRecord, chain: Chain) -> None:
        """A redemption whose time to settle is over is replaced by another."""
        known, reader = await self.repository.known(deal.id), self.readers.of(chain)
        if known is None or (await read_vault(reader, chain, known))["vault"] is None:
            return
        if known.is_swap or known.redemption.settle_by > await chain_time(reader):
            raise DealInvalidState("the vault is open on the chain")

    async def _swap(self, deal: DealRecord, chain: Chain) -> list[DescribedCall]:
        if deal.state != states.SWAPPING or deal.window_end is None:
            raise DealInvalidState(f"the deal is {deal.state.name}: its swap is opened while its window runs")
        if deal.window_end - self.clock.now() < LEAST_WINDOW:
            raise DealInvalidState("the swap window ends within an hour")
        new = deal.terms.get("newToken")
        if new is None:
            raise DealInvalidState("the offer has no migration_terms.newToken, so nothing can be swapped for it")
        reader, spender = self.readers.of(chain), vaults_of(chain)
        terms = await self._swap_terms(deal, reader, checksum_address(deal.token_address), checksum_address(new))
        supply, dead, held, allowed = await read_numbers(
            reader,
            [
                (terms.old_token, TOTAL_SUPPLY),
                balance_call(terms.old_token, DEAD_ADDRESS),
                balance_call(terms.new_token, deal.offerer),
                allowance_call(terms.new_token, deal.offerer, spender),
            ],
        )
        if supply is None or dead is None or held is None:
            raise DealInvalidState("the old or the new token does not tell its supply or balances")
        deposit = terms.deposit_for(max(supply - dead, 0))
        if deposit == 0:
            raise DealInvalidState("at this ratio the supply of the old token is worth nothing")
        if held < deposit:
            raise DealInvalidState(f"the deposit is {deposit} base units of the new token; the offerer has {held}")
        async with self.repository.store.transaction() as transaction:
            await self.repository.lock(transaction, deal.id)
            await self.repository.save_swap(transaction, deal.id, terms, self.clock.now())
        words = (
            f"Pays {deposit} base units of {terms.new_token} into a vault. Until {_moment(terms.closes_at)} holders of"
            f" {terms.old_token} get {terms.new_units} base units for every {terms.old_units} that they burn."
            " What is left then returns to you; nothing can be taken out before."
        )
        opening = DescribedCall(spender, vaults.open_swap_calldata(terms, deposit), 0, words)
        needed = [] if (allowed or 0) >= deposit else [approval(terms.new_token, spender, deposit)]
        return [*needed, opening]

    async def _swap_terms(self, deal: DealRecord, reader: EvmReader, old: str, new: str) -> SwapTerms:
        ratio = deal.terms.get("ratio", _ONE_FOR_ONE)
        old_decimals, new_decimals = await read_numbers(reader, [(old, DECIMALS), (new, DECIMALS)])
        if old_decimals is None or new_decimals is None or max(old_decimals, new_decimals) > _MOST_DECIMALS:
            raise DealInvalidState("the old or the new token does not tell its decimals")
        try:
            units = ratio_in_base_units(ratio["newTokens"], new_decimals, ratio["oldTokens"], old_decimals)
        except ValueError as error:
            raise DealInvalidState(f"migration_terms.ratio: {error}") from error
        assert deal.window_end is not None  # noqa: S101 - the caller has seen to it
        closes_at = int(deal.window_end.timestamp())
        return SwapTerms(deal_word(deal), checksum_address(deal.offerer), old, new, *units, closes_at=closes_at)

    async def _redemption(self, deal: DealRecord, chain: Chain) -> list[DescribedCall]:
        if deal.state != states.AWAITING_DISPATCH or deal.deadline is None:
            raise DealInvalidState(f"the deal is {deal.state.name}: its redemption is opened before the settlement")
        reader, spender = self.readers.of(chain), vaults_of(chain)
        vault = await self._vouched(deal, chain, await chain_time(reader))
        terms = vault.redemption
        is_coin = deal.currency_address == ZERO_ADDRESS
        words = (
            f"Pays {terms.deposit} base units of {'the native coin' if is_coin else terms.currency} into a vault. Once"
            f" the deal is settled, who held {terms.token} at block {terms.snapshot_block} gets a share, for"
            f" {terms.window // DAY_SECONDS} days. What is left then returns to you, and everything after"
            f" {_moment(terms.settle_by)} if the deal is not settled."
        )
        assert vault.signature is not None  # noqa: S101 - the store's constraint
        data = vaults.open_redemption_calldata(terms, bytes.fromhex(vault.signature[2:]))
        opening = DescribedCall(spender, data, terms.deposit if is_coin else 0, words)
        if is_coin:
            return [opening]
        (allowed,) = await read_numbers(reader, [allowance_call(terms.currency, deal.offerer, spender)])
        needed = [] if (allowed or 0) >= terms.deposit else [approval(terms.currency, spender, terms.deposit)]
        return [*needed, opening]

    async def _vouched(self, deal: DealRecord, chain: Chain, now: int) -> VaultRecord:
        """The signed terms with their snapshot. Asked again, the same while the deal can be settled by them."""
        assert deal.deadline is not None  # noqa: S101 - the caller has seen to it
        settle_by = int((deal.deadline + SETTLE_MARGIN).timestamp())
        known = await self.repository.known(deal.id)
        if known is not None and known.redemption.settle_by >= max(settle_by, now):
            return known
        snapshot = await self.snapshots.take(chain, deal.token_address)
        terms = RedemptionTerms(
            deal=deal_word(deal),
            depositor=checksum_address(deal.offerer),
            currency=checksum_address(str(deal.currency_address)),
            deposit=redemption_raw(deal),
            token=checksum_address(deal.token_address),
            snapshot_block=snapshot.block,
            root=snapshot.tree.root,
            total=snapshot.total,
            window=int(deal.terms["redemptionWindow"]) * DAY_SECONDS,
            settle_by=settle_by,
        )
        signature = await self.signing.sign(chain.chain_id, vaults_of(chain), terms)
        async with self.repository.store.transaction() as transaction:
            meanwhile = await self.repository.lock(transaction, deal.id)
            if meanwhile is None or (known is not None and meanwhile.vault_id == known.vault_id):
                await self.repository.save_redemption(
                    transaction, deal.id, terms, signature, snapshot, self.clock.now()
                )
        return await self.repository.find(deal.id)


def _moment(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"
