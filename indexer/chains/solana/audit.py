"""Checks that a node's answers are consistent, before anything is published. Each raises NodeLied when they are not.

Links between blocks prove that no block is missing: a block names the hash and the slot of the one before. Within a
block nothing proves that no transaction is missing, so the list of signatures is asked for again where that is cheap,
and token accounts must hold before a transaction what they held after the one before.
"""

from collections.abc import Mapping

from indexer.chains.errors import NodeLied
from indexer.chains.solana.blocks import Block, BlockHeader, DecodedBlock, TokenBalance

FEW_BLOCKS = 16
"""In ranges of at most this many blocks the signatures of each are compared, in longer ones those of the last."""


def require_linked(blocks: Mapping[int, BlockHeader], first: int, after: BlockHeader | None) -> None:
    """Each block, by slot, names the one before it, the first names one before slot ``first``, and ``after``, the next
    block of the chain, names the last. So no block of the range is missing."""
    slots, headers = list(blocks), [*blocks.values(), *([] if after is None else [after])]
    if headers and headers[0].parent_slot >= first and slots[:1] != [0]:  # only a chain's first block is its own parent
        raise NodeLied(f"the block of slot {headers[0].parent_slot} is missing")
    for slot, block, child in zip(slots, headers, headers[1:], strict=False):
        if child.parent_slot != slot:
            raise NodeLied(f"the next block after slot {slot} follows slot {child.parent_slot}")
        if child.previous_blockhash != block.blockhash:
            raise NodeLied(f"the next block after slot {slot} follows another block of that slot")


def require_signatures(slot: int, block: Block, again: BlockHeader) -> None:
    """A second answer about a block, with signatures alone, names the same transactions."""
    if again.blockhash != block.blockhash:
        raise NodeLied(f"two answers about slot {slot} are of different blocks")
    if [item.transaction.signatures[:1] for item in block.transactions] != [[one] for one in again.signatures or ()]:
        raise NodeLied(f"two answers about slot {slot} name different transactions")


def require_effects(block: DecodedBlock) -> None:
    """Every transaction has a balance for each of its accounts, its inner calls and token balances were recorded, and
    token accounts hold before it what they held after the last one that used them."""
    held: dict[str, TokenBalance] = {}
    for transaction in block.transactions:
        meta, accounts = transaction.meta, transaction.accounts
        if not len(meta.pre_balances) == len(meta.post_balances) == len(accounts):
            raise NodeLied(f"transaction {transaction.index} of slot {block.slot} lacks balances or accounts")
        # Nodes that did not record these answer null, which says nothing; an empty list says that there were none.
        if meta.inner_instructions is None or meta.pre_token_balances is None or meta.post_token_balances is None:
            raise NodeLied(f"transaction {transaction.index} of slot {block.slot} lacks inner calls or token balances")
        for balance in meta.pre_token_balances or ():
            account = accounts[balance.account_index]
            before = held.pop(account, None)
            if before is not None and (
                before.ui_token_amount.amount != balance.ui_token_amount.amount or before.mint != balance.mint
            ):
                raise NodeLied(f"token account {account} changes between transactions of slot {block.slot}")
        for balance in meta.post_token_balances or ():
            held[accounts[balance.account_index]] = balance
