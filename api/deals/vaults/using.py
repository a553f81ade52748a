"""What holders of a token do with a vault: swap, redeem; and who closes it. Nothing of this needs a session: whoever
signs the transaction acts."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from api.chains import ChainReaders
from api.deals.answers import Answers
from api.deals.errors import DealInvalidState, ProviderUnavailable
from api.deals.repository import DealRecord
from api.deals.vaults.onchain import (
    DescribedCall,
    allowance_call,
    approval,
    balance_call,
    chain_time,
    read_numbers,
    read_vault,
)
from api.deals.vaults.repository import LeafRecord, Progress, VaultRecord, VaultRepository
from api.deals.vaults.terms import deal_word, vault_chain, vaults_of
from api.http.errors import InvalidInput
from api.http.times import timestamp
from indexer.chains.errors import RpcError
from indexer.chains.evm.reader import EvmReader
from indexer.contracts import registry, vaults
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chain, Chains


@dataclass(frozen=True, slots=True)
class VaultState:
    """A vault as the chain and the index show it. ``address`` is None while it is not open; ``closes_at`` while a
    redemption waits for the settlement."""

    deal: DealRecord
    vault: VaultRecord
    address: str | None
    closes_at: int | None
    progress: Progress


@dataclass(frozen=True, slots=True)
class Using:
    """Builds the transactions of a vault that is open."""

    repository: VaultRepository
    answers: Answers
    readers: ChainReaders
    chains: Chains

    async def state(self, id: UUID) -> VaultState:
        """A vault, with what came of it.

        Raises:
            DealNotFound: there is no such deal.
            DealInvalidState: it has no vault.
            ProviderUnavailable: the chain or the warehouse cannot be read now.
        """
        deal, chain, vault = await self._found(id)
        try:
            found = await read_vault(self.readers.of(chain), chain, vault)
            closes_at = await self._closes_at(deal, chain, vault)
        except RpcError as error:
            raise ProviderUnavailable from error
        return VaultState(deal, vault, found["vault"], closes_at, await self.repository.progress(chain, vault))

    async def redemption_of(self, id: UUID) -> VaultRecord:
        """The vault of a redemption.

        Raises:
            DealNotFound: there is no such deal.
            DealInvalidState: it has no redemption.
        """
        _, _, vault = await self._found(id)
        if vault.is_swap:
            raise DealInvalidState("the vault of this deal is swapped, not redeemed")
        return vault

    async def swap(self, id: UUID, wallet: str, amount: int, least: int | None) -> tuple[int, list[DescribedCall]]:
        """The transactions that swap old tokens of a wallet, in this order, and the least that it is paid for them.

        Raises:
            DealNotFound: there is no such deal.
            DealInvalidState: it has no swap that is open.
            InvalidInput: the wallet has less, or the amount is worth nothing.
            ProviderUnavailable: the chain cannot be read now.
        """
        _, chain, vault = await self._found(id)
        if not vault.is_swap:
            raise DealInvalidState("the vault of this deal is redeemed, not swapped")
        terms, spender = vault.swap, vaults_of(chain)
        try:
            reader = self.readers.of(chain)
            found = await self._open(reader, chain, vault)
            _require_before(terms.closes_at, await chain_time(reader))
            held, allowed = await read_numbers(
                reader, [balance_call(terms.old_token, wallet), allowance_call(terms.old_token, wallet, spender)]
            )
        except RpcError as error:
            raise ProviderUnavailable from error
        if (held or 0) < amount:
            raise InvalidInput("amount", f"is more than the wallet has: {held or 0} base units of {terms.old_token}")
        if found["swapped"] + amount > found["swappable"]:
            raise InvalidInput("amount", f"is more than is left to swap: {found['swappable'] - found['swapped']}")
        paid = terms.deposit_for(amount) if least is None else least
        if paid == 0:
            raise InvalidInput("amount", "is worth less than one base unit of the new token")
        words = (
            f"Burns {amount} base units of {terms.old_token}, which nobody can bring back, and pays you at least {paid}"
            f" base units of {terms.new_token}, or does nothing."
        )
        swap = DescribedCall(spender, vaults.swap_calldata(terms.id, amount, paid), 0, words)
        needed = [] if (allowed or 0) >= amount else [approval(terms.old_token, spender, amount)]
        return paid, [*needed, swap]

    async def redeem(self, id: UUID, account: str) -> tuple[LeafRecord, list[bytes], int, DescribedCall]:
        """What an account held at the snapshot, its proof, what it is paid, and the transaction that pays it.

        Raises:
            DealNotFound: there is no such deal.
            DealInvalidState: it has no redemption that is open, or the account was paid.
            InvalidInput: the account held nothing.
            ProviderUnavailable: the chain cannot be read now.
        """
        vault = await self.redemption_of(id)
        deal, chain, _ = await self._found(id)
        leaf, terms = await self.repository.leaf(id, checksum_address(account)), vault.redemption
        if leaf is None:
            raise InvalidInput("wallet", f"held nothing that counts at block {terms.snapshot_block}")
        try:
            reader = self.readers.of(chain)
            await self._open(reader, chain, vault)
            closes_at = await self._closes_at(deal, chain, vault)
            if closes_at is None:
                raise DealInvalidState("the deal is not settled yet")
            _require_before(closes_at, await chain_time(reader))
            call = vaults.contract().call("hasRedeemed", terms.id, leaf.account)
            (has_redeemed,) = await read_numbers(reader, [(vaults_of(chain), call)])
        except RpcError as error:
            raise ProviderUnavailable from error
        if has_redeemed:
            raise DealInvalidState("the account was paid")
        held = int(leaf.held_raw)
        proof, paid = await self.repository.proof(id, leaf.place), terms.share_of(held)
        words = f"Pays {leaf.account} {paid} base units of {terms.currency} from the vault. Anybody may send it."
        data = vaults.redeem_calldata(terms.id, leaf.account, held, proof)
        return leaf, proof, paid, DescribedCall(vaults_of(chain), data, 0, words)

    async def close(self, id: UUID) -> DescribedCall:
        """The transaction that returns the rest to the depositor.

        Raises:
            DealNotFound: there is no such deal.
            DealInvalidState: the vault is not open, or its time has not come.
            ProviderUnavailable: the chain cannot be read now.
        """
        deal, chain, vault = await self._found(id)
        try:
            reader = self.readers.of(chain)
            await self._open(reader, chain, vault)
            closes_at = await self._closes_at(deal, chain, vault) or vault.redemption.settle_by
            if await chain_time(reader) <= closes_at:
                raise DealInvalidState(f"the vault closes at {timestamp(datetime.fromtimestamp(closes_at, UTC))}")
        except RpcError as error:
            raise ProviderUnavailable from error
        function = "closeSwap" if vault.is_swap else "closeRedemption"
        data = vaults.contract().call(function, bytes.fromhex(vault.vault_id[2:]))
        words = f"Returns what is left in the vault to {checksum_address(deal.offerer)}. Anybody may send it."
        return DescribedCall(vaults_of(chain), data, 0, words)

    async def _found(self, id: UUID) -> tuple[DealRecord, Chain, VaultRecord]:
        deal = await self.answers.find(id)
        chain = vault_chain(self.chains, deal)
        return deal, chain, await self.repository.find(id)

    async def _open(self, reader: EvmReader, chain: Chain, vault: VaultRecord) -> dict[str, Any]:
        found = await read_vault(reader, chain, vault)
        if found["vault"] is None:
            raise DealInvalidState("the vault is not open yet")
        return found

    async def _closes_at(self, deal: DealRecord, chain: Chain, vault: VaultRecord) -> int | None:
        """Until when a swap or a redemption is open; None while a redemption waits for the settlement."""
        if vault.is_swap:
            return vault.swap.closes_at
        call = registry.contract().call("settledAt", deal_word(deal))
        (settled_at,) = await read_numbers(self.readers.of(chain), [(chain.contracts["registry"], call)])
        return settled_at + vault.redemption.window if settled_at else None


def _require_before(closes_at: int, now: int) -> None:
    if now > closes_at:
        raise DealInvalidState(f"the vault closed at {timestamp(datetime.fromtimestamp(closes_at, UTC))}")
