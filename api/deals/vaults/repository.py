"""Statements on vaults, and what the warehouse knows of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from api.deals.errors import DealInvalidState, ProviderUnavailable
from api.deals.repository import DealRecord
from api.deals.vaults.snapshots import Snapshot
from api.deals.vaults.terms import as_document, read_redemption, read_swap, vaults_of
from api.http.rendering import dumps
from api.warehouse import WarehouseReader
from indexer.contracts.vaults import RedemptionTerms, SwapTerms
from warehouse import sql
from warehouse.domain.addresses import digits_of
from warehouse.domain.chains import Chain
from warehouse.domain.merkle import proof_places
from warehouse.errors import WarehouseUnavailable
from warehouse.store import Store, Transaction


@dataclass(frozen=True, slots=True)
class VaultRecord:
    """The vault of a deal. ``signature`` and ``snapshot_accounts`` are of a redemption."""

    deal_id: UUID
    kind: str
    vault_id: str
    terms: Mapping[str, Any]
    signature: str | None
    snapshot_accounts: int | None

    @property
    def is_swap(self) -> bool:
        """Whether it is of a merge."""
        return self.kind == "swap"

    @property
    def swap(self) -> SwapTerms:
        """The terms, of a swap."""
        return read_swap(self.terms)

    @property
    def redemption(self) -> RedemptionTerms:
        """The terms, of a redemption."""
        return read_redemption(self.terms)


@dataclass(frozen=True, slots=True)
class LeafRecord:
    """What an account held at a snapshot; ``place``: of its leaf in the tree."""

    account: str
    held_raw: Decimal
    place: int


@dataclass(frozen=True, slots=True)
class Progress:
    """What came of a vault as of a block, in base units. ``given``: old tokens swapped, or the holdings whose share was
    redeemed; ``returned``: to the depositor."""

    given: int
    paid: int
    returned: int
    accounts: int
    as_of_block: int


class VaultRepository:
    """Statements of the vault routes and of the worker."""

    def __init__(self, store: Store, warehouse: WarehouseReader) -> None:
        self.store = store
        self.warehouse = warehouse

    async def find(self, deal_id: UUID) -> VaultRecord:
        """The vault of a deal.

        Raises:
            DealInvalidState: the offerer has not asked for its terms yet.
        """
        found = await self.known(deal_id)
        if found is None:
            raise DealInvalidState("the offerer has not prepared the vault yet")
        return found

    async def known(self, deal_id: UUID) -> VaultRecord | None:
        """The vault of a deal, if there is one."""
        return await self.store.row("deals/find_vault", {"id": deal_id}, VaultRecord)

    async def lock(self, transaction: Transaction, deal_id: UUID) -> VaultRecord | None:
        """The vault of a deal; nobody else prepares one before the transaction ends."""
        await transaction.row("deals/lock_deal", {"id": deal_id})
        return await transaction.row("deals/find_vault", {"id": deal_id}, VaultRecord)

    async def save_swap(self, transaction: Transaction, deal_id: UUID, terms: SwapTerms, now: datetime) -> None:
        """Keep the terms of a swap."""
        row = {"kind": "swap", "signature": None, "accounts": None, "nodes": None}
        await self._save(transaction, deal_id, terms, now, row)

    async def save_redemption(
        self,
        transaction: Transaction,
        deal_id: UUID,
        terms: RedemptionTerms,
        signature: bytes,
        snapshot: Snapshot,
        now: datetime,
    ) -> None:
        """Keep the terms of a redemption with its snapshot."""
        row = {
            "kind": "redemption",
            "signature": "0x" + signature.hex(),
            "accounts": len(snapshot.leaves),
            "nodes": snapshot.tree.nodes,
        }
        await self._save(transaction, deal_id, terms, now, row)
        await transaction.execute("deals/delete_snapshot", {"id": deal_id})
        leaves = {
            "accounts": [account for account, _ in snapshot.leaves],
            "held": [Decimal(held) for _, held in snapshot.leaves],
            "places": list(snapshot.tree.places),
        }
        await transaction.execute("deals/add_snapshot", {"id": deal_id, **leaves})

    async def leaves(self, deal_id: UUID, after: str, limit: int) -> list[LeafRecord]:
        """Who held how much at the snapshot, by account, after an account."""
        return await self.store.rows("deals/list_snapshot", {"id": deal_id, "after": after, "limit": limit}, LeafRecord)

    async def leaf(self, deal_id: UUID, account: str) -> LeafRecord | None:
        """What an account held at the snapshot; None: nothing."""
        return await self.store.row("deals/find_leaf", {"id": deal_id, "account": account}, LeafRecord)

    async def proof(self, deal_id: UUID, place: int) -> list[bytes]:
        """The proof of a leaf."""
        rows = await self.store.rows("deals/list_proof", {"id": deal_id, "places": proof_places(place)})
        return [bytes(row["node"]) for row in rows]

    async def swapping(self) -> list[DealRecord]:
        """Merges whose swap may be open, oldest first."""
        return await self.store.rows("deals/list_swapping", None, DealRecord)

    async def progress(self, chain: Chain, vault: VaultRecord) -> Progress:
        """What came of a vault as of the last published block.

        Raises:
            ProviderUnavailable: the warehouse cannot say now.
        """
        wanted = {
            "chain_id": chain.chain_id,
            "vault_id": vault.vault_id[2:],
            "vaults": digits_of(vaults_of(chain).lower()),
        }
        try:
            (row,) = await self.warehouse.rows(sql.load("queries/vaults/progress"), wanted)
        except WarehouseUnavailable as error:
            raise ProviderUnavailable("progress cannot be read now, try again") from error
        return Progress(**{name: int(value) for name, value in row.items()})

    async def _save(
        self,
        transaction: Transaction,
        deal_id: UUID,
        terms: SwapTerms | RedemptionTerms,
        now: datetime,
        row: Mapping[str, Any],
    ) -> None:
        kept: Sequence[Any] = ("0x" + terms.id.hex(), dumps(as_document(terms)).decode())
        given = {"id": deal_id, "vault_id": kept[0], "terms": kept[1], "made_at": now, **row}
        await transaction.execute("deals/save_vault", given)
