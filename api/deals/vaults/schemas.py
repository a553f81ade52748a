"""Answers of the vault routes. Amounts are in base units."""

from typing import Annotated

from pydantic import Field

from api.http import members
from api.http.members import ChainNumber, Count, Digits, Omittable, Timestamp
from api.http.rendering import Wire

KINDS = ("swap", "redemption")
Kind = Annotated[str, members.one_of("VaultKind", "Of a merge, or of a buyout with a redemptionWindow.", KINDS)]
Word = members.Hash


class VaultTransaction(Wire):
    """A transaction to sign and send."""

    chain_id: ChainNumber
    to: members.EvmAddress = Field(description="Where it goes.")
    data: members.HexBytes = Field(description="The call.")
    value: members.Wei = Field(description="Coins that go with it.")
    description: str = Field(description="What it does, in plain words.")


class VaultSwapTerms(Wire):
    """The terms of a swap."""

    old_token: members.EvmAddress = Field(description="What holders give; it is burned.")
    new_token: members.EvmAddress = Field(description="What they get.")
    new_units: Digits = Field(description="So many base units of the new token ...")
    old_units: Digits = Field(description="... for so many of the old one.")


class VaultRedemptionTerms(Wire):
    """The terms of a redemption, with the snapshot that the service vouches for."""

    currency: members.EvmAddress = Field(description="What is paid; the zero address is the native coin.")
    deposit: Digits = Field(description="What is shared out.")
    token: members.EvmAddress = Field(description="Whose holders are paid.")
    snapshot_block: members.BlockNumber = Field(description="As of which block they held it.")
    root: Word = Field(description="Root of the Merkle tree over accounts and what they held.")
    total: Digits = Field(description="What they held together.")
    accounts: Count = Field(description="How many they are.")
    window_days: Count = Field(description="Days after the settlement in which they are paid.")
    settle_by: Timestamp = Field(description="The deposit returns if the deal is not settled by then.")
    signature: members.HexBytes = Field(description="Of the service's signer, over the terms.")


class VaultOpening(Wire):
    """The transactions that open a vault, to be sent in this order."""

    deal_id: members.Uuid
    kind: Kind
    vault_id: Word = Field(description="Hash of the terms; it names the vault on the chain.")
    swap: Omittable[VaultSwapTerms] = Field(default=None, description="Of a merge.")
    redemption: Omittable[VaultRedemptionTerms] = Field(default=None, description="Of a buyout.")
    transactions: list[VaultTransaction] = Field(description="An approval where one is needed, and the opening.")


class VaultProgress(Wire):
    """What came of a vault as of a block that is indexed."""

    given: Digits = Field(description="Old tokens swapped; or the holdings whose share was redeemed.")
    paid: Digits = Field(description="Paid to holders.")
    returned: Digits = Field(description="Returned to the depositor.")
    accounts: Count = Field(description="How many accounts were paid.")
    as_of_block: members.BlockNumber


class DealVaultState(Wire):
    """The vault of a deal."""

    deal_id: members.Uuid
    chain_id: ChainNumber
    kind: Kind
    vaults: members.EvmAddress = Field(description="The contract with the rules.")
    vault_id: Word = Field(description="Hash of the terms.")
    vault: members.EvmAddress | None = Field(description="Where the money is; null: not open yet.")
    depositor: members.EvmAddress = Field(description="Who paid in, and gets what is left.")
    closes_at: Timestamp | None = Field(description="Until when it is open; null: not before the settlement.")
    swap: Omittable[VaultSwapTerms] = Field(default=None, description="Of a merge.")
    redemption: Omittable[VaultRedemptionTerms] = Field(default=None, description="Of a buyout.")
    progress: VaultProgress


class SnapshotHolder(Wire):
    """A leaf of a snapshot."""

    account: members.EvmAddress
    held: Digits = Field(description="What it held.")


class VaultSnapshot(Wire):
    """Who held how much at a snapshot, by account."""

    deal_id: members.Uuid
    snapshot_block: members.BlockNumber = Field(description="As of which block.")
    root: Word = Field(description="Root of the tree over all of them.")
    total: Digits = Field(description="What they held together.")
    accounts: Count = Field(description="How many they are.")
    holders: list[SnapshotHolder] = Field(description="This page.")
    next: str | None = Field(description="`after` of the next page; null: this is the last.")


class VaultSwap(Wire):
    """The transactions that swap old tokens, to be sent in this order."""

    deal_id: members.Uuid
    min_paid: Digits = Field(description="The least that is paid; otherwise nothing happens.")
    transactions: list[VaultTransaction] = Field(description="An approval where one is needed, and the swap.")


class VaultRedemption(Wire):
    """The transaction that pays an account its share."""

    deal_id: members.Uuid
    account: members.EvmAddress
    held: Digits = Field(description="What it held at the snapshot.")
    paid: Digits = Field(description="What it is paid.")
    proof: list[Word] = Field(description="The proof of the leaf, from the leaf to the root.")
    transaction: VaultTransaction


class VaultClosing(Wire):
    """The transaction that returns the rest to the depositor."""

    deal_id: members.Uuid
    transaction: VaultTransaction
